"""p-sensitive k-anonymity: every class has at least p values of a sensitive attribute"""

#: How the command line asks for it: an option, its form, an example.
OPTION = ("--p-sensitive", "A:P", "disease:2")
