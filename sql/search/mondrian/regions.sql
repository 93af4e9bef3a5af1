-- New regions: number of rows, and the first and the last leaf of every attribute as paths.
--
-- $known  the highest id of a region known before
-- spans   one #span per attribute
-- parts   the parts (rows of one tuple in a region): search/mondrian/parts, in the current regions
--
-- One row per region with an id above $known.
select
    region,
    cast(sum(frequency) as bigint) as frequency,
    {spans}
from {parts}
where region > $known
group by region

-- section: span
-- The first and the last leaf of one attribute in a region.
--
-- path  the attribute's path column
-- low   the column name of the first leaf
-- high  the column name of the last leaf
min({path}) as {low},
max({path}) as {high}

-- section: settled
-- The parts of the regions with no cut left.
--
-- parts  the parts (rows of one tuple in a region): search/mondrian/parts, in the current regions
-- cuts   search/mondrian/cuts
--
-- One row per part.
select *
from {parts} as part
where not exists (
    select 1
    from {cuts} as cut
    where cut.region = part.region
)
