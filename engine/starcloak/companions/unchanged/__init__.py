"""Unchanged: a run ends at once if it would only repeat the release already at its output."""
