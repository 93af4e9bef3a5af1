-- New regions: the first and the last leaf of every attribute.
--
-- $known  the number of the last region that is known
-- spans   one search/mondrian/span per attribute
-- parts   the parts
--
-- One row per region beyond the known ones.
select
    region,
    cast(sum(frequency) as bigint) as frequency,
    {spans}
from {parts}
where region > $known
group by region
