"""k-map: every class has at least k people in the population of the table."""
