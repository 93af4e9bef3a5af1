"""Algorithms against their papers and against brute force."""
