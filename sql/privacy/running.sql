-- Sensitive values on one side of a numeric cut: of the children up to one, or of the others.
--
-- held   the carried column
-- frame  window frame of the side, such as `rows unbounded preceding`
-- side   the side's own column
bit_or(counted.{held}) over (partition by region order by child {frame}) as {side}

-- section: rows
-- Number of rows on one side of a numeric cut with one sensitive value: of the children up to one, or of the others.
--
-- rows   the carried column
-- frame  window frame of the side, such as `rows unbounded preceding`
-- side   the side's own column
cast(coalesce(sum(counted.{rows}) over (partition by region order by child {frame}), 0) as bigint) as {side}
