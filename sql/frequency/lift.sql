-- A dimension joined to a frequency set.
--
-- table  the dimension table
-- value  the attribute's column of the frequency set
join {table}
    on {table}.code = below.{value}
