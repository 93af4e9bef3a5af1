"""The cases that ARX 3.9.2's own tests assert on Adult, as facts, and what starcloak makes of each.

Reading order: ``cases`` (the facts), ``tables`` (Adult, read anew), ``nodes`` (verdicts and metrics of one node,
counted without starcloak), ``counts`` (one pass over every node), ``jobs`` (a case as a job), ``judge`` (one case),
``command``.
"""
