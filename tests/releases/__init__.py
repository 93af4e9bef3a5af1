"""Releases: what is kept of them, and what their readers get."""
