-- Whether the user may do everything.
--
-- One row.
select coalesce(bool_or(rolsuper), false) as superuser
from pg_catalog.pg_roles
where rolname = current_user
