-- PostgreSQL's names of some types, and their kinds.
--
-- $oids  their numbers
--
-- One row per type.
select
    oid,
    typname,
    cast(typtype as text) as kind
from pg_catalog.pg_type
where oid = any($oids)
