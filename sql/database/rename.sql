-- Put a staged table where there is none.
--
-- staged  the staged table
-- name    its name from then on, in the same schema
alter table {staged} rename to {name}
