"""Lattice sweep: local recoding that makes classes of the cheapest value groups satisfying the requirement.

A value group is the set of tuples with equal generalized values at one node. The sweep takes value groups from all
nodes of the lattice in ascending order of cost; each one becomes an equivalence class.

Reading order: ``costs`` (cost of a cell at each level), ``tuples`` (the base frequency set in memory), ``nodes`` (the
visited nodes), ``greedy_sweep`` (the sweep), ``classes`` (the classes and their closest common generalizations),
``residual`` (tuples in no class join classes), ``search`` (all steps together). For a lattice too large to visit
completely, ``large_lattices`` compares several assignments, and ``clusters`` forms classes of similar tuples. The
setting ``improve`` uses ``improvement``, ``exchanges`` and ``prices``. If all rows of a person are one unit,
``persons`` has these units, and ``histories`` has the search. ``unrestricted_multi`` and ``cell_suppression`` are two
further algorithms based on the sweep.
"""
