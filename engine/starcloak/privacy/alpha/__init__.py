"""(alpha,k)-anonymity: no value of a sensitive attribute, or no named value, exceeds a share of a class"""

#: The command line's option: its name, its form, an example.
OPTION = ("--alpha", "A:ALPHA", "disease:0.5")
