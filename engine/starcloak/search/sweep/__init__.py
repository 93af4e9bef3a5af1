"""Lattice sweep: local recoding by the groups that satisfy the requirement at the least cost, the cheapest first.

Reading order: ``costs`` (what a cell costs at each level), ``tuples`` (the star at hand), ``nodes`` (which nodes are
visited), ``greedy_sweep`` (the sweep), ``classes`` (what it formed, and the closest common generalizations),
``residual`` (what is left over joins), ``search`` (all of it). Of a lattice too large for that ``large_lattices`` has
the ways, ``clusters`` the classes of neighbours. With ``improve`` come ``improvement``, ``exchanges`` and ``prices``.
Where the rows of a person are one set, ``persons`` are what is grouped, and ``histories`` is the search.
"""
