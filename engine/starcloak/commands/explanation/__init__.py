"""Explanation of a release: the attribute that blocks a lower level, and the effect of a weaker requirement.

Reading order: ``explain``, ``result``, ``text``.
"""
