-- Whether a column has the type that it had.
--
-- column  the column
-- type    the type, as the working store writes it
typeof({column}) = {type}
