"""Distinct l-diversity: every class has at least l values of a sensitive attribute."""
