"""Findings of init in cells of real exports: units, ranges, codes, postcodes, places, weights, files without names."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import SourceError
from starcloak.commands.profile import dotted_codes, init, postcodes, ranges
from starcloak.commands.profile.draft import Draft
from starcloak.job import Job, Place, load

ROWS = 240


def drafted(path: str = "t.csv", **columns: list[Any]) -> tuple[Draft, Job]:
    """The draft of a table, and its job, which runs."""
    if columns:
        pandas.DataFrame(columns).to_csv(path, index=False)
    draft = init.draft(Place(path=Path(path)), into=Path("job.yaml"))
    init.write(draft, Path("job.yaml"))
    assert (sc.run("job.yaml").k or 0) >= 5
    return draft, load("job.yaml")


def region(rows: int = ROWS) -> list[str]:
    return ["nesw"[row * 7 % 11 % 4] for row in range(rows)]


@pytest.mark.parametrize(
    ("cells", "rule"),
    [
        (["165 cm", "172 cm", "180\u00a0cm"], {"unit": "cm"}),
        (["72,5 kg", "80 kg", "64,25 kg"], {"unit": "kg", "decimal": ","}),
        (["120mmHg", "130mmHg", "125"], {"unit": "mmHg"}),
        (["38.5 °C", "37.1 °C", "36.9 °C"], {"unit": "°C"}),
        (["165 cm", "1.80 m", "172 cm"], {}),  # two units
        (["12 a b1", "13 x", "14 y"], {}),
        (["1,234", "2,500", "3,125"], {}),  # no unit
        (["n/a", "unknown", "?"], {}),
    ],
)
def test_numbers_with_a_unit_are_numbers(work: Path, cells: list[str], rule: dict[str, str]) -> None:
    _, job = drafted(what=[cells[row % len(cells)] for row in range(ROWS)], region=region())
    given = job.clean["what"].model_dump(exclude_defaults=True) if "what" in job.clean else {}
    assert {name: given[name] for name in given if name in ("unit", "decimal")} == rule


def test_a_height_with_a_unit_has_ranges(work: Path) -> None:
    draft, _ = drafted(height=[f"{150 + row % 40} cm" for row in range(ROWS)], region=region())
    assert "height: {intervals: [2, 4, 8]}" in draft.text


def test_ranges_that_are_there_are_levels(work: Path) -> None:
    cut = ["(29.9, 39.0]", "(39.0, 48.0]", "(48.0, 57.0]", "(57.0, 66.0]"]
    draft, _ = drafted(age=[cut[row % 4] for row in range(ROWS)], region=region())
    (file,) = Path("job-hierarchies").glob("*.csv")
    assert "(39.0, 48.0];(29.9, 48.0];*" in file.read_text()
    assert "ranges, wider at each level" in draft.text


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (["20-30", "30-40", "40-50"], ["20-30", "20-40", "*"]),
        (["18\u201324", "25\u201334", "35+"], ["35+", "35+", "*"]),
        (["<18", "18-64", "65 and over"], ["<18", "up to 64", "*"]),
        (["1-9", "3", "7", "12", "15"], ["3", "1-9", "1-12", "*"]),
        (["[0, 5)", "[5, 10)", "[10, 15)", "[15, 20)"], ["[5, 10)", "[0, 10)", "*"]),
    ],
)
def test_ranges_are_joined_in_their_order(values: list[str], line: list[str]) -> None:
    lines = ranges.levels(values)
    assert lines is not None and line in lines


@pytest.mark.parametrize("values", [["20-30", "25-40", "40-50"], ["a-b", "c-d", "e-f"], ["1", "2", "3"], ["30-20"] * 3])
def test_what_is_no_order_of_ranges_is_left_alone(values: list[str]) -> None:
    assert ranges.levels(values) is None


def test_runs_of_codes_at_the_end_are_missing_together(work: Path) -> None:
    drawn = Random(1)
    income = [drawn.choice(["999998", "999999", "-9", *map(str, range(5000, 30_000, 700))]) for _ in range(ROWS)]
    grade = [drawn.choice(["1", "2", "3", "4", "97", "98", "99", "-1", "-2", "-3"]) for _ in range(ROWS)]
    _, job = drafted(income=income, stage=grade, region=region())
    assert {*job.clean["income"].missing} == {"999998", "999999", "-9"}
    assert {*job.clean["stage"].missing} == {"97", "98", "99", "-1", "-2", "-3"}


def test_codes_near_the_numbers_are_for_a_person_to_decide(work: Path) -> None:
    age = [str(18 + row * 7 % 65) for row in range(ROWS)]
    age[::20] = ["98", "99"] * 6
    draft, job = drafted(age=age, region=region())
    assert "98 and 99 at the end may be codes of a missing answer" in draft.doubted["age"] and not job.clean


def test_lost_leading_zeros_are_padded(work: Path) -> None:
    codes = [f"{1067 + number % 30:05d}" for number in range(60)] + [str(10_115 + number) for number in range(30)]
    cells = [codes[row % 90] for row in range(ROWS)]
    cells[::9] = [cell.lstrip("0") for cell in cells[::9]]
    draft, job = drafted(plz=cells, stage=[str(1 + row % 12) for row in range(ROWS)], region=region())
    assert {name: rules.pad for name, rules in job.clean.items()} == {"plz": 5} and "plz: {digits: 5}" in draft.text
    sc.run({**job.model_dump(mode="json", exclude_unset=True), "requirement": {"k": 1}})
    assert {len(cell) for cell in pandas.read_csv("job-release.csv", dtype=str)["plz"]} == {5}


def test_codes_with_stops_are_cut_at_them(work: Path) -> None:
    codes = [f"{row % 4}.{row % 12}.{row % 36}" if row % 5 else f"{row % 4}.{row % 12}" for row in range(ROWS)]
    draft, _ = drafted(occupation=codes)
    (file,) = Path("job-hierarchies").glob("*.csv")
    assert {"3.11.35;3.11;3;*", "3.11;3.11;3;*"} <= {*file.read_text().splitlines()}
    assert "codes with full stops" in draft.text
    assert dotted_codes.levels(["1.2", "3.4"]) is None and dotted_codes.levels(["St.Gallen", "St.Ives"]) is None


def test_rare_words_like_frequent_ones_are_for_a_person_to_decide(work: Path) -> None:
    city = [["Springfield", "Shelbyville", "Ogdenville"][row % 3] for row in range(ROWS)]
    city[7], city[8], city[9] = "Sprngfield", "Shelbyvilel", "Capital City"
    draft, job = drafted(city=city, age=[20 + row % 40 for row in range(ROWS)])
    assert "city: 2 rare values look like misspellings of frequent values" in draft.text and not job.clean
    (line,) = [line for line in draft.text.splitlines() if line.startswith("#   city: {map")]
    assert "Shelbyvilel: Shelbyville, Sprngfield: Springfield" in line and line.endswith("1 beside 79, 1 beside 79")
    rules = line.removeprefix("# ").rpartition("  # ")[0]
    Path("mended.yaml").write_text(f"{Path('job.yaml').read_text()}\nclean:\n{rules}\n")
    assert load("mended.yaml").clean["city"].map["Sprngfield"] == "Springfield"


@pytest.mark.parametrize(
    ("codes", "line"),
    [
        (["SW1A 2AA", "SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT", "EC1A1BB", "W1A 0AX", "M60 1NW"],
         "SW1A 2AA;SW1A 2;SW1A;SW;*"),
        (["K1A 0B1", "M5V 3L9", "V6B 4Y8", "H2X1Y4", "K1A 0A6", "T2P 2M5", "R3C 4A5", "S4P 3Y2", "B3H 4R2"],
         "K1A 0B1;K1A 0;K1A;K;*"),
    ],
)  # fmt: skip
def test_postcodes_with_letters_go_by_their_own_parts(work: Path, codes: list[str], line: str) -> None:
    draft, _ = drafted(postcode=[codes[row % 9] for row in range(ROWS)])
    (file,) = Path("job-hierarchies").glob("*.csv")
    assert line in file.read_text().splitlines() and "pad" not in draft.text
    assert postcodes.levels(["SW1A 2AA", "53715"]) is None


def test_a_latitude_beside_a_longitude_is_one_place(work: Path) -> None:
    drawn = Random(2)
    draft, job = drafted(
        home_lat=[f"{52 + drawn.randrange(30) / 100:.2f}" for _ in range(ROWS)],
        home_lon=[f"{13 + drawn.randrange(60) / 100:.2f}" for _ in range(ROWS)],
    )
    assert "one place together with home_lon" in draft.doubted["home_lat"]
    assert "one place together with home_lat" in draft.doubted["home_lon"]
    assert job.quasi_identifiers["home_lat"] == job.quasi_identifiers["home_lon"]


def test_weights_and_counts_stand_for_several_people(work: Path) -> None:
    drawn = Random(3)
    draft, job = drafted(
        PWGTP=[drawn.randrange(12, 400) for _ in range(ROWS)],
        SEX=[drawn.choice([1, 2]) for _ in range(ROWS)],
        region=region(),
    )
    assert "PWGTP" in job.identifiers and "PWGTP says how many people a row stands for" in draft.doubted["PWGTP"]
    rows = [(age, sex, drawn.randrange(1, 9)) for age in range(20, 50) for sex in "fm"]
    ages, sexes, counts = map(list, zip(*rows, strict=True))
    Path("job.yaml").unlink()
    Path("job-release.csv").unlink()
    draft, job = drafted("n.csv", age=ages, sex=sexes, n=counts)
    assert "n" in job.identifiers and "range(n)" in draft.doubted["n"]


def test_a_file_of_fixed_width_is_refused_with_what_to_do(work: Path) -> None:
    Path("t.txt").write_text(
        "".join(f"{row:05d} {'mf'[row % 2]} {20 + row % 60} {53700 + row % 9}\n" for row in range(90))
    )
    Path("t.csv").write_bytes(Path("t.txt").read_bytes())
    with pytest.raises(SourceError, match=r"file of fixed width, which starcloak does not read: write it as CSV first"):
        init.draft(Place(path=Path("t.csv")), into=Path("job.yaml"))


@pytest.mark.parametrize("first", ["1,M,34,53715", "10045,F,1987-03-02,01067"])
def test_a_row_as_the_first_line_is_refused(work: Path, first: str) -> None:
    lines = [f"{200 + row},{'MF'[row % 2]},{20 + row % 60},{60_000 + row}" for row in range(60)]
    Path("t.csv").write_text("\n".join([first, *lines]))
    with pytest.raises(SourceError, match="first line") as error:
        init.draft(Place(path=Path("t.csv")), into=Path("job.yaml"))
    assert first.split(",")[3] not in str(error.value)


@pytest.mark.parametrize("names", [["region", "2019", "2020", "2021"], ["0", "1", "2", "3"]])
def test_years_and_places_are_names(work: Path, names: list[str]) -> None:
    drawn = Random(4)
    drafted(**{name: [str(drawn.randrange(40, 44)) for _ in range(ROWS)] for name in names})
