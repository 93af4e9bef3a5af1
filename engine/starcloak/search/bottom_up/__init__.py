"""Bottom-up breadth-first search of the whole lattice."""
