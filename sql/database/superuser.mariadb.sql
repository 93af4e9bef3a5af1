-- Whether the user may do everything.
--
-- One row.
select count(*) as superuser
from information_schema.user_privileges
where replace(grantee, '''', '') = current_user()
    and privilege_type = 'SUPER'
