"""β-likeness: no value of a sensitive attribute is much more frequent in a class than in the table"""

#: The command line's option: its name, its form, an example.
OPTION = ("--beta", "A:BETA", "disease:1")
