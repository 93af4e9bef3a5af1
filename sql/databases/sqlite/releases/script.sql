-- section: forget
-- Drop what another script has left in the session, lest this one go on with its rows.
--
-- table  a table that this one will make
drop table if exists temp.{table}
