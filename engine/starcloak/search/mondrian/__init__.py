"""Mondrian: regions cut as long as they can be, and full-subgraph recoding by its cuts.

Reading order: ``regions`` (the parts and their cuts), ``partitioning`` (the rounds), ``qid_regions`` (further cuts for
several quasi-identifiers), ``search`` and ``full_subgraph`` (the algorithms).
"""
