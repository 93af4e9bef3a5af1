"""The risk of a table, raw or released, in numbers.

Reading order: ``audit``, ``attackers`` (risk by class sizes), ``sensitive`` (models satisfied by sensitive attributes),
``population`` (risk beyond the table), ``known_release`` (recognition of a release), ``result``, ``text``.
"""
