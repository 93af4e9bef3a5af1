"""Suppressed cells that are missing: columns keep their types, and a class is what a reader cannot tell apart."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import starcloak as sc
from starcloak.base.errors import HierarchyError, JobError, RequirementError, VerificationError
from starcloak.releases.targets.file import File
from starcloak.statements.statement import Statement
from starcloak.store.session import Session
from tests.people import Server, client, scripted

BLANK: dict[str, Any] = {"suppress": True, "suppressed": None}
COLUMNS = ("born", "visits", "amount", "smokes", "city")
K = 3
ALGORITHMS: dict[str, dict[str, Any]] = {
    "full-domain": {"name": "witness"},
    "local": {"name": "sweep"},
    "cells": {"name": "cell-suppression"},
    "single-dimension": {"name": "tdr", "class": "illness"},
    "tuples whole": {"name": "mondrian"},
}
TABLE = {
    "born": "date", "visits": "smallint", "amount": "decimal(10,2)", "smokes": "boolean", "city": "varchar(9)",
    "illness": "varchar(9)",
}  # fmt: skip


def patients(rows: int = 90, seed: int = 1) -> pyarrow.Table:
    """Rows with missing values in every column."""
    chance = random.Random(seed)

    def cells(of: Callable[[], Any]) -> list[Any]:
        return [None if chance.random() < 0.15 else of() for _ in range(rows)]

    return pyarrow.table(
        {
            "born": pyarrow.array(cells(lambda: datetime.date(2000, 1, chance.randrange(1, 6))), pyarrow.date32()),
            "visits": pyarrow.array(cells(lambda: chance.randrange(3)), pyarrow.int16()),
            "amount": pyarrow.array(cells(lambda: Decimal(chance.randrange(3)) / 4), pyarrow.decimal128(10, 2)),
            "smokes": pyarrow.array(cells(lambda: chance.random() < 0.5), pyarrow.bool_()),
            "city": pyarrow.array(cells(lambda: chance.choice(["Rome", "*", ""])), pyarrow.string()),
            "illness": pyarrow.array([chance.choice(["flu", "cold"]) for _ in range(rows)], pyarrow.string()),
        }
    )


def job(**more: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": dict.fromkeys(COLUMNS, BLANK),
        "sensitive": ["illness"],
        "requirement": {"k": K},
        **more,
    }


def tuples(table: pyarrow.Table, names: Sequence[str] = COLUMNS) -> Counter[tuple[Any, ...]]:
    """The rows of each class, as a reader sees them."""
    return Counter(zip(*(table[name].to_pylist() for name in names), strict=True))


def hold_to_the_source(source: pyarrow.Table, released: pyarrow.Table, k: int) -> None:
    """Types are those of the source, classes have at least k rows, and no value is invented."""
    assert released.select(COLUMNS).schema.types == source.select(COLUMNS).schema.types
    assert min(tuples(released).values()) == k >= K
    for name in COLUMNS:
        before, after = Counter(source[name].to_pylist()), Counter(released[name].to_pylist())
        assert all(rows <= before[value] for value, rows in after.items() if value is not None), name
    assert sum(released[name].null_count > source[name].null_count for name in COLUMNS) > 0


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("patients")
    pyarrow.parquet.write_table(patients(), folder / "patients.parquet")
    return folder


@pytest.fixture(scope="module", params=ALGORITHMS)
def release(request: pytest.FixtureRequest, place: Path) -> tuple[sc.Release, Path]:
    """A release of every recoding model."""
    path = place / f"{request.param}.parquet"
    source, output = {"path": str(place / "patients.parquet")}, {"path": str(path)}
    return sc.run(job(source=source, output=output, algorithm=ALGORITHMS[request.param])), path


def test_columns_keep_their_types_and_classes_are_what_is_read(release: tuple[sc.Release, Path]) -> None:
    done, path = release
    released = pyarrow.parquet.read_table(path)
    hold_to_the_source(patients(), released, done.result.k or 0)
    assert done.result.measures.classes == len(tuples(released))


def test_masked_rows_keep_their_types(release: tuple[sc.Release, Path]) -> None:
    done, path = release
    masked = done.apply(patients(), k=1)
    assert masked.select(COLUMNS).schema.types == patients().select(COLUMNS).schema.types
    if done.result.recoding.model in ("full-domain", "single-dimension", "multi-dimension"):
        assert tuples(masked) == tuples(pyarrow.parquet.read_table(path))
    strangers = patients().set_column(4, "city", pyarrow.array(["Oslo"] * 90))
    assert "Oslo" not in done.apply(strangers, k=1)["city"].to_pylist()


FRAMES: dict[str, Callable[[pyarrow.Table], Any]] = {
    "arrow": lambda table: table,
    "polars": polars.from_arrow,
    "pandas": lambda table: table.to_pandas().astype({"visits": "Int16", "smokes": "boolean"}),
    "pandas of arrow": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
}


def types_of(frame: Any) -> list[str]:
    return list(map(str, frame.schema.types if isinstance(frame, pyarrow.Table) else frame.dtypes))


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("algorithm", ["full-domain", "local", "single-dimension"])
def test_frames_keep_their_types(kind: str, algorithm: str) -> None:
    frame = FRAMES[kind](patients())
    released = sc.run(job(algorithm=ALGORITHMS[algorithm]), frame=frame).to_native()
    assert types_of(released) == types_of(frame)


def test_a_text_file_has_an_empty_cell(place: Path) -> None:
    sc.run(job(source={"path": str(place / "patients.parquet")}, output={"path": str(place / "out.csv")}))
    lines = (place / "out.csv").read_text().splitlines()
    assert any(",," in line for line in lines)


def test_missing_and_suppressed_cells_are_one_class(tmp_path: Path) -> None:
    """A reader cannot tell them apart: k is that of both together; of two labels it is that of each."""
    born = [None] * 3 + [datetime.date(2000, 1, day) for day in (1, 2, 3, 4)]
    pyarrow.parquet.write_table(pyarrow.table({"born": born}), tmp_path / "patients.parquet")
    found = {}
    for suppressed in ("label", None):
        path = tmp_path / f"{suppressed}.parquet"
        asked = {
            "source": {"path": str(tmp_path / "patients.parquet")},
            "quasi_identifiers": {"born": {"suppress": True, "suppressed": suppressed}},
            "requirement": {"k": 3},
            "algorithm": {"name": "kaca"},
            "output": {"path": str(path)},
        }
        done = sc.run(asked)
        result, released = done.result, pyarrow.parquet.read_table(path)
        again = sc.run({**asked, "output": {"path": str(tmp_path / f"again {suppressed}.parquet")}})
        joint = next(each.k for each in again.result.joint if each.release == str(path))
        found[suppressed] = (result.k, result.measures.classes, result.measures.loss, joint, released["born"].type)
    loss = found["label"][2]
    assert found["label"] == (3, 2, loss, 3, pyarrow.string())
    assert found[None] == (7, 1, loss, 7, pyarrow.date32())


def test_suppressed_cells_are_counted_by_what_was_done(tmp_path: Path) -> None:
    """A missing value of the source counts for no ``max_suppressed``."""
    born = [None] * 12 + [datetime.date(2000, 1, day) for day in (1, 2, 3)]
    pyarrow.parquet.write_table(pyarrow.table({"born": born}), tmp_path / "patients.parquet")
    asked = {
        "source": {"path": str(tmp_path / "patients.parquet")},
        "requirement": {"k": 3},
        "algorithm": {"name": "kaca"},
        "output": {"path": str(tmp_path / "out.parquet")},
    }
    sc.run({**asked, "quasi_identifiers": {"born": {**BLANK, "max_suppressed": "0.2"}}})
    with pytest.raises(RequirementError, match=r"20\.0% of the released cells of 'born' are suppressed"):
        sc.run({**asked, "quasi_identifiers": {"born": {**BLANK, "max_suppressed": "0.19"}}})


# ------------------------------------------------------------------------------------------------------- the databases


def filled(server: Server) -> None:
    frame = patients().to_pandas().astype(object)
    frame["amount"] = [None if cell is None else float(cell) + 0.3 for cell in frame["amount"]]
    types = TABLE | ({"amount": "real"} if server.name == "sqlite" else {})
    server.fill("patients", frame.where(frame.notna(), None), types)


def declared(server: Server, table: str) -> list[str]:
    """The types of a table's quasi-identifiers, as its database has them."""
    listed = ", ".join(f"'{name}'" for name in COLUMNS)
    if server.name == "sqlite":
        return [f"{kind}" for name, kind in server.rows(f"select name, type from pragma_table_info('{table}')")
                if name in COLUMNS]  # fmt: skip
    if server.name == "postgresql":
        kinds = server.rows(
            "select format_type(atttypid, atttypmod) from pg_attribute where attrelid = "
            f"'{table}'::regclass and attname in ({listed}) order by attnum"
        )
    else:
        kinds = server.rows(
            f"select column_type from information_schema.columns where table_name = '{table}' and column_name in "
            f"({listed}) order by ordinal_position"
        )
    return [str(kind) for (kind,) in kinds]


AT_HOME = {
    "postgresql": ["date", "smallint", "numeric(10,2)", "boolean", "text"],
    "mariadb": ["date", "smallint(6)", "decimal(10,2)", "tinyint(4)", "varchar(9)"],
    "sqlite": ["NUM", "INT", "REAL", "NUM", "TEXT"],
}


@pytest.mark.parametrize("algorithm", ["full-domain", "local", "single-dimension"])
def test_tables_of_databases_keep_their_types(server: Server, algorithm: str) -> None:
    filled(server)
    asked = job(
        source={"url": server.url, "table": "patients"},
        output={"table": "cohort"},
        algorithm=ALGORITHMS[algorithm],
    )
    done = sc.run(asked)
    kinds = [kind.replace("tinyint(1)", "tinyint(4)") for kind in declared(server, "cohort")]
    assert kinds == AT_HOME[server.name]
    rows = server.rows(f"select {', '.join(COLUMNS)} from cohort")
    assert min(Counter(rows).values()) == done.result.k and any(None in row for row in rows)
    server.execute("drop table cohort", "drop table starcloak_releases")
    told = scripted(client(server), done.sql())
    assert told.returncode == 0, told.stderr
    assert Counter(server.rows(f"select {', '.join(COLUMNS)} from cohort")) == Counter(rows)


def test_tables_of_another_database_keep_their_types(server: Server, place: Path) -> None:
    asked = job(
        source={"path": str(place / "patients.parquet")},
        output={"url": server.url, "table": "cohort"},
        algorithm=ALGORITHMS["local"],
    )
    sc.run(asked)
    sent = {
        "postgresql": ["date", "bigint", "numeric(10,2)", "boolean", "text"],
        "mariadb": ["date", "bigint(20)", "decimal(10,2)", "tinyint(1)", "longtext"],
        "sqlite": ["TEXT", "INT", "TEXT", "INT", "TEXT"],
    }
    assert declared(server, "cohort") == sent[server.name]


# ------------------------------------------------------------------------------------------------------------ forgeries


FORGED = {
    "a suppressed cell has its value": "coalesce(born, date '2000-01-01') as born",
    "another value in place of one": "case when born is not null then date '1999-01-01' end as born",
    "a value is missing": "case when born = date '2000-01-02' then null else born end as born",
    "a text in place of a date": "cast(born as varchar) as born",
    "a time in place of a date": "cast(born as timestamp) as born",
}


@pytest.mark.parametrize("forged", FORGED)
@pytest.mark.parametrize("algorithm", ["cells", "single-dimension"])
def test_a_forged_release_is_refused(forged: str, algorithm: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a reader could tell apart, the verifier compares."""
    honest = File.stage

    def stage(self: File, session: Session, release: Statement) -> None:
        honest(self, session, release)
        path = self.sealed.path
        cells = ", ".join(FORGED[forged] if name == "born" else name for name in ("born", "visits", "illness"))
        with duckdb.connect() as files:
            files.execute(f"create table forged as select {cells} from '{path}'")
            files.execute(f"copy forged to '{path}' (format parquet)")

    monkeypatch.setattr(File, "stage", stage)
    asked = job(
        source={"path": str(place / "patients.parquet")},
        output={"path": str(place / "forged.parquet")},
        algorithm=ALGORITHMS[algorithm],
        quasi_identifiers=dict.fromkeys(("born", "visits"), BLANK),
        identifiers=["amount", "smokes", "city"],
    )
    with pytest.raises(VerificationError):
        sc.run(asked)
    assert not (place / "forged.parquet").exists()


# ------------------------------------------------------------------------------------------------- jobs, and a refresh


def test_once_in_the_output_is_beside_every_hierarchy(place: Path) -> None:
    source, path = {"path": str(place / "patients.parquet")}, place / "once.parquet"
    kinds = {"born": {"suppress": True, "importance": 2}, **dict.fromkeys(COLUMNS[1:], "suppress")}
    asked = job(source=source, output={"path": str(path), "suppressed": None}, quasi_identifiers=kinds)
    sc.run(asked)
    released = pyarrow.parquet.read_table(path)
    assert released.select(COLUMNS).schema.types == patients().select(COLUMNS).schema.types
    years = kinds | {"born": {"dates": ["year"]}}
    asked["quasi_identifiers"] = years
    with pytest.raises(HierarchyError, match="'born': suppressed: null leaves each cell unchanged or"):
        sc.run(asked)
    sc.run({**asked, "algorithm": {"name": "cell-suppression"}})  # which has no level between
    assert pyarrow.parquet.read_table(path)["born"].type == pyarrow.date32()
    asked["quasi_identifiers"] = kinds | {"visits": "numeric"}
    with pytest.raises(JobError, match="does not go with ranges of 'visits'"):
        sc.run(asked)


@pytest.mark.parametrize(
    ("beside", "reason"),
    [
        ({"suppress": True, "from": 1}, "from allows no unchanged value"),
        ({"numeric": True}, "numeric makes ranges"),
        ({"suppress": True, "suppressed": "null"}, "must be 'label'"),
        ({"tree": {"any": {"low": ["0", "1", None], "high": ["2"]}}}, "levels in between"),
    ],
)
def test_no_other_level_is_promised(beside: dict[str, Any], reason: str) -> None:
    kind = {"suppressed": None, **beside}
    with pytest.raises((JobError, HierarchyError), match=reason):
        sc.run(job(quasi_identifiers={"visits": kind}, others="identifiers"), frame=patients())


def test_a_sensitive_column_has_no_suppressed_cell() -> None:
    tree = {"tree": {"any": ["flu", "cold"]}, "suppressed": None}
    model = {"attribute": "illness", "t": 0.5, "distance": "hierarchical", "hierarchy": tree}
    with pytest.raises(JobError, match="leave suppressed out of this hierarchy"):
        sc.run(job(requirement={"k": K, "t_closeness": [model]}), frame=patients())


def test_a_refresh_keeps_its_way_to_suppress(tmp_path: Path) -> None:
    path, output = tmp_path / "patients.parquet", {"path": str(tmp_path / "cohort.parquet")}
    asked = job(source={"path": str(path)}, output=output, algorithm={"name": "sweep"}, refresh=True)
    asked["sensitive"], asked["keep"] = [], ["illness"]
    first, second = patients(90), pyarrow.concat_tables([patients(90).slice(5), patients(40, seed=2)])
    pyarrow.parquet.write_table(first, path)
    sc.run(asked)
    pyarrow.parquet.write_table(second, path)
    again = sc.run(asked)
    released = pyarrow.parquet.read_table(output["path"])
    assert again.result.refresh is not None and again.result.refresh.new > 0
    hold_to_the_source(second, released, again.result.k or 0)
    for kinds in (dict.fromkeys(COLUMNS, "suppress"), {**asked["quasi_identifiers"], "born": "suppress"}):
        with pytest.raises(HierarchyError, match="a hierarchy has changed since the last release"):
            sc.run({**asked, "quasi_identifiers": kinds}, force=True)
