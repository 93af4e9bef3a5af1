"""Cells with a value that is no leaf of their hierarchy: counts, level names and warnings.

The setting ``nonconforming`` of a hierarchy decides if such cells become missing or the top value ``*``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from starcloak.hierarchy.builder import MISSING, TOP
from starcloak.job import Job
from starcloak.job.changed_cells import CellsNonconforming
from starcloak.star.star import Dimension

_MANY = 0.1  # of the cells with a value: a share that is warned of


def counted(job: Job, dimensions: Sequence[Dimension], *, rows: int) -> list[CellsNonconforming]:
    """The number of cells with a value not among the hierarchy's leaves, per column with such a count.

    ``rows`` is the number of rows of the source.
    """
    return [
        CellsNonconforming.model_validate(
            {
                "column": dimension.attribute,
                "become": _become(job, dimension),
                "cells": dimension.nonconforming.cells,
                "missing": rows - dimension.nonconforming.present,
            }
        )
        for dimension in dimensions
        if dimension.nonconforming is not None
    ]


def labels(job: Job, dimensions: Sequence[Dimension], *, suppressed: int) -> dict[str, list[str]]:
    """The names of the levels of each quasi-identifier, from level 0 on.

    If a column has missing or suppressed cells alone, its intermediate levels have the name of that content: missing,
    or the top. With ``suppressed`` rows they keep their own names: other names would reveal a suppressed row's value.
    """
    named = job.labels({dimension.attribute: dimension.hierarchy_height for dimension in dimensions})
    if suppressed:
        return named
    return named | {
        dimension.attribute: _relabelled(job, dimension, named[dimension.attribute]) for dimension in _lost(dimensions)
    }


def all_top(job: Job, dimensions: Sequence[Dimension], levels: Mapping[str, Sequence[int]]) -> list[str]:
    """The columns with the top value in every nonempty cell, because no value is a leaf of the hierarchy.

    ``levels`` has the levels of each column in the release.
    """
    lost = [dimension for dimension in _lost(dimensions) if _become(job, dimension) == "suppress"]
    return [dimension.attribute for dimension in lost if dimension.floored or 0 not in levels[dimension.attribute]]


def _lost(dimensions: Sequence[Dimension]) -> list[Dimension]:
    """The columns in which no value is a leaf of the hierarchy."""
    return [
        dimension
        for dimension in dimensions
        if dimension.nonconforming is not None and dimension.nonconforming.share == 1
    ]


def warnings(job: Job, dimensions: Sequence[Dimension], levels: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """A warning for each column with at least a tenth of its values not among the leaves of the hierarchy.

    There is none for a column released unchanged. ``levels`` has the levels of each column in the release.
    """
    for dimension in dimensions:
        its = dimension.nonconforming
        if its is None or its.share < _MANY or dimension.keeps(levels[dimension.attribute]):
            continue
        yield (
            f"column {dimension.attribute!r}: {its.cells:,} of {its.present:,} cells fit no value of its hierarchy "
            f"and become {_reads(job, dimension)} (nonconforming: {_become(job, dimension)}): clean the cells, or "
            "change the hierarchy"
        )


def _become(job: Job, dimension: Dimension) -> str:
    return job.quasi_identifiers[dimension.attribute].nonconforming


def _reads(job: Job, dimension: Dimension) -> str:
    """The text, in the release, of a cell with a value not among the leaves: the top value, or that for missing."""
    return TOP if _become(job, dimension) == "suppress" and not dimension.keeps_type else MISSING


def _relabelled(job: Job, dimension: Dimension, named: Sequence[str]) -> list[str]:
    reads = _reads(job, dimension)
    ends = (0, dimension.hierarchy_height)
    return [label if level in ends else reads for level, label in enumerate(named)]
