"""Searches for a recoding: one folder per algorithm, and code shared by several."""
