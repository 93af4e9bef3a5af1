-- section: superuser
-- True if the user has all rights.
--
-- One row.
select coalesce(bool_or(rolsuper), false) as superuser
from pg_catalog.pg_roles
where rolname = current_user

-- section: current_schema
-- The default schema, for tables named without a schema; missing if there is none.
--
-- One row.
select current_schema() as schema

-- section: schema_of
-- The schema of a table that is named without one: the first schema of the search path with the table; missing if there
-- is none.
--
-- $table  the table's name
--
-- One row.
select (
    select namespace.nspname
    from pg_catalog.pg_class as relation
    join pg_catalog.pg_namespace as namespace
        on namespace.oid = relation.relnamespace
    where relation.oid = to_regclass(quote_ident(cast($table as text)))
) as schema

-- section: lock
-- Lock the place of a release (target) until the connection closes.
--
-- $key  the target's number
--
-- One row: true if no other run had the lock.
select pg_catalog.pg_try_advisory_lock(cast($key as bigint)) as held

-- section: hold
-- Block writers of a table until the transaction ends; readers go on.
--
-- table  the table's name
lock table {table} in share row exclusive mode

-- section: replaced
-- Number of tables read by the transaction but stored elsewhere than in its snapshot: emptied, rewritten or made after
-- it, they have none of its rows.
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

-- section: unlock
-- Unlock the place of a release (target) on a connection that stays open.
--
-- $key  the target's number
--
-- One row: true if it was locked.
select pg_catalog.pg_advisory_unlock(cast($key as bigint)) as let_go

-- section: isolation
-- The isolation level of the current transaction.
--
-- One row.
select current_setting('transaction_isolation') as isolation

-- section: settings
-- Current values of the session settings changed by a run.
--
-- One row.
select
    current_setting('client_encoding') as setting_1,
    current_setting('timezone') as setting_2,
    current_setting('datestyle') as setting_3,
    current_setting('extra_float_digits') as setting_4,
    current_setting('standard_conforming_strings') as setting_5,
    current_setting('idle_in_transaction_session_timeout') as setting_6,
    current_setting('enable_nestloop') as setting_7,
    current_setting('enable_mergejoin') as setting_8,
    current_setting('work_mem') as setting_9

-- section: put_back
-- Restore the session settings changed by a run.
--
-- $setting_1  client_encoding
-- $setting_2  timezone
-- $setting_3  datestyle
-- $setting_4  extra_float_digits
-- $setting_5  standard_conforming_strings
-- $setting_6  idle_in_transaction_session_timeout
-- $setting_7  enable_nestloop
-- $setting_8  enable_mergejoin
-- $setting_9  work_mem
--
-- One row.
select
    set_config('client_encoding', cast($setting_1 as text), false) as setting_1,
    set_config('timezone', cast($setting_2 as text), false) as setting_2,
    set_config('datestyle', cast($setting_3 as text), false) as setting_3,
    set_config('extra_float_digits', cast($setting_4 as text), false) as setting_4,
    set_config('standard_conforming_strings', cast($setting_5 as text), false) as setting_5,
    set_config('idle_in_transaction_session_timeout', cast($setting_6 as text), false) as setting_6,
    set_config('enable_nestloop', cast($setting_7 as text), false) as setting_7,
    set_config('enable_mergejoin', cast($setting_8 as text), false) as setting_8,
    set_config('work_mem', cast($setting_9 as text), false) as setting_9
