-- Whether text columns compare by a collation that merges texts a recipient can tell apart.
--
-- merges  one #merges per column
-- origin  the statement that yields their rows
--
-- One row. No row of the origin is read: its collation alone decides how the constants compare.
select
    {merges}
from (
    {origin}
)
where false

-- section: merges
-- Whether one column does.
--
-- column  the column
coalesce(max({column}), 'A') = 'a'
or coalesce(max({column}), chr(233)) = 'e'
or coalesce(max({column}), chr(233)) = 'e' || chr(769)
