-- The distinct values of a sensitive attribute in every class of a release. Missing values are omitted.
--
-- number     the number of the sensitive attribute, from 1
-- sensitive  the attribute's column of the staged classes
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
-- Condition: a generalized value of a staged row is equal to that of a class; two missing values are equal.
--
-- staged  the quasi-identifier's column of the staged classes
-- cell    the quasi-identifier's column of the classes
cast(staged.{staged} as varchar) is not distinct from classes.{cell}

-- section: none
-- An empty relation of sensitive values, for a release without a model on a sensitive attribute.
select
    cast(null as bigint) as class,
    cast(null as integer) as attribute,
    cast(null as varchar) as value
limit 0
