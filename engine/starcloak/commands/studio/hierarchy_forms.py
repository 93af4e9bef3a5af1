"""Forms for the usual kinds of hierarchies: intervals, digits, dates, a file. Other kinds are edited as YAML."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starcloak.base.errors import JobError
from starcloak.hierarchy.dates import Unit

#: The kinds with a form, and their words for a person.
KINDS = {
    "suppress": "its value, or *",
    "digits": "digits or characters, one fewer at each level",
    "intervals": "ranges of numbers",
    "dates": "dates, less precise at each level",
    "csv": "a file with a line for each value",
}
UNITS: tuple[str, ...] = typing.get_args(Unit)
# Settings that stay if the kind does.
_OF_KIND = {"intervals": ("below", "above", "decimal"), "dates": ("formats",)}
_OF_FILE = ("delimiter", "sheet")  # that stay if the file does
_OF_ANY = ("max_suppressed", "importance", "nonconforming")
_MOST_FILES = 200


@dataclass(frozen=True)
class HierarchyForm:
    """The fields of a column's form, filled in from its hierarchy; ``kind`` is empty for a kind without a form."""

    kind: str
    digits: str
    widths: str
    units: tuple[str, ...]
    file: str


def filled_form(given: Any) -> HierarchyForm:
    """The form filled in from a hierarchy's settings in the job; other fields have defaults."""
    settings: Mapping[str, Any] = given if isinstance(given, Mapping) else {str(given): True}
    kind = next((kind for kind in KINDS if kind in settings), "")
    value = settings.get(kind)
    return HierarchyForm(
        kind,
        str(value) if kind == "digits" else "5",
        ", ".join(map(str, value)) if kind == "intervals" and isinstance(value, list) else "5, 10, 20",
        tuple(map(str, value)) if kind == "dates" and isinstance(value, list) else ("month", "year", "decade"),
        str(value) if kind == "csv" else "",
    )


def read_form(filled: Mapping[str, str], before: Any) -> dict[str, Any]:
    """The settings of a hierarchy from a filled-in form.

    Settings of the previous hierarchy ``before`` that do not depend on its levels are kept.

    Raises :class:`~starcloak.base.errors.JobError` for an unknown kind and for an empty field.
    """
    kind = filled.get("kind", "")
    settings: Mapping[str, Any] = before if isinstance(before, Mapping) else {}
    value = _value(kind, filled)
    kept = [*_OF_ANY, *(_OF_KIND.get(kind, ()) if kind in settings else ())]
    kept += _OF_FILE if kind == "csv" and settings.get(kind) == value else ()
    return {kind: value, **{key: settings[key] for key in kept if key in settings}}


def _value(kind: str, filled: Mapping[str, str]) -> Any:
    text = filled.get(kind, "").strip()
    if kind == "suppress":
        return True
    if kind == "digits":
        if not re.fullmatch("[0-9]{1,3}", text):
            raise JobError(
                "the number of digits is missing or not a whole number: give the number of digits or characters of "
                "a value, such as 5"
            )
        return int(text)
    if kind == "intervals":
        widths = [part for part in re.split(r"[\s,;]+", text) if part]
        if not widths or not all(re.fullmatch(r"[0-9]+(\.[0-9]+)?", width) for width in widths):
            raise JobError(
                "the widths of the ranges do not nest: give widths from the smallest on, each a multiple of the "
                "previous width, such as 5, 10, 20"
            )
        return [float(width) if "." in width else int(width) for width in widths]
    if kind == "dates":
        units = [unit for unit in UNITS if filled.get(f"unit-{unit}")]
        if not units:
            raise JobError("no level of dates is marked: mark one or more levels, such as month and year")
        return units
    if kind == "csv":
        if not text:
            raise JobError("no file is chosen: choose a CSV file or a workbook with a line for each value")
        return text
    raise JobError(f"the studio has no form for hierarchies of the kind {kind!r}: choose one of {', '.join(KINDS)}")


def hierarchy_files(folder: Path) -> list[str]:
    """Paths of files that may be hierarchies, relative to the job's ``folder``: in it, or in its hierarchy folders."""
    kinds = ("*.csv", "*.xlsx", "*hierarchies/*.csv", "*hierarchies/*.xlsx")
    paths = [path for kind in kinds for path in folder.glob(kind)]
    return sorted(path.relative_to(folder).as_posix() for path in paths)[:_MOST_FILES]
