"""Datafly, a greedy full-domain search."""
