"""Estimates for a table that is a sample of a population: the share of records that are unique in the population.

Pitman's sampling formula as Hoshino fits it (2001), Zayatz's estimate (1991), and the rule of Dankar and others (2012)
for the choice between them; the individual risk of Benedetti and Franconi (1998) as sdcMicro computes it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, isfinite, lgamma, log, log1p

import numpy as np

from starcloak.commands.audit.result import Individual, PopulationEstimate
from starcloak.verify.classes import Sizes

_STEPS = 200  # of a bisection: more than a double has digits


def estimate(sizes: Sizes, fraction: float) -> PopulationEstimate:
    """Estimates for a table's population; ``fraction`` (above 0, at most 1) is the table's share of it."""
    rows = round(sizes.rows / fraction)
    model, share = ("pitman", pitman(sizes, rows)) if fraction <= 0.1 else ("zayatz", zayatz(sizes, rows))
    risks = [(individual(size, size / fraction), size * classes) for size, classes in sizes.counted]
    of_records = Individual(
        average=sum(risk * count for risk, count in risks) / sizes.rows, highest=max(risk for risk, _ in risks)
    )
    return PopulationEstimate.model_validate(
        {
            "sampling_fraction": fraction,
            "rows": rows,
            "model": "not estimable" if share is None else model,
            "uniques": share,
            "individual": of_records,
        }
    )


def individual(size: int, population: float) -> float:
    """The individual risk (0 … 1) of a record in a class of ``size`` rows, with ``population`` people in the
    population's class.
    """
    share = size / population
    if share >= 1:
        return 1 / size
    odds = share / (1 - share)
    if size == 1:
        return odds * log(1 / share)
    if size == 2:
        return odds - odds**2 * log(1 / share)
    return share / (size - (1 - share))


def zayatz(sizes: Sizes, population: int) -> float | None:
    """The share of the table's records that are unique in the population, by Zayatz; 0 without unique records.

    ``population`` is the number of rows of the population.
    """
    alone, rows = sizes.of(1), sizes.rows
    if not alone:
        return 0.0
    largest = sizes.counted[-1][0]
    steps = np.arange(1, largest, dtype=np.float64)
    # h(j) / h(1) = j times the chance that j - 1 further rows of a class of the population are not drawn.
    missed = np.cumprod(np.maximum(population - rows + 1 - steps, 0) / np.maximum(population - steps, 1))
    chances = [1.0, *missed] if largest > 1 else [1.0]
    total = sum(classes * size * float(chances[size - 1]) for size, classes in sizes.counted)
    return alone / rows * alone / total


def pitman(sizes: Sizes, population: int) -> float | None:
    """The share of the population's records that are unique in it, by Pitman; None if the model does not fit.

    ``population`` is the number of rows of the population.
    """
    fitted = fit(sizes)
    if fitted is None:
        return None
    theta, a = fitted
    share = exp(lgamma(theta + 1) - lgamma(theta + a) + (a - 1) * log(population))
    return share if isfinite(share) and 0 <= share <= 1 else None


def fit(sizes: Sizes) -> tuple[float, float] | None:
    """The maximum likelihood estimates of Pitman's theta (above 0) and a (between 0 and 1); None without a maximum."""
    rows, classes = sizes.rows, sizes.classes
    if classes in (1, rows) or not sizes.of(1):
        return None

    def by_theta(theta: float, a: float) -> float:
        return reciprocals(theta / a + 1, classes - 1) / a - reciprocals(theta + 1, rows - 1)

    def by_a(theta: float, a: float) -> float:
        slope = (classes - 1 - theta / a * reciprocals(theta / a + 1, classes - 1)) / a
        return slope - sum(count * reciprocals(1 - a, size - 1) for size, count in sizes.counted)

    def best(a: float) -> float | None:
        return _root(lambda logged: by_theta(exp(logged), a), log(1e-9), log(1e12), exp)

    def along(a: float) -> float:
        theta = best(a)
        return -inf if theta is None else by_a(theta, a)

    a = _root(along, 1e-9, 1 - 1e-9, float)
    theta = None if a is None else best(a)
    return None if a is None or theta is None else (theta, a)


def _root(slope: Callable[[float], float], low: float, high: float, value: Callable[[float], float]) -> float | None:
    """The argument at which a falling ``slope`` is 0, mapped by ``value``; found by bisection from ``low`` to ``high``.

    None unless the slope is above 0 at ``low`` and below 0 at ``high``.
    """
    if not slope(low) > 0 > slope(high):
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return value((low + high) / 2)


def reciprocals(x: float, count: int) -> float:
    """The sum of 1 / (x + i) for i from 0 to ``count`` - 1, for x above 0: a difference of two digamma values.

    >>> round(reciprocals(1.0, 3), 12) == round(1 + 1 / 2 + 1 / 3, 12)
    True
    """
    total = 0.0
    while x < 10 and count:
        total += 1 / x
        x, count = x + 1, count - 1
    if not count:
        return total
    return total + log1p(count / x) + count / (2 * x * (x + count)) + _series(x) - _series(x + count)


def _series(x: float) -> float:
    """The asymptotic series of log(x) - 1 / (2 * x) - digamma(x), for x from 10 on."""
    square = 1 / (x * x)
    return square * (
        1 / 12
        - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (1 / 132 - square * 691 / 32760))))
    )
