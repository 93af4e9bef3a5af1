"""Mutation testing: one small change of the code at a time, and whether a test sees it.

places → python, sql → probes, reach → checkout, words → campaign. Well-kept tools (mutmut, cosmic-ray) know Python
alone; half of what has to be right here is SQL.
"""
