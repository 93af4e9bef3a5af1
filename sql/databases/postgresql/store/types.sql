-- PostgreSQL's names of some types, and their kinds.
--
-- $oids  the object ids of these types
--
-- One row per type.
select
    oid,
    typname,
    cast(typtype as text) as kind
from pg_catalog.pg_type
where oid = any($oids)
