"""Refresh: a new release of a changed source, in which the rows of earlier releases keep their released cells.

Reading order: ``companion`` (calls by a run), ``refresh`` (steps of a refresh), ``identities`` (recognition of rows or
persons), ``last_release`` (refusals), ``recount`` (counts by the verifier).
"""
