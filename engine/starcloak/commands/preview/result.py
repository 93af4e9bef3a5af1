"""What a preview tells. It has values of rows, and is the custodian's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TuplePreview:
    """So many ``rows`` that read the same ``before``, and what they read ``after``, by quasi-identifier.

    ``after`` is None where they are left out; a missing value is None, too.
    """

    before: Mapping[str, str | None]
    after: Mapping[str, str | None] | None
    rows: int


@dataclass(frozen=True)
class Distribution:
    """How many different ``values`` a column has, and the ``frequent`` ones with their rows, largest first."""

    values: int
    frequent: Sequence[tuple[str | None, int]]


@dataclass(frozen=True)
class ColumnPreview:
    """A quasi-identifier in the source, and in the release."""

    attribute: str
    before: Distribution
    after: Distribution


@dataclass(frozen=True)
class Correlation:
    """How far the values of two quasi-identifiers go together in the source, and in the release.

    Cramér's V without its bias, from 0 to 1, values taken as they read; None where one of them has one value alone, or
    as many as there are rows. Bergsma 2013, A bias-correction for Cramér's V and Tschuprow's T.
    """

    attributes: tuple[str, str]
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Preview:
    """A verified release that was not published.

    ``k`` is its smallest class, ``loss`` from 0 to 1, ``levels`` the lowest of each quasi-identifier. ``changes`` are
    tuples that stay, the largest changes first, ``left_out`` those that do not, each a sample. ``correlations`` are of
    the pairs of the first ten quasi-identifiers; none where one value may become several: how a local or
    multi-dimensional recoding chooses makes columns go together that do not. ``class_sizes`` has the number of classes
    of each size.
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
