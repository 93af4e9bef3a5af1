"""Distinct l-diversity: every class has at least l values of a sensitive attribute."""

#: The command line's option: its name, its form, an example.
OPTION = ("--l", "A:L", "disease:3")
