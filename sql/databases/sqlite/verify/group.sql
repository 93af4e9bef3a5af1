-- A generalized text of the release, in its grouped form: byte by byte, whatever the table's collation.
--
-- column  the column
{column} collate binary
