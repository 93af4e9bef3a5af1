"""Detection of weights and counts: columns with the number of people for which a row stands."""

from __future__ import annotations

from dataclasses import replace

from starcloak.base.column_names import Role, words
from starcloak.commands.profile.roles import SAID, Decided

_WEIGHTS = {
    "pwgtp", "wgtp", "fnlwgt", "perwt", "hhwt", "wtss", "wtssall", "asecwt", "weighting", "sampleweight",
    "surveyweight", "samplingweight", "personweight", "pondera", "gewichtung", "hochrechnungsfaktor", "finalweight",
}  # fmt: skip
_COUNTS = {"n", "count", "counts", "freq", "frequency", "cases", "persons", "people", "anzahl", "total", "population"}


def with_weight(decided: Decided, *, rows_are_classes: bool) -> Decided:
    """The decision on a column, changed if its name is that of a weight or a count of people.

    A count is recognized only if ``rows_are_classes``: each combination of the other columns' values is in one row.
    """
    its = decided.profile
    if decided.evidence == SAID or not its.is_number or its.distinct < 2:
        return decided
    named = {*words(its.name)}
    if named & _WEIGHTS:
        why = (
            f"{its.name} says how many people a row stands for, but k counts rows; readers need {its.name} for "
            "totals: put it under keep if no column above determines it"
        )
        role: Role = "keep" if decided.role == "keep" and not its.is_nearly_unique else "identifiers"
        return replace(decided, role=role, evidence=why, is_doubted=True)
    if rows_are_classes and its.are_whole and named & _COUNTS and len(named) == 1:
        why = (
            f"{its.name} says how many people a row stands for, but k counts rows: repeat each row {its.name} times "
            f"in the source (in DuckDB: select … from t, range({its.name})), and leave {its.name} out"
        )
        return replace(decided, role="identifiers", evidence=why, is_doubted=True)
    return decided
