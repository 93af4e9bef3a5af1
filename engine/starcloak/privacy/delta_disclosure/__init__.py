"""δ-disclosure privacy: every value is about as frequent in a class as in the table"""

#: How the command line asks for it: an option, its form, an example.
OPTION = ("--delta", "A:DELTA", "disease:1.5")
