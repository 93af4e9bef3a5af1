"""The lattice of full-domain generalizations, for all searches in it.

Reading order: ``lattice`` (nodes, and frequency sets by rollup), ``full_domain`` (the answer of a full-domain search),
``objective`` (costs of nodes, and the order of equal costs), ``cheapest`` (nodes in the order of their cost),
``exhaustive`` and ``breadth_first`` (orders of search), ``starting_node`` (the first node of a large table).
"""
