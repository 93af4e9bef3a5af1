"""Unchanged: a run that would only make the same release again ends at once."""
