"""Examples of correct lines of a job, for error messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

#: Example of a correct line, by key.
_LINES: Mapping[str, str] = {
    "source": "source: {path: patients.csv}",
    "output": "output: {path: patients-k5.csv}",
    "requirement": "requirement: {k: 5}",
    "k": "k: 5",
    "suppression": "suppression: 0.05, which is 5 %",
    "objective": "objective: {minimize: loss}",
    "alpha": "alpha: [{attribute: disease, value: flu, most: 0.5}]",
    "l_diversity": "l_diversity: [{attribute: disease, l: 2}]",
    "t_closeness": "t_closeness: [{attribute: disease, t: 0.2}]",
    "p_sensitive": "p_sensitive: [{attribute: disease, p: 2}]",
    "digits": "digits: 5, the number of characters",
    "intervals": "intervals: [5, 10, 20]",
    "quasi_identifiers": "quasi_identifiers: {zip: {digits: 5}, sex: suppress}",
    "tree": "tree: {north: [10115, 10117], south: [80331, 80333]}",
    "l": "l: 2",
    "t": "t: 0.2, from 0 to 1",
    "importance": "importance: 2, from 0.001 to 1000",
}

#: Correct line for a key often written under another name, or at another level of the job.
_INSTEAD: Mapping[str, str] = {
    "k": "requirement: {k: 5}, or --set requirement.k=5",
    "suppression": "requirement: {k: 5, suppression: 0.05}",
    "l_diversity": "requirement: {k: 5, l_diversity: [{attribute: disease, l: 2}]}",
    "t_closeness": "requirement: {k: 5, t_closeness: [{attribute: disease, t: 0.2}]}",
    "l": _LINES["l_diversity"],
    "t": _LINES["t_closeness"],
    "entropy_l": "l_diversity: [{attribute: disease, kind: entropy, l: 2}]",
    "person": "person: patient_id at the top of the job",
    "persons": "person: patient_id",
    "file": "path: patients.csv",
    "delimiter": "source: {path: patients.csv, delimiter: ';'}",
    "encoding": "source: {path: patients.csv, encoding: windows-1252}",
    "hierarchies": "quasi_identifiers: {zip: {digits: 5}, sex: suppress}",
    "columns": "quasi_identifiers: {zip: {digits: 5}, sex: suppress}",
    "input": _LINES["source"],
}
_IMPORTANCE = "quasi_identifiers: {zip: {digits: 5, importance: 2}}"
#: Correct line for an unknown key of a mapping, by this key and by a permitted key of the same mapping.
_BESIDE: Mapping[tuple[str, str], str] = {
    ("weights", "minimize"): f"{_IMPORTANCE}, with objective: {{minimize: height}}",
    ("attributes", "scheme"): _IMPORTANCE,
    ("weight", "importance"): "importance: 2",
    ("pad", "digits"): "clean: {zip: {pad: 5}}, beside quasi_identifiers: {zip: {digits: 5}}",
}

_SHAPES = {"list_type", "model_type", "dict_type", "int_type", "decimal_type", "decimal_parsing"}
_BOUNDS = {"greater_than", "greater_than_equal", "less_than", "less_than_equal"}


def instead(key: object, names: Sequence[str]) -> str:
    """Advice for an unknown key of a mapping with the permitted keys ``names``; an empty text without advice."""
    for (wrong_key, context_key), right in _BESIDE.items():
        if key == wrong_key and context_key in names:
            return f" Write {right}."
    line = _INSTEAD.get(key.casefold()) if isinstance(key, str) and key not in names else None
    return f" Write {line}." if line and line.partition(":")[0] in (*names, "person") else ""


def right_line(kind: str, place: Sequence[int | str], value: Any) -> str:
    """Advice to append to a validation error: an example of a correct line; an empty text without advice.

    ``kind`` is pydantic's type of the error, ``place`` the keys leading to the wrong ``value``.
    """
    key = next((part for part in reversed(place) if isinstance(part, str)), "")
    if kind not in _SHAPES | _BOUNDS:
        return ""
    if key == "suppression" and (line := _share(value)):
        return f": write {line}"
    if key in _LINES:
        return f": write {_LINES[key]}"
    if kind == "list_type" and isinstance(value, (str, int)):
        return f": write {key}: [{value}]"
    return ""


def _share(value: Any) -> str | None:
    """The correct line for a share written as 1%, 0,01 or 1; None for any other text."""
    number = str(value).replace("%", "").replace(",", ".").strip()
    try:
        share = Decimal(number)
    except InvalidOperation:
        return None
    if not share.is_finite():
        return None
    if "%" in str(value) or share > 1:
        share /= 100
    return f"suppression: {float(share):g}, which is {float(share * 100):g} %" if 0 <= share <= 1 else None
