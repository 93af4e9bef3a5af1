"""The report on a release: one HTML file for whoever answers for it, which needs no network and no script.

Reading order: ``find`` (the release that is meant), ``page`` (what it says), ``lattice``, ``write``.
"""
