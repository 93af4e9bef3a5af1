"""Insight: what a release looks like beside its source, and what is to be looked at."""
