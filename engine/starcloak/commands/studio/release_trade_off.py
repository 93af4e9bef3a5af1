"""The trade-off of a local algorithm: one release for each of several k, searched and verified one after another."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starcloak.commands.comparison.compare import Variants
from starcloak.commands.comparison.result import Point, Released
from starcloak.job import Job
from starcloak.releases.proposal import resolve
from starcloak.releases.release_measures import risk_before
from starcloak.star import star_builder
from starcloak.star.working_tables import sensitive_columns
from starcloak.store.resources import Resources

if TYPE_CHECKING:
    from starcloak.job.result import RiskBefore

#: The k of the points, beside that of the job.
KS = (2, 3, 5, 10, 20, 50)


@dataclass(frozen=True)
class ReleaseTradeOff:
    """Releases of a job by its own ``algorithm``: one point for each k, by rising k.

    ``suppression`` is the job's. ``before`` is the risk of the source, ``rows`` its number of rows. ``left`` lists each
    k still without a point.
    """

    algorithm: str
    suppression: float
    rows: int
    before: RiskBefore
    points: tuple[Point, ...]
    left: tuple[int, ...]

    def at(self, k: int) -> ReleaseEstimate | None:
        """Figures for a k: of its own release, or interpolated between releases for a lower and a higher k.

        None without such releases.
        """
        released = [(point.k, point.released) for point in self.points if point.released is not None]
        lower = [(known, figures) for known, figures in released if known <= k]
        upper = [(known, figures) for known, figures in released if known >= k]
        if not lower or not upper:
            return None
        (below, first), (above, last) = lower[-1], upper[0]
        share = 0.0 if above == below else (k - below) / (above - below)
        return ReleaseEstimate(k, below == above, first, last, first.loss + share * (last.loss - first.loss))

    @property
    def problem(self) -> str | None:
        """The reason why there is no release for the lowest k without one."""
        return next((point.problem for point in self.points if point.problem), None)


@dataclass(frozen=True)
class ReleaseEstimate:
    """Figures for a ``k``: exact if it has a release, else estimated.

    An estimated ``loss`` is interpolated between the releases for the next lower and the next higher k (``lower``,
    ``upper``).
    """

    k: int
    is_exact: bool
    lower: Released
    upper: Released
    loss: float


def trade_off(
    job: Job, *, resources: Resources = Resources(), report: Callable[[ReleaseTradeOff], None] | None = None
) -> ReleaseTradeOff:
    """Search and verify a release of a job for each k; after each, ``report`` is called with the points so far.

    Reads the source, writes nothing. Raises an :class:`~starcloak.base.errors.InputError` for a job that cannot be
    used.
    """
    loaded = resolve(job).unpublished()
    with Variants(loaded, None, _of_searches(resources)) as variants:
        variants.store.report("the risk of the source")
        with variants.undone():
            star = star_builder.build(variants.store, variants.opened, variants.job)
            persons = sensitive_columns(loaded.required.reads, loaded.persons)
            before = risk_before(star, k=1, persons=persons)
        suppression, points = loaded.requirement.suppression, list[Point]()
        order = _order(loaded.k)
        known = ReleaseTradeOff(loaded.algorithm.name, float(suppression), variants.rows, before, (), order)
        began = time.monotonic()
        for number, k in enumerate(order):
            if report is not None:
                report(known)
            variants.store.report(_progress(k, number, len(order), time.monotonic() - began))
            points.append(variants.point(loaded.algorithm, k, suppression))
            ordered = tuple(sorted(points, key=lambda point: point.k))
            known = ReleaseTradeOff(
                known.algorithm, known.suppression, known.rows, before, ordered, order[number + 1 :]
            )
        return known


def _order(k: int) -> tuple[int, ...]:
    """The order of the searches: the job's own k first, then each other k by its distance in the list of k."""
    return (k, *sorted({*KS} - {k}, key=lambda other: (abs(KS.index(other) - _place(k)), other)))


def _place(k: int) -> int:
    return sum(known < k for known in KS)


def _progress(k: int, done: int, count: int, seconds: float) -> str:
    left = f", about {max(1, round(seconds / done * (count - done)))} s left" if done else ""
    return f"release {done + 1} of {count}, with k = {k}{left}"


def _of_searches(resources: Resources) -> Resources:
    """The resources, with progress texts that name the current release before the search's progress."""
    progress, release = resources.progress, [""]
    if progress is None:
        return resources

    def show(text: str) -> None:
        if text.startswith("release "):
            release[0] = text
        progress(text if text == release[0] or not release[0] else f"{release[0]}: {text.removeprefix('search: ')}")

    return Resources(progress=show, ending=resources.ending)
