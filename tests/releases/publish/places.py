"""Kinds of targets, the jobs that release into them, and what stands there afterwards."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

import starcloak as sc
from starcloak.commands import pipeline
from starcloak.store import session
from starcloak.store.resources import Resources
from tests.traces import bare

# Names never leave. Zip codes are generalized for any k above 1; sexes stay as they are up to k = 2.
PEOPLE = """name,zip,sex,illness
SECRETx7 Ann,HIDDENx7 1,WOMANx7,SEENx7 flu
SECRETx7 Bob,HIDDENx7 2,MANx7,SEENx7 cold
SECRETx7 Cem,HIDDENx7 3,MANx7,SEENx7 flu
SECRETx7 Dee,HIDDENx7 4,WOMANx7,SEENx7 flu
SECRETx7 Eva,HIDDENx7 5,WOMANx7,SEENx7 measles
SECRETx7 Fay,HIDDENx7 6,WOMANx7,SEENx7 cold
"""


Row = tuple[Any, ...]


Rows = list[Row] | None


@dataclass(frozen=True)
class Place:
    """A kind of target: where the rows come from, where the release goes, and how anybody reads it."""

    name: str
    source: dict[str, str]
    output: dict[str, str]

    @property
    def file(self) -> Path:
        return Path(self.output.get("path") or self.output.get("url", "hospital.duckdb").removeprefix("duckdb:///"))

    @property
    def is_table(self) -> bool:
        return "table" in self.output

    @property
    def is_fresh(self) -> bool:
        return self.name == "fresh database"

    def job(self, k: int, **more: Any) -> dict[str, Any]:
        return {
            "source": self.source,
            "identifiers": ["name"],
            "quasi_identifiers": {"zip": "suppress", "sex": "suppress"},
            "sensitive": ["illness"],
            "requirement": {"k": k},
            "output": self.output,
            **more,
        }

    def short_job(self, k: int) -> dict[str, Any]:
        """One attribute takes few statements: for tests that run over all of them."""
        return self.job(k, identifiers=["name", "zip"], quasi_identifiers={"sex": "suppress"}, insight="off")

    def read(self) -> Rows:
        """The rows of the release, in order, or nothing where there is none."""
        if not self.is_table:
            reader = "read_csv" if self.file.suffix == ".csv" else "read_parquet"
            return duckdb.sql(f"from {reader}('{self.file}')").fetchall() if self.file.exists() else None
        if not self.file.exists():
            return None
        with opened(self.file) as connection:
            tables = {row[0] for row in connection.execute("select table_name from duckdb_tables()").fetchall()}
            beside = {"hospital.duckdb": {"people"}, "existing.duckdb": {"others"}}.get(self.file.name, set())
            assert tables - {"release", "starcloak_releases"} == beside
            for table in beside:
                assert connection.execute(f"from {table}").fetchall()
            return connection.execute("from release").fetchall() if "release" in tables else None

    def withdraw(self) -> None:
        """Take the release away."""
        if self.name in ("existing database", "source's database"):
            with duckdb.connect(str(self.file)) as connection:
                connection.execute("drop table if exists release")
        else:
            self.file.unlink(missing_ok=True)


def opened(file: Path) -> duckdb.DuckDBPyConnection:
    """A DuckDB file, once what wrote it for a run that was killed has seen that."""
    for _ in range(100):
        with suppress(duckdb.IOException):
            return duckdb.connect(str(file))
        time.sleep(0.02)
    return duckdb.connect(str(file))


CSV = {"path": "people.csv"}


TABLE = {"url": "duckdb:///hospital.duckdb", "table": "people"}


PLACES = [
    Place("csv", CSV, {"path": "release.csv"}),
    Place("parquet", CSV, {"path": "release.parquet"}),
    Place("fresh database", CSV, {"url": "duckdb:///release.duckdb", "table": "release"}),
    Place("existing database", CSV, {"url": "duckdb:///existing.duckdb", "table": "release"}),
    Place("source's database", TABLE, {"table": "release"}),
]


TO_CSV, TO_PARQUET, TO_FRESH, TO_EXISTING, TO_SOURCE = PLACES


places = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)


def run(described: dict[str, Any], trace: Callable[[str], None] | None = None) -> sc.Release:
    # One thread: more do not make a run on six rows faster.
    return pipeline.run(described, resources=Resources(trace=trace, threads=1))


def expected(described: dict[str, Any]) -> list[Row]:
    """The rows of a release, from the same run kept in memory."""
    kept = {key: value for key, value in described.items() if key != "output"}
    return list(run(kept).to_pandas().itertuples(index=False, name=None))


def statements(described: dict[str, Any]) -> list[str]:
    """Every statement of a run that succeeds."""
    seen: list[str] = []
    run(described, trace=lambda sql: seen.append(of_any_run(sql)))
    return seen


def of_any_run(sql: str) -> str:
    """A statement without the name of its run."""
    return re.sub(r"\.[0-9a-f]{12}(?=\.starcloak-staging)", "", sql)


def stagings(folder: Path) -> list[str]:
    """What a run may have left beside the release. DuckDB's own journal of a killed writer is none of it."""
    return [path.name for path in folder.rglob("*") if ".starcloak-" in path.name or path.suffix == ".tmp"]


def private_folders() -> list[Path]:
    return sorted(session.private_root().glob("run-*"))


# ------------------------------------------------------------------------------------------------------- runs at once


def during(described: dict[str, Any], start: str, action: Callable[[], None]) -> sc.Release:
    """A run with something done once, before the first statement that starts so."""
    done: list[str] = []

    def trace(sql: str) -> None:
        if bare(of_any_run(sql)).startswith(bare(start)) and not done:
            done.append(sql)
            action()

    release = run(described, trace=trace)
    assert done
    return release


# --------------------------------------------------------------------------------------------------------------- order


def numbered(rows: int, seed: int) -> None:
    """A source of that many different rows, in an order drawn from a seed."""
    order = list(range(rows))
    random.Random(seed).shuffle(order)
    lines = "".join(f"{number % 3},{number}\n" for number in order)
    Path("people.csv").write_text("zip,visit\n" + lines)
