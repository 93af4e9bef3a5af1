"""Violations of a requirement in words, for a table as it is and for a rejected level."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.base import small_counts


def describe(classes: str, attributes: Sequence[str], rows: int | None, *, k: int, of: int | None = None) -> str:
    """Description of the classes in violation over some attributes, and of their rows: None stands for 1 to k - 1 rows.

    >>> describe("7 classes", ["age", "zip"], None, k=3, of=90)
    '7 classes over (age, zip), fewer than 3 of 90 rows in all,'
    """
    every = "" if of is None else f" of {of:,}"
    return f"{classes} over ({', '.join(attributes)}), {small_counts.words(rows, k)}{every} rows in all,"


def remedy(attributes: Sequence[str], enough: Sequence[str]) -> str:
    """Attributes sufficient for a remedy: without one of them the requirement holds.

    >>> remedy(["age", "sex", "zip"], ["age", "zip"])
    '(age, sex, zip) would hold without age or zip: drop it, or generalize it to *'
    """
    return f"({', '.join(attributes)}) would hold without {' or '.join(enough)}: drop it, or generalize it to *"
