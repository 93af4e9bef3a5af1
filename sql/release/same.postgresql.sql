-- A value is that of a member; the missing value is that of its own. By two equalities, as is not distinct from cannot
-- be hashed: whether there is a value, and its text, which an empty one stands in for. Both sides are of one type.
--
-- table   the dimension table
-- column  the quasi-identifier
coalesce(cast({table}.value as text), '') = coalesce(cast(source.{column} as text), '')
    and ({table}.value is null) = (source.{column} is null)
