"""Ordered-set partitioning: intervals of numeric attributes."""
