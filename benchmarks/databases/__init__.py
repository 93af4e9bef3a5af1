"""Releases that stay in their database, against the database's own statements."""
