-- All children up to one.
rows between unbounded preceding and current row
