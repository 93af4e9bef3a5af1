"""The oracle's hierarchies: what every value is generalized to, computed by hand from what the README says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from benchmarks.falsifier.values import DECIMALS, FLOATS, WHOLE

_NUMBERS = (*WHOLE, *FLOATS, *DECIMALS)

Text = str | None
Path = tuple[Text, ...]

_NUMBER = re.compile(r"[ \t\n]*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?[ \t\n]*", re.ASCII)
_DATE = re.compile(
    r"[ ]*(\d{1,7})([-/ ])(\d{1,2})\2(\d{1,2})(?:[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:[+-]\d\d)?)?[ ]*", re.ASCII
)
# What a job says of the levels that a release may have of a column.
BOUNDS = ("from", "to", "max_suppressed")
# 20 digits before the point and 18 after it.
_LARGEST, _SMALLEST = 10**20, 10**18


# Functions of values, by their names; of those that are coarser and coarser each tells no more than the one before.
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "same": lambda value: value,
    "three": lambda value: str(value)[:3],
    "first": lambda value: str(value)[:1],
    "type": lambda value: type(value).__name__,
    "tens": lambda value: value // 10 * 10,
    "none": lambda value: None,
}
COARSER = ("same", "three", "first", "type")
# Kinds that functions are drawn for, with what a text of theirs was.
VALUES: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("text", "enum"), str),
    **dict.fromkeys(WHOLE, int),
    **dict.fromkeys(("decimal", "wide"), Decimal),
    "float64": float,
    "bool": lambda text: text == "true",
    "date": date.fromisoformat,
}


@dataclass(frozen=True)
class Refusal:
    """An error that is right: its type, and a part of its message."""

    error: str
    part: str


@dataclass(frozen=True)
class Tree:
    """The leaves of an attribute and the path of each: its value at levels 0, 1, …, the top.

    ``numbers`` has the number of each leaf where the hierarchy is ``numeric``. Level 0 is the lowest one that a job
    allows, the ``first`` of the hierarchy, whose height is ``whole``. Where it is ``floored``, no value is released as
    it is; where it is ``capped``, the last level is the highest one that it allows, which may have several values.
    """

    paths: dict[Text, Path]
    height: int
    numbers: dict[Text, Fraction | None] = field(default_factory=dict)
    first: int = 0
    whole: int = 0
    capped: bool = False
    _alike: dict[Text, set[Text]] = field(default_factory=dict)
    _covered: dict[tuple[int, Text], int] = field(default_factory=dict)

    @property
    def numeric(self) -> bool:
        return bool(self.numbers)

    @property
    def floored(self) -> bool:
        return self.first > 0

    @property
    def reads_alike(self) -> bool:
        """Whether values of two levels read the same."""
        levels = [{path[level] for path in self.paths.values()} for level in range(self.height + 1)]
        return len(set().union(*levels)) < sum(map(len, levels))

    def share(self, level: int) -> Fraction:
        """How much of the whole hierarchy's height a level is."""
        return Fraction(self.first + level, self.whole or 1)

    def common(self, leaves: Iterable[Text]) -> int:
        """The lowest level at which leaves have one value."""
        paths = [self.paths[leaf] for leaf in leaves]
        return next(level for level in range(self.height + 1) if len({path[level] for path in paths}) == 1)

    def reads(self, leaf: Text, cell: Text) -> bool:
        """Whether a cell reads as a leaf, and as all that are one value with it at the lowest level."""
        if not self.floored:
            return leaf == cell
        if not self._alike:
            for other, path in self.paths.items():
                self._alike.setdefault(path[0], set()).add(other)
        return self._alike[self.paths[leaf][0]] == {cell}

    def covered(self, level: int, value: Text) -> int:
        """How many leaves a value of a level covers."""
        if not self._covered:
            self._covered.update(Counter((at, value) for path in self.paths.values() for at, value in enumerate(path)))
        return self._covered[level, value]

    def loss(self, level: int, value: Text) -> Fraction:
        """The share of the other leaves that a value of a level covers."""
        others = len(self.paths) - 1
        return Fraction(self.covered(level, value) - 1, others) if others else Fraction(0)


def node_of(trees: Iterable[Tree], levels: Iterable[int]) -> tuple[int, ...]:
    """The node between the levels allowed, of ``levels`` that whole hierarchies count, each from its own leaves."""
    return tuple(level - tree.first for level, tree in zip(levels, trees, strict=True))


def number(text: str) -> Fraction | None:
    """The exact number that a text is; None where it is none, or has more digits than are told apart."""
    found = _NUMBER.fullmatch(text)
    if found is None or not (found[2] or found[3]):
        return None
    if abs(int(found[4] or "0")) > 999 and set(found[2] + (found[3] or "")) - {"0"}:  # which nobody writes out
        return None
    exact = Fraction(Decimal(f"{found[1]}{found[2] or '0'}.{found[3] or '0'}e{found[4] or '0'}"))
    if len(found[3] or "") - int(found[4] or "0") > 18 or abs(exact) >= _LARGEST:
        return None
    return exact


def day(text: str) -> tuple[int, int, int] | None:
    """Year, month and day of a date after the year 0; None where a text is none."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, in_month = int(found[1]), int(found[3]), int(found[4])
    if year < 1:
        return None
    try:
        date(_like(year), month, in_month)
    except ValueError:
        return None
    return year, month, in_month


def _like(year: int) -> int:
    """A year that Python knows, with the same calendar."""
    return year if 400 < year < 9000 else 2000 + year % 400


def in_unit(when: tuple[int, int, int], unit: str) -> str:
    year, month, in_month = when
    if unit == "day":
        return f"{year:04}-{month:02}-{in_month:02}"
    if unit == "week":
        like = _like(year)
        of_year, week, _ = date(like, month, in_month).isocalendar()
        return f"{year + of_year - like:04}-W{week:02}"
    if unit == "month":
        return f"{year:04}-{month:02}"
    if unit == "quarter":
        return f"{year}-Q{(month + 2) // 3}"
    if unit == "year":
        return str(year)
    if unit == "decade":
        return f"{year - year % 10}s"
    first = year - year % 100
    return f"{first}-{first + 99}"


def plain(value: Fraction) -> str:
    """A number as text, without zeros at its end."""
    sign, scaled = "-" if value < 0 else "", abs(value) * _SMALLEST
    whole, fraction = divmod(int(scaled), _SMALLEST)
    return f"{sign}{whole}.{fraction:018}".rstrip("0").rstrip(".")


def interval(value: Fraction, width: Fraction) -> str:
    lower = (value // width) * width
    return f"[{plain(lower)}, {plain(lower + width)})"


def parted(declared: Any) -> tuple[Any, dict[str, Any]]:
    """A hierarchy as if all of its levels might be released, and what a job says of those that may."""
    if not isinstance(declared, Mapping):
        return declared, {}
    whole = {key: given for key, given in declared.items() if key not in BOUNDS}
    word = next((word for word in ("suppress", "numeric") if word in whole), None)
    return word or whole, {key: given for key, given in declared.items() if key in BOUNDS}


def build(declared: Any, kind: str, present: Iterable[Text]) -> tuple[Tree | None, list[Refusal]]:
    """The tree of a hierarchy over the values that the source has, or why it cannot be used."""
    declared, bounds = parted(declared)
    values = sorted(set(present), key=lambda text: (text is not None, text or ""))
    numbers: dict[Text, Fraction | None] = {}
    lines, refusals = _lines(declared, kind, values)
    if refusals:
        return None, refusals
    if declared == "numeric":
        numbers = {line[0]: None if line[0] is None else number(line[0]) for line in lines}
    height = len(lines[0]) - 1 if lines else _steps(declared)
    refusals = _unfit(lines, height)
    if not refusals and isinstance(declared, Mapping) and "nonconforming" in declared:
        lines = _with_strangers(lines, values, height, declared["nonconforming"])
        refusals = _unfit(lines, height)
    paths = {line[0]: line for line in lines}
    without = [value for value in values if value not in paths]
    if without == [None]:
        refusals.append(
            Refusal("HierarchyError", "the source has missing values, and the hierarchy has no leaf for them")
        )
    elif without:
        refusals.append(Refusal("HierarchyError", f": {len(without)} values of the source have no leaf: "))
    first, last = bounds.get("from", 0), bounds.get("to", height)
    if first > height or last > height:
        told = f"from {first} to {last} is outside the levels 0 to {height} of the hierarchy: "
        refusals.append(Refusal("HierarchyError", told))
    if refusals or first > last:
        return None, refusals
    paths = {leaf: path[first : last + 1] for leaf, path in paths.items()}
    return Tree(paths, last - first, numbers, first, height, capped="to" in bounds), []


def without_leaf(declared: Any, kind: str, present: Iterable[Text]) -> set[Text]:
    """The values that are refused because they have no leaf in a hierarchy, if it is one."""
    declared, _ = parted(declared)
    lines, refusals = _lines(declared, kind, list(dict.fromkeys(present)))
    unfit = refusals or (lines and _unfit(lines, len(lines[0]) - 1))
    lenient = isinstance(declared, Mapping) and "nonconforming" in declared
    return set() if unfit or lenient else set(present) - {line[0] for line in lines}


def _lines(declared: Any, kind: str, values: Sequence[Text]) -> tuple[list[Path], list[Refusal]]:
    """The paths of the leaves that a hierarchy has."""
    if declared in ("suppress", "numeric") or set(declared) & {"intervals", "digits", "dates"}:
        return _by_rule(declared, kind, values)
    return _by_functions(declared["functions"], kind, values) if "functions" in declared else _declared(declared)


def _by_functions(names: Sequence[str], kind: str, values: Sequence[Text]) -> tuple[list[Path], list[Refusal]]:
    lines: list[Path] = []
    for value in values:
        levels = []
        for number, name in enumerate(names if value is not None else (), 1):
            try:
                levels.append(FUNCTIONS[name](VALUES[kind](value or "")))
            except Exception as error:
                return [], [Refusal("HierarchyError", f"its function {number} fails ({type(error).__name__}): ")]
            if levels[-1] is None:
                return [], [Refusal("HierarchyError", f"its function {number} returns None for a value: ")]
        lines += [(value, *map(_read, levels))] if levels else []
    lines = _with_top(lines)
    if None in values:
        lines.append((None, *(None,) * (len(lines[0]) - 2), lines[0][-1]) if lines else (None, "*"))
    return (lines, []) if lines else ([], [Refusal("HierarchyError", "it has no leaf")])


def _with_top(lines: list[Path]) -> list[Path]:
    """Lines that end in one value, or in a further one."""
    alike = all(len(line) > 1 for line in lines) and len({line[-1] for line in lines}) <= 1
    return lines if alike else [(*line, "*") for line in lines]


def _steps(declared: Any) -> int:
    """The height of a rule, which it has without a leaf, too."""
    given = 0 if isinstance(declared, str) else next(iter(declared.values()))
    return given if isinstance(given, int) and given else len(given) + 1 if given else 1


def _with_strangers(lines: Sequence[Path], values: Sequence[Text], height: int, goes: str) -> list[Path]:
    """The paths with those of values that have no leaf: above them is what is above the missing value, or the top."""
    known = {line[0]: line for line in lines}
    top = next((line[-1] for line in lines), "*")
    above = (top,) * height
    if goes == "missing":
        above = known[None][1:] if None in known else (*(None,) * (height - 1), top)
    return [*lines, *((value, *above) for value in values if value not in known)]


def _by_rule(declared: Any, kind: str, values: Sequence[Text]) -> tuple[list[Path], list[Refusal]]:
    if declared == "suppress":
        return [(value, "*") for value in values], []
    if "digits" in declared and kind not in ("text", "enum", *_NUMBERS):
        return [], [Refusal("HierarchyError", "digits need text or whole numbers")]
    lines = []
    for value in values:
        levels = _levels(declared, kind, value)
        if levels is not None:
            lines.append((value, *levels, "*"))
    return lines, []


def _levels(declared: Any, kind: str, value: Text) -> list[Text] | None:
    """The values of a leaf between its own and the top; None where the rule does not know it."""
    steps: Any = 0 if declared == "numeric" else next(iter(declared.values()))
    if value is None:
        return [None] * (len(steps) if isinstance(steps, list) else max(steps - 1, 0))
    if declared == "numeric" or "intervals" in declared:
        exact = number(value)
        widths = [] if declared == "numeric" else [Fraction(Decimal(str(width))) for width in declared["intervals"]]
        return None if exact is None else [interval(exact, width) for width in widths]
    if "digits" in declared:
        if kind in _NUMBERS:
            exact = number(value)
            if exact is None or exact < 0 or exact.denominator > 1:
                return None
            value = str(exact.numerator).zfill(steps)
        if len(value) != steps:
            return None
        return [value[: steps - lost] + "*" * lost for lost in range(1, steps)]
    when = day(value.removesuffix("+00") if kind == "instant" else value)
    return None if when is None else [in_unit(when, unit) for unit in steps]


def _declared(declared: Any) -> tuple[list[Path], list[Refusal]]:
    if "levels" in declared:
        lines = [_line(leaf, levels) for leaf, levels in declared["levels"].items()]
        if len({len(line) for line in lines}) > 1:
            return [], [Refusal("HierarchyError", "its values have different numbers of levels: ")]
        lines = _with_top(lines)
    elif "tree" in declared:
        ways = list(_ways(declared["tree"], ()))
        depth = max((len(way) for way in ways), default=0)
        top = () if {way[-1] for way in ways} == {"*"} else ("*",)
        lines = [(*(way[0],) * (depth - len(way)), *way, *top) for way in ways]
    else:
        lines = [tuple(line) for line in next(iter(declared.values()))]
    if "csv" in declared:
        lines = [(line[0] or None, *line[1:]) for line in lines if line]
        unlike = next((line for line in lines if len(line) < 2 or len(line) != len(lines[0])), None)
        if unlike is not None:
            told = ": only one cell: " if len(unlike) < 2 else f": {len(unlike)} cells, and line "
            return [], [Refusal("HierarchyError", told)]
        if _has_header(lines):
            return [], [
                Refusal("HierarchyError", f" ends in another value than the other {len(lines) - 1:,}, as a header does")
            ]
    if not lines:
        return [], [Refusal("HierarchyError", "it has no leaf")]
    lines = list(dict.fromkeys(lines))  # a line that repeats another says nothing new
    twice = [leaf for leaf, times in Counter(line[0] for line in lines).items() if times > 1]
    if twice:
        split = [leaf for leaf in twice if len({line[1] for line in lines if line[0] == leaf}) > 1]
        told = f"{len(split)} leaves have two parents" if split else f"{len(twice)} leaves are declared twice"
        return lines, [Refusal("HierarchyError", told)]
    return lines, []


def _has_header(lines: Sequence[Path]) -> bool:
    """Whether the first line alone ends otherwise than all others."""
    tops = Counter(line[-1] for line in lines)
    return len(lines) > 2 and len(tops) == 2 and tops[lines[0][-1]] == 1


def _ways(tree: Any, above: Path) -> Iterable[Path]:
    """The path of every leaf of a tree, from the leaf to the outermost name."""
    if isinstance(tree, dict):
        for name, members in tree.items():
            yield from _ways(members, (str(name), *above))
        return
    for member in tree:
        if isinstance(member, (dict, list)):
            yield from _ways(member, above)
        else:
            yield (_read(member), *above)


def _line(leaf: Any, levels: Any) -> Path:
    """A leaf with its levels, of which one may stand alone."""
    return (_read(leaf), *map(_read, levels if isinstance(levels, list) else [levels]))


def _read(given: Any) -> Text:
    """What a value of a job reads as."""
    if given is None:
        return None
    return str(given).lower() if isinstance(given, bool) else str(given)


def _unfit(lines: Sequence[Path], height: int) -> list[Refusal]:
    """Where a level is not a function of the one below, or there is more than one top."""
    refusals = []
    for level in range(height):
        parents: dict[Text, set[Text]] = {}
        for line in lines:
            parents.setdefault(line[level], set()).add(line[level + 1])
        split = sum(len(above) > 1 for above in parents.values())
        if split:
            refusals.append(Refusal("HierarchyError", f": {split} values of level {level} have two parents"))
    tops = len({line[height] for line in lines})
    if tops > 1:
        refusals.append(Refusal("HierarchyError", f"its last level has {tops} values"))
    return refusals


def unusable(values: Iterable[Any], kind: str) -> int:
    """How many values of a quasi-identifier of floating-point numbers cannot be told apart safely."""
    if kind not in FLOATS:
        return 0
    return sum(
        value is not None and (value != value or abs(value) == float("inf") or _negative(value)) for value in values
    )


def _negative(value: float) -> bool:
    return value == 0 and str(value).startswith("-")
