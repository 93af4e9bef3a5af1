-- The database in which a table is made that is named without one; missing where there is none.
--
-- One row.
select database() as "schema"
