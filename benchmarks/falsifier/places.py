"""Where the rows of one case lie, and all that a run may touch."""

from __future__ import annotations

import csv
import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas

from benchmarks.falsifier import dirt, files, hosts
from benchmarks.falsifier.case import Case, Column, Row
from benchmarks.falsifier.files import ARROW, FRAMES, frame
from benchmarks.falsifier.hosts import Database, Released
from benchmarks.falsifier.values import KINDS, domain, exact, text

TABLE = 'peo"ple'
RELEASE = "co hort"
DIMENSION = "dim "
# What a population has besides: how many people each of its rows is.
COUNT = "how many"
# The mark of a table of a server among the files.
_SERVED = "server: "


def kinds(source: str) -> list[str]:
    """The kinds of columns that a source can have."""
    known: dict[str, list[str]] = {
        "csv": ["text"],
        "parquet": list(ARROW),
        "jsonl": list(files.JSON),
        "frame": list(FRAMES),
        "sqlite": list(hosts.SQLite.kinds),
        "postgresql": list(hosts.PostgreSQL.kinds),
        "mariadb": list(hosts.MariaDB.kinds),
    }
    return known.get(source.removesuffix("-query"), list(KINDS))


@dataclass(frozen=True)
class Places:
    """The files of one job, in a folder of its own, and the servers that it may use, by name.

    ``name`` is that of its release, where that is a file.
    """

    folder: Path
    servers: Mapping[str, str] = field(default_factory=dict)
    name: str = "cohort"

    @property
    def inputs(self) -> Path:
        return self.folder / "in [a]"

    @property
    def outputs(self) -> Path:
        return self.folder / "out"

    @property
    def cube(self) -> Path:
        return self.outputs / "cube.duckdb"

    @property
    def misfits(self) -> Path:
        """The file of values that have no leaf."""
        return self.outputs / "misfits.csv"

    @cached_property
    def _hosts(self) -> dict[str, Database]:
        """The databases that sources lie in."""
        served = {name: hosts.server(name, url) for name, url in self.servers.items()}
        here = {"duckdb": "source's.duckdb", "sqlite": "source.sqlite"}
        return {**{name: hosts.file(self.inputs / file) for name, file in here.items()}, **served}

    def host(self, case: Case) -> Database | None:
        """The database of the source."""
        return self._hosts.get(case.host or "")

    def home(self, case: Case) -> Database | None:
        """The database of the release."""
        if case.target == "here":
            return self.host(case)
        if case.target in self.servers:
            return self._hosts[case.target]
        names = {"duckdb": "there.duckdb", "fresh": "fresh.duckdb", "sqlite": "there.sqlite"}
        return hosts.file(self.outputs / names[case.target]) if case.target in names else None

    def file(self, case: Case) -> Path | None:
        """The file of the release."""
        is_file = case.target in ("csv", "parquet", "xlsx")
        return self.outputs / f"{self.name}.{case.target}" if is_file else None

    def source(self, case: Case) -> dict[str, Any] | None:
        """The source as a job names it; none for a data frame."""
        if (host := self.host(case)) is not None:
            query = {"query": f"select * from {host.quoted(TABLE)}" + ("; -- people" if case.source == "query" else "")}
            return {"url": host.url, **(query if case.source.endswith("query") else {"table": TABLE})}
        if case.source == "csv":
            read = {"delimiter": case.delimiter, "null": case.missing, "quote": case.quote, "encoding": case.encoding}
            told = {key: text for key, text in read.items() if text or key == "null"}
            renamed = {"rename": case.renamed} if case.renamed else {}
            return {"path": self._path(case), **told, **renamed}
        return {"path": self._path(case)} if case.is_file else None

    def _path(self, case: Case) -> str:
        """The path of the files that have the rows."""
        if case.files == "several":
            return str(self.inputs / f"*-{_people(case)}")
        return str(self.inputs / _people(case)) + (".gz" if case.files == "packed" else "")

    def target(self, case: Case) -> dict[str, str] | None:
        """The output as a job names it; none for memory."""
        if (path := self.file(case)) is not None:
            return {"path": str(path)}
        home = self.home(case)
        return None if home is None else {"table": RELEASE, **({} if case.target == "here" else {"url": home.url})}

    def prepare(self, case: Case) -> None:
        """Write the source, the files of hierarchies, and the database that the release goes to."""
        for folder in (self.inputs, self.outputs):
            folder.mkdir(exist_ok=True)
        for at, column in enumerate(case.quasi_identifiers):
            if isinstance(column.hierarchy, dict) and "csv" in column.hierarchy:
                with open(self.hierarchy(at), "w", encoding="utf-8", newline="") as file:
                    # Quoted, lest U+FEFF in the first cell be taken for a byte order mark.
                    csv.writer(file, delimiter=";", quoting=csv.QUOTE_ALL).writerows(column.hierarchy["csv"])
        for name in {case.host, case.target} & set(self.servers):
            hosts.server(str(name), self.servers[str(name)]).clear()
        home = self.home(case)
        if home is not None and case.target not in ("here", "fresh"):
            home.run(*home.made("another", {"a": "int"}, [(1,)]))
        self.rewrite(case)

    def hierarchy(self, at: int) -> Path:
        return self.inputs / f"hierarchy {at}.csv"

    def population(self, case: Case) -> dict[str, str]:
        """The population as a job names it."""
        return {"path": str(self.inputs / f"register.{case.register}"), **({"count": COUNT} if case.counted else {})}

    def _enrol(self, case: Case) -> None:
        """Write the population: of a CSV the texts of its values."""
        columns, people = case.quasi_identifiers, list(case.population)
        if case.register == "csv":
            columns = [replace(column, kind="text") for column in columns]
            kinds_of = [column.kind for column in case.quasi_identifiers]
            people = [tuple(text(cell, kind) for cell, kind in zip(each, kinds_of, strict=True)) for each in people]
        if case.counted:
            alike: dict[Any, list[Row]] = {}
            for each in people:
                alike.setdefault(exact(each), []).append(each)
            columns = [*columns, Column(COUNT, "text" if case.register == "csv" else "int64", "keep")]
            counts = [str(len(of)) if case.register == "csv" else len(of) for of in alike.values()]
            people = [(*of[0], count) for of, count in zip(alike.values(), counts, strict=True)]
        file = Case(tuple(columns), tuple(people), source=case.register)
        files.WRITERS[case.register](self.inputs / f"register.{case.register}", file)

    def rewrite(self, case: Case) -> None:
        """Write the source and its population, in the place of those that are there."""
        case = dirt.soiled(case)
        if case.of_population:
            self._enrol(case)
        if case.is_file:
            write = files.WRITERS[case.source]
            name = _people(case)
            if case.files == "several":
                for part in range(2):
                    write(self.inputs / f"{part}-{name}", replace(case, rows=case.rows[part::2]))
                return
            write(self.inputs / name, case)
            if case.files == "packed":
                (self.inputs / f"{name}.gz").write_bytes(gzip.compress((self.inputs / name).read_bytes(), mtime=0))
                (self.inputs / name).unlink()
        elif (host := self.host(case)) is not None:
            shape = {column.name: _type(host, case, at) for at, column in enumerate(case.columns)}
            made = host.made(TABLE, shape, case.rows)
            for column in case.quasi_identifiers:
                if (declared := lines(column)) is not None:
                    widest = max((len(line) for line in declared), default=1)
                    levels = {f"level {at}": host.kinds["text"] for at in range(widest)}
                    made += host.made(dimension(column.name), levels, declared)
            host.run(*made)

    def read(self, case: Case, table: pandas.DataFrame | None = None) -> Released:
        """Read a release, by the place it went to; ``table`` is that of a release in memory."""
        if table is not None:
            return files.read_frame(table)
        if (path := self.file(case)) is not None:
            return files.READERS[case.target](path)
        home = self.home(case)
        assert home is not None
        return home.read(RELEASE)

    def snapshot(self, case: Case) -> dict[str, bytes]:
        """Every file of the job with its content, and every table of its servers."""
        found = {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        for name in {case.host, case.target} & set(self.servers):
            held = self._hosts[str(name)].held()
            found |= {f"{_SERVED}{name} {table}": rows.encode() for table, rows in held.items()}
        return found

    @property
    def _own(self) -> set[str]:
        """The files of jobs themselves."""
        return {str(self.inputs / name) for name in ("job.yaml", "roles.yaml")}

    def changed(self, case: Case, before: dict[str, bytes]) -> list[str]:
        """What is not as it was: files, and what they hold, of databases their tables' rows. A cube is kept anyhow."""
        after = self.snapshot(case)
        if after.keys() - self._own - {str(self.cube)} != before.keys() - self._own - {str(self.cube)}:
            return [f"written: {sorted(after.keys() ^ before.keys())}"]
        found = []
        for name, content in before.items():
            if name not in {*self._own, str(self.cube)} and after[name] != content:
                copy = self.folder / f"before{Path(name).suffix}"
                copy.write_bytes(content)
                if name.startswith(_SERVED) or _digest(copy) != _digest(Path(name)):
                    found.append(f"written: {name} changed")
                copy.unlink()
        return found

    def strangers(self, case: Case, before: dict[str, bytes]) -> list[str]:
        """Files that a run left beside its release, its ledger and its cube."""
        expected = {*before, *self._own, str(self.cube)}
        if (path := self.file(case)) is not None:
            expected |= {str(path), f"{path}.starcloak.json"}
        elif (home := self.home(case)) is not None:
            expected.add(home.place)
        left = {str(path) for path in self.folder.rglob("*") if path.is_file()} - expected
        return [f"leftover: {sorted(left)}"] if left else []


def _people(case: Case) -> str:
    """The name of a file that has the rows."""
    return f"people.{case.suffix or case.source}"


def dimension(name: str) -> str:
    """The dimension table of a quasi-identifier."""
    return f"{DIMENSION}{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def lines(column: Column) -> list[Row] | None:
    """The rows of the dimension table that a column's hierarchy is, if it is one."""
    declared = column.hierarchy
    return declared["table"] if isinstance(declared, dict) and "table" in declared else None


def _type(host: Database, case: Case, at: int) -> str:
    """The type of a column; an enumeration knows the values of its rows, and one more."""
    kind = case.columns[at].kind
    if kind != "enum":
        return host.kinds[kind]
    members = [value for value in domain(row[at] for row in case.rows) if value is not None]
    listed = ", ".join("'" + member.replace("'", "''") + "'" for member in [*members, "never seen"])
    return f"ENUM({listed})"


def _digest(path: Path) -> str:
    """What a file holds: of a database, its tables' rows; else its bytes."""
    held: Any = hosts.file(path).held() if path.suffix in (".duckdb", ".sqlite") else path.read_bytes()
    return hashlib.sha256(repr(held).encode()).hexdigest()


__all__ = ["Places", "Released", "dimension", "frame", "kinds", "lines"]
