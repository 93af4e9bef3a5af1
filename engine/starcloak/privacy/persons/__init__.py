"""Persons: several rows may be one person's, and every class has at least k of them."""
