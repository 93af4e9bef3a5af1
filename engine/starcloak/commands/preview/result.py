"""Result of a preview. It has raw values of rows, so it is for the custodian of the source alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TuplePreview:
    """A tuple by quasi-identifier: its values in the source (``before``), in the release (``after``), its number of
    ``rows``.

    ``after`` is None for suppressed rows; a missing value is None, too.
    """

    before: Mapping[str, str | None]
    after: Mapping[str, str | None] | None
    rows: int


@dataclass(frozen=True)
class Distribution:
    """Number of different ``values`` of a column, and its most ``frequent`` values with their numbers of rows."""

    values: int
    frequent: Sequence[tuple[str | None, int]]


@dataclass(frozen=True)
class ColumnPreview:
    """Distribution of a quasi-identifier's values in the source (``before``) and in the release (``after``)."""

    attribute: str
    before: Distribution
    after: Distribution


@dataclass(frozen=True)
class Correlation:
    """Association of the values of two quasi-identifiers in the source, and in the release.

    Cramér's V without its bias, from 0 to 1, with values as texts; None if one of the quasi-identifiers has a single
    value, or a different value in every row. Bergsma 2013, A bias-correction for Cramér's V and Tschuprow's T.
    """

    attributes: tuple[str, str]
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Preview:
    """A verified release that was not published.

    ``k`` is its smallest class, ``loss`` is from 0 to 1, ``levels`` has the lowest level of each quasi-identifier.
    ``changes`` are released tuples, the largest changes first, ``left_out`` suppressed ones, each a sample.
    ``correlations`` are of the pairs of the first ten quasi-identifiers. They are empty if one value may become
    several: the choices of a local or multi-dimensional recoding would make independent columns look associated.
    ``class_sizes`` has the number of classes of each size.
    """

    source: str
    algorithm: str
    rows: int
    released_rows: int
    suppressed_rows: int
    k: int | None
    loss: float
    levels: Mapping[str, int]
    changes: Sequence[TuplePreview]
    left_out: Sequence[TuplePreview]
    columns: Sequence[ColumnPreview]
    correlations: Sequence[Correlation]
    class_sizes: Sequence[tuple[int, int]]
