"""Unrestricted multi-dimension recoding: a lattice sweep of whole tuples."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, Run
from starcloak.search.sweep import search as sweep
from starcloak.search.sweep.settings import Sweep
from starcloak.search.unrestricted_multi.settings import UnrestrictedMulti
from starcloak.star.recoding import local
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: UnrestrictedMulti, run: Run) -> Answer:
    """A multi-dimension recoding that takes every tuple to the closest common generalization of its class."""
    swept = sweep.search(star, replace(requirement, suppression=Decimal(0)), Sweep(), run)
    return replace(swept, recoding=local.recode(star, seed=run.seed, kind=local.MultiDimension))
