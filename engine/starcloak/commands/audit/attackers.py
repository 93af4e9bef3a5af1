"""The risk by class sizes: attackers. Comparisons are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from starcloak.verify.classes import Class


@dataclass(frozen=True)
class Risk:
    """Shares of records, from 0 to 1: see :class:`~starcloak.commands.audit.result.Attacker`."""

    records_at_risk: Fraction
    highest: Fraction
    average: Fraction


def prosecutor(classes: Sequence[Class], threshold: Fraction) -> Risk:
    """Risk by an attacker who knows that a person is in the table: 1 / f, a guess within a class."""
    rows = _rows(classes)
    at_risk = sum(group.size * group.alike for group in classes if Fraction(1, group.size) > threshold)
    smallest = min(group.size for group in classes)
    return Risk(Fraction(at_risk, rows), Fraction(1, smallest), Fraction(sum(group.alike for group in classes), rows))


def journalist(classes: Sequence[Class], threshold: Fraction) -> Risk:
    """Risk by an attacker without that knowledge: 1 / F, a guess within the class of the population."""
    prosecutor = marketer(classes, threshold)
    population = sum(group.population * group.alike for group in classes)
    return Risk(
        prosecutor.records_at_risk,
        prosecutor.highest,
        max(Fraction(sum(group.alike for group in classes), population), prosecutor.average),
    )


def marketer(classes: Sequence[Class], threshold: Fraction) -> Risk:
    """Risk by an attacker who links all records: the share found is that of f / F over classes."""
    rows = _rows(classes)
    at_risk = sum(group.size * group.alike for group in classes if Fraction(1, group.population) > threshold)
    expected = sum(Fraction(group.size * group.alike, group.population) for group in classes)
    return Risk(
        Fraction(at_risk, rows), Fraction(1, min(group.population for group in classes)), Fraction(expected) / rows
    )


def _rows(classes: Sequence[Class]) -> int:
    return sum(group.size * group.alike for group in classes)
