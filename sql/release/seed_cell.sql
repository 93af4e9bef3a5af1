-- A cell of a dbt seed: = and its text, so that no reader takes it for another type, or for a missing value.
--
-- column  the column
-- type    its type
cast(substr({column}, 2) as {type}) as {column}
