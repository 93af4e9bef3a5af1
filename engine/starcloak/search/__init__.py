"""Searches: each proposes a recoding from the star schema, and tells how it found it."""
