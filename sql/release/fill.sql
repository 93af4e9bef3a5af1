-- Rows of a table that a release needs, for a script.
--
-- table  its name
-- rows   one row of constants each
insert into {table}
values
    {rows}
