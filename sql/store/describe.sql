-- The columns of the source and their types, in order.
--
-- origin  the statement that yields its rows
--
-- One row per column.
describe
{origin}
