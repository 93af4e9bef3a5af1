"""Re-identification risk by equivalence class sizes, for three attackers; exact fractions, without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from starcloak.verify.classes import Class


@dataclass(frozen=True)
class Risk:
    """Risk figures of one attacker, from 0 to 1: see :class:`~starcloak.commands.audit.result.Attacker`."""

    records_at_risk: Fraction
    highest: Fraction
    average: Fraction


def prosecutor(classes: Sequence[Class], threshold: Fraction) -> Risk:
    """Risk by an attacker who knows that a person is in the table: 1 / f for a record in a class of f rows."""
    rows = _rows(classes)
    at_risk = sum(group.size * group.alike for group in classes if Fraction(1, group.size) > threshold)
    smallest = min(group.size for group in classes)
    return Risk(Fraction(at_risk, rows), Fraction(1, smallest), Fraction(sum(group.alike for group in classes), rows))


def journalist(classes: Sequence[Class], threshold: Fraction) -> Risk:
    """Risk by an attacker without knowledge of who is in the table: 1 / F, with F people in the population's class."""
    prosecutor = marketer(classes, threshold)
    population = sum(group.population * group.alike for group in classes)
    return Risk(
        prosecutor.records_at_risk,
        prosecutor.highest,
        max(Fraction(sum(group.alike for group in classes), population), prosecutor.average),
    )


def marketer(classes: Sequence[Class], threshold: Fraction) -> Risk:
    """Risk by an attacker who links all records to people: 1 / F per record, with F people in the population's class.

    The average is the expected share of records linked correctly: the sum of f / F over classes, divided by the rows.
    """
    rows = _rows(classes)
    at_risk = sum(group.size * group.alike for group in classes if Fraction(1, group.population) > threshold)
    expected = sum(Fraction(group.size * group.alike, group.population) for group in classes)
    return Risk(
        Fraction(at_risk, rows), Fraction(1, min(group.population for group in classes)), Fraction(expected) / rows
    )


def _rows(classes: Sequence[Class]) -> int:
    return sum(group.size * group.alike for group in classes)
