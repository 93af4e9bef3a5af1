"""Refresh: a new release of a changed source, with all rows already shown unchanged.

Reading order: ``companion`` (its calls), ``refresh`` (its steps), ``identities`` (rows, or persons with their rows),
``last_release`` (its refusals), ``recount`` (the verifier's counts).
"""
