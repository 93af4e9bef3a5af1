-- How many rows of one side of a cut of a numeric attribute have one value of a sensitive one: of the children up to
-- one, or of the others.
--
-- rows   the column that is carried
-- frame  search/mondrian/up_to or search/mondrian/beyond
-- side   the side's own column
cast(coalesce(sum(counted.{rows}) over (partition by region order by child {frame}), 0) as bigint) as {side}
