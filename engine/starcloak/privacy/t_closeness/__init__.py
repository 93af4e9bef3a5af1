"""t-closeness: a sensitive attribute is distributed in every class approximately as in the table"""

#: The command line's option: its name, its form, an example.
OPTION = ("--t", "A:T:DISTANCE", "salary:0.2:ordered")
