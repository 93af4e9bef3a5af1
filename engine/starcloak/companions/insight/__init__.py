"""Insight: comparison of a release with its source, with remarks on points to review.

Reading order: ``companion`` (calls by a run; columns, risk, remarks), ``alternatives`` (possible releases with less
loss), ``kept_columns`` (findings from columns released as they are: codes, unique rows, parts of a large release).
"""
