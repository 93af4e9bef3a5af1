"""Databases: what they do with a source and with a release."""
