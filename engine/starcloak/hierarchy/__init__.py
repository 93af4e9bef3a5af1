"""Generalization hierarchies: one module per builder, and what holds for all of them."""
