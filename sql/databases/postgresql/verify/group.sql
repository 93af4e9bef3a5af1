-- A generalized text of the release, in the form for GROUP BY: two texts are equal if all of their bytes are.
--
-- column  the column
{column} collate "C"
