-- A text of the release in the form for GROUP BY: two texts are equal if all of their bytes are. The working store
-- needs no conversion for this.
--
-- column  the column
{column}
