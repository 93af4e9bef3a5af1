-- section: forget
-- Drop a table left in the session by another script, so that this script does not go on with the other's rows.
--
-- table  a table made by this script
drop table if exists temp.{table}
