"""Entropy l-diversity: a sensitive attribute's entropy in every class is at least the one of l equal shares."""

#: How the command line asks for it: an option, its form, an example.
OPTION = ("--entropy-l", "A:L", "disease:2.5")
