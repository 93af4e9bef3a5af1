"""Persons: several rows may belong to one person, and every class has at least k persons."""
