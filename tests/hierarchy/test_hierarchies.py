"""Each hierarchy builder makes the dimension table that its description promises."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import HierarchyError
from starcloak.star.star import Star


def test_suppress(dimension: Callable[..., Any]) -> None:
    assert dimension("suppress", ["b", "a", None]) == [("a", "*"), ("b", "*"), (None, "*")]


@pytest.fixture
def in_order(star_of: Callable[..., Star]) -> Callable[..., list[Any]]:
    """The leaves of a numeric attribute, in the order of their codes."""

    def build(values: list[Any], dtype: Any = None) -> list[Any]:
        frame = pandas.DataFrame({"x": pandas.Series(values, dtype=dtype)})
        star = star_of({"quasi_identifiers": {"x": "numeric"}, "requirement": {"k": 1}}, frame)
        assert star.heights == (1,) and star.dimensions[0].numeric
        sql = "select level_0, level_1 from dimension_x order by code"
        leaves = star.session.connection.execute(sql).fetchall()
        assert all(top == "*" for _, top in leaves)
        return [leaf for leaf, _ in leaves]

    return build


def test_numeric_leaves_stand_in_the_order_of_their_numbers_and_the_missing_one_last(
    in_order: Callable[..., list[Any]],
) -> None:
    assert in_order(["10", "9", None, "-3", "9.0", "010", "100"]) == ["-3", "9", "9.0", "010", "10", "100", None]
    assert in_order([10, 9, -3]) == ["-3", "9", "10"]
    assert in_order([2.5, 10.0, 0.1]) == ["0.1", "2.5", "10.0"]
    assert in_order([9007199254740993, 9007199254740992]) == ["9007199254740992", "9007199254740993"]


@pytest.mark.parametrize(
    "values", [["1", "old"], ["1", ""], ["1", "NaN"], ["1", "1" * 40], ["1", "0." + "1" * 19], ["1", "1.2345e-15"]]
)
def test_numeric_refuses_what_is_no_number(values: list[str], in_order: Callable[..., list[Any]]) -> None:
    with pytest.raises(HierarchyError, match="'x': 1 values of the source have no leaf: they are not numbers"):
        in_order(values)


def test_intervals_start_at_multiples_also_below_zero(dimension: Callable[..., Any]) -> None:
    assert dimension({"intervals": [5, 10]}, [-1, 0, 4, 5, 39]) == [
        ("-1", "[-5, 0)", "[-10, 0)", "*"),
        ("0", "[0, 5)", "[0, 10)", "*"),
        ("39", "[35, 40)", "[30, 40)", "*"),
        ("4", "[0, 5)", "[0, 10)", "*"),
        ("5", "[5, 10)", "[0, 10)", "*"),
    ]


def test_intervals_hold_the_largest_and_the_smallest_numbers(dimension: Callable[..., Any]) -> None:
    nines = "9" * 20
    assert dimension({"intervals": [10]}, [nines, f"-{nines}.{'9' * 18}", "1.2345e-14"]) == [
        (f"-{nines}.{'9' * 18}", "[-100000000000000000000, -99999999999999999990)", "*"),
        ("1.2345e-14", "[0, 10)", "*"),
        (nines, "[99999999999999999990, 100000000000000000000)", "*"),
    ]


def test_intervals_of_fractions_are_exact(dimension: Callable[..., Any]) -> None:
    values = [Decimal("1.10"), Decimal("1.30"), Decimal("1.29")]
    assert dimension({"intervals": ["0.1", "0.5"]}, values) == [
        ("1.10", "[1.1, 1.2)", "[1, 1.5)", "*"),
        ("1.29", "[1.2, 1.3)", "[1, 1.5)", "*"),
        ("1.30", "[1.3, 1.4)", "[1, 1.5)", "*"),
    ]
    assert [row[1] for row in dimension({"intervals": ["0.1"]}, [0.3, 0.7, 0.1 + 0.2])] == [
        "[0.3, 0.4)",
        "[0.3, 0.4)",
        "[0.7, 0.8)",
    ]


def test_intervals_take_numbers_in_text_and_keep_missing_apart(dimension: Callable[..., Any]) -> None:
    assert dimension({"intervals": [10]}, ["07", "100", None]) == [
        ("07", "[0, 10)", "*"),
        ("100", "[100, 110)", "*"),
        (None, None, "*"),
    ]


@pytest.mark.parametrize("widths", [[5, 12], [5, 5], [10, 5], ["0.1", "0.25"], ["0.3", 1], [2, 4, 6]], ids=repr)
def test_widths_that_do_not_nest_are_refused_whatever_the_values(widths: list[Any], tmp_path: Path) -> None:
    with pytest.raises(sc.JobError, match="each width must be a multiple of the previous width"):
        sc.intervals(*widths)
    path = tmp_path / "job.yaml"
    path.write_text(
        f"{{source: {{path: none.csv}}, quasi_identifiers: {{x: {{intervals: {widths}}}}}, requirement: {{k: 2}}}}"
    )
    with pytest.raises(sc.JobError, match="each width"):
        sc.run(path)


def test_intervals_take_decimal_commas_where_they_are_told(dimension: Callable[..., Any]) -> None:
    texts = ["1,80", "-0,05", "2", None]
    with pytest.raises(HierarchyError, match=r"2 values .* decimals, with a point: give decimal for commas; or"):
        dimension({"intervals": ["0.1"]}, texts)
    expected = [("-0,05", "[-0.1, 0)", "*"), ("1,80", "[1.8, 1.9)", "*"), ("2", "[2, 2.1)", "*"), (None, None, "*")]
    assert dimension({"intervals": ["0.1"], "decimal": ","}, texts) == expected
    assert dimension(sc.intervals("0.1", decimal=","), texts) == expected
    # Of a point beside them nobody knows what it means, and numbers are no texts.
    for odd in ("1.234,5", "1.5", "1,2,3"):
        with pytest.raises(HierarchyError, match=r"1 values .* decimals, with a comma; or"):
            dimension({"intervals": ["0.1"], "decimal": ","}, [*texts, odd])
    assert dimension({"intervals": [1], "decimal": ","}, [1.5], "float64") == [("1.5", "[1, 2)", "*")]


def test_digits_of_text_and_of_whole_numbers(dimension: Callable[..., Any]) -> None:
    expected = [("02174", "0217*", "021**", "02***", "0****", "*"), ("53715", "5371*", "537**", "53***", "5****", "*")]
    assert dimension({"digits": 5}, ["53715", "02174"]) == expected
    assert dimension({"digits": 5}, [53715, 2174]) == [("2174", *expected[0][1:]), expected[1]]
    assert dimension({"digits": 1}, ["a", None]) == [("a", "*"), (None, "*")]


def test_digits_of_whole_numbers_that_a_gap_made_floats(dimension: Callable[..., Any]) -> None:
    assert dimension({"digits": 3}, [537, 12, None]) == [
        ("12.0", "01*", "0**", "*"),
        ("537.0", "53*", "5**", "*"),
        (None, None, None, "*"),
    ]
    assert dimension({"digits": 2}, [Decimal("53.00"), Decimal("5.00")]) == [("5.00", "0*", "*"), ("53.00", "5*", "*")]
    for odd in (5.5, -5.0, 1234.0, 1e300):
        with pytest.raises(HierarchyError, match="1 values of the source have no leaf"):
            dimension({"digits": 3}, [537.0, odd])


@pytest.mark.parametrize("values", [["5371"], ["537155"], [""], [-5371], [537155]])
def test_digits_refuse_other_lengths(values: list[Any], dimension: Callable[..., Any]) -> None:
    with pytest.raises(HierarchyError, match="1 values of the source have no leaf: they do not have 5 characters"):
        dimension({"digits": 5}, values)


def test_dates(dimension: Callable[..., Any]) -> None:
    units = ["day", "month", "quarter", "year", "decade", "century"]
    levels = ("1976-01-21", "1976-01", "1976-Q1", "1976", "1970s", "1900-1999", "*")
    assert dimension({"dates": units}, ["1976-01-21"]) == [("1976-01-21", *levels)]
    assert dimension({"dates": units}, [datetime.date(1976, 1, 21), None]) == [
        ("1976-01-21", *levels),
        (None,) * 7 + ("*",),
    ]
    stamped = dimension({"dates": units}, [pandas.Timestamp("1976-01-21 10:30")])
    assert stamped == [("1976-01-21 10:30:00", *levels)]
    assert dimension({"dates": ["week"]}, ["2021-01-03"]) == [("2021-01-03", "2020-W53", "*")]


def test_dates_refuse_what_is_no_date(dimension: Callable[..., Any]) -> None:
    with pytest.raises(HierarchyError, match="2 values of the source have no leaf: they are not dates"):
        dimension({"dates": ["year"]}, ["21/1/1976", "infinity", "1976-01-21"])


UNITS = ("day", "week", "month", "quarter", "year", "decade", "century")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("above", UNITS)
@pytest.mark.parametrize("below", UNITS)
def test_units_that_nest_on_every_day_of_four_centuries_are_taken_and_no_others(
    below: Any, above: Any, dimension: Callable[..., Any]
) -> None:
    days = [datetime.date(1799, 12, 1) + datetime.timedelta(days) for days in range(0, 366 * 302, 1)]
    nests = below != above and _is_function(days, below, above)
    if not nests:
        with pytest.raises(sc.JobError, match=f"a {below} may lie in two of the unit {above}"):
            sc.dates(below, above)
        return
    levels = dimension({"dates": [below, above]}, days[::97])
    assert len({(row[1], row[2]) for row in levels}) == len({row[1] for row in levels})


def _is_function(days: list[datetime.date], below: str, above: str) -> bool:
    told: dict[Any, Any] = {}
    return all(told.setdefault(_UNITS[below](day), _UNITS[above](day)) == _UNITS[above](day) for day in days)


_UNITS: dict[str, Callable[[datetime.date], Any]] = {
    "day": lambda day: day,
    "week": lambda day: day.isocalendar()[:2],
    "month": lambda day: (day.year, day.month),
    "quarter": lambda day: (day.year, (day.month - 1) // 3),
    "year": lambda day: day.year,
    "decade": lambda day: day.year // 10,
    "century": lambda day: day.year // 100,
}


def test_csv_with_a_missing_leaf_and_a_spare_one(tmp_path: Path, dimension: Callable[..., Any]) -> None:
    path = tmp_path / "h.csv"
    path.write_text('a;A;*\n"b;c";A;*\n;unknown;*\nspare;B;*\n')
    assert dimension({"csv": str(path)}, ["a", "b;c", None]) == [
        ("a", "A", "*"),
        ("b;c", "A", "*"),
        ("spare", "B", "*"),
        (None, "unknown", "*"),
    ]


def test_missing_value_needs_its_own_member(tmp_path: Path, dimension: Callable[..., Any]) -> None:
    path = tmp_path / "h.csv"
    path.write_text("a;*\n")
    with pytest.raises(HierarchyError, match="the source has missing values, and the hierarchy has no leaf for them"):
        dimension({"csv": str(path)}, ["a", None])


def test_tree_of_uneven_depth(dimension: Callable[..., Any]) -> None:
    tree = {"Higher": ["Bachelors", {"Postgraduate": ["Masters", "Doctorate"]}], "School": ["9th", None]}
    assert dimension({"tree": tree}, ["Bachelors", "Masters", "Doctorate", "9th", None]) == [
        ("9th", "9th", "School", "*"),
        ("Bachelors", "Bachelors", "Higher", "*"),
        ("Doctorate", "Postgraduate", "Higher", "*"),
        ("Masters", "Postgraduate", "Higher", "*"),
        (None, None, "School", "*"),
    ]


def test_a_tree_that_ends_in_a_star_has_no_second_one(dimension: Callable[..., Any]) -> None:
    tree = {"*": [{"Higher": ["Bachelors", "Masters"]}, "9th"]}
    assert dimension({"tree": tree}, ["9th", "Bachelors"]) == [
        ("9th", "9th", "*"),
        ("Bachelors", "Higher", "*"),
        ("Masters", "Higher", "*"),
    ]
    assert dimension({"tree": {"*": [1, 2]}}, [1, 2]) == [("1", "*"), ("2", "*")]


def test_tree_of_numbers_and_truths(dimension: Callable[..., Any]) -> None:
    assert dimension({"tree": {"odd": [1, 3]}}, [1, 3]) == [("1", "odd", "*"), ("3", "odd", "*")]
    assert dimension({"tree": {"any": [True, False]}}, [True, False]) == [("false", "any", "*"), ("true", "any", "*")]


def test_a_line_that_repeats_another_is_taken_once_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("a;A;*\nb;A;*\na;A;*\n;none;*\n;none;*\nspare;B;*\nspare;B;*\n")
    frame = pandas.DataFrame({"x": ["a", "b", "a", None]})
    given: dict[str, Any] = {"quasi_identifiers": {"x": {"csv": str(path)}}, "objective": {"minimize": "height"}}
    doubled = sc.anonymize(frame, **{**given, "k": 3, "suppression": 0.25})
    assert doubled.result.warnings == ["hierarchy of 'x': 3 lines repeat others: taken once"]
    assert list(doubled.to_pandas()["x"]) == ["A", "A", "A"]
    path.write_text("a;A;*\nb;A;*\n;none;*\nspare;B;*\n")
    once = sc.anonymize(frame, **{**given, "k": 3, "suppression": 0.25})
    assert once.result.warnings == [] and once.measures == doubled.measures
    path.write_text("a;A;*\nb;A;*\na;B;*\na;A;*\n;none;*\n")
    with pytest.raises(HierarchyError, match="1 leaves have two parents"):
        sc.anonymize(frame, quasi_identifiers={"x": {"csv": str(path)}}, k=1)


def test_dates_of_several_forms(dimension: Callable[..., Any]) -> None:
    forms = ["%d.%m.%Y", "%Y-%m-%d", "%m/%d/%y", "%m/%d/%Y"]
    given = ["21.01.1976", "1976-02-13", "02/17/76", "02/17/1976", None]
    assert dimension({"dates": ["month", "year"], "formats": forms}, given) == [
        ("02/17/1976", "1976-02", "1976", "*"),
        ("02/17/76", "1976-02", "1976", "*"),
        ("1976-02-13", "1976-02", "1976", "*"),
        ("21.01.1976", "1976-01", "1976", "*"),
        (None, None, None, "*"),
    ]


@pytest.mark.parametrize("k", [2, 3])
def test_spellings_of_a_date_are_values_of_level_0_with_a_warning(k: int) -> None:
    """At level 0 they are two classes; a unit day as lowest level makes them one."""
    frame = pandas.DataFrame({"born": ["21.01.1976", "01/21/76"] * 2 + ["01.02.1980"] * 3})
    units = {"dates": ["day", "year"], "formats": ["%d.%m.%Y", "%m/%d/%y"]}
    release = sc.anonymize(frame, quasi_identifiers={"born": units}, k=k)
    days = ["1976-01-21"] * 4 + ["1980-02-01"] * 3
    assert sorted(release.to_pandas()["born"]) == (sorted(frame["born"]) if k == 2 else days)
    (warning,) = release.result.warnings
    assert warning.startswith("hierarchy of 'born': 1 date has several spellings") and "from: 1" in warning
    release = sc.anonymize(frame, quasi_identifiers={"born": {**units, "from": 1}}, k=k)
    assert sorted(release.to_pandas()["born"]) == days and release.result.warnings == []


def test_moments_of_one_day_are_no_spellings_of_a_date() -> None:
    frame = pandas.DataFrame({"born": ["21.01.1976 10:00", "21.01.1976 11:00"] * 2})
    units = {"dates": ["day"], "formats": ["%d.%m.%Y %H:%M", "%d.%m.%Y"]}
    assert sc.anonymize(frame, quasi_identifiers={"born": units}, k=2).result.warnings == []


@pytest.mark.parametrize(
    ("values", "wrong"),
    [(["01/02/2020", "03/03/2020"], 1), (["31/12/2020"], 0), (["2020-01-01", ""], 2), (["1/2/20"], 1)],
)
def test_a_date_that_two_forms_read_differently_is_refused(
    values: list[str], wrong: int, dimension: Callable[..., Any]
) -> None:
    hierarchy = {"dates": ["year"], "formats": ["%d/%m/%Y", "%m/%d/%Y"]}
    if not wrong:
        assert dimension(hierarchy, values) == [(values[0], "2020", "*")]
        return
    with pytest.raises(HierarchyError, match=f"{wrong} values of the source have no leaf: no format fits them"):
        dimension(hierarchy, values)


def test_forms_of_dates_that_are_none_are_refused(dimension: Callable[..., Any]) -> None:
    with pytest.raises(HierarchyError, match="its formats are not valid for strptime"):
        dimension({"dates": ["year"], "formats": ["%Q %Y"]}, ["1 2020"])
    with pytest.raises(HierarchyError, match="formats are for dates in texts, and the column is of type"):
        dimension({"dates": ["year"], "formats": ["%Y"]}, [datetime.date(2020, 1, 1)])
    with pytest.raises(sc.JobError, match="a format has no year"):
        sc.dates("year", formats=["%d.%m."])


def test_intervals_have_outer_ends(dimension: Callable[..., Any]) -> None:
    hierarchy = {"intervals": [5, 10], "below": "20.0", "above": 90}
    assert dimension(hierarchy, ["19.9", "20.0", "89.0", "90.0", "117.0", None]) == [
        ("117.0", ">= 90", ">= 90", "*"),
        ("19.9", "< 20", "< 20", "*"),
        ("20.0", "[20, 25)", "[20, 30)", "*"),
        ("89.0", "[85, 90)", "[80, 90)", "*"),
        ("90.0", ">= 90", ">= 90", "*"),
        (None, None, None, "*"),
    ]
    with pytest.raises(sc.JobError, match="below is not less than above"):
        sc.intervals(5, 10, below=90, above=20)


def test_ranges_end_where_the_outer_ones_begin(dimension: Callable[..., Any]) -> None:
    hierarchy = {"intervals": [5, 10, 20], "below": 18, "above": 90}
    assert dimension(hierarchy, [17, 18, 19, 20, 79, 80, 88, 89, 90, 101]) == [
        ("101", ">= 90", ">= 90", ">= 90", "*"),
        ("17", "< 18", "< 18", "< 18", "*"),
        ("18", "[18, 20)", "[18, 20)", "[18, 20)", "*"),
        ("19", "[18, 20)", "[18, 20)", "[18, 20)", "*"),
        ("20", "[20, 25)", "[20, 30)", "[20, 40)", "*"),
        ("79", "[75, 80)", "[70, 80)", "[60, 80)", "*"),
        ("80", "[80, 85)", "[80, 90)", "[80, 90)", "*"),
        ("88", "[85, 90)", "[80, 90)", "[80, 90)", "*"),
        ("89", "[85, 90)", "[80, 90)", "[80, 90)", "*"),
        ("90", ">= 90", ">= 90", ">= 90", "*"),
    ]
    assert dimension({"intervals": ["0.5", 2], "below": "-3.25", "above": "1.75"}, ["-3.25", "-3.26", "1.74"]) == [
        ("-3.25", "[-3.25, -3)", "[-3.25, -2)", "*"),
        ("-3.26", "< -3.25", "< -3.25", "*"),
        ("1.74", "[1.5, 1.75)", "[0, 1.75)", "*"),
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("hierarchy", "missing", "suppress"),
    [
        ({"digits": 2}, (None, "*"), ("*", "*")),
        ({"dates": ["year"]}, (None, "*"), ("*", "*")),
        ({"intervals": [10]}, (None, "*"), ("*", "*")),
        ({"tree": {"A": ["11"], "none": [None]}}, ("none", "*"), ("*", "*")),
        ({"levels": {"11": ["A", "Any"]}}, (None, "Any"), ("Any", "Any")),
    ],
)
def test_values_without_a_leaf_become_what_the_job_says(
    hierarchy: dict[str, Any], missing: tuple[Any, ...], suppress: tuple[Any, ...], dimension: Callable[..., Any]
) -> None:
    values = ["2020-01-01" if "dates" in hierarchy else "11", "odd one", None]
    with pytest.raises(
        HierarchyError, match=r"have no leaf: .*or write nonconforming: missing or nonconforming: suppress"
    ):
        dimension(hierarchy, values)
    for nonconforming, levels in (("missing", missing), ("suppress", suppress)):
        found = {line[0]: line[1:] for line in dimension({**hierarchy, "nonconforming": nonconforming}, values)}
        assert found["odd one"] == levels and len(found) == 3
    if "levels" in hierarchy:
        assert found[None] == ("Any", "Any")


def test_a_release_of_values_without_a_leaf_is_verified_as_any_other() -> None:
    frame = pandas.DataFrame({"zip": ["11", "12", "odd", "stranger", None, None]})
    kinds = {"zip": {"digits": 2, "nonconforming": "missing"}}
    release = sc.anonymize(frame, quasi_identifiers=kinds, k=2)
    assert release.result.recoding.levels == {"zip": 1}
    assert sorted(release.to_pandas()["zip"].fillna("")) == ["", "", "", "", "1*", "1*"]
    kinds = {"zip": {"digits": 2, "nonconforming": "suppress"}}
    release = sc.anonymize(frame, quasi_identifiers=kinds, k=2, algorithm={"name": "kaca"})
    assert sorted(release.to_pandas()["zip"].fillna("")) == ["", "", "*", "*", "1*", "1*"]


def test_values_without_a_leaf_are_shown_to_their_custodian_alone(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"zip": ["111", "11", None, "11", "x,\ny"], "age": ["7", "8", "9", "10", "old"]})
    shown = tmp_path / "misfits.csv"
    described = {
        "quasi_identifiers": {"zip": {"digits": 3}, "age": {"intervals": [5]}},
        "requirement": {"k": 1},
        "without_leaf": str(shown),
    }
    with pytest.raises(HierarchyError) as refused:
        sc.run({**described, "without_leaf": None}, frame=frame)
    told = str(refused.value)
    assert "'zip': 2 values of the source have no leaf: " in told and "(in 3 rows); hierarchy of 'age': 1 " in told
    assert told.endswith(
        "(in 1 rows); without_leaf: FILE in the job writes these values to a file that only you can read"
    )
    with pytest.raises(HierarchyError) as refused:
        sc.run(described, frame=frame)
    assert str(refused.value).endswith(f"; these values are in {shown}, which only you can read")
    assert "old" not in str(refused.value) and "x,\ny" not in str(refused.value)
    assert shown.stat().st_mode & 0o777 == 0o600
    assert shown.read_text() == 'attribute,value,rows\nzip,11,2\nzip,"x,\ny",1\nage,old,1\n'
    with pytest.raises(HierarchyError):  # it may take its own place, and no other file's
        sc.run(described, frame=frame)
    strange = pandas.DataFrame({"zip": ["a\rb", "\ufeff1"]})
    with pytest.raises(HierarchyError):
        sc.run({**described, "quasi_identifiers": {"zip": {"digits": 1}}}, frame=strange)
    with open(shown, newline="") as lines:
        assert [*csv.reader(lines)][1:] == [["zip", "a\rb", "1"], ["zip", "\ufeff1", "1"]]
    shown.write_text("mine")
    with pytest.raises(
        sc.OutputError, match=r"the file of values without a leaf would replace .*: move this file, or check"
    ):
        sc.run(described, frame=frame)
    assert shown.read_text() == "mine"


def test_levels_value_by_value(dimension: Callable[..., Any]) -> None:
    expected = [("9", "School", "*"), ("Masters", "Higher", "*"), (None, "unknown", "*")]
    given: dict[Any, Any] = {"Masters": "Higher", 9: ["School"], None: ["unknown"]}
    assert dimension({"levels": given}, ["Masters", "9", None]) == expected
    assert dimension(sc.levels(given), ["Masters", "9", None]) == expected
    topped = {"a": ["A", "Any"], "b": ("B", "Any")}
    assert dimension({"levels": topped}, ["a", "b"]) == [("a", "A", "Any"), ("b", "B", "Any")]
    assert dimension({"levels": {"a": [], "b": []}}, ["a", "b"]) == [("a", "*"), ("b", "*")]
    assert dimension({"levels": {True: ["yes"], 1.5: ["no"]}}, ["true", "1.5"]) == [
        ("1.5", "no", "*"),
        ("true", "yes", "*"),
    ]


@pytest.mark.parametrize(
    ("levels", "problem"),
    [
        ({"a": ["A"], "b": ["B", "*"]}, "its values have different numbers of levels"),
        ({"a": ["A", ["B"]]}, "its levels contain lists"),
        ({"a": {"A": ["x"]}}, "its levels contain lists"),
        ({"a": ["A", "X"], "b": ["A", "Y"]}, "1 values of level 1 have two parents"),
        ({"a": ["A"]}, "1 values of the source have no leaf: declare a leaf for each"),
        ({}, "it has no leaf"),
    ],
)
def test_levels_that_are_no_hierarchy_are_refused(
    levels: dict[str, Any], problem: str, dimension: Callable[..., Any]
) -> None:
    with pytest.raises(HierarchyError, match=f"^hierarchy of 'x': {problem}"):
        dimension({"levels": levels}, ["a", "b"])


@pytest.mark.parametrize(("delimiter", "end"), [(";", ""), ("\t", "\n"), (",", "\r\n")])
def test_a_file_with_quotes_and_one_without_have_the_same_lines(tmp_path: Path, delimiter: str, end: str) -> None:
    """Files without quotes and blanks are split by SQL, other files by Python's reader."""
    lines = [["01", "", "*"], ["1 1", "é x", "*"], ["", "é x", "*"], ["\ufeff", "\\'", "*"]]
    frame = pandas.DataFrame({"zip": [leaf or None for leaf, *_ in lines] * 2})
    for quote in ("", '"'):
        content = "\n".join(delimiter.join(f"{quote}{cell}{quote}" for cell in line) for line in lines)
        (tmp_path / "zip.csv").write_bytes((content + end).encode("utf-8-sig"))
        for level in range(2):
            hierarchy = {"csv": tmp_path / "zip.csv", "delimiter": delimiter, "from": level, "to": level}
            job = {"quasi_identifiers": {"zip": hierarchy}, "requirement": {"k": 1}}
            released = sc.run(job, frame=frame).to_pandas()["zip"]
            assert sorted(released.fillna("")) == sorted(line[level] for line in lines * 2)


@pytest.mark.parametrize("units", [["day", "year"], ["month", "year"]])
def test_the_advice_on_spellings_of_dates_leads_to_no_other_warning(units: list[str]) -> None:
    """With `day` and `from: 1`, as the warning on spellings says, 2001-12-31 is the one spelling of its date."""
    born = ["1950-01-31", "31.01.1950", "1950-01-31", "02.03.1960", "02.03.1960"]
    formats = ["%d.%m.%Y", "%Y-%m-%d"]
    hierarchy = {"dates": units, "formats": formats, "from": 1}
    release = sc.run(
        {"quasi_identifiers": {"born": hierarchy}, "requirement": {"k": 2}}, frame=pandas.DataFrame({"born": born})
    )
    assert not release.result.warnings
    assert sorted(release.to_pandas()["born"]) == (
        ["1950-01-31"] * 3 + ["1960-03-02"] * 2 if units[0] == "day" else ["1950-01"] * 3 + ["1960-03"] * 2
    )


def test_a_value_with_the_same_text_at_the_lowest_level_is_named_in_a_warning() -> None:
    """A leaf of smaller depth is repeated at the levels below its parent."""
    tree = {"tree": {"A": {"B": ["x1", "x2"]}, "C": ["y"]}, "from": 1}
    frame = pandas.DataFrame({"g": ["x1", "x2", "y", "y", None]})
    release = sc.run(
        {"quasi_identifiers": {"g": tree | {"nonconforming": "missing"}}, "requirement": {"k": 1}}, frame=frame
    )
    assert "y" in set(release.to_pandas()["g"])
    (warning,) = [each for each in release.result.warnings if "lowest level" in each]
    assert "1 value reads the same at level 1" in warning
    release = sc.run({"quasi_identifiers": {"g": tree}, "requirement": {"k": 1}}, frame=frame[:2])
    assert not [each for each in release.result.warnings if "lowest level" in each]
