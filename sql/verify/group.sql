-- A generalized text of the release, in the form for GROUP BY: two texts are equal if all of their bytes are.
-- The working store always compares so.
--
-- column  the column
{column}
