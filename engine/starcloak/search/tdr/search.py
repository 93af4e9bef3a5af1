"""Algorithm 1 (Fung, Wang, Yu 2007, section 4): one refinement after another, the one of the best score first."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from starcloak.job.result import search_of
from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.single_dimension import cuts
from starcloak.search.single_dimension.cuts import Value
from starcloak.search.tdr import tables
from starcloak.search.tdr.masks import Mask, Refinement
from starcloak.search.tdr.partitions import Partitions
from starcloak.search.tdr.settings import RefinementDone, Refinements, Tdr
from starcloak.star import ceilings
from starcloak.star.recoding.single_dimension import recode
from starcloak.star.star import Star

log = logging.getLogger("starcloak")

Stopped = Literal["maximally refined", "max_refinements", "time_limit", "interrupt"]


@dataclass(frozen=True)
class RefinementStep:
    """One performed refinement.

    ``attribute`` is the position of its attribute. ``loss`` is the anonymity lost, in rows, averaged over the QIDs of
    the attribute. ``anonymity`` has the rows of the smallest class after it, per QID.
    """

    attribute: int
    refinement: Refinement
    loss: float
    score: float
    anonymity: tuple[int, ...]


@dataclass(frozen=True)
class Done:
    """Result of a search: its refinements and the reason of its end.

    ``touched`` is the number of records regrouped, summed over the refinements.
    """

    steps: tuple[RefinementStep, ...]
    stopped: Stopped
    touched: int


@dataclass(frozen=True)
class _Best:
    attribute: int
    candidate: int
    loss: float
    score: float


def search(star: Star, requirement: Requirement, settings: Tdr, run: SearchContext) -> Answer:
    """A single-dimension recoding for classification, refined as far as the requirement allows.

    Fung, Wang, Yu 2007, Algorithm 1: all values begin at the top of their hierarchies, and the refinement of the best
    score is performed first. Raises :class:`~starcloak.base.errors.RequirementError`, when the star is built, if all
    rows together violate the requirement.
    """
    star, demands = ceilings.keep_to(star, requirement, requirement.demands, label=run.label)
    grown, done = search_cut(star, replace(requirement, demands=demands), settings, stop=run.stop)
    summary = search_of(star.lattice_nodes, _refinements(grown, done))
    return Answer(grown, recode(grown, seed=run.seed), summary)


def search_cut(
    star: Star, requirement: Requirement, settings: Tdr, *, stop: Callable[[], bool] = lambda: False
) -> tuple[Star, Done]:
    """Find a single-dimension recoding: creates the relation ``cut``, with the level of every leaf.

    The search ends early if ``stop``, called before every refinement, returns True. Returns the refinements, and the
    star with the intervals of numeric attributes added to their hierarchies.
    """
    masks = tables.masks(star)
    counted = [
        Partitions(masks, cuts.records(star, demand.attributes), demand=demand) for demand in requirement.demands
    ]
    steps, stopped = refine(masks, counted, settings, stop=stop, tell=star.session.report)
    touched = sum(partitions.touched for partitions in counted)
    return cuts.cut(star, masks), Done(tuple(steps), stopped, touched)


def _refinements(star: Star, done: Done) -> Refinements:
    """Details of a search for the job's result, with the texts of refined values."""
    dimensions = {dimension.position: dimension for dimension in star.dimensions}
    values_seen: dict[int, set[Value]] = {}
    for step in done.steps:
        values_seen.setdefault(step.attribute, set()).update([step.refinement.value, *step.refinement.into])
    texts = {
        attribute: tables.texts(star, dimensions[attribute], list(values)) for attribute, values in values_seen.items()
    }
    return Refinements(
        stopped=done.stopped,
        steps=[
            RefinementDone(
                attribute=dimensions[step.attribute].attribute,
                value=texts[step.attribute][step.refinement.value],
                level=dimensions[step.attribute].hierarchy_level(step.refinement.value.level),
                into=[texts[step.attribute][value] for value in step.refinement.into],
                into_levels=[dimensions[step.attribute].hierarchy_level(value.level) for value in step.refinement.into],
                information_gain=step.refinement.gain,
                anonymity_loss=step.loss,
                score=step.score,
                anonymity=list(step.anonymity),
            )
            for step in done.steps
        ],
        records=done.touched,
    )


def refine(
    masks: Mapping[int, Mask],
    counted: Sequence[Partitions],
    settings: Tdr,
    *,
    stop: Callable[[], bool],
    tell: Callable[[str], None],
) -> tuple[list[RefinementStep], Stopped]:
    """Refine the masks in place, until no valid and beneficial refinement is left, or a limit or ``stop`` ends it.

    ``masks`` are by attribute position; ``counted`` has the partitions of each QID; ``tell`` receives progress
    messages. Returns the performed refinements and the reason of the end.
    """
    ends = None if settings.time_limit is None else time.perf_counter() + float(settings.time_limit)
    steps: list[RefinementStep] = []
    while (best := _best(masks, counted, settings.criterion)) is not None:
        if len(steps) == settings.max_refinements:
            return steps, "max_refinements"
        if ends is not None and time.perf_counter() >= ends:
            return steps, "time_limit"
        if stop():
            return steps, "interrupt"
        refinement = masks[best.attribute].refine(best.candidate)
        for partitions in counted:
            if best.attribute in partitions.attributes:
                partitions.refine(best.attribute, best.candidate)
        left = tuple(partitions.anonymity for partitions in counted)
        steps.append(RefinementStep(best.attribute, refinement, best.loss, best.score, left))
        log.debug("tdr: %d, attribute %d, score %.6f, anonymity %s", len(steps), best.attribute, best.score, left)
        tell(f"search: {len(steps)} refinements, anonymity {', '.join(map(str, left))}")
    return steps, "maximally refined"


def _best(masks: Mapping[int, Mask], counted: Sequence[Partitions], criterion: str) -> _Best | None:
    """The valid candidate with the highest score (section 3.2); None without any valid candidate.

    Invalid candidates are removed from the masks. The criterion is ``score`` (gain per anonymity loss) or ``infogain``.
    """
    best: _Best | None = None
    for attribute, mask in masks.items():
        candidates = np.flatnonzero(mask.candidates)
        containing = [partitions for partitions in counted if attribute in partitions.attributes]
        after = [partitions.after(attribute, candidates) for partitions in containing]
        valid = np.all([partitions.allows(attribute, candidates) for partitions in containing], axis=0)
        mask.candidates[candidates[~valid]] = False
        if not valid.any():
            continue
        candidates = candidates[valid]
        lost = [partitions.anonymity - left[valid] for left, partitions in zip(after, containing, strict=True)]
        losses = np.mean(lost, axis=0)
        gains = mask.gains[candidates]
        scores = gains / (losses + 1) if criterion == "score" else gains
        score, candidate = mask.best(scores, candidates)
        if best is None or score > best.score:
            best = _Best(attribute, candidate, float(losses[candidates == candidate][0]), score)
    return best
