"""The loss of a lattice sweep over a finished star."""

from __future__ import annotations

from starcloak.privacy.requirement import Demand
from starcloak.search.sweep import classes, costs
from starcloak.search.sweep.search import swept
from starcloak.search.sweep.tuples import fetch
from starcloak.star.star import Star


def loss(star: Star, demand: Demand, *, seed: int) -> float:
    """The loss (0 … 1) of a release of all rows, with every class satisfying the demand."""
    tuples = fetch(star, *costs.of_loss(star), demand)
    of, summary = swept(tuples, seed=seed, allowed=0, dearest=1.0, threads=star.session.threads)
    formed = classes.generalize(tuples, of, summary.classes)
    return float(formed.rows @ formed.cost) / star.rows
