-- A quasi-identifier finds its member in its dimension table, among the leaves that the source has.
--
-- table  the dimension table
-- match  release/match, or release/same where the source has missing values
join {table}
    on {match}
    and {table}.present
