"""Searches for a recoding: one folder per algorithm, and the lattice shared by several."""
