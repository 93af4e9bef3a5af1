"""δ-disclosure privacy: every value is about as frequent in a class as in the table"""

#: The command line's option: its name, its form, an example.
OPTION = ("--delta", "A:DELTA", "disease:1.5")
