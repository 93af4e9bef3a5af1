"""Spelling: a warning on sensitive values that differ by their spelling alone."""
