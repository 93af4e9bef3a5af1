-- The columns of a statement and their types, in order.
--
-- origin  the statement, such as that of the source's rows
--
-- One row per column.
describe
{origin}
