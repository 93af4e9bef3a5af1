-- The tuples of the base frequency set, all in one region, or in those of a set top.
--
-- region  #one or #by_top
-- paths   path_1, path_2, …, and carried columns
-- star    the star
-- joins   one star/recoding/single_dimension#member per attribute
--
-- One row per row of the star: a part of a tuple's rows, and its region. sum(frequency) is that of the star.
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
-- The number of a tuple's region, if a job sets the top of attributes: no value covers two values of a top.
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
-- A row of the recoding is of a tuple with this leaf.
--
-- leaf  the tuple's leaf
-- code  the code in the recoding
{leaf} = {code}

-- section: value_at
-- The level of a cell and its value there.
--
-- level   the cell's level
-- path    the path of its leaf
-- shifts  how many bits of a path lie below each level
{level}, {path} >> [{shifts}][{level} + 1]

-- section: moved
-- The parts of the regions with a cut to try, each in its region, or in its new region after the cut.
--
-- paths   path_1, path_2, …, and carried columns
-- child   search/mondrian/counts#child
-- parts   the parts
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
-- The parts, with those of regions to be cut on a numeric attribute in two halves: the rows up to the median, and the
-- others (relaxed partitioning). The seed decides the halves of the median's rows; one part may be divided.
--
-- $seed    the seed
-- parts    the parts
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
