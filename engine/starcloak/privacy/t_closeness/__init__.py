"""t-closeness: a sensitive attribute is distributed in every class about as in the table"""

#: How the command line asks for it: an option, its form, an example.
OPTION = ("--t", "A:T:DISTANCE", "salary:0.2:ordered")
