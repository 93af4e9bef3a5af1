"""(alpha,k)-anonymity: no value of a sensitive attribute, or none of some, has more than a share of a class"""

#: How the command line asks for it: an option, its form, an example.
OPTION = ("--alpha", "A:ALPHA", "disease:0.5")
