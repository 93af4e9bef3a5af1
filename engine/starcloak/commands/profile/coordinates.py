"""Pairs of a latitude and a longitude: two columns that are one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from starcloak.base.column_names import words
from starcloak.commands.profile.fitting import Fitted
from starcloak.commands.profile.roles import Decided

_LATITUDE, _LONGITUDE = {"latitude", "lat"}, {"longitude", "lon", "lng"}


def pairs(decided: Sequence[Decided]) -> list[tuple[str, str]]:
    """Names of quasi-identifiers in pairs of latitude and longitude; the rest of their names is equal."""
    chosen = [column for column in decided if column.role == "quasi_identifiers" and column.profile.is_number]
    return [
        (one.name, other.name)
        for one in chosen
        for other in chosen
        if _LATITUDE & {*words(one.name)} and _LONGITUDE & {*words(other.name)}
        if _rest(one.name, _LATITUDE) == _rest(other.name, _LONGITUDE)
    ]


def as_places(
    decided: Sequence[Decided], fitted: Mapping[str, Fitted]
) -> tuple[list[Decided], dict[str, Fitted]]:  # fmt: skip
    """The decisions and the hierarchies of all columns, changed for pairs of latitude and longitude.

    Both columns of a pair have the same interval widths, the wider of the two, and a remark on the pair.
    """
    columns, hierarchies = {column.name: column for column in decided}, dict(fitted)
    for latitude, longitude in pairs(decided):
        one, other = fitted[latitude], fitted[longitude]
        if (
            isinstance(one.given, dict)
            and isinstance(other.given, dict)
            and "intervals" in one.given
            and ("intervals" in other.given)
        ):
            wider = max(one, other, key=lambda fit: fit.given["intervals"][0] if isinstance(fit.given, dict) else 0)
            hierarchies |= {latitude: wider, longitude: wider}
        for name, beside in ((latitude, longitude), (longitude, latitude)):
            why = f"one place together with {beside}: give both the same widths, or join them under clean"
            columns[name] = replace(columns[name], evidence=f"{columns[name].evidence}; {why}", is_doubted=True)
    return [*columns.values()], hierarchies


def _rest(name: str, of: set[str]) -> list[str]:
    single = [word for word in words(name) if word in name.casefold()]
    return [word for word in single if word not in of and not of & {word}]
