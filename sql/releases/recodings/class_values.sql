-- The values of a sensitive attribute in every class of a release; a missing one is none.
--
-- number     the attribute's, from 1
-- sensitive  its column of the staged classes
-- staged     the classes of a staged release by their sensitive values
-- classes    releases/recodings/classes
-- match      one #match per quasi-identifier
--
-- One row per class and value.
select distinct
    classes.class,
    {number} as attribute,
    cast(staged.{sensitive} as varchar) as value
from {staged} as staged
join {classes} as classes
    on {match}
where staged.{sensitive} is not null

-- section: match
-- Condition for a cell of a staged class equal to a class's.
--
-- staged  the cell's column of the staged classes
-- cell    the class's
cast(staged.{staged} as varchar) is not distinct from classes.{cell}

-- section: none
-- No values: no model reads a sensitive attribute.
select
    cast(null as bigint) as class,
    cast(null as integer) as attribute,
    cast(null as varchar) as value
limit 0
