"""Recodings: the result of a search as a relation over the star's tuples, and the statements for its release."""
