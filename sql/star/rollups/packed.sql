-- The star with the leaves of a tuple in one key, or in several if one number does not hold them.
--
-- keys     one #key per part, as key_1, key_2, …
-- carried  frequency, and carried columns
-- star     the star
--
-- One row per tuple. 0 is the number of the node without generalization.
select
    cast(0 as bigint) as node,
    {keys},
    {carried}
from {star}

-- section: of_cube
-- The zero-generalization frequency set of a subset of the attributes, from a cube.
--
-- node     the number of the node
-- keys     one #key per part, as key_1, key_2, …
-- carried  frequency, and carried columns
-- cube     frequency sets: node, value_1, value_2, …, frequency, and carried columns
-- subset   the number of the subset
--
-- One row per value group.
select
    cast({node} as bigint) as node,
    {keys},
    {carried}
from {cube}
where node = {subset}

-- section: key
-- The attributes of a part, each at its place.
--
-- codes  one #code per attribute of the part, one added to the other
{codes}

-- section: code
-- The code of a value at its place in the key.
--
-- code   the code
-- place  the value of the place: a power of two
cast({code} as bigint) * {place}

-- section: absent
-- The key of a part without an attribute.
cast(0 as bigint)

-- section: highest
-- The highest code of each attribute, and the number of values of its top.
--
-- generalization  the generalization relation
--
-- One row per attribute.
select
    dimension,
    max(code) as highest,
    count(distinct ancestor) filter (where level = top) as values
from (
    select
        dimension,
        level,
        code,
        ancestor,
        max(level) over (partition by dimension) as top
    from {generalization}
)
group by dimension

-- section: places
-- The place of each attribute in the keys, and in the numbers of nodes.
--
-- $strides  the amount added to a node's number by one level
-- $levels   how many levels there are, with that of an absent attribute
-- $steps    the step that raises the attribute, on the way from the star to a node
-- $parts    the part of the key
-- $shifts   the place in this part, in bits
-- $masks    all bits of a code
-- $widths   how many codes there are
-- $offsets  the number of the attribute's first climb
--
-- One row per attribute. At the highest of the levels all values are equal: so it goes by the attribute's absence.
select
    unnest(range(1, len(cast($strides as bigint[])) + 1)) as dimension,
    unnest(cast($strides as bigint[])) as stride,
    unnest(cast($levels as bigint[])) as levels,
    unnest(cast($steps as bigint[])) as step,
    unnest(cast($parts as bigint[])) as part,
    unnest(cast($shifts as bigint[])) as shift,
    unnest(cast($masks as bigint[])) as mask,
    unnest(cast($widths as bigint[])) as width,
    unnest(cast($offsets as bigint[])) as offset

-- section: climbs
-- The amounts that raise the value of a key to a level.
--
-- raises          one #raise per part, as raise_1, raise_2, …
-- places          #places
-- generalization  the generalization relation
--
-- One row per attribute, level and code, under a number of its own: small numbers without gaps make a fast join. A
-- value goes by the code of its first leaf, so a climb begins at any level.
select
    place.offset + climb.level * place.width + climb.code as climb,
    {raises}
from (
    select
        dimension,
        level,
        cast(code as bigint) as code,
        cast(ancestor as bigint) as ancestor
    from {generalization}
    union
    select
        dimension,
        place.levels - 1,
        cast(code as bigint),
        0
    from {generalization}
    join {places} as place using (dimension)
    where level = 0
) as climb
join {places} as place using (dimension)

-- section: raise
-- The amount added to a part of the key: none if the attribute is in another part.
--
-- part  the part
case when place.part = {part} then (climb.ancestor - climb.code) * (cast(1 as bigint) << place.shift) else 0 end
