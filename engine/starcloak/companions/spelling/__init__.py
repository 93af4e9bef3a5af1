"""Spelling: a warning on sensitive values that differ only in spelling."""
