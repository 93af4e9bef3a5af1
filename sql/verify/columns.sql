-- The columns of a staged release, in order.
--
-- release  the statement that reads it back
--
-- One row per column.
describe
{release}
