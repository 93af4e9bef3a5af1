"""Distinct l-diversity: every class has at least l values of a sensitive attribute."""

#: How the command line asks for it: an option, its form, an example.
OPTION = ("--l", "A:L", "disease:3")
