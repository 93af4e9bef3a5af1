"""KACA: local recoding by clustering in attribute hierarchies.

Li, Wong, Fu, Pei 2006 (KACA) and 2008 (KACA1 and KACA2). Reading order: ``weights`` (distances of levels
from the leaves), ``trees`` (numbers of values, and closest common generalizations of two values), ``classes`` (the
equivalence classes and their rows), ``nearest`` (the nearest class, by all pairs), ``neighbours`` and ``paths`` (a near
class among many, by sorting arrays), ``merge`` (merging and splitting of classes), ``step`` (one round of mergers),
``inconsistency`` (the additions of KACA2), ``search`` (the rounds until no class is small).
"""
