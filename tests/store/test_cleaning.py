"""Cells are cleaned as the job declares it, on every kind of database as in an oracle of a few lines."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import SourceError
from starcloak.base.settings import check
from starcloak.job.cleaning import LARGE, SMALL, SPACES, Cleaning
from starcloak.store.databases.registry import kinds
from tests.people import Server, client, run, scripted
from tests.store.test_hosts import File

WORDS = [
    "m",
    "M",
    "male",
    "MÄNNLICH",
    "Männlich",
    "weiß",
    "ΣΑΣ",
    "Σας",
    "Łódź",
    "ЖЕНА",
    "ÿ",
    "İ",
    "é",
    "\\",
    "%",
    "'",
    "{x}",
]
SPACED = [" ", "\t", "\u00a0", "\r\n", "  ", "\ufeff", "\v"]
NUMBERS = ["3.006,52", "3006,52", "-1.234.567", "-1", "0", "0,909", "120", "121", "-0,5", "999", "1234567,125", "000"]
NO_NUMBERS = [
    "",
    "-",
    "1.2,3",
    "1.23",
    "01.234",
    "1,",
    ",5",
    "1e5",
    "1-1",
    "--1",
    "+1",
    "1\n",
    " 1",
    "nan",
    "1.234.56,7",
    "0.123",
]
CELLS = [*WORDS, *(space + "m" + space for space in SPACED), *SPACED, "NA", "na", "?", "a b", ""]
CELLS += ["7", "067", "1067", "10115", "6a", "٣", "-7", "7\n"]


@pytest.fixture(params=sorted(kinds()))
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Server:
    """An empty database of each kind that is registered."""
    if kinds()[request.param].embedded:
        return File(request.param, f"{request.param}:///{tmp_path}/clinic.{request.param}")
    server: Server = request.getfixturevalue(request.param)
    return server


def oracle(cleaning: Cleaning, cell: str | None) -> tuple[str | None, Counter[str]]:
    """A clean text, and by which rules it was changed. Raises :class:`ValueError` for one that is no number."""
    changed: Counter[str] = Counter()
    for rule in cleaning.rules:
        if cell is None:
            break
        after = _follow(cleaning, rule, cell)
        changed[rule] += after != cell
        cell = after
    return cell, changed


def _follow(cleaning: Cleaning, rule: str, cell: str) -> str | None:
    match rule:
        case "trim":
            return cell.strip(SPACES)
        case "missing":
            return None if cell in cleaning.missing else cell
        case "case":
            letters = zip(LARGE, SMALL, strict=True)
            known = dict(letters) if cleaning.case == "lower" else {small: large for large, small in letters}
            return "".join(known.get(letter, letter) for letter in cell)
        case "map":
            return cleaning.map.get(cell, cell)
        case "pad":
            return cell.zfill(cleaning.pad or 0) if re.fullmatch("[0-9]+", cell) else cell
        case "number":
            thousands, decimal = cleaning.marks
            whole, point, decimals = cell.removeprefix("-").partition(decimal)
            groups = whole.split(thousands) if thousands else [whole]
            digits = [*groups, *([decimals] if point else [])]
            if not all(re.fullmatch("[0-9]+", part) for part in digits):
                raise ValueError
            if len(groups) > 1 and (
                any(len(group) != 3 for group in groups[1:]) or not re.fullmatch("[1-9]..?|[1-9]", groups[0])
            ):
                raise ValueError
            return "-" * cell.startswith("-") + "".join(groups) + "." * bool(point) + decimals
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", cell):
        raise ValueError
    least, most = cleaning.valid or (None, None)
    number = float(cell)
    return cell if (least is None or number >= least) and (most is None or number <= most) else None


#: Letters that MariaDB changes beyond those that ``case`` knows.
_OF_MARIADB = re.compile("[ςİ]")


def drawn(rng: random.Random) -> tuple[dict[str, Any], list[str]]:
    """A cleaning of words or of numbers, and cells for it."""
    if rng.random() < 0.5:
        given = {
            "trim": rng.random() < 0.5,
            "missing": rng.choice([[], ["NA", "?"], [""]]),
            "case": rng.choice([None, "lower", "upper"]),
            "map": rng.choice([{}, {"%": "percent", "'": "\\", "": "{y}"}]),
            "pad": rng.choice([None, 4]),
        }
        if given["missing"] == [""]:
            given["map"] = {}
        return ({"trim": True} if not any(given.values()) else given), CELLS
    marks = rng.choice([{"thousands": ".", "decimal": ","}, {"decimal": ","}, {"thousands": "'"}, {}])
    bounds = rng.choice([[0, 120], [None, 120], [-1, None], [0.5, 1000.25]])
    cells = [number.replace(".", ";").replace(",", marks.get("decimal", ".")) for number in NUMBERS]
    cells = [number.replace(";", marks.get("thousands", "")) for number in cells]
    return {**marks, "valid": bounds, "missing": [[], [cells[3]], [cells[9], "NA"]][rng.randrange(3)]}, cells


def job(url: str, clean: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "source": {"url": url, "table": "people"},
        "quasi_identifiers": {"sex": "suppress"},
        "keep": ["id", *(name for name in clean if name != "sex")],
        "clean": clean,
        "requirement": {"k": 1},
        "output": {"table": "cohort"},
        **more,
    }


def table(rng: random.Random, rows: int = 40) -> tuple[dict[str, Any], pandas.DataFrame]:
    clean, cells = {}, {"id": range(rows), "sex": rng.choices(["f", "m"], k=rows)}
    for at in range(5):
        clean[f"column {at}"], pool = drawn(rng)
        cells[f"column {at}"] = [rng.choice([*pool, None]) for _ in range(rows)]
    return clean, pandas.DataFrame(cells)


def expected(
    clean: dict[str, Any], frame: pandas.DataFrame
) -> tuple[dict[str, list[str | None]], dict[str, Counter[str]]]:
    columns, counts = {}, {}
    for name, given in clean.items():
        pairs = [
            oracle(check(Cleaning, given, where=name), cell)
            for cell in frame[name].astype(object).where(frame[name].notna(), None)
        ]
        columns[name], counts[name] = [cell for cell, _ in pairs], sum((changed for _, changed in pairs), Counter())
    return columns, counts


def types(frame: pandas.DataFrame) -> dict[str, str]:
    return {name: "integer" if name == "id" else "varchar(40)" for name in frame}


def test_coordinates_in_two_columns_are_one_quasi_identifier(host: Server) -> None:
    """Released cells are those of the grid, by its own package; a place is missing if one of its columns is."""
    grid = pytest.importorskip("h3")
    points = [(52.52, "13.405"), (52.521, "13.406"), (-33.86, "151.2"), (None, "13.4"), (52.52, None), (999.0, "1")]
    latitudes, longitudes = zip(*points * 4, strict=True)
    frame = pandas.DataFrame({"id": range(24), "lat": latitudes, "lon": longitudes})
    host.fill("people", frame, {"id": "integer", "lat": "double precision", "lon": "varchar(40)"})
    place = {"h3": [7, 5], "from": 1, "to": 1}
    clean = {"lat": {"valid": [-90, 90]}, "place": {"join": ["lat", "lon"]}}
    given = job(host.url, clean, quasi_identifiers={"place": place}, keep=["id"], requirement={"k": 4})
    run(given)
    released = dict(host.rows("select id, place from cohort"))
    cells = [grid.latlng_to_cell(lat, float(lon), 7) if at < 3 else None for at, (lat, lon) in enumerate(points)]
    assert [released[number] for number in range(24)] == cells * 4
    assert [*run({**given, "output": None}).to_pandas()] in (["id", "place"], ["place", "id"])


def test_cells_with_commas_are_joined_as_in_csv(host: Server) -> None:
    frame = pandas.DataFrame({"id": [1, 2, 3], "n": ["a,b", "a", 'a"'], "t": ["c", "b,c", "'\\"], "g": ["x"] * 3})
    host.fill("people", frame, {"id": "integer", **dict.fromkeys("ntg", "varchar(40)")})
    given = job(host.url, {"p": {"join": ["n", "t"]}}, quasi_identifiers={"g": "suppress"}, keep=["id", "p"])
    run({**given, "identifiers": []})
    assert dict(host.rows("select id, p from cohort")) == {1: '"a,b",c', 2: 'a,"b,c"', 3: '"a""",\'\\'}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(4))
def test_kept_cells_are_those_of_an_oracle(host: Server, seed: int) -> None:
    clean, frame = table(random.Random(seed))
    if host.name == "mariadb":
        frame = frame.replace(_OF_MARIADB, "e", regex=True)
    host.fill("people", frame, types(frame))
    result = run(job(host.url, clean)).result
    columns, counts = expected(clean, frame)
    cells = ", ".join(host.quoted(name) for name in clean)
    released = {row[0]: row[1:] for row in host.rows(f"select id, {cells} from cohort")}
    for at, name in enumerate(clean):
        assert [released[number][at] for number in range(len(frame))] == columns[name], clean[name]
    assert {(part.column, part.rule): part.cells for part in result.cleaned} == {
        (name, rule): counts[name][rule]
        for name, given in clean.items()
        for rule in check(Cleaning, given, where=name).rules
    }


@pytest.mark.sampled(4)
@pytest.mark.parametrize("cell", NO_NUMBERS)
def test_what_is_no_number_is_refused(host: Server, cell: str) -> None:
    cleaning = check(Cleaning, {"thousands": ".", "decimal": ","}, where="clean")
    with pytest.raises(ValueError):
        oracle(cleaning, cell)
    host.fill(
        "people",
        pandas.DataFrame({"id": [1, 2], "sex": ["f", "m"], "weight": ["1", cell]}),
        {"id": "integer", "sex": "varchar(9)", "weight": "varchar(20)"},
    )
    with pytest.raises(
        SourceError, match=r"has cells that are not numbers: 1 of column 'weight' with '.' between thousands"
    ):
        run(job(host.url, {"weight": {"thousands": ".", "decimal": ","}}))


@pytest.mark.sampled(3)
def test_every_letter_that_case_knows_changes_and_no_other_of_these(host: Server) -> None:
    host.fill(
        "people",
        pandas.DataFrame({"id": [1], "sex": ["f"], "a": [LARGE], "b": [SMALL], "c": ["ßſıς"]}),
        {"id": "integer", "sex": "varchar(9)", "a": "varchar(999)", "b": "varchar(999)", "c": "varchar(9)"},
    )
    run(job(host.url, {"a": {"case": "lower"}, "b": {"case": "upper"}, "c": {"case": "lower"}}))
    assert host.rows("select a, b, c from cohort") == [(SMALL, LARGE, "ßſıς")]


@pytest.mark.sampled(3)
def test_numbers_of_a_database_stay_numbers(host: Server) -> None:
    frame = pandas.DataFrame(
        {"id": range(5), "sex": ["f"] * 5, "age": [10, -1, 999, 120, None], "dose": [0.5, -1.25, 2.25, 7.5, 1.5]}
    )
    host.fill("people", frame, {"id": "integer", "sex": "varchar(9)", "age": "integer", "dose": "decimal(9, 2)"})
    clean = {"age": {"valid": [0, 120], "missing": [-1]}, "dose": {"valid": [0.5, None]}}
    result = run(job(host.url, clean)).result
    assert sorted(map(tuple, host.rows("select id, age, dose from cohort"))) == [
        (0, 10, 0.5), (1, None, None), (2, None, 2.25), (3, 120, 7.5), (4, None, 1.5),
    ]  # fmt: skip
    assert [(part.column, part.rule, part.cells) for part in result.cleaned] == [
        ("age", "missing", 1), ("age", "valid", 1), ("dose", "valid", 1),
    ]  # fmt: skip


@pytest.mark.sampled(3)
def test_classes_are_of_clean_values(host: Server) -> None:
    frame = pandas.DataFrame({"id": range(4), "sex": ["m", "M ", "male", "m"]})
    host.fill("people", frame, {"id": "integer", "sex": "varchar(9)"})
    described = job(host.url, {"sex": {"trim": True, "case": "lower", "map": {"m": "male"}}}, requirement={"k": 4})
    assert run(described).result.recoding.levels == {"sex": 0}
    assert {sex for (sex,) in host.rows("select sex from cohort")} == {"male"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("clean", "told"),
    [
        (
            {"sexx": {"trim": True}},
            "clean: column 'sexx' is not among the 2 columns of people in .*Did you mean 'sex'?",
        ),
        ({"id": {"trim": True}}, "clean: column 'id' of people in .* supports only the rules missing and valid"),
        ({"id": {"missing": ["NA"]}}, "clean: column 'id' of people in .* a text under missing is not a number"),
    ],
)
def test_what_a_column_cannot_have_done_is_refused(host: Server, clean: dict[str, Any], told: str) -> None:
    host.fill("people", pandas.DataFrame({"id": [1], "sex": ["f"]}), {"id": "integer", "sex": "varchar(9)"})
    with pytest.raises(SourceError, match=told) as error:
        run(job(host.url, clean, keep=["id"]))
    assert "\n" not in str(error.value)


@pytest.mark.sampled(3)
def test_a_script_cleans_as_the_run_did(server: Server) -> None:
    clean, frame = table(random.Random(7))
    clean["sex"] = {"case": "upper"}
    frame = frame.replace(_OF_MARIADB, "e", regex=True)
    server.fill("people", frame, types(frame))
    script = sc.compile(job(server.url, clean))
    outcome = scripted(client(server), script)
    assert outcome.returncode == 0, outcome.stderr
    columns, _ = expected(clean, frame)
    cells = ", ".join(server.quoted(name) for name in columns)
    released = {row[0]: row[1:] for row in server.rows(f"select id, {cells} from cohort")}
    for at, name in enumerate(columns):
        assert [released[number][at] for number in range(len(frame))] == columns[name], clean[name]


HEIGHTS = ["165 cm", "170cm", "171,5\u00a0cm", "180", None, "n/a", "-1 cm"]


def test_numbers_lose_their_unit(host: Server) -> None:
    frame = pandas.DataFrame({"id": range(7), "sex": ["f"] * 7, "height": HEIGHTS})
    host.fill("people", frame, {"id": "integer", "sex": "varchar(9)", "height": "varchar(20)"})
    clean = {"height": {"unit": "cm", "decimal": ",", "missing": ["n/a"], "valid": [0, None]}}
    result = run(job(host.url, clean)).result
    cells = [cell for _, cell in sorted(host.rows("select id, height from cohort"))]
    assert cells == ["165", "170", "171.5", "180", None, None, None]
    assert {part.rule: part.cells for part in result.cleaned} == {"missing": 1, "unit": 4, "number": 1, "valid": 1}


@pytest.mark.parametrize("cell", ["1.70 m", "165 cm!", "cm", "165 CM", "16cm5", "cm 165", "5 ft"])
def test_another_unit_is_refused(host: Server, cell: str) -> None:
    frame = pandas.DataFrame({"id": [1, 2], "sex": ["f", "m"], "height": ["165 cm", cell]})
    host.fill("people", frame, {"id": "integer", "sex": "varchar(9)", "height": "varchar(20)"})
    with pytest.raises(SourceError, match="1 of column 'height' with 'cm' behind the number"):
        run(job(host.url, {"height": {"unit": "cm"}}))
