-- A generalized text of the release, as it is grouped: byte by byte. Nothing in the working store does otherwise.
--
-- column  the column
{column}
