"""What engines really do with missing values, collations, names and types: none of it may reach a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import pytest

from starcloak.base.errors import JobError, SourceError, StarcloakError
from starcloak.commands import pipeline
from starcloak.commands.api import anonymize, check
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session
from tests.daily import some_daily

SUPPRESS = {"x": "suppress"}


def test_a_missing_value_is_a_value_of_its_own() -> None:
    """A library that drops missing values certifies k = 3 here; the smallest class is 1."""
    frame = pandas.DataFrame({"x": ["a"] * 3 + [None]})
    assert not check(frame, ["x"], 3).holds
    release = anonymize(frame, quasi_identifiers=SUPPRESS, k=3)
    assert release.result.recoding.levels == {"x": 1}
    assert anonymize(pandas.DataFrame({"x": ["a"] * 3 + [None] * 3}), quasi_identifiers=SUPPRESS, k=3).k == 3


@pytest.mark.parametrize("missing", [None, float("nan"), pandas.NA, pandas.NaT])
def test_every_missing_value_of_a_frame_is_missing(missing: Any) -> None:
    frame = pandas.DataFrame({"x": pandas.Series(["a", "a", missing, missing], dtype=object)})
    release = anonymize(frame, quasi_identifiers=SUPPRESS, k=2)
    assert release.result.measures.classes == 2
    assert release.to_pandas()["x"].isna().sum() == 2


def test_an_empty_text_is_not_a_missing_value(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('x,y\n"",1\n,1\n')
    assert check(path, ["x"], 1).qids[0].classes == 2
    out = tmp_path / "o.csv"
    anonymize(path, quasi_identifiers=SUPPRESS, k=1, keep=["y"], output={"path": str(out)})
    assert sorted(out.read_text().splitlines()[1:]) == ['"",1', ",1"]


def test_concatenations_that_meet_are_different_groups() -> None:
    frame = pandas.DataFrame({"a": ["ab", "a"], "b": ["c", "bc"]})
    assert check(frame, ["a", "b"], 1).qids[0].classes == 2
    release = anonymize(frame, quasi_identifiers={"a": "suppress", "b": "suppress"}, k=2)
    assert release.result.recoding.levels == {"a": 1, "b": 1}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("collation", ["nocase", "noaccent", "nfc", "nocase.noaccent"])
def test_a_collation_merges_nothing(collation: str, tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"create table t (x varchar collate {collation}, y varchar collate {collation})")
        connection.execute("insert into t values ('E', 'k'), ('e', 'K'), ('é', 'k'), ('e\u0301', 'k')")
        connection.execute("create view v as select * from t")
    for table in ("t", "v"):
        source = {"url": f"duckdb:///{path}", "table": table}
        verdict = check(source, ["x"], 2)
        assert (verdict.qids[0].classes, verdict.holds) == (4, False)
        release = anonymize(source, quasi_identifiers=SUPPRESS, keep=["y"], k=2)
        assert release.result.recoding.levels == {"x": 1}
    query = {"url": f"duckdb:///{path}", "query": f"select x collate {collation} as x from t"}
    assert check(query, ["x"], 2).qids[0].classes == 4


def test_leading_zeros_stay(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("zip\n01\n1\n")
    assert check(path, ["zip"], 1).qids[0].classes == 2


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), -0.0])
def test_numbers_without_one_text_are_refused(value: float) -> None:
    frame = pandas.DataFrame({"x": [1.0, value]})
    with pytest.raises(SourceError, match="quasi-identifier 'x' has 1 values that are NaN, infinite or negative zero"):
        anonymize(frame, quasi_identifiers=SUPPRESS, k=1)


def test_nan_of_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table t as select cast('nan' as double) as x")
    with pytest.raises(SourceError, match="has 1 values that are NaN"):
        check({"url": f"duckdb:///{path}", "table": "t"}, ["x"], 1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "series",
    [
        pandas.Series([1, 1, 2, 2]),
        pandas.Series([1.5, 1.5, 2.5, 2.5]),
        pandas.Series([True, True, False, False]),
        pandas.Series(["a", "a", "b", "b"], dtype="category"),
        pandas.Series(pandas.to_datetime(["2020-01-01"] * 2 + ["2020-01-02"] * 2)),
        pandas.Series(pandas.to_datetime(["2020-01-01"] * 2 + ["2020-01-02"] * 2, utc=True)),
        pandas.Series(numpy.array([1, 1, 255, 255], dtype="uint8")),
        pandas.Series([1, 1, None, None], dtype="Int64"),
        pandas.Series(["a", "a", None, None], dtype="string"),
    ],
    ids=lambda series: str(series.dtype),
)
def test_types_of_a_frame_group_and_come_back(series: pandas.Series) -> None:
    release = anonymize(pandas.DataFrame({"x": series}), quasi_identifiers=SUPPRESS, k=2)
    assert release.result.recoding.levels == {"x": 0}
    assert release.result.measures.classes == 2
    back = release.to_pandas()["x"]
    assert sorted(map(str, back.dropna())) == sorted(map(str, series.dropna()))


HOSTILE = [
    'a"b',
    "a'b",
    "a;b",
    "{levels}",
    "$k",
    ":k",
    "%s",
    "select",
    "ünï ☃",
    " lead",
    "two\nlines; drop table y; --",
    "a\r\nb",
    "a.b",
    "frequency",
    "code",
    "value",
    "source",
]


KINDS = {"height": {"intervals": [2]}, "loss": {"tree": {"all": ["1", "2"]}}}


# Each name with one of the two kinds; the long tests take the other, too.
@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "objective"), some_daily(HOSTILE, KINDS, each=2))
def test_hostile_names_pass_through_every_statement(name: str, objective: str, tmp_path: Path) -> None:
    frame = pandas.DataFrame({name: ["1", "1", "2"], "Other": ["p", "q", "r"], name + "_1": ["s"] * 3})
    release = anonymize(
        frame,
        quasi_identifiers={name: KINDS[objective], "Other": "suppress"},
        keep=[name + "_1"],
        k=2,
        suppression="0.4",
        objective={"minimize": objective},
        # Readers of CSV would change a carriage return.
        output={"path": str(tmp_path / ("o.parquet" if "\r" in name else "o.csv"))},
    )
    assert list(release.to_pandas().columns) == [name, "Other", name + "_1"]
    assert release.k is not None and release.k >= 2


def test_counts_beyond_32_bits_do_not_overflow() -> None:
    from starcloak.search.lattice.objective import DiscernibilityCost
    from starcloak.star.tuples import GroupSizes

    counted = GroupSizes(numpy.full(3, 3_000_000_000), numpy.array([False, True, False]), [], numpy.array([1]))
    assert DiscernibilityCost(9_000_000_000).of((), counted).cost == 18 * 10**18 + 27 * 10**18


def test_division_and_share_are_exact() -> None:
    """0.29 of 100 rows are 29 rows, not 28 as in binary fractions."""
    frame = pandas.DataFrame({"x": ["a"] * 71 + [str(number) for number in range(29)]})
    release = anonymize(frame, quasi_identifiers=SUPPRESS, k=2, suppression=0.29)
    assert release.result.suppressed_rows == 29
    assert release.result.recoding.levels == {"x": 0}


def test_a_query_means_the_tables_of_its_database(tmp_path: Path) -> None:
    """Tables named like those of the working store are the user's own in the user's query."""
    path = tmp_path / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        for name in ("star", "base", "source", "release", "recoding"):
            connection.execute(f"create table \"{name}\" as select unnest(['{name}', '{name}']) as x")
    query = "select x from star union all select x from base union all select x from source"
    release = anonymize({"url": f"duckdb:///{path}", "query": query}, quasi_identifiers=SUPPRESS, k=2)
    assert sorted(set(release.to_pandas()["x"])) == ["base", "source", "star"]
    release = anonymize({"url": f"duckdb:///{path}", "table": "star"}, quasi_identifiers=SUPPRESS, k=2)
    assert set(release.to_pandas()["x"]) == {"star"}


def test_identical_runs_give_identical_releases_and_reports() -> None:
    frame = pandas.DataFrame({"x": list("aabbc"), "y": range(5)})
    described = {"quasi_identifiers": SUPPRESS, "keep": ["y"], "requirement": {"k": 2, "suppression": "0.2"}}
    first, second = (pipeline.run(described, frame=frame) for _ in range(2))
    pandas.testing.assert_frame_equal(first.to_pandas(), second.to_pandas())
    shuffled = pipeline.run(described, frame=frame.sample(frac=1, random_state=1))
    pandas.testing.assert_frame_equal(first.to_pandas(), shuffled.to_pandas())
    drop = {"run", "seconds"}
    assert first.result.model_dump(exclude=drop) == second.result.model_dump(exclude=drop)


def test_an_error_is_one_line_whatever_names_it_holds() -> None:
    """A column of a database may be named with a line break, or with the codes that a terminal obeys."""
    table = pandas.DataFrame({"a": ["x"], "new\nline": ["y"]})
    with pytest.raises(StarcloakError) as refused:
        anonymize(table, quasi_identifiers={"a": "suppress"}, k=1, l_diversity=[{"attribute": "new\nline", "l": 3}])
    assert "new\\nline" in str(refused.value)
    assert "\n" not in str(refused.value)
    told = str(JobError("a\x1b[2Jb\u2028c\ud800"))
    assert told == r"a\x1b[2Jb\u2028c\ud800"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("table", ["base", "star", "outliers", "staged_classes", "dimension_x"])
def test_a_view_of_the_source_reads_its_own_tables_whatever_their_names(table: str, tmp_path: Path) -> None:
    """DuckDB takes a temporary table before the one that a view in a file means."""
    file = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"create table {table} as select 'a' as x, i as y from range(4) as s (i)")
        connection.execute(f"create view patients as select x, y from {table}")
    described = {"source": {"url": f"duckdb:///{file}", "table": "patients"}, "quasi_identifiers": SUPPRESS}
    for output in (None, {"table": "cohort"}):
        release = pipeline.run({**described, "keep": ["y"], "requirement": {"k": 2}, "output": output})
        assert sorted(release.to_pandas()["y"]) == [0, 1, 2, 3]


def test_what_is_kept_during_a_transaction_hides_nothing_afterwards(tmp_path: Path) -> None:
    with Session(databases=[tmp_path / "file.duckdb"]) as session:
        kept, one = Name("kept"), Statement.of_text("one", "select 1 as number")
        session.command(f"attach '{tmp_path / 'file.duckdb'}' as file")
        session.command("begin transaction")
        session.command("create table file.released as select 1 as number")
        session.create(kept, one)
        assert session.run(Statement.of_text("kept", "select number from kept")) == [(1,)]
        session.command("commit")
        session.create(kept, Statement.of_text("two", "select 2 as number"))
        assert session.run(Statement.of_text("kept", "select number from kept")) == [(2,)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.0::double", "-0.0::double"),
        ("0.0::float", "-0.0::float"),
        ("[0.0::double]", "[-0.0::double]"),
        ("{'a': 0.0::double}", "{'a': -0.0::double}"),
        ("interval '1 month'", "interval '30 days'"),
    ],
)
def test_sensitive_values_that_are_equal_and_read_otherwise_are_refused(one: str, other: str, tmp_path: Path) -> None:
    """Every class of the one, or of the other, would be as the whole: t = 0, and a reader knows each row's."""
    path = tmp_path / "people.duckdb"
    rows = f"select 1 as x, {one} as y from range(4) union all select 2, {other} from range(4)"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"create table people as {rows}; create table alike as select x, {other} as y from people")
    place = {"url": f"duckdb:///{path}", "table": "people"}
    close = [{"attribute": "y", "t": "0"}]
    with pytest.raises(SourceError, match="'y' has equal values with different texts"):
        into = {"url": f"duckdb:///{tmp_path / 'out.duckdb'}", "table": "released"}
        pipeline.run({"source": place, "sensitive": ["y"], **_asked({"t_closeness": close}), "output": into})
    with pytest.raises(SourceError, match="'y' has equal values with different texts"):
        check(place, ["x"], 1, t_closeness=close)
    assert check({**place, "table": "alike"}, ["x"], 1, t_closeness=close).holds


def test_a_sensitive_value_that_is_a_missing_one_elsewhere_is_refused(tmp_path: Path) -> None:
    """A data frame of the release would have one value less in a class than was told."""
    path = tmp_path / "people.parquet"
    duckdb.sql("from (values (1, 'nan'::float), (1, 2.5), (1, null)) t (x, y)").write_parquet(str(path))
    diverse = [{"attribute": "y", "l": 2}]
    with pytest.raises(SourceError, match="'y' has 1 NaN values"):
        pipeline.run({"source": {"path": str(path)}, "sensitive": ["y"], **_asked({"l_diversity": diverse})})
    with pytest.raises(SourceError, match="'y' has 1 NaN values"):
        check({"path": str(path)}, ["x"], 1, l_diversity=diverse)
    kept = pipeline.run({"source": {"path": str(path)}, "keep": ["y"], **_asked({})})
    assert kept.k == 3


def _asked(diverse: dict[str, Any]) -> dict[str, Any]:
    return {"quasi_identifiers": SUPPRESS, "requirement": {"k": 1, **diverse}}
