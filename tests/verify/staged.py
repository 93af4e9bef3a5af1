"""Releases of every recoding model at every host, and a staged one that can be changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from starcloak.releases.targets.database_table import DatabaseTable
from starcloak.releases.targets.duckdb_table import DuckDBTable
from starcloak.releases.targets.file import File
from starcloak.releases.targets.memory import Memory
from starcloak.releases.targets.target import Target
from starcloak.sources.file_formats import file_rows
from starcloak.star.recoding.recoding import Model as Recoding
from starcloak.star.star import Dimension
from starcloak.store.databases.host import ClassTotals
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.verify.claim import Claim
from tests.people import Server

# ----------------------------------------------------------------------------------------------------------- the rows

ZIPS = ["11"] * 6 + ["12"] + ["13"] * 2 + ["21"] * 6


AGES = [20] * 6 + [22] + [24] * 2 + [41] * 6


PEOPLE = pandas.DataFrame(
    [
        (number, 1, code, age, "flu" if number % 2 else "cold")
        for number, (code, age) in enumerate(zip(ZIPS, AGES, strict=True), 1)
    ],
    columns=["n", "ward", "zip", "age", "illness"],
)


TYPES = {"n": "integer", "ward": "integer", "zip": "varchar(9)", "age": "integer", "illness": "varchar(9)"}


LEAF = {"zip": "21", "age": "41"}  # a value whose rows are a class, and may be left out


K = 2


@dataclass(frozen=True)
class Recoded:
    """A way to recode: what searches it, and whether cells may be ranges of their own.

    With ``sums``, the recoding knows the sums of its tuples' kept cells.
    """

    name: str
    model: Recoding
    algorithm: dict[str, Any]
    sums: bool = False
    ranged: bool = False

    @property
    def cell(self) -> str:
        """The column that is generalized. The other one, ward, has one value and stays as it is."""
        return "age" if self.ranged else "zip"

    def job(self, **places: Any) -> dict[str, Any]:
        return {
            "identifiers": ["zip" if self.ranged else "age"],
            "quasi_identifiers": {"ward": "suppress", self.cell: "numeric" if self.ranged else {"digits": 2}},
            "sensitive": ["illness"],
            "keep": ["n"],
            "requirement": {"k": K},
            "algorithm": self.algorithm,
            **places,
        }


MODELS = [
    Recoded("full-domain", "full-domain", {"name": "witness"}, sums=True),
    Recoded("single-dimension", "single-dimension", {"name": "full-subtree"}, sums=True),
    Recoded("multi-dimension", "multi-dimension", {"name": "mondrian"}),
    Recoded("multi-dimension ranges", "multi-dimension", {"name": "mondrian"}, ranged=True),
    Recoded("local", "local", {"name": "kaca"}),
    Recoded("local ranges", "local", {"name": "mondrian", "relaxed": True}, ranged=True),
    Recoded("cell suppression", "local", {"name": "cell-suppression"}),
]


BY_NAME = {model.name: model for model in MODELS}


# --------------------------------------------------------------------------------------------------------- the places


@dataclass
class Place:
    """Where rows are and where their release goes: a host of its own kind, or two."""

    name: str
    source: dict[str, Any] | None
    output: dict[str, Any] | None
    published: Callable[[], Any]

    def run(self, model: Recoded) -> None:
        frame = PEOPLE if self.source is None else None
        job = model.job(source=self.source, output=self.output)
        sc.run(job, frame=frame, resources=Resources(threads=1), force=True)


SERVERS = ["postgresql", "mariadb", "sqlite"]


SENT = [f"duckdb to {name}" for name in SERVERS]  # from the working store to a database


FETCHED = [f"{name} to csv" for name in SERVERS]  # home from one: no sums of kept cells can be compared


PLACES = ["duckdb", "csv", "parquet", "frame", *SERVERS, *SENT, *FETCHED]


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Place]:
    """Makes a place of each name once, with people, and with a release that a forged one would replace."""
    known: dict[str, Place] = {}

    def of(name: str) -> Place:
        if name not in known:
            known[name] = _place(name, tmp_path_factory.mktemp("place"), request)
            known[name].run(BY_NAME["full-domain"])
        return known[name]

    return of


def _place(name: str, folder: Path, request: pytest.FixtureRequest) -> Place:
    server = next((each for each in SERVERS if each in name), None)
    url, table = f"duckdb:///{folder / 'hospital.duckdb'}", "people"
    with duckdb.connect(str(folder / "hospital.duckdb")) as connection:
        connection.register("frame", PEOPLE)
        shape = ", ".join(f"{name}::{kind} as {name}" for name, kind in TYPES.items())
        connection.execute(f"create table people as select {shape} from frame")
    if server is not None:
        there = _server(server, folder, request)
        there.execute("drop table if exists cohort", "drop table if exists starcloak_releases")
        there.fill("people", PEOPLE, TYPES)

        def published() -> Any:
            return there.tables(), sorted(there.rows("select n, ward, zip, illness from cohort"))

        own = {"url": there.url, "table": "people"}
        if name == server:
            return Place(name, own, {"table": "cohort"}, published)
        if name.endswith(server):
            return Place(name, {"url": url, "table": table}, {"url": there.url, "table": "cohort"}, published)
        path = folder / "cohort.csv"
        return Place(name, own, {"path": str(path)}, path.read_bytes)
    match name:
        case "duckdb":

            def stands() -> Any:
                with duckdb.connect(str(folder / "hospital.duckdb")) as connection:
                    return sorted(connection.execute("from cohort").fetchall())

            return Place(name, {"url": url, "table": table}, {"table": "cohort"}, stands)
        case "csv":
            PEOPLE.to_csv(folder / "people.csv", index=False)
            path = folder / "cohort.csv"
            return Place(name, {"path": str(folder / "people.csv")}, {"path": str(path)}, path.read_bytes)
        case "parquet":
            path = folder / "cohort.parquet"
            return Place(name, {"url": url, "table": table}, {"path": str(path)}, path.read_bytes)
        case _:
            return Place(name, None, None, lambda: None)


def _server(name: str, folder: Path, request: pytest.FixtureRequest) -> Server:
    if name == "sqlite":
        (folder / "hospital.sqlite").touch()
        return Server("sqlite", f"sqlite:///{folder / 'hospital.sqlite'}")
    found: Server = request.getfixturevalue(f"{name}_server")
    return found


# ----------------------------------------------------------------------------------------------------------- to forge


@dataclass
class Staged:
    """A staged release, to forge: the rows where they were staged, and what the working store knows of them."""

    goal: Target
    session: Session
    claim: Claim
    model: Recoded
    patched: pytest.MonkeyPatch
    dialect: str = field(init=False)

    def __post_init__(self) -> None:
        self.dialect = "duckdb"
        if isinstance(self.goal, File):
            self._files = duckdb.connect()
            self._run(f"create table honest as {file_rows(self.goal.sealed.path).sql()}")
            return
        if isinstance(self.goal, DatabaseTable):
            self.dialect = self.goal.database.dialect
        self._run(f"create temporary table honest as select * from {self._table}")

    @property
    def _table(self) -> str:
        match self.goal:
            case DatabaseTable():
                return self.goal.staged.sql()
            case Memory() | DuckDBTable():
                return self.goal.table.sql()
        raise AssertionError(self.goal)

    def _run(self, sql: str) -> list[tuple[Any, ...]]:
        if isinstance(self.goal, DatabaseTable):
            cursor = self.goal.database.connection.cursor()
            cursor.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []
        done = (self._files if isinstance(self.goal, File) else self.session.connection).execute(sql)
        return done.fetchall() if done.description else []

    @property
    def row(self) -> str:
        """The column that numbers the rows: a release of a frame has its positions instead of the kept cells."""
        return "n" if self.claim.source.frame is None else self.claim.source.frame.position.parts[0]

    def number(self, n: int) -> str:
        """The number of a row of the people, as SQL has it."""
        return self.written(n if self.row == "n" else n - 1)

    def written(self, row: object) -> str:
        """A number, as SQL has it."""
        return f"'{row}'" if isinstance(self.goal, File) and not self.goal.is_parquet else str(row)

    @property
    def cell(self) -> str:
        return self.model.cell

    @property
    def dimension(self) -> Dimension:
        return next(each for each in self.claim.dimensions if each.attribute == self.cell)

    @property
    def ranges(self) -> list[str]:
        """The ranges that are in it."""
        return sorted({cell for cell in self.cells.values() if str(cell)[0] in "[<>"})

    @property
    def cells(self) -> dict[str, str]:
        """The generalized cell of each row, by the row's number."""
        return {self.written(row): cell for row, cell in self._run(f"select {self.row}, {self.cell} from honest")}

    @property
    def sizes(self) -> Counter[str]:
        """The rows of each class, by its cell."""
        return Counter(self.cells.values())

    @property
    def largest(self) -> list[str]:
        """The numbers of the rows of the largest class."""
        ((largest, _),) = self.sizes.most_common(1)
        found = sorted(row for row, cell in self.cells.items() if cell == largest)
        assert len(found) >= 2 * K
        return found

    def text(self, what: str) -> str:
        return f"cast({what} as {'char(99)' if self.dialect == 'mariadb' else 'varchar(99)'})"

    def stage(self, where: str = "1 = 1", *, also: str = "", **cells: str) -> None:
        """Stage other rows: the honest ones where a condition holds, with other cells, and ``also`` a column."""
        columns = ", ".join(
            f"{cells.get(name.parts[0], name.parts[0])} as {name.parts[0]}" for name in self.claim.source.selected
        )
        rows = f"select {columns}{also} from honest where {where}"
        if isinstance(self.goal, File):
            kind = "parquet" if self.goal.is_parquet else "csv, header, nullstr ''"
            self._run(f"copy ({rows}) to '{self.goal.sealed.path}' (format {kind})")
        else:
            self._run(f"drop table {self._table}")
            self._run(f"create table {self._table} as {rows}")

    def say(self, relation: str, rows: str) -> None:
        """Have a relation of the search say something else. What is temporary goes before what is not."""
        self.session.connection.execute(f"create or replace temporary table {relation} as {rows}")

    def bring(self, relation: str, rows: str) -> None:
        """Have classes change on their way home, after their database told how many there are."""
        host = self.claim.source.host
        honest = host.gather_classes

        def gather_classes(into: Any, *arguments: Any, **named: Any) -> ClassTotals:
            self.session.connection.execute(f"drop table if exists temp.{relation}")
            told = honest(into, *arguments, **named)
            if into.parts == (relation,):
                self.say(relation, rows)
            return told

        self.patched.setattr(host, "gather_classes", gather_classes)

    def honest(self) -> None:
        """What was said is said no more. The next forgery stages all rows anew."""
        self.patched.undo()
        for relation in ("star", "recoding", "staged_classes", "staged_values"):
            self.session.connection.execute(f"drop table if exists temp.{relation}")
