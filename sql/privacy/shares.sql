-- section: above
-- Condition for a value group with too large a share of rows with one value of a sensitive attribute.
--
-- rows   how many rows have it
-- share  the numerator of the largest share, as a fraction
-- parts  the denominator of that fraction
-- size   the rows of the group, or the count in their place
cast({rows} as hugeint) * {parts} > cast({size} as hugeint) * {share}

-- section: below
-- Condition for a value group with too small a share of rows with one value of a sensitive attribute.
--
-- rows   how many rows have it
-- share  the numerator of the smallest share, as a fraction
-- parts  the denominator of that fraction
-- size   the rows of the group, or the count in their place
cast({rows} as hugeint) * {parts} < cast({size} as hugeint) * {share}

-- section: never
-- No value group has such a share.
false
