"""The verifier: reads a staged release back and counts it again.

It shares no statement with the searches, and compares their results instead of trusting them. The arithmetic is
exact: integers only. Reading order: ``classes`` (classes brought to the working store), ``claim`` (claims on a
release), ``recount`` (counts of the release), ``invariants`` (the clauses, one by one), ``joined_rows`` (rows of one
person joined by a reader), ``population``.
"""
