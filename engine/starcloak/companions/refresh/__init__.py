"""Refresh: a changed source is released again, and what was shown stays as it was.

Reading order: ``companion`` (its calls), ``refresh`` (rows), ``refreshed_persons`` (the rows of persons),
``retained_rows`` (rows that went and are still shown), ``recount`` (what the verifier counts again).
"""
