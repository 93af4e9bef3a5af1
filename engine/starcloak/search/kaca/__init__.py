"""KACA: local recoding by clustering in attribute hierarchies.

Li, Wong, Fu, Pei 2006 (KACA) and 2008 (KACA1 and KACA2). Reading order: ``weights`` (distances of levels), ``trees``
(values as words of digits), ``classes`` (the equivalence classes and who is in them), ``nearest`` (the nearest class,
exactly), ``merge`` (stubs, trunks and closest common generalizations), ``step`` (a round, or steps one by one),
``inconsistency`` (what KACA2 adds), ``search`` (the loop).
"""
