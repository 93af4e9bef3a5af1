"""Recursive (c,l)-diversity: in every class the most frequent value is not much more frequent than the rare ones."""

#: How the command line asks for it: an option, its form, an example.
OPTION = ("--recursive", "A:C:L", "disease:2:3")
