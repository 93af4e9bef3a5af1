"""Witness search: all k-anonymous full-domain generalizations, refuted by single tuples, proved by frequency sets."""
