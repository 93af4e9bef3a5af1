"""Insight: comparison of a release with its source, with remarks on points to review.

Reading order: ``companion``, ``release_insight`` (columns, risk, remarks), ``alternatives`` (releases with less loss),
``kept_columns`` (findings from kept columns) with ``rows_alone`` and ``release_part``.
"""
