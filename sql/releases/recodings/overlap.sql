-- Number of persons, or of combinations of quasi-identifiers, in each earlier release, in another release, and in both.
--
-- keys     the key columns: of persons, or of combinations
-- earlier  the rows of earlier releases, as a table or nested: release and the keys
-- now      the rows of the other release, as a table or nested: the keys
-- match    one store/same per key
--
-- One row per earlier release: its number, the count in it, the count in the other release, the count in both.
select
    earlier.release,
    count(*) as earlier_count,
    any_value(totals.total) as now_count,
    count(now.there) as shared
from (
    select distinct
        release,
        {keys}
    from {earlier}
) as earlier
cross join (
    select count(*) as total
    from (
        select distinct
            {keys}
        from {now}
    )
) as totals
left join (
    select distinct
        {keys},
        true as there
    from {now}
) as now
    on {match}
group by earlier.release

-- section: of_members
-- The rows of persons in each of several earlier releases.
--
-- rows   the rows with their class over all releases together
-- parts  the classes of each release, with the class over all releases that they belong to
--
-- One row per release and row.
select
    parts.release,
    rows.*
from {rows} as rows
join {parts} as parts using (class)

-- section: of_refresh
-- The rows of persons in the last release before a refresh.
--
-- values  value_1, value_2, …
-- story   parts of persons in that release: whose, until, value_1, …
--
-- One row per tuple, kept cells, person and part.
select
    0 as release,
    whose,
    {values}
from {story}
where until is null

-- section: of_source
-- The rows of persons of the source.
--
-- values  value_1, value_2, … as texts
-- rows    rows of persons of the source: whose, value_1, …
--
-- One row per tuple, kept cells and person.
select
    rows.whose,
    {values}
from {rows} as rows
