-- Outliers (Li, Wong, Fu, Pei 2006, section 5): small classes with a nearest class farther than the threshold. They are
-- chosen in random order, as long as the sum of their rows is at most $allowed.
--
-- $threshold  the largest distance without suppression
-- $allowed    the number of rows that may still be suppressed
-- offers      search/kaca/offers
--
-- One row per outlier.
select
    id,
    id as partner,
    frequency
from (
    select
        id,
        frequency,
        sum(frequency) over (order by rank) as suppressed
    from {offers}
    where distance > $threshold
)
where suppressed <= $allowed

-- section: alone
-- The violating classes without any class to merge with.
--
-- violating  the condition for a violating class
-- nearest    search/kaca/nearest
-- classes    the equivalence classes so far
--
-- One row per such class.
select
    id,
    id as partner,
    frequency
from {classes}
where {violating}
    and id not in (
        select id
        from {nearest}
    )

-- section: counted
-- Number of classes that are outliers, and number of their rows.
--
-- outliers  search/kaca/outliers
--
-- One row.
select
    count(*) as outliers,
    cast(coalesce(sum(frequency), 0) as bigint) as rows
from {outliers}
