"""Hierarchies, as they are declared and as they are read from files, tables and classifications."""
