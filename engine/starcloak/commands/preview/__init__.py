"""A release before publication: source and release side by side, with their distributions. Nothing is published.

Reading order: ``result``, ``source_recoding``, ``preview``.
"""
