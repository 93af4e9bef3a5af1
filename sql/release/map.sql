-- A quasi-identifier finds its member in its dimension table, among the leaves that the source has.
--
-- table  the dimension table
-- same   release/equal, or release/same where the source has missing values
join {table}
    on {same}
    and {table}.present
