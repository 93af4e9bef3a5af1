"""The key ``person`` of a job: columns to identify a person, possibly with the rows of each person as one set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from starcloak.base.errors import JobError
from starcloak.base.settings import Column, Settings, check


class AsSet(Settings):
    """Persons with one set of rows each: the multiset of a person's tuples is the quasi-identifier.

    ``column`` is the column, or the combination of columns, to identify a person.
    """

    column: Annotated[list[Column], Field(min_length=1), BeforeValidator(lambda given: as_list(given))]
    as_: Annotated[Literal["set"], Field(alias="as")]


def load_person(given: Any) -> tuple[tuple[str, ...], bool]:
    """The columns to identify a person, and true if the rows of each person are one set, from a value of ``person``.

    Raises :class:`JobError` for any other mapping.

    >>> load_person({"column": "patient_id", "as": "set"}), load_person(["clinic", "number"])
    ((('patient_id',), True), (('clinic', 'number'), False))
    """
    if isinstance(given, Mapping):
        return tuple(check(AsSet, given, where="person").column), True
    return tuple(as_list(given)), False


def refuse_beside_sets(person: Sequence[str], as_set: bool, given: Mapping[str, Any]) -> None:
    """Raise :class:`JobError` for persons as sets without columns, or with further requirements ``given`` by name."""
    if as_set and not person:
        raise JobError(
            "all rows of a person can be compared only if persons are known: name the columns that identify a person"
        )
    beside = [name for name, what in given.items() if what]
    if as_set and beside:
        raise JobError(
            f"comparing the rows of a person as one set supports only k, not {' and '.join(beside)}: remove "
            f"{' and '.join(beside)}, or do not compare as a set"
        )


def as_list(given: Any) -> Any:
    """A list of columns, from the name of one column or from a list; other values are unchanged."""
    return [given] if isinstance(given, str) else given


_FORMS = (
    "write person: patient_id, or person: [clinic, number] for several columns, to count persons; or write person: "
    "{column: patient_id, as: set} to compare all rows of a person as one set"
)


def columns_of_person(given: Any) -> Any:
    """The value of ``person`` as a list of columns; a mapping with ``as: set`` is unchanged, other forms are refused.

    The refusal names all forms: errors of the separate forms would name types of Python.
    """
    if given is None or isinstance(given, AsSet):
        return given
    is_set = isinstance(given, Mapping) and {*given} == {"column", "as"} and given["as"] == "set"
    columns = as_list(given["column"] if is_set else given)
    if not (isinstance(columns, (list, tuple)) and columns and all(map(_is_name, columns))):
        raise PydanticCustomError("person", "{reason}", {"reason": _FORMS})
    return given if is_set else columns


def _is_name(column: Any) -> bool:
    return isinstance(column, str) and bool(column) and "\0" not in column
