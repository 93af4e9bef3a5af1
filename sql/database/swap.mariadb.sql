-- Put the staged release in the place of the old one: whoever reads sees the one or the other. Grants and views go by
-- the name and stay.
--
-- table   the release
-- old     where the old one goes
-- staged  the staged release
rename table
    {table} to {old},
    {staged} to {table}
