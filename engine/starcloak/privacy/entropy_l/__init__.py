"""Entropy l-diversity: a sensitive attribute's entropy in every class is at least the one of l equal shares."""

#: The command line's option: its name, its form, an example.
OPTION = ("--entropy-l", "A:L", "disease:2.5")
