-- The tuples of the base frequency set, all in one region, or in those of a set top.
--
-- region  #one or #by_top
-- paths   path_1, path_2, …, and what is carried
-- star    the star
-- joins   one star/recoding/single_dimension#member per attribute
--
-- One row per row of the star: a part of a tuple's rows, and the region it is in. sum(frequency) is that of the star.
select
    cast({region} as bigint) as region,
    {paths},
    cast(frequency as bigint) as frequency
from {star}
{joins}

-- section: one
-- The number of the one region that all tuples are in.
1

-- section: by_top
-- The number of a tuple's region, where a job sets the top of attributes: no value covers two values of a top.
--
-- tops  the star's columns of these tops
dense_rank() over (order by {tops})

-- section: groups
-- The groups of a recoding as regions, to be cut further.
--
-- paths     path_1, path_2, …, and what the tuples carry
-- values    one #value_at per attribute: what a group has in common
-- recoding  the recoding, whose rows are whole tuples
-- star      the star: a recoding that was made at hand carries nothing
-- leaves    one #leaf per attribute
-- joins     one star/recoding/single_dimension#member per attribute
--
-- One row per row of the recoding. sum(frequency) stays as it is.
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
-- code  that of the recoding
{leaf} = {code}

-- section: value_at
-- The level of a cell and its value there.
--
-- level   the cell's level
-- path    the path of its leaf
-- shifts  how many bits of a path lie below each level
{level}, {path} >> [{shifts}][{level} + 1]

-- section: moved
-- The parts of the regions that had a cut to try, each in its region, or in the new one that a cut made of it.
--
-- paths   path_1, path_2, …, and what is carried
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
-- The parts, those of regions that are to be cut on a numeric attribute in two halves: the rows up to the median, and
-- the others (relaxed partitioning). Where rows of the median go, the seed decides; one part may be divided.
--
-- $seed    the seed
-- parts    the parts
-- cuts     search/mondrian/cuts
-- paths    path_1, path_2, …
-- numbers  one search/mondrian/counts#path per numeric attribute
-- numeric  the positions of the numeric attributes
--
-- One row per part and half; half is missing where a region has no such cut to try. sum(frequency) stays as it is.
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
