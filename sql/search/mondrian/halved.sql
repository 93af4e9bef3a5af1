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
