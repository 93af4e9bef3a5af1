-- Names and kinds of some types of PostgreSQL.
--
-- $oids  the object ids of the types
--
-- One row per type.
select
    oid,
    typname,
    cast(typtype as text) as kind
from pg_catalog.pg_type
where oid = any($oids)
