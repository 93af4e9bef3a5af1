-- A generalized text of the release, as it is grouped: byte by byte, whatever the table says.
--
-- column  the column
{column} collate binary
