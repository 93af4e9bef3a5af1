"""p-sensitive k-anonymity: every class has at least p values of a sensitive attribute"""

#: The command line's option: its name, its form, an example.
OPTION = ("--p-sensitive", "A:P", "disease:2")
