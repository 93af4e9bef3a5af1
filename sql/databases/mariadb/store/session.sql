-- section: superuser
-- True if the user has all rights.
--
-- One row.
select count(*) as superuser
from information_schema.user_privileges
where replace(grantee, '''', '') = current_user()
    and privilege_type = 'SUPER'

-- section: current_schema
-- The default database, for tables named without a database; missing if there is none.
--
-- One row.
select database() as "schema"

-- section: lock
-- Lock the place of a release (target) until the connection closes.
--
-- $key  the target's number
--
-- One row: true if no other run had the lock.
select get_lock($key, 0) as held

-- section: unlock
-- Unlock the place of a release (target) on a connection that stays open.
--
-- $key  the target's number
--
-- One row: true if it was locked.
select release_lock($key) as let_go

-- section: settings
-- Current values of the session settings changed by a run.
--
-- One row.
select
    @@session.character_set_client as setting_1,
    @@session.character_set_connection as setting_2,
    @@session.character_set_results as setting_3,
    @@session.collation_connection as setting_4,
    @@session.sql_mode as setting_5,
    @@session.time_zone as setting_6,
    @@session.tx_isolation as setting_7,
    @@session.max_sort_length as setting_8,
    @@session.sql_select_limit as setting_9,
    @@session.sql_safe_updates as setting_10,
    @@session.sql_big_selects as setting_11,
    @@session.optimizer_switch as setting_12,
    @@session.sort_buffer_size as setting_13,
    @@session.join_cache_level as setting_14,
    @@session.wait_timeout as setting_15,
    @@session.completion_type as setting_16,
    @@session.lock_wait_timeout as setting_17,
    @@session.innodb_lock_wait_timeout as setting_18

-- section: put_back
-- Restore the session settings changed by a run.
--
-- $setting_1  character_set_client
-- $setting_2  character_set_connection
-- $setting_3  character_set_results
-- $setting_4  collation_connection
-- $setting_5  sql_mode
-- $setting_6  time_zone
-- $setting_7  tx_isolation
-- $setting_8  max_sort_length
-- $setting_9  sql_select_limit
-- $setting_10  sql_safe_updates
-- $setting_11  sql_big_selects
-- $setting_12  optimizer_switch
-- $setting_13  sort_buffer_size
-- $setting_14  join_cache_level
-- $setting_15  wait_timeout
-- $setting_16  completion_type
-- $setting_17  lock_wait_timeout
-- $setting_18  innodb_lock_wait_timeout
set
    session character_set_client = $setting_1,
    session character_set_connection = $setting_2,
    session character_set_results = $setting_3,
    session collation_connection = $setting_4,
    session sql_mode = $setting_5,
    session time_zone = $setting_6,
    session tx_isolation = $setting_7,
    session max_sort_length = $setting_8,
    session sql_select_limit = $setting_9,
    session sql_safe_updates = $setting_10,
    session sql_big_selects = $setting_11,
    session optimizer_switch = $setting_12,
    session sort_buffer_size = $setting_13,
    session join_cache_level = $setting_14,
    session wait_timeout = $setting_15,
    session completion_type = $setting_16,
    session lock_wait_timeout = $setting_17,
    session innodb_lock_wait_timeout = $setting_18
