"""Algorithms, k and suppression side by side: cost and risk of each.

Reading order: ``compare`` (the points, from one compress), ``result``, ``text`` (terminal, CSV), ``plot``.
"""
