"""The report on a release: one HTML file for whoever answers for it, which needs no network and no script.

Reading order: ``page`` (the text), ``profiles`` (what rules and standards ask), ``attacked``, ``lattice``, ``write``.
"""
