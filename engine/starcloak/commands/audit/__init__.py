"""The risk of any table, and whether it is a known release."""
