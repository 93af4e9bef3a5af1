-- Set of sensitive values on one side of a cut, which splits the numeric values (children) of a region in two. The
-- window frame selects the children up to the cut, or the children after it.
--
-- held   the column with the set of sensitive values per child, one bit per value
-- frame  window frame of the side, such as `rows unbounded preceding`
-- side   name of the result's column for this side
bit_or(counted.{held}) over (partition by region order by child {frame}) as {side}

-- section: rows
-- Number of rows with one sensitive value on one side of a cut, which splits the numeric values (children) of a region
-- in two. The window frame selects the children up to the cut, or the children after it.
--
-- rows   the column with the number of rows of this value per child
-- frame  window frame of the side, such as `rows unbounded preceding`
-- side   name of the result's column for this side
cast(coalesce(sum(counted.{rows}) over (partition by region order by child {frame}), 0) as bigint) as {side}
