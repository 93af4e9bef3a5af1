"""Measures of the information lost in a release: by its recoding, and by the size of its equivalence classes."""
