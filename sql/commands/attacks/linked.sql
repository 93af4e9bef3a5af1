-- Linkability attack: number of people linked correctly through the release. One party knows one half of everybody's
-- quasi-identifiers, another party the other half. A person's first half leads to classes of the release, the cells of
-- these classes in the other half lead to records of the other party, and one of these records is drawn.
--
-- reached     #reached
-- candidates  #candidates
-- people      commands/attacks/people#attacked
-- regions     #regions
-- covered     commands/masking/masks#first for one quasi-identifier of the other half, then
--             commands/masking/masks#covered for each further quasi-identifier
-- $key        the key of the draw
--
-- One row: correct links of people in the release, and of the control group. For each person the region (a combination
-- of cells in the other half) with the most rows per covered record is chosen; one of the covered records is drawn.
with best as (
    select
        number,
        arg_max(region, (rows / records, region)) as region,
        arg_max(records, (rows / records, region)) as records
    from (
        select
            reached.number,
            reached.region,
            reached.rows,
            case when reached.held_out then candidates.held_out else candidates.released end as records
        from {reached} as reached
        join {candidates} as candidates
            on candidates.region = reached.region
    ) as reached
    where records > 0
    group by number
),
weighed as (
    select *
    from {regions}
)
select
    count(*) filter (where not base.held_out),
    count(*) filter (where base.held_out)
from (
    select
        people.*,
        best.region,
        best.records
    from {people} as people
    join best
        on best.number = people.number
) as base
{covered}
where weighed.region = base.region
    and hash($key, base.number) % base.records = 0

-- section: classes
-- The classes of the release with their region: the number of their combination of cells in the other half.
--
-- cells    the cells of the other half
-- classes  commands/attacks/released#classes
--
-- One row per class.
select
    *,
    dense_rank() over (order by {cells}) as region
from {classes}

-- section: regions
-- The regions: the different combinations of cells in the other half of the quasi-identifiers.
--
-- cells    the cells of the other half
-- classes  #classes
--
-- One row per region.
select distinct
    region,
    {cells}
from {classes}

-- section: reached
-- Regions of the classes covering a person in one half of the quasi-identifiers, with the number of rows of these
-- classes.
--
-- people   commands/attacks/people#attacked
-- classes  #classes
-- covered  commands/masking/masks#first for one quasi-identifier of this half, then commands/masking/masks#covered for
--          each further quasi-identifier
--
-- One row per person and region.
with weighed as (
    select *
    from {classes}
)
select
    base.number,
    base.held_out,
    weighed.region,
    cast(sum(weighed.rows) as bigint) as rows
from {people} as base
{covered}
group by all

-- section: candidates
-- Number of the other party's records covered by the cells of a region: records of people in the release (released),
-- and of the control group (held_out).
--
-- values   the values of the other half of the quasi-identifiers
-- people   commands/attacks/people
-- regions  #regions
-- covered  commands/masking/masks#first for one quasi-identifier of the other half, then commands/masking/masks#covered
--          for each further quasi-identifier
--
-- One row per region covering any record.
with weighed as (
    select *
    from {regions}
)
select
    weighed.region,
    cast(sum(base.released) as bigint) as released,
    cast(sum(base.held_out) as bigint) as held_out
from (
    select
        {values},
        count(*) filter (where not held_out) as released,
        count(*) filter (where held_out) as held_out
    from {people}
    where first
    group by all
) as base
{covered}
group by all
