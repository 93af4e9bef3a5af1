"""k-map: every class has at least k people in the population that the table is of."""
