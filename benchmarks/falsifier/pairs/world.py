"""A source whose truth is known: which rows are whose, whatever the source writes, night after night."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import count
from math import nan
from random import Random
from typing import Any
from uuid import UUID

from benchmarks.falsifier.case import Case, Column
from benchmarks.falsifier.files import ARROW
from benchmarks.falsifier.keeping import LACKS
from benchmarks.falsifier.places import kinds
from benchmarks.falsifier.values import text

#: The column of the truth that says whose a row is. No source has it.
WHOSE = "hidden person"
#: The kept column that says which row a released row is. It is another text in each row.
ROW = "id"
PERSON, SITE = "pid", "site"
_REGIONS = ("abc", "abd", "kxq")
_ILLNESSES = ("flu", "cold", "asthma", "angina", "gout")


@dataclass
class Draft:
    """A scenario while features change it: a job, the shape of its source, and the steps after the first run."""

    rng: Random
    source: str = "csv"
    target: str = "csv"
    frame: str = "pandas"
    algorithm: dict[str, Any] = field(default_factory=lambda: {"name": "witness"})
    k: int = 3
    models: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    distinct: int | None = None
    roles: str = ""
    alike: bool = False
    partly: bool = False
    population: str | None = None
    person: str | None = None
    identifier: str | None = None
    two_columns: bool = False
    several_qids: bool = False
    suppression: str = "0"
    bounds: dict[str, dict[str, Any]] = field(default_factory=dict)
    nonconforming: str | None = None
    clean: set[str] = field(default_factory=set)
    clean_begins_later: bool = False
    other_hierarchies: bool = False
    respelled: set[str] = field(default_factory=set)
    moves: set[str] = field(default_factory=set)
    later: bool = False
    refresh: str = ""
    against: bool = False
    accept: bool = False
    keep_dimensions: bool = False
    killed: bool = False
    extras: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    constant: bool = False
    counted_otherwise: bool = False

    def at(self, night: int) -> Draft:
        """The draft as the job of a night counts persons."""
        if not night or not self.counted_otherwise:
            return self
        return replace(self, person="row" if self.person != "row" else "set")

    @property
    def has_persons(self) -> bool:
        """True if some persons have several rows."""
        return self.person is not None

    @property
    def respells_unnoticed(self) -> bool:
        """True if the source writes persons otherwise in the second night, of the same type, and nothing tells so.

        Some are as before, or the texts of a quasi-identifier are others, too.
        """
        same_type = self.kind(self.identifier or "text") == "text"
        texts = ("numbers" in self.respelled and (self.nonconforming is not None or self.kind("int64") == "text")) or (
            "dates" in self.respelled and self.kind("date") == "text"
        )
        return (self.partly or texts) and "persons" in self.respelled and self.person in ("row", "set") and same_type

    @property
    def nights(self) -> int:
        """The number of runs that the steps begin with."""
        return 2 if self.later or self.respelled or self.moves or self.refresh or self.against else 1

    @property
    def person_column(self) -> str:
        """The column of the source that says whose a row is; ``init`` has to find out what it is."""
        return "employee" if "init" in self.extras else PERSON

    def kind(self, name: str) -> str:
        """The type that the source has for a type of values: text, if its place does not have that type."""
        known = list(ARROW) if self.frame != "pandas" else kinds(self.source)
        return name if name in known else "text"


@dataclass(frozen=True)
class Night:
    """The source of one night.

    ``truth`` has the cells as the job reads them, with the hidden person; ``written`` the cells as the source has
    them. ``rows`` are the numbers of the hidden rows, in the order of both.
    """

    truth: Case
    written: Case
    rows: tuple[int, ...]
    changed: Mapping[str, int]


@dataclass(frozen=True)
class World:
    """All nights of a source, and ``whose`` each hidden row is. ``texts`` is the kept text of each hidden row."""

    nights: tuple[Night, ...]
    whose: Mapping[int, int]
    texts: Mapping[int, str]
    codes: frozenset[str]


@dataclass(frozen=True)
class _Person:
    number: int
    code: str
    site: str
    origin: str


@dataclass
class _Row:
    number: int
    person: _Person
    zip: str
    age: int
    born: datetime.date
    ill: str
    beside: dict[str, Any]


_VALUES: dict[str, Callable[[Random], Any]] = {
    "text": lambda rng: rng.choice(["red", "green", "blue"]),
    "int64": lambda rng: rng.randrange(4),
    "float64": lambda rng: rng.choice([0.5, 1.5, 2.25]),
    "decimal": lambda rng: rng.choice([Decimal("1.50"), Decimal("2.25")]),
    "bool": lambda rng: rng.random() < 0.5,
    "date": lambda rng: datetime.date(2020, rng.choice([1, 2]), rng.choice([1, 15])),
    "timestamp": lambda rng: datetime.datetime(2020, rng.choice([1, 2]), 1, rng.choice([3, 12])),
    "time": lambda rng: datetime.time(rng.choice([3, 12]), 30),
    "uuid": lambda rng: UUID(int=rng.choice([7, 8, 9])),
}
#: The column types that may have missing values.
KINDS = tuple(_VALUES)


def build(draft: Draft) -> World:
    """Draw the rows of a scenario and write them down for every night."""
    rng = draft.rng
    # Models of shares need persons with the same quasi-identifiers in all rows.
    draft.alike = bool(draft.models) or draft.distinct is not None or rng.random() < 0.5
    draft.partly = rng.random() < 0.5  # whether the source writes some persons as it did before
    persons: list[_Person] = []
    rows = [_row(draft, persons, number) for number in range(2 * rng.randint(15, 40))]
    nights, counter = [], len(rows)
    everybody = list(rows)
    roles = {kind: rng.choice(["quasi_identifiers", "sensitive", "keep"]) for kind in draft.missing}
    token = "".join(rng.choices("bcdfghjkmnpqrstvwxz", k=4))
    texts: dict[int, str] = {}
    for at in range(draft.nights):
        if at:
            rows = [replace(row) for row in rows]
            if "go" in draft.moves:
                rows = [row for row in rows if rng.random() > 0.1]
            if "change" in draft.moves:
                for row in rng.sample(rows, min(3, len(rows))):
                    row.zip, row.age = rng.choice(_REGIONS) + f"{rng.randrange(3)}x0", rng.randrange(20, 60)
            if "come" in draft.moves:
                new = [_row(draft, persons, counter + n) for n in range(rng.randint(1, 9))]
                counter, rows, everybody = counter + len(new), rows + new, everybody + new
        texts |= {row.number: f"{token}{row.number:04}{token[::-1]}" for row in rows}
        nights.append(_night(draft.at(at), rows, roles, texts, at))
    codes = frozenset(person.code for person in persons) if draft.has_persons else frozenset[str]()
    return World(tuple(nights), {row.number: row.person.number for row in everybody}, texts, codes)


def grown(draft: Draft, world: World, how: str) -> tuple[Night, dict[int, int]]:
    """The source of the first night with one new row, or with one changed row; and whose the rows are."""
    rng, first = draft.rng, world.nights[0]
    whose = dict(world.whose)
    truth, written = list(first.truth.rows), list(first.written.rows)
    at = rng.randrange(len(truth))
    places = [first.truth.place(name) for name in ("zip", "age") if name in first.truth.names]
    other = rng.randrange(len(truth))
    for rows, case in ((truth, first.truth), (written, first.written)):
        cells = list(rows[at])
        for name in ("zip", "age"):
            if places:
                cells[case.place(name)] = rows[other][case.place(name)]
        if how == "grown":
            number = max(world.texts) + 1
            cells[case.place(ROW)] = f"new{number:04}wen"
            if WHOSE in case.names:
                cells[case.place(WHOSE)] = f"{number}"
            whose[number] = number
            rows.append(tuple(cells))
        else:
            rows[at] = tuple(cells)
    numbers = (*first.rows, max(world.texts) + 1) if how == "grown" else first.rows
    night = Night(
        replace(first.truth, rows=tuple(truth)), replace(first.written, rows=tuple(written)), numbers, first.changed
    )
    return night, whose


def _row(draft: Draft, persons: list[_Person], number: int) -> _Row:
    rng = draft.rng
    is_new = not persons or not draft.has_persons or rng.random() < (0.2 if draft.person == "undeclared" else 0.45)
    in_twos = draft.person == "set" or (draft.counted_otherwise and draft.person == "row")
    if in_twos:  # as: set needs persons with as many rows as others have
        is_new = number % 2 == 0 or not persons
    if is_new:
        code = f"e{rng.randrange(10**6, 10**7)}q" if draft.identifier in (None, "text") else str(10**6 + number * 7)
        if "init" in draft.extras and code.startswith("e"):
            short = rng.randrange(10**4, 10**5)
            code = next(f"E{each}" for each in count(short) if f"E{each}" not in {other.code for other in persons})
        origin = f"orig{rng.randrange(14):02}" if rng.random() < 0.6 else "origin"
        site = "north"
        if draft.two_columns and len(persons) % 2:  # another person, whose code has another site
            code, site = persons[-1].code, "south"
        persons.append(_Person(number, code, site, origin))
    person = persons[-1] if rng.random() < 0.6 else rng.choice(persons) if draft.has_persons else persons[-1]
    person = persons[-1] if in_twos else person
    of = Random(f"{person.number} {person.code}") if draft.alike and draft.has_persons else rng
    far = of.random() < 0.04
    last = of.randrange(2) if "from" in draft.bounds.get("zip", {}) else 0  # so that a lowest level joins values
    return _Row(
        number,
        person,
        f"zz{of.choice('qjvw')}{of.randrange(10)}x{of.randrange(10)}"
        if far
        else f"{of.choice(_REGIONS)}{of.randrange(3)}x{last}",
        of.randrange(20, 60),
        datetime.date(of.choice([1970, 1980]), of.choice([1, 2, 7]), of.randint(1, 28)),
        rng.choice(_ILLNESSES),
        {kind: None if of.random() < 0.2 else _VALUES[kind](of) for kind in draft.missing},
    )


def _hierarchy(draft: Draft, name: str, declared: dict[str, Any], night: int) -> Any:
    left_out = {"importance", "from"} if night and draft.other_hierarchies else {"importance"}
    bounds = {key: value for key, value in draft.bounds.get(name, {}).items() if key not in left_out}
    return {**declared, **bounds}


_BESIDE: dict[str, Any] = {
    "int64": {"intervals": [2]},
    "float64": {"intervals": [1]},
    "decimal": {"intervals": [1]},
    "date": {"dates": ["month"]},
    "timestamp": {"dates": ["day", "month"]},
}


def _night(draft: Draft, rows: list[_Row], roles: Mapping[str, str], texts: Mapping[int, str], night: int) -> Night:
    numbers = {"name": "numbers", "on": night and "numbers" in draft.respelled}
    age_kind = "text" if draft.nonconforming else draft.kind("float64" if numbers["on"] else "int64")
    dated = bool(night and "dates" in draft.respelled)
    born_kind = draft.kind("timestamp" if dated else "date")
    extra = {"nonconforming": draft.nonconforming} if draft.nonconforming else {}
    widths = [15, 30] if night and draft.other_hierarchies else [10, 40]

    def importance(name: str) -> str:
        return str(draft.bounds.get(name, {}).get("importance", "1"))

    columns = [
        Column("zip", "text", "quasi_identifiers", _hierarchy(draft, "zip", {"digits": 6}, night), importance("zip")),
        Column(
            "age", age_kind, "quasi_identifiers", _hierarchy(draft, "age", {"intervals": widths, **extra}, night),
            importance("age"),
        ),
    ]  # fmt: skip
    if draft.respelled & {"dates"} or draft.several_qids:
        columns.append(Column("born", born_kind, "quasi_identifiers", {"dates": ["month", "year"]}))
    columns.append(Column("ill", "text", "sensitive"))
    for kind, role in roles.items():
        own = draft.kind(kind)
        declared = _BESIDE.get(kind) or {"suppress": True}
        columns.append(
            Column(f"a_{kind}", own, role, declared if role == "quasi_identifiers" else None)  # type: ignore[arg-type]
        )
    if draft.constant:
        columns.append(Column("origin", "text", "keep"))
    columns.append(Column(ROW, "text", "keep"))
    counts = {"zip": 0, "pid": 0, "ill": 0, "numbers": 0, "dates": 0, "persons": 0, "nonconforming": 0}
    cleaned = {name for name in draft.clean if night or not draft.clean_begins_later}
    truths, writtens = [], []
    for row in rows:
        views, cells = [], []
        for column in columns:
            view, cell = _cells(draft, row, column, texts, dirty=draft.clean, cleaned=cleaned)
            if column.name == "age":
                view = cell = _age(draft, row, age_kind, bool(numbers["on"]), counts)
            if column.name == "born" and dated:
                moment = datetime.datetime.combine(row.born, datetime.time())
                view = cell = f"{row.born} 00:00:00" if born_kind == "text" else moment
                counts["dates"] += 1
            if column.name in counts and view != cell:
                counts[column.name] += 1
            views.append(view)
            cells.append(cell)
        truths.append((*views, f"{row.person.number}"))
        if draft.person or draft.identifier:
            written, view = _code(draft, row.person, night, cleaned)
            if row.number == 0 and draft.identifier == "float64" and draft.person == "undeclared":
                written = view = None
            counts["pid"] += written != view
            counts["persons"] += bool(night and "persons" in draft.respelled)
            cells.append(written)
            if draft.two_columns:
                cells.append(row.person.site)
        writtens.append(tuple(cells))
    job_columns = list(columns)
    if draft.person or draft.identifier:
        kind = _identifier_kind(draft, night)
        job_columns.append(Column(draft.person_column, kind, "identifiers"))
        if draft.two_columns:
            job_columns.append(Column(SITE, "text", "identifiers"))
    base: dict[str, Any] = {
        "source": draft.source,
        "target": draft.target,
        "frame": draft.frame,
        "algorithm": draft.algorithm,
        "k": draft.k,
        "suppression": draft.suppression,
        "models": tuple(draft.models),
        "l_diversity": (("ill", draft.distinct),) if draft.distinct else (),
        "seed": 1,
    }
    qis = [column.name for column in columns if column.role == "quasi_identifiers"]
    if draft.several_qids:
        base |= {"qids": ((tuple(qis[:2]), draft.k), (tuple(qis[1:]), draft.k + 1)), "k": None}
    counted = draft.person in ("row", "set")
    truth_columns = (*columns, Column(WHOSE, "text", "identifiers"))
    truth = Case(truth_columns, tuple(truths), person=WHOSE if counted else None, as_set=draft.person == "set", **base)
    if draft.population:
        truth = _with_people(draft, truth)
    written = replace(truth, columns=tuple(job_columns), rows=tuple(writtens), person=None, as_set=False)
    return Night(truth, written, tuple(row.number for row in rows), counts)


def _with_people(draft: Draft, truth: Case) -> Case:
    """The case with a population: its own rows and others that are like some of them."""
    own = [tuple(row[truth.place(column.name)] for column in truth.quasi_identifiers) for row in truth.rows]
    people = tuple([*own, *draft.rng.choices(own, k=len(own))])
    if draft.population == "k_map":
        return replace(truth, population=people, k_map=draft.k + 1)
    return replace(truth, population=people, presence=("0", "0.9"))


def _cells(
    draft: Draft, row: _Row, column: Column, texts: Mapping[int, str], *, dirty: set[str], cleaned: set[str]
) -> tuple[Any, Any]:
    """A cell as the job reads it, and as the source writes it."""
    name = column.name
    if name == ROW:
        return texts[row.number], texts[row.number]
    if name == "origin":
        return row.person.origin, row.person.origin
    if name == "born":
        born = str(row.born) if column.kind == "text" else row.born
        return born, born
    if name.startswith("a_"):
        value = row.beside[name.removeprefix("a_")]
        view: Any = text(value, name.removeprefix("a_")) if column.kind == "text" else value
        if value is None and column.kind == "float64" and column.role == "keep" and "init" in draft.extras:
            view = nan if row.number % 2 and "nan" not in LACKS.get(draft.source, ()) else None
            if draft.source == "frame" and draft.frame == "pandas":  # where NaN is a missing value
                return None, view
        return view, view
    value = {"zip": row.zip, "ill": row.ill}.get(name)
    what = {"zip": "qi", "ill": "sensitive"}.get(name, "")
    if what in dirty and value is not None and row.number % 3 == 0:
        written = value.upper() if name == "zip" else f" {value.capitalize()}"
        return (value if what in cleaned else written), written
    return value, value


def _age(draft: Draft, row: _Row, kind: str, respelled: bool, counts: dict[str, int]) -> Any:
    odd = row.person.number if draft.alike and draft.has_persons else row.number  # all rows of a person, or some rows
    if draft.nonconforming and odd % 8 == 0:
        counts["nonconforming"] += 1
        return "unsaid"
    if kind != "text" and "numbers" in draft.respelled and odd % 11 == 0:  # the same in both nights, whatever the type
        return None
    counts["numbers"] += respelled
    if kind == "text":
        return f"{row.age}.0" if respelled else str(row.age)
    return float(row.age) if kind == "float64" else row.age


def _identifier_kind(draft: Draft, night: int) -> str:
    kind = draft.kind(draft.identifier or "text")
    if night and "persons" in draft.respelled and kind != "text":
        return "float64" if kind == "int64" else "text"
    return kind


def _code(draft: Draft, person: _Person, night: int, cleaned: set[str]) -> tuple[Any, Any]:
    """Text of a person in the source, and the same text as the job reads it."""
    respelled = bool(night and "persons" in draft.respelled) and not (draft.partly and person.number % 4 < 2)
    code, kind = person.code, draft.kind(draft.identifier or "text")
    if kind == "text":
        if respelled:
            code = (code.upper(), f"{code} ", f"00{code}")[draft.k % 3]
        if "person" in draft.clean:
            written = code.upper()
            return written, (code.lower() if "person" in cleaned else written)
        return code, code
    number = int(code)
    values: dict[str, Any] = {
        "int64": number,
        "float64": float(number),
        "decimal": Decimal(number).quantize(Decimal("0.01")),
        "bytes": code.encode(),
    }
    if _identifier_kind(draft, night) != kind:  # a column has one type for all persons
        otherwise: Any = float(number) if kind == "int64" else f"{code}.0"
        return otherwise, otherwise
    return values[kind], values[kind]


def cleaning(draft: Draft, night: int) -> dict[str, Any]:
    """The job's rules of cleaning in a night."""
    if draft.clean_begins_later and not night:
        return {}
    rules = {"qi": ("zip", {"case": "lower"}), "sensitive": ("ill", {"trim": True, "case": "lower"})}
    rules["person"] = (draft.person_column, {"case": "lower"})
    return dict(rules[name] for name in sorted(draft.clean))
