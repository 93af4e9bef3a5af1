"""Measures against the numbers of their papers."""
