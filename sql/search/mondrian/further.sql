-- A further column, of which there may be none.
--
-- column  the column
,
{column}
