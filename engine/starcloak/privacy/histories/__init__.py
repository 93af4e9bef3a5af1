"""Histories: the rows of a person are one set, and at least k persons have the same set."""
