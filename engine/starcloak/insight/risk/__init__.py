"""The risk of a table, raw or released, in numbers.

Reading order: ``attackers`` (risk by class sizes), ``columns`` (columns that distinguish rows), ``sensitive`` (models
satisfied by sensitive attributes), ``population`` (risk beyond the table), ``safe_harbor``, ``result``.
"""
