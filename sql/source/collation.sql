-- Whether a text column compares by a collation that merges texts a recipient can tell apart.
--
-- column  the column
-- origin  the statement that yields its rows
--
-- One row. No row of the origin is read: its collation alone decides how the constants compare.
select
    coalesce(max({column}), 'A') = 'a'
    or coalesce(max({column}), chr(233)) = 'e'
    or coalesce(max({column}), chr(233)) = 'e' || chr(769) as merges
from (
    {origin}
)
where false
