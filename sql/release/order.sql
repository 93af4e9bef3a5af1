-- A column to order rows by: missing values last, in every database.
--
-- column  the column
{column} is null, {column}
