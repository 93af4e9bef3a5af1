-- A release as one statement, for a dbt model: where the source is not the one that was searched, it is an error.
--
-- tables   one release/seed per table that the release needs
-- source   the name of the source from here on
-- origin   its rows
-- release  the name of the release
-- rows     release/recode or release/recode_locally
-- counts   one release/holds per quasi-identifier of the requirement
--
-- One row per row of the source that is not suppressed.
with
{tables},
{source} as materialized (
{origin}
),
{release} as materialized (
{rows}
)
select *
from {release}
where {counts}
