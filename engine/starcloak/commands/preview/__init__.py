"""A release before it is one: source and release side by side, and what they look like. Nothing is published.

Reading order: ``result``, ``source_recoding``, ``preview``.
"""
