"""Validation of a job: frozen mappings with known keys, paths, names, and a bound on the number of values.

The bound applies after expansion of shared parts: a few lines of YAML can stand for millions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from math import inf
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from starcloak.base.errors import JobError, hint
from starcloak.base.job_forms import instead, right_line

#: Maximum number of values in a job; keys count as values.
MOST_VALUES = 1_000_000
#: Maximum number of quasi-identifiers, and of levels of a hierarchy above its leaves: both are stored in one byte.
MOST_ATTRIBUTES = 255
MOST_LEVELS = 64
#: Maximum number of leaves of a hierarchy given as a tree or a file, and of their characters over all levels.
MOST_LEAVES = 1_000_000
MOST_CHARACTERS = 200_000_000

# Python itself writes no longer whole number.
_TOO_LARGE = 10**4000


def check_size(value: Mapping[Any, Any], *, where: str) -> None:
    """Raise :class:`JobError` for a job with too many values, before any step visits them one by one.

    ``where`` names the job in the message. YAML's aliases and Python's references are counted at each use, but visited
    once; a value containing itself has an infinite count.
    """
    counted: dict[int, tuple[float, Any]] = {}
    if _values(value, counted, where) <= MOST_VALUES:
        return
    # The place: the innermost key with too many values.
    inside: Any = value
    place: list[str] = []
    while isinstance(inside, Mapping) and len(place) < 4:
        large = [key for key, part in inside.items() if _values(part, counted, where) > MOST_VALUES]
        if not large:
            break
        place.append(str(large[0]))
        inside = inside[large[0]]
    position = f" {'.'.join(place)}:" if place else ""
    raise JobError(
        f"{where}:{position} more than {MOST_VALUES:,} values (parts shared by aliases are counted each time): give "
        "a large hierarchy as a table"
    )


def _values(value: Any, counted: dict[int, tuple[float, Any]], where: str) -> float:
    if isinstance(value, Mapping):
        parts = [*value, *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = [*value]
    else:
        _check_single(value, where)
        return 1
    if id(value) not in counted:
        # With a reference to the counted object, as its id would be reused after its end.
        counted[id(value)] = (inf, value)
        counted[id(value)] = (1 + sum([_values(part, counted, where) for part in parts]), value)
    return counted[id(value)][0]


def _check_single(value: Any, where: str) -> None:
    if isinstance(value, int) and abs(value) >= _TOO_LARGE:
        raise JobError(f"{where}: a whole number of more than 4,000 digits: write a smaller one")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise JobError(
                f"{where}: a text is not valid Unicode, as it has half of a surrogate pair: correct the text"
            ) from None


#: Decimal places of a number. Exact arithmetic writes all digits out: no more than the smallest float has.
_MOST_PLACES = 400


class Settings(BaseModel):
    """Base of all settings: immutable, with fixed keys. The error for an unknown key suggests the most similar key."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid", populate_by_name=True)

    @classmethod
    def known_keys(cls) -> list[str]:
        """Permitted keys of the mapping."""
        return cls._own_keys()

    @classmethod
    def _own_keys(cls) -> list[str]:
        return [field.alias or name for name, field in cls.model_fields.items()]

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = [key for key in data if key not in cls._own_keys()]
            known_keys = cls.known_keys() if unknown else []
            unknown = [key for key in unknown if key not in known_keys]
            if unknown:
                first, *others = ((repr(key), instead(key, known_keys) or hint(key, known_keys)) for key in unknown)
                raise PydanticCustomError(
                    "unknown_key",
                    "unknown key {key}: use one of {known}.{hint}{others}",
                    {
                        "key": first[0],
                        "known": ", ".join(known_keys),
                        "hint": first[1],
                        "others": "".join(f" Nor is {key} known.{near}" for key, near in others),
                    },
                )
        return data

    @model_validator(mode="after")
    def _written_out(self) -> Self:
        """Refuse numbers that are too long when written out: pydantic before 2.13 counts one digit in 1e-999."""
        for value in vars(self).values():
            for number in value if isinstance(value, list | tuple) else [value]:
                if (
                    isinstance(number, Decimal)
                    and number.is_finite()
                    and -int(number.as_tuple().exponent) > _MOST_PLACES
                ):
                    raise PydanticCustomError(
                        "places", f"a number has more than {_MOST_PLACES} decimal places: round it"
                    )
        return self


def own(value: Any) -> Any:
    """Copy nested mappings, lists and settings, so that later changes by the caller have no effect."""
    if isinstance(value, Settings):
        copied = value.model_copy(update={name: own(field_value) for name, field_value in value})
        object.__setattr__(copied, "__pydantic_fields_set__", {*value.model_fields_set})  # update has set all
        return copied
    if isinstance(value, Mapping):
        return {key: own(field_value) for key, field_value in value.items()}
    return type(value)(map(own, value)) if type(value) in (list, tuple) else value


_M = TypeVar("_M", bound=Settings)

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # a path reduces two slashes to one
_FAR = ("http", "https", "ftp", "s3", "gs", "az", "abfss", "hdfs")  # schemes of files elsewhere
_SHAPES = {
    "dict_type": "must be a mapping",
    "list_type": "must be a list",
    "model_type": "must be a mapping",
    "int_type": "must be a whole number without quotes",
}
_TOLD = 20  # problems of a mapping in one error


def check(model: type[_M], data: Any, *, where: str, base: Path = Path()) -> _M:
    """Validate a mapping as settings of the class ``model``; relative paths are resolved against ``base``.

    Raises :class:`JobError`: one line with ``where``, the wrong keys and the corrections, without values of rows.
    """
    if not isinstance(data, Mapping):
        raise JobError(f"{where} is not a mapping: write lines of the form key: value, such as k: 5")
    try:
        check_size(data, where=where)
        return model.model_validate(own(dict(data)), context={"base": base})
    except RecursionError:
        raise JobError(f"{where} is nested too deeply: check that no value contains itself") from None
    except ValidationError as error:
        raise JobError(f"{where}: {_problems(error)}") from None


def check_together(settings: Settings) -> None:
    """Check that the values of settings go together, such as those of a copy with another algorithm.

    The values themselves are not checked again. Raises :class:`JobError`: one line with the reasons.
    """
    try:
        type(settings).model_validate(settings)
    except ValidationError as error:
        raise JobError(_problems(error)) from None


def _problems(error: ValidationError) -> str:
    """The wrong keys of a mapping and their corrections, in one line."""
    problems: dict[str, str] = {}
    for problem in error.errors(include_url=False):
        if problem["type"] == "default_factory_not_called":  # follows from another, reported problem
            continue
        place = ".".join(str(part) for part in problem["loc"])
        # A value with several possible types has one problem per type.
        problems.setdefault(
            ".".join(map(str, problem["loc"][:2])), f"{place + ': ' if place else ''}{_message(problem)}"
        )
    return "; ".join(list(problems.values())[:_TOLD])


def _message(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "this key is missing"
    if error["type"] == "too_short":
        return "name at least one"
    if error["type"] == "decimal_parsing":
        line = right_line(error["type"], error["loc"], error["input"])
        return "must be a number such as 0.05, without % or a comma" + line
    message = _SHAPES.get(error["type"]) or error["msg"].replace("Input should be", "must be").replace(
        "String should have", "must have"
    )
    if error["type"] == "literal_error" and isinstance(error["input"], str):
        message += "." + hint(error["input"], re.findall(r"'([^']+)'", error["ctx"]["expected"]))
    return message + right_line(error["type"], error["loc"], error["input"])


def _beside_the_job(path: Path, info: ValidationInfo) -> Path:
    base: Path = (info.context or {}).get("base", Path())
    return _usable(base / _usable(path))


def _usable(path: Path) -> Path:
    """The path with the user's folder expanded. Raises for a path impossible on any system."""
    if (scheme := _URL.match(str(path))) is not None:
        is_far = scheme[0].rstrip(":/").lower() in _FAR
        raise PydanticCustomError(
            "path",
            "files are not read over a network: download the file, and give the path of the copy"
            if is_far
            else "this is a URL, not a path: give it under url",
        )
    try:
        path = path.expanduser()
        if "\0" in str(path):
            raise ValueError
        path.is_symlink()
    except (OSError, ValueError, RuntimeError) as error:
        raise PydanticCustomError(
            "path", "this path is not possible for a file ({kind}): give another path", {"kind": type(error).__name__}
        ) from None
    return path


def _printable(name: str) -> str:
    if not name or "\0" in name:
        raise PydanticCustomError("name", "a name is empty or has the character NUL: give another name")
    return name


def _table_name(name: str) -> str:
    for part in name.split("."):
        _printable(part)
    return name


def _as_number(value: Decimal) -> float:
    return float(value)


#: A path, relative to the file with the job.
JobPath = Annotated[Path, AfterValidator(_beside_the_job)]
Column = Annotated[str, Field(min_length=1), AfterValidator(_printable)]
TableName = Annotated[str, Field(min_length=1), AfterValidator(_table_name)]
Share = Annotated[Decimal, Field(ge=0, le=1, allow_inf_nan=False, max_digits=_MOST_PLACES)]
# A float has all of its digits in JSON. By a function: for float itself, pydantic would parse its documentation for the
# signature, at the cost of ten module imports.
Exact = Annotated[Decimal, Field(allow_inf_nan=False, max_digits=15), PlainSerializer(_as_number, when_used="json")]
Weight = Annotated[Decimal, Field(ge=0, allow_inf_nan=False, max_digits=28)]
# Costs are compared to twelve decimals: a column with a millionth of another's weight still counts.
Importance = Annotated[Decimal, Field(ge=Decimal("0.001"), le=1000, allow_inf_nan=False, max_digits=15)]
