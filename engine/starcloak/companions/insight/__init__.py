"""Insight: comparison of a release with its source, with remarks on points to review.

Reading order: ``companion`` (calls by a run), ``release_insight`` (columns, risk, remarks), ``alternatives`` (possible
releases with less loss), ``kept_columns`` (findings from columns released as they are) with ``rows_alone`` (unique
rows) and ``release_part`` (sample of a large release).
"""
