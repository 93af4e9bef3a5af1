"""Entropy l-diversity: the entropy of a sensitive attribute in every class is at least the entropy of l equal
shares.
"""

#: How the command line asks for it: an option, its form, an example.
OPTION = ("--entropy-l", "A:L", "disease:2.5")
