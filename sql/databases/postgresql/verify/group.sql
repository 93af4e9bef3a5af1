-- A generalized text of the release, in its grouped form: byte by byte.
--
-- column  the column
{column} collate "C"
