"""The verifier: reads a staged release back and counts it again. And the gate, which counts a table as it stands.

They share no statement with the searches, and compare what these found instead of trusting it. Their arithmetic is
exact: integers only. Reading order: ``classes`` (what comes home of a table), ``claim`` (what is said of a release),
``reading`` (what is found there), ``clauses`` (what must hold, one by one), ``gate``.
"""
