-- A cell as it reads: two of them that somebody can tell apart read differently, in most types.
--
-- cell  the cell
cast({cell} as varchar)
