"""Samarati's binary search on height."""
