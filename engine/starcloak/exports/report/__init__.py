"""The report on a release: one HTML file for the person responsible for the release, without network or script.

Reading order: ``page`` (the text), ``profiles`` (headings of rules and standards), ``attacked``, ``lattice``,
``write``.
"""
