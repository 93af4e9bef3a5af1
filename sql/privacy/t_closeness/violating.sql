-- That what moves between a value group and the table is too much: the earth mover's distance, times the rows of
-- both and the largest distance of two values.
--
-- moved  what is moved, and how far
-- most   how much that may be per row of the group, times its parts
-- parts  the parts
cast({moved} as hugeint) * {parts} > cast(frequency as hugeint) * {most}
