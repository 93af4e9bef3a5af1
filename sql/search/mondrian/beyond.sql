-- All children beyond one.
rows between 1 following and unbounded following
