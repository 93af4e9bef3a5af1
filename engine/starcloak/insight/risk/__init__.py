"""The risk of a table, raw or released, in numbers.

Reading order: ``attackers`` (risk by class sizes), ``columns`` (columns that tell rows apart), ``sensitive`` (models
that sensitive attributes satisfy), ``population`` (risk beyond the table), ``safe_harbor``, ``result``.
"""
