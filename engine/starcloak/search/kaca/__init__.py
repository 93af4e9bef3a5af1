"""KACA: local recoding by clustering in attribute hierarchies.

Li, Wong, Fu, Pei 2006 (KACA) and 2008 (KACA1 and KACA2). Reading order: ``weights`` (distances of levels), ``trees``
(values as numbers, and the value where two meet), ``classes`` (the equivalence classes and their rows), ``nearest``
(the nearest class, exactly), ``neighbours`` and ``paths`` (a near one of many, on arrays), ``merge`` (stubs, trunks and
closest common generalizations), ``step`` (a round), ``inconsistency`` (the additions of KACA2), ``search`` (the loop).
"""
