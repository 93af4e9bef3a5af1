"""Attacks on a release of half the rows, with the other half as control group."""
