"""Recursive (c,l)-diversity: in every class the most frequent value is not much more frequent than the rare ones."""

#: The command line's option: its name, its form, an example.
OPTION = ("--recursive", "A:C:L", "disease:2:3")
