"""Mondrian: the table is cut into regions as long as a cut is allowable; also full-subgraph recoding, by such cuts.

Reading order: ``regions`` (regions of tuples and their cuts), ``partitioning`` (the rounds), ``qid_regions`` (further
cuts for several quasi-identifiers), ``search`` and ``full_subgraph`` (the algorithms).
"""
