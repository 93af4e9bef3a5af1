-- A dimension joined to the base frequency set: the missing value finds its own member.
--
-- table  the dimension table
-- value  the attribute's column of the base frequency set
join (select * from {table} where present) as {table}
    on {table}.value is not distinct from base.{value}
