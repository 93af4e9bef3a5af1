-- That a value group has too small a share of rows with one value of a sensitive attribute.
--
-- rows   how many rows have it
-- share  the smallest share, times its parts
-- parts  the parts
cast({rows} as hugeint) * {parts} < cast(frequency as hugeint) * {share}
