"""The verifier: reads a staged release back and counts it again. And the check of a table as it stands.

They share no statement with the searches, and compare what these found instead of trusting it. Their arithmetic is
exact: integers only. Reading order: ``classes`` (what comes home of a table), ``claim`` (what is said of a release),
``recount`` (what is found there), ``invariants`` (what must hold, one by one), ``joined_rows`` (rows of one person that
a reader joins), ``population``, ``check_table``.
"""
