-- The values of a sensitive attribute, and what is left of them where spellings of one value are one and texts that
-- mean that it is missing are none.
--
-- $unknown  texts that mean missing, folded
-- value     the attribute's column of the classes
-- folded    store/text#folded of it
-- values    the columns of the quasi-identifier
-- classes   classes over more columns: value_1, value_2, …
--
-- One row: the values, those that differ once folded, those that mean missing, and the fewest of a class that are left.
with spelled as materialized (
    select distinct
        {values},
        {value} as value,
        {folded} as folded
    from {classes}
)
select
    count(distinct value) as found,
    count(distinct folded) as folded,
    count(distinct value) filter (where list_contains($unknown, folded)) as unknown,
    (
        select min(present)
        from (
            select count(distinct folded) filter (where not list_contains($unknown, folded)) as present
            from spelled
            group by {values}
        )
    ) as fewest
from spelled
