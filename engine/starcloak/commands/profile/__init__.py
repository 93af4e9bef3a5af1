"""A first job for a table: what each column is, by its name and its values, and a hierarchy that fits it.

Reading order: ``columns`` (what the values are, by one statement per column), ``roles`` (what that makes of a column),
``fitting`` (its hierarchy), ``draft`` (the job as text), ``init``.
"""
