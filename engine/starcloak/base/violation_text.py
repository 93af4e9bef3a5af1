"""Texts on violations of a privacy requirement, by an unchanged table or by a rejected level of generalization."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.base import small_counts


def describe(classes: str, attributes: Sequence[str], rows: int | None, *, k: int, of: int | None = None) -> str:
    """Describe the equivalence classes in violation of a requirement, and the number of their rows.

    ``classes`` is the number of these classes with a noun, ``attributes`` is the quasi-identifier. ``rows`` is None for
    1 to k - 1 rows. ``of`` is the number of rows of the table, or None to leave it out.

    >>> describe("7 classes", ["age", "zip"], None, k=3, of=90)
    '7 classes over (age, zip), fewer than 3 of 90 rows in all,'
    """
    every = "" if of is None else f" of {of:,}"
    return f"{classes} over ({', '.join(attributes)}), {small_counts.words(rows, k)}{every} rows in all,"


def remedy(attributes: Sequence[str], enough: Sequence[str]) -> str:
    """Advice to drop or generalize one attribute of ``enough``: without any one of these the requirement holds.

    >>> remedy(["age", "sex", "zip"], ["age", "zip"])
    'the requirement over (age, sex, zip) would hold without age or zip: drop this column, or generalize it to *'
    """
    return (
        f"the requirement over ({', '.join(attributes)}) would hold without {' or '.join(enough)}: drop this column, "
        "or generalize it to *"
    )
