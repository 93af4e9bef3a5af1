-- A tuple's member in a dimension table.
--
-- table  the dimension table
-- code   the tuple's code
join {table}
    on {table}.code = {code}
