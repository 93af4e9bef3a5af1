"""How much a job says once everything that it shares is written out: a few lines of YAML can stand for millions."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from starcloak.base.errors import JobError

#: Values of a job, keys among them.
MOST_VALUES = 1_000_000
#: Quasi-identifiers, and levels of a hierarchy above its leaves: the star numbers both in a byte.
MOST_ATTRIBUTES = 255
MOST_LEVELS = 64
#: Leaves of a hierarchy that is a tree or a file, and their characters over all levels.
MOST_LEAVES = 1_000_000
MOST_CHARACTERS = 200_000_000

# Python itself writes no whole number that is longer.
_TOO_LARGE = 10**4000


def check(given: Mapping[Any, Any], *, where: str) -> None:
    """Raise :class:`JobError` for more than a job may say, before anything goes through it value by value.

    YAML's aliases and Python's references are counted as often as they are used, but looked at once; what contains
    itself has no end of values.
    """
    counted: dict[int, tuple[float, Any]] = {}
    if _values(given, counted, where) <= MOST_VALUES:
        return
    # Where it is: down to the key that has too many by itself.
    inside: Any = given
    place: list[str] = []
    while isinstance(inside, Mapping) and len(place) < 4:
        large = [key for key, part in inside.items() if _values(part, counted, where) > MOST_VALUES]
        if not large:
            break
        place.append(str(large[0]))
        inside = inside[large[0]]
    position = f" {'.'.join(place)}:" if place else ""
    raise JobError(
        f"{where}:{position} more than {MOST_VALUES:,} values where everything shared is written out, which no job may "
        "have: a large hierarchy can be a table"
    )


def _values(given: Any, counted: dict[int, tuple[float, Any]], where: str) -> float:
    if isinstance(given, Mapping):
        parts = [*given, *given.values()]
    elif isinstance(given, (list, tuple, set, frozenset)):
        parts = [*given]
    else:
        _check_single(given, where)
        return 1
    if id(given) not in counted:
        # With what is counted, whose id would be another's once it is gone.
        counted[id(given)] = (inf, given)
        counted[id(given)] = (1 + sum([_values(part, counted, where) for part in parts]), given)
    return counted[id(given)][0]


def _check_single(given: Any, where: str) -> None:
    if isinstance(given, int) and abs(given) >= _TOO_LARGE:
        raise JobError(f"{where}: a whole number of more than 4,000 digits: write a smaller one")
    if isinstance(given, str):
        try:
            given.encode()
        except UnicodeEncodeError:
            raise JobError(f"{where}: a text that is not Unicode, with half of a pair of surrogates") from None
