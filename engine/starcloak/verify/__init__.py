"""The verifier: reads a staged release back and counts it again. And the check of a table as it stands.

They share no statement with the searches, and compare the searches' results instead of trusting them. The arithmetic is
exact: integers only. Reading order: ``classes`` (classes brought to the working store), ``claim`` (claims on a
release), ``recount`` (counts of the release), ``invariants`` (the clauses, one by one), ``joined_rows`` (rows of one
person joined by a reader), ``population``, ``check_table``.
"""
