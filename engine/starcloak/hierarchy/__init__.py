"""Generalization hierarchies: one module per builder, and the parts shared by all builders."""
