-- What one side of a cut of a numeric attribute carries of a sensitive one: the children up to one, or the others.
--
-- held   the column that is carried
-- frame  search/mondrian/up_to or search/mondrian/beyond
-- side   the side's own column
bit_or(counted.{held}) over (partition by region order by child {frame}) as {side}
