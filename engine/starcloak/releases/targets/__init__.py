"""Targets of a release: files, tables and memory, to which a release is staged, read back, and then published."""
