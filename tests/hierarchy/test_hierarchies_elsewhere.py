"""Hierarchies of Python's own, of files of ARX and of tables in databases."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pytest

import starcloak as sc
from starcloak.base import installation
from starcloak.base.errors import HierarchyError
from starcloak.hierarchy.builder import builders
from starcloak.job import load
from starcloak.star.star import Star


def frames(given: pandas.DataFrame) -> Iterator[Any]:
    """A data frame as every kind that there is."""
    yield given
    table = pyarrow.Table.from_pandas(given, preserve_index=False)
    yield table
    yield duckdb.connect().from_arrow(table)
    try:
        import polars
    except ImportError:
        return
    yield polars.from_arrow(table)
    yield polars.from_arrow(table).lazy()


def test_a_data_frame_of_any_kind_as_a_hierarchy(dimension: Callable[..., Any]) -> None:
    given = pandas.DataFrame({"leaf": [1, 20, None], "level": ["low", "high", "none"]}, index=[7, 8, 9])
    given["leaf"] = given["leaf"].astype("Int64")
    expected = [("1", "low", "*"), ("20", "high", "*"), (None, "none", "*")]
    for frame in frames(given):
        assert dimension(frame, [1, 20, None], "Int64") == expected
        assert dimension({"frame": frame}, [1, 20, None], "Int64") == expected
    for frame in frames(given.assign(top="Any")):
        assert dimension(frame, [1, 20], "Int64") == [(*line[:2], "Any") for line in expected]
    for frame in frames(given[["leaf"]].astype("category")):
        assert dimension(frame, [1, 20], "Int64") == [(line[0], "*") for line in expected]


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (pandas.DataFrame({"leaf": [], "level": []}), "its data frame has no leaf"),
        (
            pandas.DataFrame({"leaf": ["a", 1], "level": ["A", "B"]}),
            r"its data frame cannot be read \(ArrowTypeError\)",
        ),
        (pandas.DataFrame({"leaf": ["a", "a"], "level": ["A", "B"]}), "1 leaves have two parents"),
        (pandas.DataFrame({"leaf": ["b"]}), "1 values of the source have no leaf: declare a leaf for each"),
        (pandas.DataFrame({f"level {number}": ["a"] for number in range(70)}), "it has more than 64 levels"),
    ],
)
def test_a_data_frame_that_is_no_hierarchy_is_refused(
    frame: pandas.DataFrame, problem: str, dimension: Callable[..., Any]
) -> None:
    with pytest.raises(HierarchyError, match=f"^hierarchy of 'x': {problem}"):
        dimension(frame, ["a"])


def test_functions_of_the_values_as_the_source_has_them(dimension: Callable[..., Any]) -> None:
    def decade(number: int) -> int:
        return number // 10 * 10

    expected = [("31", "30", "*"), ("37", "30", "*"), ("4", "0", "*"), (None, None, "*")]
    assert dimension([decade], [37, 31, 4, None], "Int64") == expected
    assert dimension({"functions": [decade]}, [37, 31, 4, None], "Int64") == expected
    assert dimension(sc.functions(decade, lambda _: "*"), [37, 31, 4, None], "Int64") == expected
    assert dimension((lambda day: day.year,), [datetime.date(1976, 1, 21)]) == [("1976-01-21", "1976")]
    assert dimension([str.upper], [None]) == [(None, "*")]


@pytest.mark.parametrize(
    ("functions", "problem"),
    [
        ([lambda value: int(value)], r"its function 1 fails on a value \(ValueError\): try the function on all values"),
        ([str.upper, lambda value: None], "its function 2 returns None for a value"),
        ([lambda value: value[0], lambda value: value], "1 values of level 1 have two parents"),
    ],
)
def test_functions_that_make_no_hierarchy_are_refused_without_a_value(
    functions: list[Any], problem: str, dimension: Callable[..., Any]
) -> None:
    with pytest.raises(HierarchyError, match=f"^hierarchy of 'x': {problem}") as error:
        dimension(functions, ["canary", "cat"])
    assert "canary" not in str(error.value)


def test_a_run_by_functions_is_never_left_out(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"x": ["ab", "ac"]})
    for functions in ([lambda value: value[0]], [lambda value: "other"]):
        given: dict[str, Any] = {"quasi_identifiers": {"x": functions}, "k": 2, "objective": {"minimize": "loss"}}
        release = sc.anonymize(frame, **given, output={"path": str(tmp_path / "o.csv")})
        assert release.result.hashes.hierarchies == {"x": None}
        assert not release.result.unchanged and set(release.to_pandas()["x"]) == {functions[0]("ab")}


def test_a_run_is_left_out_only_where_a_data_frame_of_a_hierarchy_is_the_same(tmp_path: Path) -> None:
    frame, hierarchy = pandas.DataFrame({"x": ["a", "b"]}), pandas.DataFrame({"leaf": ["a", "b"], "top": ["A", "A"]})
    seen = []
    for given in (hierarchy, hierarchy.copy(), hierarchy.assign(top="B")):
        release = sc.anonymize(frame, quasi_identifiers={"x": given}, k=2, output={"path": str(tmp_path / "o.csv")})
        seen.append((release.result.unchanged, set(release.to_pandas()["x"])))
    assert seen == [(False, {"A"}), (True, {"A"}), (False, {"B"})]


def test_every_builder_has_a_function_that_says_what_a_job_says(tmp_path: Path) -> None:
    made = {
        "suppress": sc.suppress(),
        "numeric": sc.numeric(),
        "intervals": sc.intervals("0.5", 5),
        "digits": sc.digits(5),
        "dates": sc.dates("month", "year"),
        "csv": sc.csv_file("h.csv", delimiter=","),
        "table": sc.dimension_table("dim"),
        "tree": sc.tree({"A": ["a"]}),
        "levels": sc.levels({"a": ["A"]}),
        "columns": sc.beside("ward", "clinic"),
        "functions": sc.functions(str.upper),
        "classification": sc.classification("icd10cm"),
        "h3": sc.h3(9, 7),
    }
    assert {*made, "frame"} >= {key for key in builders() if not key.startswith("initials")}
    written: dict[str, Any] = {
        "intervals": {"intervals": ["0.5", 5]},
        "digits": {"digits": 5},
        "dates": {"dates": ["month", "year"]},
        "csv": {"csv": "h.csv", "delimiter": ","},
        "table": {"table": "dim"},
        "tree": {"tree": {"A": ["a"]}},
        "levels": {"levels": {"a": ["A"]}},
        "columns": {"columns": ["ward", "clinic"]},
        "functions": [str.upper],
        "classification": {"classification": "icd10cm"},
        "h3": {"h3": [9, 7]},
    }
    for key, hierarchy in made.items():
        job = load({"quasi_identifiers": {"x": written.get(key, key)}, "requirement": {"k": 1}})
        assert job.quasi_identifiers["x"] == hierarchy
    for wrong in (lambda: sc.intervals(0), lambda: sc.dates("mont"), lambda: sc.digits(0), lambda: sc.csv_file("\0")):  # type: ignore[arg-type]
        with pytest.raises(sc.JobError, match=r"^hierarchy \w+: "):
            wrong()


def test_no_file_can_hold_what_is_pythons_own() -> None:
    schema = json.loads((installation.schemas() / "job.json").read_text())
    assert "functions" not in json.dumps(schema) and '"levels"' in json.dumps(schema)
    with pytest.raises(sc.JobError, match=r"unknown hierarchy 'function'. Known: (?!.*(functions|frame)).*levels"):
        load({"quasi_identifiers": {"x": "function"}, "requirement": {"k": 1}})
    with pytest.raises(sc.JobError):
        load({"quasi_identifiers": {"x": {"functions": ["os.system"]}}, "requirement": {"k": 1}})


def test_hierarchy_files_of_arx_are_read_as_they_are() -> None:
    """Nine quasi-identifiers, all rows: as many k-anonymous and minimal nodes as by brute force."""
    folder = Path(__file__).parents[2].parent / "shared" / "data" / "arx-adult"
    if not folder.is_dir():
        pytest.skip("ARX's copy of Adult is not at hand")
    names = (folder / "adult.csv").read_text().splitlines()[0].split(";")
    hierarchies = {name: sc.csv_file(folder / f"adult_hierarchy_{name}.csv") for name in names}
    place = {"path": str(folder / "adult.csv"), "delimiter": ";"}
    release = sc.anonymize(place, quasi_identifiers=hierarchies, k=10)
    assert (release.result.search.anonymous_nodes, len(release.result.search.minimal)) == (65, 20)


def test_dimension_table_of_the_sources_database(tmp_path: Path, star_of: Callable[..., Star]) -> None:
    path = tmp_path / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table t as select unnest(['a', 'b', null]) as x")
        connection.execute("create schema h")
        connection.execute(
            "create table h.dim as select unnest(['a', 'b', null]) as leaf, unnest([1, 1, 2]) as g, '*' as top"
        )
    star = star_of(
        {
            "source": {"url": f"duckdb:///{path}", "table": "t"},
            "quasi_identifiers": {"x": {"table": "h.dim"}},
            "requirement": {"k": 1},
        }
    )
    levels = "select level_0, level_1, level_2 from dimension_x order by level_0"
    assert star.session.connection.execute(levels).fetchall() == [("a", "1", "*"), ("b", "1", "*"), (None, "2", "*")]


BEDS = {
    "bed": ["a1", "a2", "b1", None],
    "ward": ["a", "a", "b", None],
    "clinic": [1, 1, 1, 2],
    "illness": ["flu", "cold", "flu", "gout"],
}


def test_columns_of_the_table_are_a_hierarchy(star_of: Callable[..., Star]) -> None:
    asked = {"bed": {"columns": ["ward", "clinic"]}}
    star = star_of({"quasi_identifiers": asked, "keep": ["illness"], "requirement": {"k": 1}}, pandas.DataFrame(BEDS))
    levels = star.session.connection.execute("select columns('level_.') from dimension_bed order by level_0").fetchall()
    assert levels == [("a1", "a", "1", "*"), ("a2", "a", "1", "*"), ("b1", "b", "1", "*"), (None, None, "2", "*")]
    read = [row[0] for row in star.session.connection.execute("describe source").fetchall()]
    assert read[:4] == ["bed", "illness", "ward", "clinic"]


def test_columns_that_a_hierarchy_reads_are_not_released(tmp_path: Path) -> None:
    pandas.DataFrame(BEDS).to_csv(tmp_path / "beds.csv", index=False)
    job = {
        "source": {"path": str(tmp_path / "beds.csv")},
        "quasi_identifiers": {"bed": sc.beside("ward", "clinic")},
        "sensitive": ["illness"],
        "requirement": {"k": 2, "suppression": 0.3},
        "output": {"path": str(tmp_path / "out.csv")},
    }
    assert list(sc.run(job).to_pandas().columns) == ["bed", "illness"]
    assert sc.run(job).result.unchanged
    # The released columns are what they were: the hierarchy is not.
    pandas.DataFrame({**BEDS, "ward": ["a", "c", "b", None]}).to_csv(tmp_path / "beds.csv", index=False)
    assert not sc.run(job).result.unchanged


@pytest.mark.parametrize(
    ("changed", "columns", "problem"),
    [
        (
            {"clinic": [1, 3, 3, 2]},
            ["ward", "clinic"],
            "1 values of 'ward' occur with several values of 'clinic', .*: leave",
        ),
        (
            {"bed": ["a1", "b1", "b1", None]},
            ["ward"],
            "1 values of 'bed' occur with several values of 'ward', .*: leave",
        ),
        ({}, ["ward", "bed"], "it lists the column itself"),
        ({}, ["ward", "ward"], "it names a column twice"),
        ({}, ["station"], "columns of a hierarchy: column 'station' is not in the data frame"),
        ({}, [], "^job: quasi_identifiers.bed.columns: name at least one$"),
        ({"ward": [["a"]] * 4}, ["ward"], "column 'ward' holds Python objects"),
    ],
)
def test_columns_that_are_no_hierarchy_are_refused(changed: dict[str, Any], columns: list[str], problem: str) -> None:
    frame = pandas.DataFrame({**BEDS, **changed})
    with pytest.raises(sc.InputError, match=problem) as refused:
        sc.anonymize(
            frame,
            quasi_identifiers={"bed": {"columns": columns}},
            identifiers=["ward", "clinic", "illness"],
            k=1,
        )
    assert "b1" not in str(refused.value)


def test_codes_of_neighbours_and_ancestors(star_of: Callable[..., Star]) -> None:
    """A value above the leaves goes by the code of its first leaf, and the leaves under it are neighbours."""
    frame = pandas.DataFrame({"zip": ["53715", "53703", "53706", "53710", "02174"]})
    star = star_of({"quasi_identifiers": {"zip": {"digits": 5}}, "requirement": {"k": 1}}, frame)
    sql = "select level_0, code, ancestor_0, ancestor_1, ancestor_2, ancestor_5 from dimension_zip order by code"
    assert star.session.connection.execute(sql).fetchall() == [
        ("02174", 0, 0, 0, 0, 0),
        ("53703", 1, 1, 1, 1, 0),
        ("53706", 2, 2, 1, 1, 0),
        ("53710", 3, 3, 3, 1, 0),
        ("53715", 4, 4, 3, 1, 0),
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("schema", "heights"),
    [
        ("adult/incognito-2005", [4, 1, 1, 2, 3, 2, 2, 2, 1]),
        ("adult/local-recoding-2008", [4, 3, 4, 3, 2, 2, 1, 3]),
        ("adult/kaca-2006", [4, 3, 4, 3, 2, 2, 1, 3, 1]),
    ],
)
@pytest.mark.parametrize("table", ["adult", "census"])
def test_ready_made_schemas_have_the_papers_heights(
    table: str, schema: str, heights: list[int], star_of: Callable[..., Star], request: pytest.FixtureRequest
) -> None:
    """Figure 9 of Incognito; Table 4 of Li et al. 2008; Table 2 of Li et al. 2006."""
    if table == "adult":
        request.getfixturevalue("adult")
    star = star_of({"source": {"dataset": table}, "schema": schema, "requirement": {"k": 2}})
    assert list(star.heights) == heights
    assert star.rows == 45222
