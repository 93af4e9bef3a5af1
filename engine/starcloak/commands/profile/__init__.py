"""A first job for a table: what each column is, by its name and its values, and a hierarchy that fits it.

Reading order: ``cleaning`` (what is to be cleaned first), ``columns`` (what values are, by one statement per column),
``roles`` (what that makes of a column), ``selection`` (which quasi-identifiers stay), ``fitting`` (their hierarchies),
``trials`` (what is asked for, by what it costs), ``draft`` (the job as text), ``init``.
"""
