"""Lattice sweep: local recoding by value groups that satisfy the requirement, the cheapest first.

Reading order: ``costs`` (cost of a cell at each level), ``tuples`` (the star in memory), ``nodes`` (the visited nodes),
``greedy_sweep`` (the sweep), ``classes`` (the classes formed, and the closest common generalizations), ``residual``
(remaining tuples join classes), ``search`` (the whole). For a lattice too large to be visited, ``large_lattices`` has
the ways, ``clusters`` the classes of neighbours. With ``improve`` come ``improvement``, ``exchanges`` and ``prices``.
If the rows of a person are one set, ``persons`` are grouped, and ``histories`` is the search.
``unrestricted_multi`` and ``cell_suppression`` are algorithms by a sweep.
"""
