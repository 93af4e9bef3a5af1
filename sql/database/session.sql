-- section: superuser, dialect: mariadb
-- Whether the user may do everything.
--
-- One row.
select count(*) as superuser
from information_schema.user_privileges
where replace(grantee, '''', '') = current_user()
    and privilege_type = 'SUPER'

-- section: superuser, dialect: postgresql
-- Whether the user may do everything.
--
-- One row.
select coalesce(bool_or(rolsuper), false) as superuser
from pg_catalog.pg_roles
where rolname = current_user

-- section: current_schema, dialect: mariadb
-- The database in which a table is made that is named without one; missing where there is none.
--
-- One row.
select database() as "schema"

-- section: current_schema, dialect: postgresql
-- The schema in which a table is made that is named without one; missing where there is none.
--
-- One row.
select current_schema() as schema

-- section: lock, dialect: mariadb
-- Hold a target until the connection closes.
--
-- $key  the target's number
--
-- One row: whether no other run holds it.
select get_lock($key, 0) as held

-- section: lock, dialect: postgresql
-- Hold a target until the connection closes.
--
-- $key  the target's number
--
-- One row: whether no other run holds it.
select pg_catalog.pg_try_advisory_lock(cast($key as bigint)) as held

-- section: hold, dialect: postgresql
-- Have nobody else write to a table until the transaction ends; whoever reads it goes on.
--
-- table  its name
lock table {table} in share row exclusive mode

-- section: replaced, dialect: postgresql
-- How many tables that the transaction has read are stored elsewhere than in the state that it sees: emptied, rewritten
-- or made after that, they have none of that state's rows.
--
-- One row.
select count(*) as replaced
from pg_catalog.pg_locks as held
left join pg_catalog.pg_class as seen
    on seen.oid = held.relation
where held.pid = pg_backend_pid()
    and held.locktype = 'relation'
    and held.database = (
        select oid
        from pg_catalog.pg_database
        where datname = current_database()
    )
    and coalesce(seen.relfilenode, 1) <> 0
    and pg_relation_filenode(held.relation) is distinct from seen.relfilenode

-- section: current_schema, dialect: spark
-- The catalog and the schema in which a table is made that is named without them. Of values, Spark starts no job.
--
-- One row.
select
    current_catalog() as catalog,
    current_schema() as schema
from (values (1)) as one (number)
