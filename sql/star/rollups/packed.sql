-- The star with the leaf codes of a tuple packed into one key column, or into several (parts) if 62 bits are too few.
--
-- keys     one #key per part, as key_1, key_2, …
-- carried  frequency, and carried columns of sensitive attributes
-- star     the star: the base frequency set with codes in place of values
--
-- One row per tuple. The node is 0, the number of the node without generalization.
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
-- A key column: the codes of the attributes in one part of the key, each shifted to its bits.
--
-- codes  the sum of one #code per attribute of the part
{codes}

-- section: code
-- The code of a value, shifted to the attribute's bits in the key.
--
-- code   the code
-- place  the power of two that shifts the code
cast({code} as bigint) * {place}

-- section: absent
-- The key column of a part without any attribute of the node.
cast(0 as bigint)

-- section: highest
-- The highest code of each attribute, and the number of values of its top.
--
-- generalization  the generalization relation: the ancestors of all members
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
-- The position of each attribute in the packed keys and in the numbers of nodes. Each bind is a list with one element
-- per attribute.
--
-- $strides  the difference between the numbers of nodes one level apart
-- $levels   the number of levels, including one for the attribute's absence from a node
-- $steps    the number of the step that raises the attribute, in a rollup from the star to a node
-- $parts    the number of the key column with the attribute's code
-- $shifts   the position of the code's lowest bit in this column
-- $masks    the mask of a code's bits, before the shift
-- $widths   the number of codes
-- $offsets  the number of the attribute's first row in #climbs
--
-- One row per attribute. At the highest level all values are equal, so this level also stands for absence.
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
-- The climbs: the amounts added to a key to replace an attribute's code by its ancestor at a level.
--
-- raises          one #raise per part, as raise_1, raise_2, …
-- places          #places
-- generalization  the generalization relation: the ancestors of all members
--
-- One row per attribute, level and code, with a unique number: small numbers without gaps make a fast join. The code of
-- a value is the code of its first leaf, so a climb can start from any level.
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
-- The amount added to one part (column) of the key by a climb; 0 if the attribute is in another part.
--
-- part  the number of the part
case when place.part = {part} then (climb.ancestor - climb.code) * (cast(1 as bigint) << place.shift) else 0 end
