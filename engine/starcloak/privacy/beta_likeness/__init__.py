"""β-likeness: no value of a sensitive attribute is much more frequent in a class than in the table"""

#: How the command line asks for it: an option, its form, an example.
OPTION = ("--beta", "A:BETA", "disease:1")
