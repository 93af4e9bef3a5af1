-- A generalized text of the release, as it is grouped: byte by byte.
--
-- column  the column
{column} collate "C"
