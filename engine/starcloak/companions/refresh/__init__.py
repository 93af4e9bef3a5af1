"""Refresh: a new release of a changed source, with all rows already shown unchanged.

Reading order: ``companion`` (its calls), ``early_refusals`` (before any row is read), ``refresh`` (rows),
``refreshed_persons`` (the rows of persons), ``retained_rows`` (deleted rows that are still shown), ``recount`` (the
verifier's counts).
"""
