"""Searches for a recoding: one folder per algorithm, and what several share."""
