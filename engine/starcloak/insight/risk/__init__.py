"""The risk of a table, raw or released, in numbers.

Reading order: ``audit`` (what is asked and brought home), ``attackers`` (what class sizes tell), ``columns`` (which of
them tell rows apart), ``sensitive`` (what sensitive attributes would satisfy), ``population`` (beyond the table),
``safe_harbor``, ``released`` (what is not told of a release), ``result``, ``text``.
"""
