"""Coordinates as cells of H3, a grid of hexagons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import Field, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base import settings
from starcloak.base.errors import HierarchyError
from starcloak.base.installation import package_needed
from starcloak.hierarchy.builder import TOP, BuildPlace, build, register
from starcloak.hierarchy.members import Declared, lines_of_texts, receive
from starcloak.statements.statement import Name

_NUMBER = r"([+-]?[0-9]{1,3}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)"
_POINT = re.compile(rf" *\(? *{_NUMBER} *[,; ] *{_NUMBER} *\)? *")
_FINEST = 15
#: Average edge of a cell in each resolution, rounded: `average_hexagon_edge_length` of the package.
_EDGES = (
    "1,300 km", "480 km", "180 km", "69 km", "26 km", "9.9 km", "3.7 km", "1.4 km", "530 m", "200 m", "76 m", "29 m",
    "11 m", "4.1 m", "1.5 m", "0.6 m",
)  # fmt: skip


@register
class H3(Declared):
    """Points (texts ``latitude,longitude``) as H3 cells, one resolution per level, from fine to coarse; then ``*``.

    A coarser cell is the parent of the finer one in the grid, so each level is a function of the level below.
    """

    key: ClassVar[str] = "h3"
    form: ClassVar[str] = "`{h3: [9, 7, 5, 3]}`"
    also_called: ClassVar[tuple[str, ...]] = ("coordinates", "geo", "hexagons", "latlon", "point")
    levels_read: ClassVar[str] = (
        "52.52,13.405 → 891f1d48947ffff → 871f1d489ffffff → 851f1d4bfffffff → 831f1dfffffffff → \\*: cells of the H3 "
        "grid, for texts of latitude and longitude"
    )
    top_label: ClassVar[str] = TOP
    finds_people_by: ClassVar[str | None] = "the exact place"

    h3: Annotated[list[Annotated[StrictInt, Field(ge=0, le=_FINEST)]], Field(min_length=1)]

    @model_validator(mode="after")
    def _from_fine_to_coarse(self) -> H3:
        if any(fine <= coarse for fine, coarse in pairwise(self.h3)):
            raise PydanticCustomError(
                "h3",
                "each resolution must be coarser (smaller) than the previous one: write the resolutions as in [9, "
                "7, 5]",
            )
        if len(self.h3) >= settings.MOST_LEVELS:
            raise PydanticCustomError("h3", "it has too many resolutions: leave some resolutions out")
        return self

    @property
    def level_labels(self) -> list[str]:
        return [f"cells with edges of {_EDGES[resolution]}" for resolution in self.h3]

    @property
    def edition(self) -> str:
        try:
            return f"h3: cells of the H3 grid (h3 {version('h3')})"
        except PackageNotFoundError:
            raise _missing() from None

    @property
    def content(self) -> Any:
        return self.edition

    @property
    def remedy(self) -> str:
        return "write latitude and longitude in degrees, such as 52.52,13.405"

    def declare(self, place: BuildPlace, into: Name) -> int:
        if not place.column.is_text:
            raise place.wrong(
                f"h3 needs texts with latitude and longitude, and the column is of type {place.column.kind}: give "
                "texts such as 52.52,13.405"
            )
        return receive(place, self._lines(place), into)

    def _lines(self, place: BuildPlace) -> Iterator[Sequence[str | None]]:
        try:
            grid = import_module("h3")
        except ImportError:
            raise _missing() from None

        def cells(text: str) -> list[str] | None:
            if (point := _point(text)) is None:
                return None
            finest = grid.latlng_to_cell(*point, self.h3[0])
            return [grid.cell_to_parent(finest, resolution) for resolution in self.h3]

        yield from lines_of_texts(place, cells, levels=len(self.h3), none=f"is a point: {self.remedy}")


def _point(text: str) -> tuple[float, float] | None:
    written = _POINT.fullmatch(text)
    if written is None:
        return None
    latitude, longitude = float(written[1]), float(written[2])
    return (latitude, longitude) if abs(latitude) <= 90 and abs(longitude) <= 180 else None


def _missing() -> HierarchyError:
    return HierarchyError(package_needed("hierarchy h3", "the package h3", extra="classifications"))


def h3(*resolutions: int) -> H3:
    """Points in cells of the H3 grid, from fine to coarse: ``h3(9, 7, 5, 3)``; ``*`` goes on top.

    Args:
        resolutions: Resolutions of the grid, 0 (edges of 1,300 km) to 15 (0.6 m), each coarser than the one before.

    Raises:
        JobError: A resolution is no coarser than the one before. A run raises
            :class:`~starcloak.base.errors.HierarchyError` for values other than texts of latitude and longitude, and
            if the package h3 is not installed.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"place": ["52.520,13.405", "52.521,13.406", "48.137,11.575", "48.138,11.576"]})
    >>> release = sc.anonymize(frame, quasi_identifiers={"place": sc.h3(7, 5)}, k=2)
    >>> sorted(set(release.to_pandas()["place"]))
    ['871f1d489ffffff', '871f8d7a4ffffff']
    """
    return build(H3, h3=list(resolutions))
