"""The verifier: reads a staged (written, not yet published) release back and counts it again.

The verifier shares no SQL statement with the searches, and checks their results instead of trusting them. Its
arithmetic is exact: integers only. Reading order: ``classes`` (equivalence classes copied to the working store),
``claim`` (claims on a release), ``recount`` (counts of the release), ``invariants`` (the checked conditions, one by
one), ``joined_rows`` (rows of one person joined by a reader), ``population`` (k-map and delta-presence).
"""
