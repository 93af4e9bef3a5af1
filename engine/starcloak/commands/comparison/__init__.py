"""Algorithms, k and suppression side by side: what each costs, and what risk it leaves.

Reading order: ``compare`` (the points, from one compress), ``result``, ``text`` (terminal, CSV), ``plot``.
"""
