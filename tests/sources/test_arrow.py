"""Arrow tables, relations of DuckDB and data frames of polars, in and out: each comes back as one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pytest

import starcloak as sc
from tests.sources.cells import DAY, Decimal, kept_in_duckdb

# ------------------------------------------------------------------------------------------ frames that are not pandas'

HALVES = ["a"] * 3 + ["b"] * 3


# Columns as Arrow tables have them, each with a missing value.
ARROW: dict[str, pyarrow.Array] = {
    "int64": pyarrow.array([2**63 - 1, -(2**63), None]),
    "double": pyarrow.array([0.1 + 0.2, 0.3, None]),
    "string": pyarrow.array(["a", "\ufeffa", None]),
    "large string": pyarrow.array(["a", "", None], pyarrow.large_string()),
    "string view": pyarrow.array(["a", "", None], pyarrow.string_view()),
    "dictionary": pyarrow.array(["a", "b", None]).dictionary_encode(),
    "run ends": pyarrow.RunEndEncodedArray.from_arrays([2, 3], pyarrow.array(["a", None])),
    "decimal": pyarrow.array([Decimal("1.10"), Decimal("1.20"), None], pyarrow.decimal128(10, 2)),
    "date": pyarrow.array([DAY.date(), None, DAY.date()]),
    "nanoseconds": pyarrow.array([1, 2, None], pyarrow.timestamp("ns")),
    "Berlin": pyarrow.array([1, 2, None], pyarrow.timestamp("us", "Europe/Berlin")),
    "duration": pyarrow.array([1, 2, None], pyarrow.duration("us")),
    "bool": pyarrow.array([True, False, None]),
    "binary": pyarrow.array([b"\xff", b"", None]),
    "list": pyarrow.array([[1], [], None]),
    "struct": pyarrow.array([{"a": 1}, {"a": None}, None]),
}


# Not readable by the statement that takes rows again; a table with such a column is refused.
NOT_TAKEN = {"run ends"}


def arrow_table(cells: pyarrow.Array) -> pyarrow.Table:
    """A table of a column twice, each half with a class of its own, and with metadata that are no one's business."""
    schema = pyarrow.schema(
        [pyarrow.field("x", cells.type, metadata={"secret": "t"}), pyarrow.field("y", pyarrow.string())],
        metadata={"secret": "t"},
    )
    return pyarrow.table([pyarrow.chunked_array([cells, cells]), pyarrow.array(HALVES)], schema=schema)


JOB: dict[str, Any] = {"quasi_identifiers": {"y": "suppress"}, "keep": ["x"], "k": 3}


def told(table: pyarrow.Table) -> Counter[str]:
    return Counter(f"{half} {cell!r}" for cell, half in zip(*map(list, table.to_pydict().values()), strict=True))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ARROW)
def test_a_kept_column_of_an_arrow_table_comes_back_as_it_went_in(name: str) -> None:
    table = arrow_table(ARROW[name])
    try:
        release = sc.anonymize(table, **JOB)
    except sc.SourceError as error:
        assert name in NOT_TAKEN and "column 'x' of type" in str(error)
        return
    back = release.to_native()
    assert isinstance(back, pyarrow.Table) and back.schema.metadata is None and back.field("x").metadata is None
    assert back.schema.field("x").type == table.schema.field("x").type
    assert told(back) == told(table)
    assert len(release.to_pandas()) == 6
    back.validate(full=True)


def test_nothing_but_the_released_cells_leaves_with_an_arrow_table() -> None:
    table = pyarrow.table(
        {"x": pyarrow.array(["s", "s", "t", "u"]).dictionary_encode(), "y": ["a", "a", "b", "c"], "name": list("abcd")}
    )
    job: dict[str, Any] = {"identifiers": ["name"], "quasi_identifiers": {"y": "suppress"}, "keep": ["x"]}
    back = sc.anonymize(table.slice(0, 4), **job, k=2, suppression=0.5).to_arrow()
    assert back.column_names == ["x", "y"]
    assert back.column("x").combine_chunks().dictionary.to_pylist() == ["s"]


def test_a_relation_of_duckdb_comes_back_as_one_and_what_arrow_would_change_is_refused() -> None:
    query = "select unnest([1, 2, 3, 4]) as x, unnest(['a', 'a', 'b', 'b'])::enum('a', 'b', 'z') as y"
    relation = duckdb.sql(query)
    release = sc.anonymize(relation, quasi_identifiers={"y": "suppress"}, sensitive=["x"], k=2)
    back = release.to_native()
    assert isinstance(back, duckdb.DuckDBPyRelation)
    assert sorted(back.fetchall()) == [(1, "a"), (2, "a"), (3, "b"), (4, "b")]
    assert sc.check(relation, "y", 2).holds and not sc.check(relation, ["x", "y"], 2).holds
    for cell in ("'10:00:00+02'::timetz", "1::hugeint", "'101'::bit", "interval 1 month", "{'a': 1::uhugeint}"):
        other = duckdb.sql(f"select {cell} as x, 'a' as y")
        with pytest.raises(sc.SourceError, match=r"column 'x' (of type|has)"):
            sc.anonymize(other, **{**JOB, "k": 1})
        assert sc.anonymize(other, **{**JOB, "k": 1, "keep": [], "identifiers": ["x"]}).k == 1


@pytest.mark.parametrize(
    "table",
    [
        pyarrow.table({"": [1], "y": ["a"]}),
        pyarrow.table([[1], ["a"]], names=["y", "Y"]),
        pyarrow.table([[1], ["a"]], names=["y", "y"]),
        pyarrow.table({}),
    ],
)
def test_an_arrow_table_with_unusable_names_is_refused(table: pyarrow.Table) -> None:
    with pytest.raises(sc.SourceError, match=r"without a name|differ at most in case"):
        sc.check(table, "y", 1)


@pytest.mark.parametrize("data", [[1, 2], 7, {"y"}, pandas.Series(["a"]), pandas.DataFrame])
def test_what_is_no_data_frame_is_refused_with_what_is_one(data: Any) -> None:
    with pytest.raises(
        sc.SourceError, match=r"the data is of type .*: give a data frame of pandas or polars, an Arrow"
    ):
        sc.check(data, "y", 1)


def test_a_relation_that_fails_says_so_without_a_value() -> None:
    with pytest.raises(sc.SourceError, match=r"the data of type DuckDBPyRelation cannot be read \(\w+\)") as error:
        sc.check(duckdb.sql("select error('canary') as y"), "y", 1)
    assert "canary" not in str(error.value)


def test_kinds_become_one_another() -> None:
    frame = pandas.DataFrame({"x": [1, 2, None, 4, 5, 6], "y": HALVES}).astype({"x": "Int64"})
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    for data in (frame, table, duckdb.from_arrow(table)):
        release = sc.anonymize(data, **JOB)
        assert type(release.to_native()) is type(data)
        assert told(release.to_arrow()) == told(table)
        pandas.testing.assert_frame_equal(
            release.to_pandas().sort_values(["y", "x"]).reset_index(drop=True).astype({"x": "Int64"}), frame
        )
    odd = sc.anonymize(
        pandas.DataFrame({"x": [{1: 2}], "y": ["a"]}), quasi_identifiers={"y": "suppress"}, identifiers=["x"], k=1
    )
    assert odd.to_arrow().column_names == ["y"]


def test_a_release_that_another_kind_does_not_hold_says_so() -> None:
    sparse = pandas.DataFrame({"x": pandas.Series(pandas.arrays.SparseArray([0])), "y": ["a"]})
    release = sc.anonymize(sparse, **{**JOB, "k": 1})
    with pytest.raises(
        sc.OutputError, match=r"an Arrow table does not support the type of a released column \(.*to_pandas"
    ):
        release.to_arrow()


def test_dates_that_python_does_not_reach_stay_in_arrow_and_do_not_go_to_pandas() -> None:
    table = pyarrow.table({"x": pyarrow.array([2**31 - 2], pyarrow.date32()), "y": ["a"]})
    release = sc.anonymize(table, **{**JOB, "k": 1})
    assert release.to_native().equals(table)
    with pytest.raises(
        sc.OutputError,
        match="a data frame cannot keep dates that are infinite or outside the years 1 to 9999, as in column 'x'",
    ):
        release.to_pandas()


def test_a_masking_is_applied_to_frames_of_any_kind() -> None:
    frame = pandas.DataFrame({"age": [1, 2, 30, 40] * 3, "y": ["N", "N", "Y", "Y"] * 3})
    given: dict[str, Any] = {"quasi_identifiers": {"age": "numeric"}, "sensitive": ["y"], "k": 2}
    learnt = sc.anonymize(frame, **given, algorithm={"name": "tdr", "class": "y"})
    masked = learnt.apply(frame, k=1)
    table = learnt.apply(pyarrow.Table.from_pandas(frame, preserve_index=False), k=1)
    assert isinstance(table, pyarrow.Table) and table.to_pydict() == masked.to_dict("list")


def test_a_data_frame_of_polars_comes_back_as_one_with_its_own_types() -> None:
    polars = pytest.importorskip("polars")
    texts = ["a", "b", None] * 2
    columns = {
        "Int64": polars.Series([2**63 - 1, -(2**63), None] * 2),
        "UInt8": polars.Series([255, 0, None] * 2, dtype=polars.UInt8),
        "Float64": polars.Series([0.1 + 0.2, 0.3, None] * 2),
        "String": polars.Series(texts),
        "Categorical": polars.Series(texts, dtype=polars.Categorical),
        "Date": polars.Series([DAY.date(), None, None] * 2),
        "Time": polars.Series([DAY.time(), None, None] * 2),
        "Datetime": polars.Series([DAY, None, None] * 2).dt.replace_time_zone("Europe/Berlin"),
        "nanoseconds": polars.Series([1, 2, None] * 2).cast(polars.Datetime("ns")),
        "Duration": polars.Series([1, 2, None] * 2).cast(polars.Duration("us")),
        "Decimal": polars.Series([Decimal("1.10"), Decimal("1.20"), None] * 2),
        "Boolean": polars.Series([True, False, None] * 2),
        "Binary": polars.Series([b"\xff", b"", None] * 2),
        "List": polars.Series([[1], [], None] * 2),
        "Struct": polars.Series([{"a": 1}, {"a": 2}, {"a": None}] * 2),
        "Null": polars.Series([None] * 6),
    }
    frame = polars.DataFrame({**columns, "y": HALVES})
    release = sc.anonymize(frame, **{**JOB, "keep": list(columns)})
    back = release.to_native()
    assert isinstance(back, polars.DataFrame) and back.schema == frame.schema
    assert sorted(map(str, back.rows())) == sorted(map(str, frame.rows()))
    assert isinstance(sc.anonymize(frame.lazy(), **{**JOB, "keep": list(columns)}).to_native(), polars.DataFrame)
    assert release.to_arrow().num_rows == 6
    for name in ("Int64", "String", "Categorical", "Date", "Boolean"):
        assert sc.check(frame, name, 1).qids[0].classes == len(set(columns[name]))
    kept = sc.anonymize(pandas.DataFrame({"x": [1, 2] * 3, "y": HALVES}), **JOB).to_polars()
    assert isinstance(kept, polars.DataFrame) and sorted(kept["x"]) == [1, 1, 1, 2, 2, 2]


def test_an_enum_of_polars_does_not_carry_along_what_it_knows() -> None:
    polars = pytest.importorskip("polars")
    known = polars.Enum(["a", "b", "secret"])
    frame = polars.DataFrame(
        {"x": polars.Series(["a", "b", "secret", "secret"], dtype=known), "y": ["p", "p", "q", "r"]}
    )
    back = sc.anonymize(frame, quasi_identifiers={"y": "suppress"}, keep=["x"], k=2, suppression=0.5).to_polars()
    assert back["x"].dtype == polars.Categorical and back["x"].to_arrow().dictionary.to_pylist() in (
        ["a", "b"],
        ["b", "a"],
    )


def test_columns_of_polars_that_are_not_read_exactly_are_refused_by_name() -> None:
    polars = pytest.importorskip("polars")
    for cells in (
        polars.Series([object()], dtype=polars.Object),
        polars.Series([2**100], dtype=polars.Int128),
        polars.Series([["a"]], dtype=polars.List(polars.Categorical)),
    ):
        frame = polars.DataFrame({"x": cells, "y": ["a"]})
        with pytest.raises(sc.SourceError, match=r"column 'x' (of type|has) .*convert the column"):
            sc.anonymize(frame, **{**JOB, "k": 1})
        assert sc.anonymize(frame, **{**JOB, "k": 1, "keep": [], "identifiers": ["x"]}).to_native().columns == ["y"]


@pytest.mark.parametrize("output", [None, "o.csv"])
def test_errors_of_frames_do_not_speak_of_queries(output: str | None, tmp_path: Path) -> None:
    where = {} if output is None else {"output": {"path": str(tmp_path / output)}}
    cells: list[Any] = [[1], [float("nan")], [float("inf")], [-0.0]]
    frame = pandas.DataFrame({"y": ["a"]})
    for cell in cells:
        for frame in (pyarrow.table({"y": [cell]}), pyarrow.table({"y": cell})):
            with pytest.raises(sc.InputError, match=r"the data frame.* (cast it|replace them) in the data frame$"):
                sc.anonymize(frame, quasi_identifiers={"y": "suppress"}, k=1, **where)
            if cell == [1]:
                break


def test_a_script_without_an_output_keeps_what_no_data_frame_holds(tmp_path: Path) -> None:
    job, _ = kept_in_duckdb(tmp_path, "'101'::bit", "null")
    assert "odd" in sc.compile(job)
    with pytest.raises(sc.OutputError, match="a data frame cannot keep column 'odd' of type BIT unchanged"):
        sc.run(job)
