"""Targets of a release: staged, read back for the verifier, then published whole or not at all."""
