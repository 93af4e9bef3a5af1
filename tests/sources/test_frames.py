"""Data frames in and out: what is kept stays as it is, what is generalized is counted as it is, or refused by name."""

from __future__ import annotations

import contextlib
import datetime
import pickle
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
from starcloak.base.errors import SourceError
from tests.sources.cells import DAY, Decimal, kept, kept_in_duckdb

UTC, BERLIN = datetime.UTC, ZoneInfo("Europe/Berlin")


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
    "objects of numpy": objects(numpy.int64(1), numpy.int64(2)),
    **{f"datetime64[{unit}]": numbered(f"datetime64[{unit}]", 1, 2, -1) for unit in UNITS},
    **{f"datetime64[{unit}, UTC]": numbered(f"datetime64[{unit}]", 1, 2, -1).dt.tz_localize("UTC") for unit in UNITS},
    "category": pandas.Series(["a", "b", "a", None], dtype="category"),
    "category, ordered": pandas.Series(["a", "b", None], dtype=CATEGORIES),
    "category of numbers": pandas.Series([1, 300, 1, None], dtype="category"),
    "Sparse": pandas.Series(pandas.arrays.SparseArray([0, 1, 0])),
    "arrow decimal": arrow(pyarrow.decimal128(38, 2), Decimal("0.01"), Decimal("0.02")),
    "arrow decimal256": arrow(pyarrow.decimal256(76, 2), Decimal("0.01"), Decimal("0.02")),
    "arrow time64": arrow(pyarrow.time64("ns"), 1, 2),
    "arrow time32": arrow(pyarrow.time32("ms"), 1, 2),
    "arrow date32": arrow(pyarrow.date32(), 1, 2),
    "arrow date64": arrow(pyarrow.date64(), 86_400_000, 0),
    "arrow timestamp": arrow(pyarrow.timestamp("ns"), 1, 2),
    "arrow large_string": arrow(pyarrow.large_string(), "a", "b"),
    "arrow dictionary": arrow(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), "a", "b", "a"),
    "arrow float16": arrow(pyarrow.float16(), numpy.float16(1.5), numpy.float16(0.5)),
    "arrow uuid": stored(pyarrow.uuid(), b"0" * 16, b"1" * 16),
    "nothing": objects(None),
}


# Columns that are told apart when kept, but have no hierarchy.
NO_HIERARCHY = {
    "objects of bytes": objects(b"a", b"\xff"),
    "arrow binary": arrow(pyarrow.binary(), b"a", b"\xff"),
    "arrow fixed_size_binary": arrow(pyarrow.binary(2), b"ab", b"\xff\0"),
    "arrow list": arrow(pyarrow.list_(pyarrow.int32()), [1], [1, 2], []),
    "arrow struct": arrow(pyarrow.struct([("a", pyarrow.int32()), ("b", pyarrow.string())]), {"a": 1, "b": "x"}),
}

with contextlib.suppress(pyarrow.ArrowInvalid):  # of older versions, which take no such objects
    pyarrow.array([uuid.UUID(int=1)])
    PLAIN["objects of identifiers"] = objects(uuid.UUID(int=1), uuid.UUID(int=2))

# Types that pyarrow has since version 19.
if hasattr(pyarrow, "json_"):
    PLAIN["arrow decimal32"] = arrow(pyarrow.decimal32(5, 2), Decimal("0.01"), Decimal("0.02"))
    NO_HIERARCHY["arrow json"] = stored(pyarrow.json_(), '{"a": 1}', '{"a":1}')


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
    "with and without zone": (objects(DAY, DAY.replace(tzinfo=UTC)), "several time zones, or with and without a zone"),
    "two zones": (objects(DAY.replace(tzinfo=UTC), DAY.replace(tzinfo=BERLIN)), "several time zones"),
    "times of day in a zone": (objects(datetime.time(12), datetime.time(12, tzinfo=UTC)), "several time zones"),
    "times of day in UTC": (objects(datetime.time(12, tzinfo=UTC)), "several time zones, or with"),
    "nanoseconds apart": (objects(pandas.Timestamp(1), pandas.Timestamp(2)), "type Timestamp"),
    "timedeltas": (objects(datetime.timedelta(1), pandas.Timedelta(1, "ns")), "type Timedelta and timedelta"),
    "exponents": (objects(Decimal("1.0"), Decimal("1.00")), "equal numbers that are written differently"),
    "50 digits": (objects(Decimal(10**49), Decimal(10**49 + 1)), "more than 38 digits"),
    "99 digits": (objects(Decimal(10**98)), "cannot be read exactly"),
    "endless": (objects(Decimal("inf")), "cannot be read exactly"),
    "too large": (objects(2**63, 1), "cannot be read exactly"),
    "half a surrogate": (objects("\ud800"), "cannot be read exactly"),
    "numpy's and Python's": (objects(numpy.int64(1), 1), "type int and int64"),
    "two precisions": (objects(numpy.float32(0.1), 0.1), "type float and float32"),
    "long double": (objects(numpy.longdouble("0.1")), "type longdouble"),
    "lists": (objects([1], [1.0]), "type list"),
    "dictionaries": (objects({"a": 1}, {"b": 1}), "type dict"),
    "complex": (pandas.Series([1j]), "of type complex128 cannot be read exactly"),
    "category of both": (pandas.Series(["1", 1], dtype="category"), "type int and str"),
    "arrow decimal256": (arrow(pyarrow.decimal256(50, 0), 10**49, 10**49 + 1), "more than 38 digits"),
    "arrow date64": (arrow(pyarrow.date64(), 1), "cannot be read exactly"),
    "arrow string_view": (arrow(pyarrow.string_view(), "a"), "cannot be read exactly"),
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
        "cannot be read exactly",
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


ALL = {**PLAIN, **NO_HIERARCHY, **FOREIGN, **TIMEDELTAS}


def of_rows(several: dict[str, pandas.Series[Any]], rows: int) -> pandas.DataFrame:
    """A frame of the columns that have so many rows, by names that differ in more than case."""
    fitting = enumerate((name, series) for name, series in several.items() if len(series) == rows)
    return pandas.DataFrame({f"{number} {name}": series for number, (name, series) in fitting})


def sizes(several: dict[str, pandas.Series[Any]]) -> list[int]:
    return sorted({len(series) for series in several.values()})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rows", sizes(ALL))
def test_a_kept_column_comes_back_as_it_went_in(rows: int) -> None:
    """Columns of as many rows are in one frame."""
    columns = of_rows(ALL, rows)
    frame = pandas.concat([columns.assign(y="a"), columns.assign(y="b")]).set_axis(range(1000, 1000 + 2 * rows))
    back = sc.anonymize(frame, quasi_identifiers={"y": "suppress"}, keep=list(columns), k=rows).to_pandas()
    assert list(back.index) == list(range(2 * rows))
    for name, series in columns.items():
        if isinstance(series.dtype, pandas.CategoricalDtype):
            assert back[name].dtype.ordered == series.dtype.ordered
            assert list(back[name].dtype.categories) == list(series.cat.remove_unused_categories().cat.categories)
            assert back[name].dtype.categories.dtype == series.dtype.categories.dtype
        else:
            assert back[name].dtype == series.dtype, name
        for half in "ab":
            assert exactly(back[name][back["y"] == half]) == exactly(series), name


@pytest.mark.parametrize("rows", sizes(PLAIN))
def test_a_column_is_counted_as_python_counts_it(rows: int) -> None:
    columns = of_rows(PLAIN, rows)
    told = sc.check(columns, qids=[{"attributes": [name], "k": 1} for name in columns]).qids
    assert [qid.classes for qid in told] == [len(exactly(series)) for _, series in columns.items()]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [*NO_HIERARCHY, *FOREIGN, *TIMEDELTAS])
def test_a_column_without_hierarchies_is_no_quasi_identifier(name: str) -> None:
    frame = pandas.DataFrame({"x": {**NO_HIERARCHY, **FOREIGN, **TIMEDELTAS}[name]})
    if "Berlin" in name:
        classes = sc.check(frame, ["x"], 1).qids[0].classes
        assert classes == len(exactly(frame["x"]))
        return
    with pytest.raises(
        sc.InputError, match=r"'x'.*(without hierarchies|no hierarchy|too far|not read exactly)"
    ) as error:
        sc.check(frame, ["x"], 1)
    assert "\n" not in str(error.value)


@pytest.mark.sampled(3)
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


@pytest.mark.parametrize("rows", sizes({name: series for name, (series, _) in REFUSED.items()}))
def test_values_that_would_become_others_may_be_of_an_identifier(rows: int) -> None:
    columns = of_rows({name: series for name, (series, _) in REFUSED.items()}, rows)
    frame = columns.assign(y="a")
    assert sc.anonymize(frame, identifiers=list(columns), quasi_identifiers={"y": "suppress"}, k=1).k == rows


@pytest.mark.sampled(3)
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".duckdb"])
def test_what_a_place_does_not_hold_as_it_is_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"o{suffix}"
    url = {"url": f"duckdb:///{path}", "table": "o"}
    output = url if suffix == ".duckdb" else {"path": str(path)}
    for name, series in FOREIGN.items():
        with pytest.raises(sc.OutputError, match=r"cannot keep column 'x' of type .* unchanged"):
            kept(series, output=output)
        assert name and list(tmp_path.iterdir()) == []
    for series in TIMEDELTAS.values():
        if suffix == ".parquet":
            with pytest.raises(sc.OutputError, match="Parquet cannot keep column 'x' of type INTERVAL unchanged"):
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


NUMBER = int.from_bytes(b"hideaway", "little")


def hidden(cells: Any) -> Any:
    """The cells with the first one missing, and its bytes still there."""
    mask, kind = pyarrow.array([True, *[False] * (len(cells) - 1)]), cells.type
    if isinstance(kind, pyarrow.StructType):
        return pyarrow.StructArray.from_arrays(
            [cells.field(number) for number in range(kind.num_fields)], fields=list(kind), mask=mask
        )
    children = [cells.values] if pyarrow.types.is_nested(kind) else []
    buffers = cells.buffers()
    own = buffers[1 : len(buffers) - sum(len(child.buffers()) for child in children)]
    valid = pyarrow.array([False, *[True] * (len(cells) - 1)]).buffers()[1]
    return pyarrow.Array.from_buffers(kind, len(cells), [valid, *own], children=children)


def nested(of: Any) -> Any:
    return pyarrow.ListArray.from_arrays(pyarrow.array(range(len(of) + 1), pyarrow.int32()), of)


TEXTS, NUMBERS = pyarrow.array(["hideaway", *"abc"]), pyarrow.array([NUMBER, 1, 2, 3])
STRUCT = pyarrow.StructArray.from_arrays([TEXTS, NUMBERS], names=["text", "number"])
#: Arrow arrays of every kind with bytes beneath the first cell, and at any depth.
HIDING = {
    "number": hidden(NUMBERS),
    "fraction": hidden(NUMBERS.view(pyarrow.float64())),
    "time": hidden(pyarrow.array([NUMBER // 10, 1, 2, 3]).view(pyarrow.timestamp("ns"))),
    "text": hidden(TEXTS),
    "large text": hidden(TEXTS.cast(pyarrow.large_string())),
    "bytes": hidden(TEXTS.cast(pyarrow.binary())),
    "text among used ones": hidden(pyarrow.array(["hideaway", "a", None, "c"])),
    "list": hidden(nested(TEXTS)),
    "list of one length": hidden(pyarrow.FixedSizeListArray.from_arrays(NUMBERS, 1)),
    "struct": hidden(STRUCT),
    "text in a struct": pyarrow.StructArray.from_arrays([hidden(TEXTS)], names=["text"]),
    "struct in a list": nested(hidden(STRUCT)),
    "list of structs": hidden(nested(STRUCT)),
    "lists of lists": nested(hidden(nested(STRUCT))),
}
MASKED = {
    "Int64": pandas.arrays.IntegerArray(NUMBERS.to_numpy().copy(), numpy.array([True, False, False, False])),
    "UInt64": pandas.arrays.IntegerArray(NUMBERS.to_numpy().astype("uint64"), numpy.array([True, False, False, False])),
    "Float64": pandas.arrays.FloatingArray(
        NUMBERS.to_numpy().view("float64").copy(), numpy.array([True, False, False, False])
    ),
    "boolean": pandas.arrays.BooleanArray(numpy.array([True] + [False] * 3), numpy.array([True] + [False] * 3)),
}


def bytes_of(column: Any) -> bytes:
    """The memory of a frame's column, and of its pickle."""
    cells = column
    if hasattr(column, "to_arrow"):  # texts of polars as they lie in memory
        polars = pytest.importorskip("polars")
        cells = column.to_arrow(compat_level=polars.CompatLevel.newest())
    if isinstance(column, pandas.Series):
        if hasattr(column.array, "_mask"):
            return bytes(column.array._data) + pickle.dumps(column)
        cells = pyarrow.Array.from_pandas(column)
    chunks = cells.chunks if isinstance(cells, pyarrow.ChunkedArray) else [cells]
    return b"".join(buffer.to_pybytes() for chunk in chunks for buffer in chunk.buffers() if buffer)


def in_arrow() -> pyarrow.Table:
    return pyarrow.table({"q": ["p"] * 4, **HIDING})


def in_polars() -> Any:
    return pytest.importorskip("polars").from_arrow(in_arrow())


def in_pandas() -> pandas.DataFrame:
    columns = {kind: pandas.arrays.ArrowExtensionArray(cells) for kind, cells in HIDING.items()}
    texts = pandas.StringDtype("pyarrow").__from_arrow__(HIDING["large text"])
    return pandas.DataFrame({"q": ["p"] * 4, **columns, **MASKED, "texts": texts})


@pytest.mark.parametrize("library", [in_arrow, in_polars, in_pandas])
def test_a_missing_cell_of_a_released_frame_has_no_value_beneath(library: Any) -> None:
    frame = library()
    names = [str(name) for name in (frame.column_names if library is in_arrow else frame.columns) if name != "q"]
    release = sc.anonymize(frame, quasi_identifiers={"q": "suppress"}, keep=names, k=2)
    leaking = []
    for way, released in {"released": release.to_native(), "masked": release.apply(frame)}.items():
        for name in names:
            memory = bytes_of(released[name])
            secret = NUMBER // 10 if name == "time" else NUMBER
            if secret.to_bytes(8, "little") in memory or (name == "boolean" and released[name].array._data.any()):
                leaking.append((way, name))
            before, after = (
                column.to_list() if hasattr(column, "to_list") else column.to_pylist()
                for column in (frame[name], released[name])
            )
            assert sorted(map(repr, after)) == sorted(map(repr, before)), (way, name)
    assert not leaking


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_a_released_frame_has_no_bytes_of_a_suppressed_row(library: str) -> None:
    cells = pyarrow.array(["a", "hideaway from everybody", None, "c" * 30])  # longer than texts within a view
    kinds = {"text": cells, "list": nested(cells), "struct": pyarrow.StructArray.from_arrays([cells], names=["text"])}
    frame: Any = pyarrow.table({"q": ["p", "r", "p", "p"], **kinds, "bytes": cells.cast(pyarrow.binary())})
    if library == "polars":
        frame = pytest.importorskip("polars").from_arrow(frame)
    if library == "pandas":
        frame = frame.to_pandas(types_mapper=pandas.ArrowDtype)
    names = [*kinds, "bytes"]
    release = sc.anonymize(frame, quasi_identifiers={"q": {"digits": 1}}, keep=names, k=2, suppression=0.4)
    released = release.to_native()
    assert len(released) == 3
    assert [name for name in names if b"hideaway" in bytes_of(released[name])] == []


def test_views_of_lists_are_refused_as_their_parts_keep_all_lists() -> None:
    cells = pyarrow.array([0, 1])
    views = pyarrow.ListViewArray.from_arrays(
        cells.cast(pyarrow.int32()), pyarrow.array([1, 1], pyarrow.int32()), cells
    )
    with pytest.raises(SourceError, match="'x' has list_view"):
        sc.anonymize(pyarrow.table({"q": ["p"] * 2, "x": views}), quasi_identifiers={"q": "suppress"}, keep=["x"], k=2)


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


@pytest.mark.sampled(4)
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("date 'infinity'", "dates that are infinite or outside the years 1 to 9999"),
        ("date '-infinity'", "dates that are infinite or outside the years 1 to 9999"),
        ("date '10000-01-01'", "dates that are infinite or outside the years 1 to 9999"),
        ("date '0001-12-31 (BC)'", "dates that are infinite or outside the years 1 to 9999"),
        ("[null, date 'infinity']", "dates that are infinite or outside the years 1 to 9999"),
        ("{'a': map {'b': date 'infinity'}}", "dates that are infinite or outside the years 1 to 9999"),
        ("time '24:00:00'", "the time 24:00:00"),
        ("timestamp 'infinity'", "times that are infinite"),
        ("timestamp '-infinity'", "times that are infinite"),
        ("timestamp_s 'infinity'", "times that are infinite"),
        ("timestamptz 'infinity'", "times that are infinite"),
        ("[timestamp 'infinity']", "times that are infinite"),
        ("interval '2562048 hours'", "intervals of too many hours"),
        ("interval '-2562048 hours'", "intervals of too many hours"),
    ],
)
def test_values_of_duckdb_that_no_data_frame_holds_are_refused_by_name(cell: str, problem: str, tmp_path: Path) -> None:
    """Of those that are in range none is, and a release into a file has all of them."""
    job, elsewhere = kept_in_duckdb(tmp_path, cell, "null")
    with pytest.raises(sc.OutputError, match=rf"^a data frame cannot keep {problem}, as in column 'odd': replace"):
        sc.run(job)
    release = sc.run(elsewhere)
    with pytest.raises(sc.OutputError, match=f"a data frame cannot keep .*{problem}.*, as in column 'odd'"):
        release.to_pandas()
    with duckdb.connect(str(tmp_path / "fresh.duckdb")) as connection:
        assert connection.execute(f"select count(*) from cohort where odd = {cell}").fetchone() == (1,)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["date '0001-01-01'", "date '9999-12-31'"], [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
        (["time '23:59:59.999999'", "null"], [datetime.time(23, 59, 59, 999999), None]),
        ([f"'{-(2**127)}'::hugeint", f"'{2**127 - 1}'::hugeint"], [Decimal(-(2**127)), Decimal(2**127 - 1)]),
        (["[9007199254740993, null]", "[1]"], [[9007199254740993, None], [1]]),
        (["null::interval", "null"], [None, None]),
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
        assert sorted(map(exact_text, found)) == sorted(map(exact_text, expected))


def exact_text(cell: Any) -> str:
    """A text of a cell; of an interval, the moment so long after 1970, as it may be given in other units."""
    return str(pandas.Timestamp(0) + cell) if isinstance(cell, pandas.DateOffset) else repr(cell)


def test_days_of_a_column_with_a_time_zone_are_said_to_be_those_of_utc() -> None:
    moments = pandas.to_datetime(["2024-01-01 00:30"] * 4)
    for zone, unit in ((None, "s"), ("Europe/Berlin", "s"), ("Europe/Berlin", "ns")):
        frame = pandas.DataFrame({"visited": moments.tz_localize(zone).as_unit(unit)})
        release = sc.anonymize(frame, quasi_identifiers={"visited": {"dates": ["day", "month"]}}, k=2)
        assert any("days are counted in UTC" in said for said in release.result.warnings) == (zone is not None)
