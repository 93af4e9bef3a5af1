"""The additions of KACA2 (2008, Algorithm 2): global recoding before KACA1, and a final generalization after KACA1.

The inconsistency of an attribute is the share of its values outside their most frequent level (Definition 12).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from starcloak.privacy.requirement import Demand
from starcloak.search.kaca.classes import CLASSES, ClassTables
from starcloak.star.star import Star
from starcloak.statements.statement import Hole, Joined, Name, Number, Statement, columns, union_all

_PIECES = Name("kaca_raised")


def global_levels(star: Star, *, demand: Demand, maximum: Decimal) -> tuple[int, ...]:
    """Returns the level of each attribute after the global recoding (lines 1 to 3).

    A value is rare if its rows violate the demand. The level returned is the lowest one with a share of rows in rare
    values of zero, or below ``maximum``; otherwise the top. This share is the lower bound of the generalization portion
    (Lemma 4).
    """
    levels = []
    for dimension in star.dimensions:
        for level in range(dimension.height + 1):
            (rows,) = star.session.row(
                Statement(
                    "search/kaca/raised#rare",
                    violating=demand.violating,
                    merged=star.merged,
                    star=star.facts,
                    value=dimension.column(level),
                )
            )
            if not rows or Fraction(rows, star.rows) < Fraction(maximum):
                break
        levels.append(level)
    return tuple(levels)


def final_generalization(clustering: ClassTables, *, maximum: Decimal) -> tuple[int, ...]:
    """Raise the lowest values of every attribute, until its inconsistency is at most ``maximum`` (lines 5 to 9).

    Returns the lowest remaining level of each attribute.

    Line 6 of the paper has the comparison the wrong way round; the paper's text has it right.
    """
    session = clustering.session
    spread: dict[int, dict[int, int]] = {tree.position: {} for tree in clustering.trees.trees}
    counted = union_all(
        Statement("search/kaca/raised#level_rows", dimension=Number(tree.position), level=tree.level, classes=CLASSES)
        for tree in clustering.trees.trees
    )
    for dimension, level, rows in session.run(counted):
        spread[dimension][level] = rows
    lowest = tuple(_lowest(spread[tree.position], Fraction(maximum)) for tree in clustering.trees.trees)
    if any(
        level > min(spread[tree.position], default=0)
        for tree, level in zip(clustering.trees.trees, lowest, strict=True)
    ):
        raised = clustering.trees.raised_columns(lowest)
        holes: dict[str, Hole] = {
            **raised,
            "values": columns([raised["values"], *clustering.held]),
            "same": Joined(tuple(clustering.trees.values), ", "),
            "classes": CLASSES,
        }
        session.create(_PIECES, Statement("search/kaca/raised", **holes))
        clustering.replace(_PIECES)
        session.drop(_PIECES)
    return lowest


def _lowest(spread: dict[int, int], maximum: Fraction) -> int:
    """The lowest level with an inconsistency of at most ``maximum``, if all values below it are raised to it.

    ``spread`` has the number of rows by level; an empty one yields 0.

    >>> _lowest({0: 5, 1: 4, 2: 1}, Fraction(1, 10))
    1
    """
    total = sum(spread.values())
    for level in sorted(spread):
        raised = [sum(rows for at, rows in spread.items() if at <= level)]
        most = max(raised + [rows for at, rows in spread.items() if at > level])
        if 1 - Fraction(most, total) <= maximum:
            return level
    return 0
