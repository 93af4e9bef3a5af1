-- Outliers (Li, Wong, Fu, Pei 2006, section 5): classes whose nearest class is farther than the threshold, in their
-- random order while their rows may be suppressed.
--
-- $threshold  the largest distance that is generalized
-- $allowed    how many more rows may be suppressed
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
-- The classes that violate the requirement and have no other to join.
--
-- violating  the condition that a class violates the requirement
-- nearest    search/kaca/nearest
-- classes    the classes
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
-- How many classes are outliers, and how many rows those have.
--
-- outliers  search/kaca/outliers
--
-- One row.
select
    count(*) as outliers,
    cast(coalesce(sum(frequency), 0) as bigint) as rows
from {outliers}
