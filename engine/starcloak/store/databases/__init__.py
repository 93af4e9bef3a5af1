"""Databases with rows of the source, their kinds and URLs; the rows never leave them."""
