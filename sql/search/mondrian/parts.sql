-- The tuples of the base frequency set in their first region: a single region, or one per combination of top values if
-- a job sets highest levels.
--
-- region  #one or #by_top
-- paths   path_1, path_2, …, and carried columns
-- star    the star: the base frequency set with codes in place of values
-- joins   one star/recoding/single_dimension#member per attribute
--
-- One row per row of the star: a part (rows of one tuple), and its region. sum(frequency) equals the sum over the star.
select
    cast({region} as bigint) as region,
    {paths},
    cast(frequency as bigint) as frequency
from {star}
{joins}

-- section: one
-- The number of the single region of all tuples.
1

-- section: by_top
-- The number of a tuple's first region, if a job sets the highest level of attributes: two top values have no common
-- generalization, and so are never in one region.
--
-- tops  the star's columns of these tops
dense_rank() over (order by {tops})

-- section: groups
-- The groups of a recoding as regions, to be cut further.
--
-- paths     path_1, path_2, …, and the carried columns of the tuples
-- values    one #value_at per attribute: the common value of a group
-- recoding  the recoding, with whole tuples as rows
-- star      the star: a recoding made in memory has no carried columns
-- leaves    one #leaf per attribute
-- joins     one star/recoding/single_dimension#member per attribute
--
-- One row per row of the recoding. sum(frequency) is unchanged.
select
    cast(dense_rank() over (order by {values}) as bigint) as region,
    {paths},
    cast(recoding.frequency as bigint) as frequency
from {recoding} as recoding
join {star} as star
    on {leaves}
{joins}

-- section: leaf
-- The condition that a row of the recoding and a tuple of the star have the same leaf in an attribute.
--
-- leaf  the code of the tuple's leaf
-- code  the code in the recoding
{leaf} = {code}

-- section: value_at
-- The level of a cell, and its value at this level as the first digits of the leaf's path.
--
-- level   the cell's level
-- path    the path of the cell's leaf
-- shifts  the number of bits of a path below each level
{level}, {path} >> [{shifts}][{level} + 1]

-- section: moved
-- The parts of the regions with a cut to try: in their old region or, if it was cut, in their new region.
--
-- paths   path_1, path_2, …, and carried columns
-- child   search/mondrian/counts#child
-- parts   the parts (rows of one tuple in a region): search/mondrian/parts, in the current regions
-- cuts    search/mondrian/cuts
-- sides   search/mondrian/sides
--
-- One row per part.
select
    coalesce(side.target, part.region) as region,
    {paths},
    part.frequency
from {parts} as part
join {cuts} as cut using (region)
left join {sides} as side
    on side.region = part.region
    and side.child = {child}

-- section: halved
-- The parts with their half, for relaxed partitioning. A region to be cut on a numeric attribute has two halves: the
-- rows up to the median, and the other rows. The seed decides the half of rows with the median's number; one part may
-- be divided.
--
-- $seed    the seed
-- parts    the parts (rows of one tuple in a region): search/mondrian/parts, in the current regions
-- cuts     search/mondrian/cuts
-- paths    path_1, path_2, …
-- numbers  one search/mondrian/counts#path per numeric attribute
-- numeric  the positions of the numeric attributes
--
-- One row per part and half; half is missing for a region without such a cut. sum(frequency) is unchanged.
with ranked as (
    select
        part.region,
        {paths},
        part.frequency,
        middle,
        sum(part.frequency) over (
            partition by part.region
            order by number, hash($seed, {paths}), {paths}
            rows between unbounded preceding and current row
        ) as until
    from (
        select
            part.*,
            cut.frequency // 2 as middle,
            case cut.dimension {numbers} end as number
        from {parts} as part
        join {cuts} as cut using (region)
        where cut.dimension in ({numeric})
    ) as part
)

select
    region,
    {paths},
    frequency,
    null as half
from {parts} as part
where not exists (
    select 1
    from {cuts} as cut
    where cut.region = part.region
        and cut.dimension in ({numeric})
)
union all
select
    region,
    {paths},
    cast(least(middle, until) - (until - frequency) as bigint) as frequency,
    0 as half
from ranked
where until - frequency < middle
union all
select
    region,
    {paths},
    cast(until - greatest(middle, until - frequency) as bigint) as frequency,
    1 as half
from ranked
where until > middle
