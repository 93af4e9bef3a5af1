"""A first job for a table: the role of each column, by its name and its values, and a hierarchy that fits it.

Reading order: ``cleaning`` (cleaning before anything else), ``columns`` (profiles of values, by one statement per
column), ``roles`` (the role of a column by its profile), ``weights``, ``persons`` and ``joining`` (columns about
several people, of one, and of all rows of one), ``selection`` (the quasi-identifiers that may stay), ``fitting`` (their
hierarchies, by ``ranges``, ``postcodes``), ``coordinates``, ``costs`` (the quasi-identifiers that
stay), ``trials`` (the requirement, by its cost), ``draft`` (the job as text), ``init``.
"""
