"""Insight: comparison of a release with its source, with remarks on points to review."""
