"""Greedy single-dimension recodings: full-subtree, ordered-set partitioning, unrestricted.

Reading order: ``settings`` (the three algorithms), ``greedy`` (the refinements from the top), ``cuts`` (records loaded
into memory, and recodings written as tables).
"""
