-- A generalized text of the release, in its grouped form: byte by byte, as always in the working store.
--
-- column  the column
{column}
