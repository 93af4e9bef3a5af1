-- A generalized text of the release, in the form for GROUP BY: two texts are equal if all of their bytes are, as always in the working store.
--
-- column  the column
{column}
