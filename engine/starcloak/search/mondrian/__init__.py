"""Mondrian: regions cut as long as they can be."""
