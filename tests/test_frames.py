"""Data frames in and out: what is kept stays as it is, what is generalized is counted as it is, or refused by name."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections import Counter
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import numpy
import pandas
import pyarrow
import pytest

import starcloak as sc

Decimal = decimal.Decimal
UTC, BERLIN = datetime.UTC, ZoneInfo("Europe/Berlin")
DAY = datetime.datetime(2020, 3, 29, 12)


def objects(*values: Any) -> pandas.Series[Any]:
    """A column of Python objects, a missing one last."""
    cells = numpy.empty(len(values) + 1, dtype=object)
    cells[:-1] = values
    return pandas.Series(cells, dtype=object)


def numbered(kind: str, *values: int) -> pandas.Series[Any]:
    return pandas.Series(numpy.array([*values, numpy.iinfo("int64").min], dtype="int64").view(kind))


def arrow(kind: Any, *values: Any) -> pandas.Series[Any]:
    return pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.array([*values, None], kind)))


def stored(kind: Any, *values: Any) -> pandas.Series[Any]:
    cells = pyarrow.ExtensionArray.from_storage(kind, pyarrow.array([*values, None], kind.storage_type))
    return pandas.Series(pandas.arrays.ArrowExtensionArray(cells))


UNITS = ["s", "ms", "us", "ns"]
CATEGORIES = pandas.CategoricalDtype(["c", "b", "a"], ordered=True)

# Columns whose values are told apart, and held by any place that a release may go to.
PLAIN = {
    "bool": pandas.Series([True, False, True]),
    **{
        kind: pandas.Series([1, 2, 100], dtype=kind) for kind in ("int8", "int16", "int32", "uint8", "uint16", "uint32")
    },
    "int64": pandas.Series([2**63 - 1, 2**63 - 2, -(2**63)]),
    "uint64": pandas.Series([2**64 - 1, 2**64 - 2, 0], dtype="uint64"),
    "float16": pandas.Series([1.5, 0.1, 65504.0], dtype="float16"),
    "float32": pandas.Series([0.1, 0.10000001, 16777216.0], dtype="float32"),
    "float64": pandas.Series([0.1 + 0.2, 0.3, numpy.nan]),
    "boolean": pandas.Series([True, False, None], dtype="boolean"),
    "Int64": pandas.Series([2**53, 2**53 + 1, None], dtype="Int64"),
    "UInt8": pandas.Series([1, 255, None], dtype="UInt8"),
    "Float64": pandas.Series([1.5, 0.1, None], dtype="Float64"),
    "str": pandas.Series(["a", "", None], dtype="str"),
    "string": pandas.Series(["a", "\ufeffa", None], dtype="string"),
    "string python": pandas.Series(["a", "A", None], dtype=pandas.StringDtype("python")),
    "objects of text": objects("a", "a ", "é", "e\u0301"),
    "objects of truth": objects(True, False),
    "objects of whole numbers": objects(1, 2**62),
    "objects of binary fractions": objects(0.1, 0.3, 0.1 + 0.2),
    "objects of decimals": objects(Decimal("1.10"), Decimal("2.50")),
    "objects of many digits": objects(Decimal(10**37), Decimal(10**37 + 1)),
    "objects of dates": objects(datetime.date(2020, 1, 1), datetime.date(1, 1, 1), datetime.date(9999, 12, 31)),
    "objects of times": objects(DAY, DAY + datetime.timedelta(microseconds=1), datetime.datetime.max),
    "objects of times in UTC": objects(DAY.replace(tzinfo=UTC), DAY.replace(tzinfo=UTC, microsecond=1)),
    "objects of times of day": objects(datetime.time(12), datetime.time(12, microsecond=1)),
    "objects of identifiers": objects(uuid.UUID(int=1), uuid.UUID(int=2)),
    "objects of numpy": objects(numpy.int64(1), numpy.int64(2)),
    **{f"datetime64[{unit}]": numbered(f"datetime64[{unit}]", 1, 2, -1) for unit in UNITS},
    **{f"datetime64[{unit}, UTC]": numbered(f"datetime64[{unit}]", 1, 2, -1).dt.tz_localize("UTC") for unit in UNITS},
    "category": pandas.Series(["a", "b", "a", None], dtype="category"),
    "category, ordered": pandas.Series(["a", "b", None], dtype=CATEGORIES),
    "category of numbers": pandas.Series([1, 300, 1, None], dtype="category"),
    "Sparse": pandas.Series(pandas.arrays.SparseArray([0, 1, 0])),
    "arrow decimal": arrow(pyarrow.decimal128(38, 2), Decimal("0.01"), Decimal("0.02")),
    "arrow decimal256": arrow(pyarrow.decimal256(76, 2), Decimal("0.01"), Decimal("0.02")),
    "arrow decimal32": arrow(pyarrow.decimal32(5, 2), Decimal("0.01"), Decimal("0.02")),
    "arrow time64": arrow(pyarrow.time64("ns"), 1, 2),
    "arrow time32": arrow(pyarrow.time32("ms"), 1, 2),
    "arrow date32": arrow(pyarrow.date32(), 1, 2),
    "arrow date64": arrow(pyarrow.date64(), 86_400_000, 0),
    "arrow timestamp": arrow(pyarrow.timestamp("ns"), 1, 2),
    "arrow large_string": arrow(pyarrow.large_string(), "a", "b"),
    "arrow dictionary": arrow(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), "a", "b", "a"),
    "arrow float16": arrow(pyarrow.float16(), 1.5, 0.5),
    "arrow uuid": stored(pyarrow.uuid(), b"0" * 16, b"1" * 16),
    "nothing": objects(None),
}

# Columns that are told apart when kept, but have no hierarchy.
NO_HIERARCHY = {
    "objects of bytes": objects(b"a", b"\xff"),
    "arrow binary": arrow(pyarrow.binary(), b"a", b"\xff"),
    "arrow fixed_size_binary": arrow(pyarrow.binary(2), b"ab", b"\xff\0"),
    "arrow json": stored(pyarrow.json_(), '{"a": 1}', '{"a":1}'),
    "arrow list": arrow(pyarrow.list_(pyarrow.int32()), [1], [1, 2], []),
    "arrow struct": arrow(pyarrow.struct([("a", pyarrow.int32()), ("b", pyarrow.string())]), {"a": 1, "b": "x"}),
}

# Columns that nothing but a data frame holds.
FOREIGN = {
    **{
        f"datetime64[{unit}, Europe/Berlin]": numbered(f"datetime64[{unit}]", 1, 2).dt.tz_localize("Europe/Berlin")
        for unit in UNITS
    },
    "objects of times in Berlin": objects(DAY.replace(tzinfo=BERLIN), DAY.replace(tzinfo=BERLIN, microsecond=1)),
    "the last nanosecond": numbered("datetime64[ns]", 2**63 - 1, 1),
    "far off": numbered("datetime64[s]", 2**62, 1),
    "too far back": numbered("datetime64[us]", 2 - 2**63, 1),
    "timedelta64[ns]": numbered("timedelta64[ns]", 1, 2),
    "period": pandas.Series(pandas.period_range("2020-01", "2020-03", freq="M")),
    "interval": pandas.Series(pandas.interval_range(0, 3)),
    "category of intervals": pandas.cut(pandas.Series([1, 5, 9]), 3),
    "category in Berlin": pandas.Series(pandas.to_datetime(["2020-01-01", "2020-01-02"]))
    .dt.tz_localize("Europe/Berlin")
    .astype("category"),
}

# A time without an instant is held by a CSV and a table, not by Parquet.
TIMEDELTAS = {
    **{f"timedelta64[{unit}]": numbered(f"timedelta64[{unit}]", 1, 2) for unit in ("s", "ms", "us")},
    "objects of timedeltas": objects(datetime.timedelta(1), datetime.timedelta(hours=24, microseconds=1)),
    "arrow duration": arrow(pyarrow.duration("us"), 1, 2),
}

# Columns in which values would become others, and what is said of them.
REFUSED = {
    "1 and 1.0": (objects(1, 1.0), "type float and int"),
    "True and 1": (objects(True, 1), "type bool and int"),
    "text and bytes": (objects("a", b"a"), "type bytes and str"),
    "dates and times": (objects(DAY.date(), DAY), "type date and datetime"),
    "times and dates": (objects(DAY, DAY.date()), "type date and datetime"),
    "with and without zone": (objects(DAY, DAY.replace(tzinfo=UTC)), "several time zones, or with and without one"),
    "two zones": (objects(DAY.replace(tzinfo=UTC), DAY.replace(tzinfo=BERLIN)), "several time zones"),
    "times of day in a zone": (objects(datetime.time(12), datetime.time(12, tzinfo=UTC)), "several time zones"),
    "times of day in UTC": (objects(datetime.time(12, tzinfo=UTC)), "several time zones, or with"),
    "nanoseconds apart": (objects(pandas.Timestamp(1), pandas.Timestamp(2)), "type Timestamp"),
    "timedeltas": (objects(datetime.timedelta(1), pandas.Timedelta(1, "ns")), "type Timedelta and timedelta"),
    "exponents": (objects(Decimal("1.0"), Decimal("1.00")), "equal numbers that are written differently"),
    "50 digits": (objects(Decimal(10**49), Decimal(10**49 + 1)), "more than 38 digits"),
    "99 digits": (objects(Decimal(10**98)), "is not read exactly"),
    "endless": (objects(Decimal("inf")), "is not read exactly"),
    "too large": (objects(2**63, 1), "is not read exactly"),
    "half a surrogate": (objects("\ud800"), "is not read exactly"),
    "numpy's and Python's": (objects(numpy.int64(1), 1), "type int and int64"),
    "two precisions": (objects(numpy.float32(0.1), 0.1), "type float and float32"),
    "long double": (objects(numpy.longdouble("0.1")), "type longdouble"),
    "lists": (objects([1], [1.0]), "type list"),
    "dictionaries": (objects({"a": 1}, {"b": 1}), "type dict"),
    "complex": (pandas.Series([1j]), "of type complex128 is not read exactly"),
    "category of both": (pandas.Series(["1", 1], dtype="category"), "type int and str"),
    "arrow decimal256": (arrow(pyarrow.decimal256(50, 0), 10**49, 10**49 + 1), "more than 38 digits"),
    "arrow date64": (arrow(pyarrow.date64(), 1), "is not read exactly"),
    "arrow string_view": (arrow(pyarrow.string_view(), "a"), "is not read exactly"),
    "arrow months": (arrow(pyarrow.month_day_nano_interval(), (1, 2, 3)), "month_day_nano_interval"),
    "arrow bool8": (stored(pyarrow.bool8(), 1, 2), "bool8"),
    "arrow list of zones": (arrow(pyarrow.list_(pyarrow.timestamp("us", "Europe/Berlin")), [1]), "Europe/Berlin"),
    "arrow list of a dictionary": (
        pandas.Series(
            pandas.arrays.ArrowExtensionArray(
                pyarrow.ListArray.from_arrays([0, 1], pyarrow.array(["a"]).dictionary_encode())
            )
        ),
        "dictionary",
    ),
    "arrow struct of twins": (
        arrow(pyarrow.struct([("a", pyarrow.int32()), ("A", pyarrow.int32())]), {"a": 1, "A": 2}),
        "differ at most in case",
    ),
    "arrow text that is none": (
        pandas.Series(
            pandas.arrays.ArrowExtensionArray(pyarrow.array([b"\xff"], pyarrow.binary()).view(pyarrow.string()))
        ),
        "is not read exactly",
    ),
}  # fmt: skip


def exactly(series: pandas.Series[Any]) -> Counter[str]:
    """How often a column has each value: by its type and all of its digits; the missing one is one."""
    cells = list(series)
    if str(series.dtype).startswith("time64[ns]"):  # of which Python drops the nanoseconds
        cells = pyarrow.Array.from_pandas(series).cast(pyarrow.int64()).to_pylist()
    return Counter(
        "missing" if gone else f"{type(cell)} {cell!r}" for cell, gone in zip(cells, series.isna(), strict=True)
    )


def framed(series: pandas.Series[Any]) -> pandas.DataFrame:
    """A frame with a column twice, each half with a class of its own, and an index that is no one's business."""
    both = pandas.concat([series, series], ignore_index=True)
    frame = pandas.DataFrame({"x": both, "y": ["a"] * len(series) + ["b"] * len(series)})
    return frame.set_axis(frame.index + 1000)


def kept(series: pandas.Series[Any], **more: Any) -> Any:
    return sc.anonymize(framed(series), quasi_identifiers={"y": "suppress"}, keep=["x"], k=len(series), **more)


@pytest.mark.parametrize("name", [*PLAIN, *NO_HIERARCHY, *FOREIGN, *TIMEDELTAS])
def test_a_kept_column_comes_back_as_it_went_in(name: str) -> None:
    series = {**PLAIN, **NO_HIERARCHY, **FOREIGN, **TIMEDELTAS}[name]
    frame, back = framed(series), kept(series).to_pandas()
    assert list(back.index) == list(range(len(frame)))
    if isinstance(series.dtype, pandas.CategoricalDtype):
        assert back["x"].dtype.ordered == series.dtype.ordered
        assert list(back["x"].dtype.categories) == list(series.cat.remove_unused_categories().cat.categories)
        assert back["x"].dtype.categories.dtype == series.dtype.categories.dtype
    else:
        assert back["x"].dtype == frame["x"].dtype
    for half in "ab":
        assert exactly(back["x"][back["y"] == half]) == exactly(frame["x"][frame["y"] == half])


@pytest.mark.parametrize("name", PLAIN)
def test_a_column_is_counted_as_python_counts_it(name: str) -> None:
    series = PLAIN[name]
    assert sc.check(pandas.DataFrame({"x": series}), ["x"], 1).qids[0].classes == len(exactly(series))


@pytest.mark.parametrize("name", [*NO_HIERARCHY, *FOREIGN, *TIMEDELTAS])
def test_a_column_without_hierarchies_is_no_quasi_identifier(name: str) -> None:
    frame = pandas.DataFrame({"x": {**NO_HIERARCHY, **FOREIGN, **TIMEDELTAS}[name]})
    if "Berlin" in name:
        classes = sc.check(frame, ["x"], 1).qids[0].classes
        assert classes == len(exactly(frame["x"]))
        return
    with pytest.raises(sc.InputError, match=r"'x'.*(no hierarchy|too far|not read exactly)") as error:
        sc.check(frame, ["x"], 1)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", REFUSED)
def test_values_that_would_become_others_are_refused_by_name(name: str) -> None:
    series, problem = REFUSED[name]
    frame = pandas.DataFrame({"x": series, "y": "a"})
    for attempt in (
        lambda: sc.anonymize(frame, quasi_identifiers={"y": "suppress"}, keep=["x"], k=1),
        lambda: sc.check(frame, ["x"], 1),
        lambda: sc.check(frame, ["y"], 1, l_diversity=[{"attribute": "x", "l": 2}]),
    ):
        with pytest.raises(sc.InputError, match=f"column 'x' .*{problem}") as error:
            attempt()
        assert "\n" not in str(error.value)
    assert sc.anonymize(frame, identifiers=["x"], quasi_identifiers={"y": "suppress"}, k=1).k == len(frame)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".duckdb"])
def test_what_a_place_does_not_hold_as_it_is_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"o{suffix}"
    url = {"url": f"duckdb:///{path}", "table": "o"}
    output = url if suffix == ".duckdb" else {"path": str(path)}
    for name, series in FOREIGN.items():
        with pytest.raises(sc.OutputError, match=r"column 'x' is of type .*, which it does not keep as it is"):
            kept(series, output=output)
        assert name and list(tmp_path.iterdir()) == []
    for series in TIMEDELTAS.values():
        if suffix == ".parquet":
            with pytest.raises(
                sc.OutputError, match="column 'x' is of type INTERVAL, which Parquet does not keep as it is"
            ):
                kept(series, output=output)
        else:
            kept(series, output=output)
            path.unlink()


def test_nothing_but_the_released_cells_leaves_with_a_frame() -> None:
    frame = pandas.DataFrame(
        {
            "name": ["Ann", "Bob", "Cid", "Dan"],
            "x": pandas.Series(["s", "s", "t", "u"], dtype="category"),
            "d": pandas.arrays.ArrowExtensionArray(pyarrow.array(["s", "s", "t", "u"]).dictionary_encode()),
            "y": ["a", "a", "b", "c"],
        }
    ).set_axis(pandas.Index(["i", "j", "k", "l"], name="who"))
    frame.attrs = {"secret": "t"}
    job: dict[str, Any] = {"identifiers": ["name"], "quasi_identifiers": {"y": "suppress"}, "keep": ["x", "d"]}
    back = sc.anonymize(frame, **job, k=2, suppression=0.5).to_pandas()
    assert list(back.columns) == ["x", "d", "y"]
    assert (back.index.name, list(back.index), back.attrs) == (None, [0, 1], {})
    assert list(back["x"].cat.categories) == ["s"]
    assert pyarrow.Array.from_pandas(back["d"]).dictionary.to_pylist() == ["s"]


def test_a_frame_that_changes_later_changes_no_release() -> None:
    frame = pandas.DataFrame({"x": ["p", "q"], "y": ["a", "a"]})
    release = sc.anonymize(frame, quasi_identifiers={"y": "suppress"}, keep=["x"], k=2)
    back = release.to_pandas()
    frame.iloc[:, :] = back.iloc[:, :] = "changed"
    assert sorted(release.to_pandas()["x"]) == ["p", "q"]


def test_columns_are_called_as_those_of_the_frame() -> None:
    frame = pandas.DataFrame({0: ["p", "q"], 1: ["a", "a"], "position": [1, 2]})
    release = sc.anonymize(frame, quasi_identifiers={"1": "suppress"}, keep=["0"], sensitive=["position"], k=2)
    assert list(release.to_pandas().columns) == [0, 1, "position"]
    assert (
        "position"
        not in sc.anonymize(frame, quasi_identifiers={"1": "suppress"}, keep=["0", "position"], k=2)
        .sql()
        .split("select")[0]
    )
    for columns, problem in (
        (pandas.MultiIndex.from_tuples([("a", "b"), ("a", "c"), ("a", "d")]), "several levels"),
        (["a", "a", "b"], "'a' and 'a' differ at most in case"),
        ([1, "1", "b"], "'1' and '1' differ at most in case"),
        (["a", "", "b"], "without a name"),
    ):
        with pytest.raises(sc.SourceError, match=problem):
            sc.check(frame.set_axis(columns, axis=1), ["a"], 1)


@pytest.mark.parametrize("algorithm", ["witness", "kaca", "mondrian", "tdr", "cell-suppression", "datafly"])
def test_rows_of_a_frame_stay_whole_whatever_recodes_them(algorithm: str) -> None:
    """What a row has in its kept columns is what the row had, whose other cells are generalized."""
    rows = 40
    frame = pandas.DataFrame(
        {
            "zip": [str(10 + number % 7) for number in range(rows)],
            "age": [number * 13 % 11 for number in range(rows)],
            "period": pandas.period_range("2000-01", periods=rows, freq="M"),
            "when": pandas.date_range("2000-01-01", periods=rows, freq="D", tz="Europe/Berlin"),
            "class": [["Y", "N"][number % 3 == 0] for number in range(rows)],
        }
    )
    settings = {"name": algorithm, **({"class": "class"} if algorithm == "tdr" else {})}
    kinds: dict[str, Any] = {"zip": {"digits": 2}, "age": {"intervals": [5]}}
    job: dict[str, Any] = {
        "quasi_identifiers": kinds,
        "keep": ["period", "when", "class"],
        "algorithm": settings,
        "k": 4,
    }
    back = sc.anonymize(frame, **job).to_pandas()
    shuffled = sc.anonymize(frame.sample(frac=1, random_state=3), **job).to_pandas()
    pandas.testing.assert_frame_equal(back, shuffled)
    assert list(back["period"]) != sorted(back["period"])
    joined = back.merge(frame, on="period", suffixes=("", "_before"))
    assert len(joined) == rows
    for kind in ("when", "class"):
        assert joined[kind].dtype == frame[kind].dtype
        assert (joined[kind] == joined[f"{kind}_before"]).all()
    for released, before in zip(joined["zip"], joined["zip_before"], strict=True):
        assert released == "*" or before.startswith(released.rstrip("*"))


def kept_in_duckdb(folder: Path, *cells: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A job on a DuckDB file that keeps a column of some cells; the same with a release into another file."""
    file = folder / "there.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"create table people as select 'x' as who, unnest([{', '.join(cells)}]) as odd")
    job = {
        "source": {"url": f"duckdb:///{file}", "table": "people"},
        "quasi_identifiers": {"who": "suppress"},
        "keep": ["odd"],
        "requirement": {"k": 1},
    }
    return job, {**job, "output": {"url": f"duckdb:///{folder / 'fresh.duckdb'}", "table": "cohort"}}


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("date 'infinity'", "dates that are infinite, or of no year from 1 to 9999"),
        ("date '-infinity'", "dates that are infinite, or of no year from 1 to 9999"),
        ("date '10000-01-01'", "dates that are infinite, or of no year from 1 to 9999"),
        ("date '0001-12-31 (BC)'", "dates that are infinite, or of no year from 1 to 9999"),
        ("[null, date 'infinity']", "dates that are infinite, or of no year from 1 to 9999"),
        ("{'a': map {'b': date 'infinity'}}", "dates that are infinite, or of no year from 1 to 9999"),
        ("time '24:00:00'", "the time 24:00:00"),
        ("timestamp 'infinity'", "times that are infinite"),
        ("timestamp '-infinity'", "times that are infinite"),
        ("timestamp_s 'infinity'", "times that are infinite"),
        ("timestamptz 'infinity'", "times that are infinite"),
        ("[timestamp 'infinity']", "times that are infinite"),
        ("interval '2562048 hours'", "intervals of more hours than it counts"),
        ("interval '-2562048 hours'", "intervals of more hours than it counts"),
    ],
)
def test_values_of_duckdb_that_no_data_frame_holds_are_refused_by_name(cell: str, problem: str, tmp_path: Path) -> None:
    """Of those that are in range none is, and a release into a file has all of them."""
    job, elsewhere = kept_in_duckdb(tmp_path, cell, "null")
    with pytest.raises(
        sc.OutputError, match=rf"^column 'odd' has {problem}, which a data frame does not keep: replace"
    ):
        sc.run(job)
    release = sc.run(elsewhere)
    with pytest.raises(sc.OutputError, match=f"column 'odd' has {problem}"):
        release.to_pandas()
    with duckdb.connect(str(tmp_path / "fresh.duckdb")) as connection:
        assert connection.execute(f"select count(*) from cohort where odd = {cell}").fetchone() == (1,)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["date '0001-01-01'", "date '9999-12-31'"], [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
        (["time '23:59:59.999999'", "null"], [datetime.time(23, 59, 59, 999999), None]),
        ([f"'{-(2**127)}'::hugeint", f"'{2**127 - 1}'::hugeint"], [Decimal(-(2**127)), Decimal(2**127 - 1)]),
        (["[9007199254740993, null]", "[1]"], [[9007199254740993, None], [1]]),
        (
            ["interval '2562046 hours'", "interval '1 month'"],
            [
                pandas.DateOffset(months=0, days=0, nanoseconds=2562046 * 3600 * 10**9),
                pandas.DateOffset(months=1, days=0, nanoseconds=0),
            ],
        ),
    ],
)
def test_values_of_duckdb_come_to_a_data_frame_as_they_are(cells: list[str], expected: Any, tmp_path: Path) -> None:
    for job in kept_in_duckdb(tmp_path, *cells):
        found = [list(cell) if isinstance(cell, numpy.ndarray) else cell for cell in sc.run(job).to_pandas()["odd"]]
        assert sorted(map(repr, found)) == sorted(map(repr, expected))


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
        with pytest.raises(sc.SourceError, match=r"column 'x' (of type|holds)"):
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
    with pytest.raises(
        sc.SourceError, match=r"the data is of type DuckDBPyRelation and cannot be read \(\w+\)"
    ) as error:
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
        sc.OutputError, match=r"the release has a column that an Arrow table does not hold \(.*to_pandas"
    ):
        release.to_arrow()


def test_dates_that_python_does_not_reach_stay_in_arrow_and_do_not_go_to_pandas() -> None:
    table = pyarrow.table({"x": pyarrow.array([2**31 - 2], pyarrow.date32()), "y": ["a"]})
    release = sc.anonymize(table, **{**JOB, "k": 1})
    assert release.to_native().equals(table)
    with pytest.raises(sc.OutputError, match="column 'x' has dates that are infinite, or of no year from 1 to 9999"):
        release.to_pandas()


def test_a_masking_is_applied_to_frames_of_any_kind() -> None:
    frame = pandas.DataFrame({"age": [1, 2, 30, 40] * 3, "y": ["N", "N", "Y", "Y"] * 3})
    given: dict[str, Any] = {"quasi_identifiers": {"age": "numeric"}, "sensitive": ["y"], "k": 2}
    learnt = sc.anonymize(frame, **given, algorithm={"name": "tdr", "class": "y"})
    masked = learnt.apply(frame)
    table = learnt.apply(pyarrow.Table.from_pandas(frame, preserve_index=False))
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
        with pytest.raises(sc.SourceError, match=r"column 'x' (of type|holds) .*convert it"):
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
    with pytest.raises(sc.OutputError, match="column 'odd' is of type BIT, which a data frame does not keep as it is"):
        sc.run(job)
