"""Unchanged: a run that would only repeat the release in its place ends at once."""
