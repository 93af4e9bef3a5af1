-- A cell of the release is that of the source.
--
-- column  the column
original.{column} is not distinct from staged.{column}
