"""init: a first job of any table, which runs as it is, and in which nothing that identifies is kept."""

from __future__ import annotations

import csv
import itertools
import os
import random
import stat
from datetime import date, timedelta
from pathlib import Path

import pandas
import pytest
import yaml
from click.testing import CliRunner, Result

import starcloak as sc
from starcloak.base import installation
from starcloak.commands.cli import cli
from starcloak.commands.profile import classifications, init
from starcloak.commands.profile.classifications import ready
from starcloak.job import Place, load
from tests import labelled
from tests.people import Server


def drafted(*arguments: str, said: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["init", *arguments], input=said)


def roles(path: str = "job.yaml") -> dict[str, str]:
    return {column: role for role, names in load(path).roles.items() for column in names}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (at % 3 > 0)) for at, name in enumerate(labelled.TABLES)]
)
def test_a_first_job_runs_as_it_is_and_keeps_nothing_that_identifies(work: Path, name: str) -> None:
    frame, expected = labelled.table(name), labelled.roles(name)
    frame.to_csv("t.csv", index=False)
    done = drafted("t.csv")
    assert (done.exit_code, done.exception) == (0, None)
    found = roles()
    assert sorted(found) == sorted(expected)
    assert not [
        column
        for column, role in expected.items()
        if role in ("identifiers", "quasi_identifiers") and found[column] == "keep"
    ]
    identifying = [column for column, role in expected.items() if role == "identifiers"]
    assert not [column for column in identifying if found[column] not in ("identifiers", "person")]
    right = sum(found[column] == role for column, role in expected.items())
    assert right >= 0.75 * len(expected)
    release = sc.run("job.yaml")
    assert (release.k or 0) >= 5 and release.result.released_rows >= 0.95 * len(frame)
    text = Path("job.yaml").read_text()
    cells = {str(cell) for column in identifying for cell in frame[column].dropna() if len(str(cell)) > 6}
    assert not [cell for cell in cells if cell in text]


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("each", [3, pytest.param(1, marks=pytest.mark.long)])
def test_nine_tenths_of_all_roles_are_right(each: int, work: Path) -> None:
    """Which does not hang on what runs would lose: none is tried."""
    right = total = 0
    for name in [*labelled.TABLES][::each]:
        labelled.table(name).to_csv("t.csv", index=False)
        assert drafted("t.csv", "--into", f"{name}.yaml").exit_code == 0
        found, expected = roles(f"{name}.yaml"), labelled.roles(name)
        right += sum(found[column] == role for column, role in expected.items())
        total += len(expected)
    assert right >= 0.9 * total


def test_the_patients_of_the_paper_have_a_first_job(work: Path) -> None:
    assert drafted(str(installation.schemas() / "patients" / "patients.csv")).exit_code == 0
    quasi_identifiers = dict.fromkeys(("birthdate", "sex", "zipcode"), "quasi_identifiers")
    assert roles() == {**quasi_identifiers, "disease": "sensitive"}
    assert (sc.run("job.yaml").k or 0) >= 5


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("sampled", [10_000, 150])
def test_the_smallest_sets_that_tell_nearly_all_rows_apart(
    work: Path, sampled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As pandas counts them, of a sample that is checked over all rows, too."""
    monkeypatch.setattr(init, "_SAMPLED", sampled)
    chance = random.Random(3)
    most = {"age": 60, "zip": 30, "height": 90, "weight": 70, "children": 4}
    rows = [[chance.randrange(number) for number in most.values()] for _ in range(400)]
    frame = pandas.DataFrame(rows, columns=list(most))
    frame.to_csv("t.csv", index=False)
    expected: list[tuple[str, ...]] = []
    for size in (2, 3, 4):
        for names in itertools.combinations(most, size):
            smaller = any(set(each) <= set(names) for each in expected)
            if not smaller and len(frame.drop_duplicates(list(names))) >= 0.95 * len(frame):
                expected.append(names)
    told = init.draft(Place(path=Path("t.csv")), into=Path("job.yaml")).tellings.sets
    assert {frozenset(each) for each in told} == {frozenset(each) for each in expected}
    assert {len(each) for each in expected} == {2, 3}


def test_files_of_hierarchies_are_their_owners_alone(work: Path) -> None:
    rows = [f"town{number}" for number in range(12)] * 8 + ["rare", "\r", "\ufeff"]
    pandas.DataFrame({"town": rows, "age": range(len(rows))}).to_csv("t.csv", index=False, quoting=csv.QUOTE_ALL)
    os.umask(0)
    try:
        assert drafted("t.csv").exit_code == 0
    finally:
        os.umask(0o022)
    (file,) = Path("job-hierarchies").glob("*.csv")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "rare;other;*" in file.read_text() and "rare" not in Path("job.yaml").read_text()
    assert sc.run("job.yaml").k


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("values", "hierarchy"),
    [
        (["Texas", "Ohio", "Maine", "Utah", "Iowa", "Idaho", "Nevada", "Oregon", "Kansas"], "us-states"),
        (["DE", "FR", "US", "JP", "IN", "BR", "ZA", "AU", "CA", "GB"], "countries"),
    ],
)
def test_a_ready_made_hierarchy_is_taken_where_all_values_are_in_it(
    work: Path, values: list[str], hierarchy: str
) -> None:
    pandas.DataFrame({"place": values * 6}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    (file,) = Path("job-hierarchies").glob("*.csv")
    lines = [line.split(";") for line in file.read_text().splitlines()]
    assert all(line[1:] == ready(hierarchy)[line[0].casefold()] for line in lines)
    assert sc.run("job.yaml").result.recoding.heights == {"place": 3}


def test_diagnoses_have_their_categories_blocks_and_chapters(work: Path) -> None:
    codes = [
        "E11.9",
        "e10",
        "I10",
        "J45.0",
        "M54.5",
        "F32.9",
        "K21.0",
        "N39.0",
        "C50.9",
        "Z00.0",
        "D49.9",
        "D50.1",
        "C4A.0",
    ]
    pandas.DataFrame({"position": codes * 6}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    assert roles() == {"position": "quasi_identifiers"}
    (file,) = Path("job-hierarchies").glob("*.csv")
    lines = dict(line.split(";", 1) for line in file.read_text().splitlines())
    assert lines["e10"] == "E10;E08-E14;endocrine, nutritional and metabolic diseases;*"
    assert lines["D49.9"] == "D49;D49;neoplasms;*"
    assert lines["C4A.0"] == "C4A;C43-C44;neoplasms;*"
    assert lines["D50.1"] == "D50;D50-D53;blood, blood-forming organs, immune mechanism;*"
    assert sc.run("job.yaml").result.recoding.heights == {"position": 4}


def test_blocks_and_chapters_are_in_order_and_a_block_is_in_one_chapter() -> None:
    chapters, blocks = (classifications.ranges(name) for name in ("icd-10", "icd-10-blocks"))
    for listed in (chapters, [each for each in blocks if each[0] != each[1] or each[0][2:].isdigit()]):
        assert all(first <= last for first, last, *_ in listed)
        assert all(one[1] < other[0] for one, other in itertools.pairwise(listed))
    assert all(any(first <= each[0] and each[1] <= last for first, last, _ in chapters) for each in blocks)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("53715", "5371*;537**;530-549;5****;*"),
        ("00501", "0050*;005**;005;0****;*"),
        ("39901", "3990*;399**;398-399;3****;*"),
        ("73301", "7330*;733**;733;7****;*"),
        ("99950", "9995*;999**;995-999;9****;*"),
    ],
)
def test_zip_codes_have_the_ranges_of_states(work: Path, code: str, line: str) -> None:
    zips = [code, *(f"537{number:02d}" for number in range(12))]
    pandas.DataFrame({"zip": zips * 5}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    (file,) = Path("job-hierarchies").glob("*.csv")
    assert f"{code};{line}" in file.read_text().splitlines()
    assert sc.run("job.yaml").k
    pandas.DataFrame({"zip": [*zips, "21399", "00199"] * 5}).to_csv("t.csv", index=False)  # nobody has 001
    assert drafted("t.csv", "--into", "other.yaml").exit_code == 0
    assert "zip: {digits: 5}" in Path("other.yaml").read_text() and sc.run("other.yaml").k


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("form", "told", "taken"),
    [
        ("%d.%m.%Y", '["%d.%m.%Y"]', "dates as %d.%m.%Y;"),
        ("%d/%m/%Y", '["%d/%m/%Y"]', "dates as %d/%m/%Y;"),
        ("%m/%d/%Y %H:%M", '["%m/%d/%Y %H:%M"]', "[day, month, year]"),
        ("%Y%m%d", '["%Y%m%d"]', "[month, year]"),
        ("%d %b %Y", '["%d %b %Y"]', "[month, year]"),
    ],
)
def test_dates_have_their_format(work: Path, form: str, told: str, taken: str) -> None:
    days = [date(2019, 1, 1) + timedelta(days=11 * number) for number in range(150)]
    pandas.DataFrame({"when": [f"{day:{form}}" for day in days]}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    text = Path("job.yaml").read_text()
    assert f"formats: {told}}}" in text and taken in text and "as well" not in text
    assert sc.run("job.yaml").k


@pytest.mark.sampled(6)
@pytest.mark.parametrize("form", ["%d.%m.%y", "%m/%d/%y", "%d-%m-%y", "%y-%m-%d", "%d-%b-%y"])
@pytest.mark.parametrize("year", [1930, 2002])
def test_dates_of_two_digit_years_are_not_guessed(work: Path, form: str, year: int) -> None:
    """Read as they stand, 11-03-12 would be in the year 11."""
    days = [date(year, 1, 1) + timedelta(days=37 * number) for number in range(150)]
    pandas.DataFrame({"when": [f"{day:{form}}" for day in days], "age": range(150)}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    text = Path("job.yaml").read_text()
    assert "the century would be a guess" in text and "when: {dates" not in text
    assert sc.run("job.yaml").k


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("column", "given"), [("height", "intervals"), ("when", "dates")])
def test_a_few_values_of_another_kind_do_not_hide_what_a_column_is(work: Path, column: str, given: str) -> None:
    days = [f"{1 + row % 28:02d}.03.{1980 + row % 30}" for row in range(200)]
    cells = {"height": [str(150 + row % 50) for row in range(200)], "when": days}[column]
    for row, text in ((3, "unknown"), (90, "unknown"), (91, "n/k")):
        cells[row] = text
    pandas.DataFrame({column: cells, "sex": ["f", "m"] * 100}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    text = Path("job.yaml").read_text()
    assert f"{column}: {{{given}" in text and "nonconforming: missing}" in text
    assert f"{column}: {{missing: [unknown]}}" in text and "values of another kind: 1\n" in text
    assert sc.run("job.yaml").k


def test_of_two_formats_that_fit_both_are_told(work: Path) -> None:
    pandas.DataFrame({"when": [f"0{1 + row % 9}/0{1 + row % 7}/2021" for row in range(80)]}).to_csv(
        "t.csv", index=False
    )
    assert drafted("t.csv").exit_code == 0
    text = Path("job.yaml").read_text()
    assert 'formats: ["%m/%d/%Y"]' in text and "all values are dates as %d/%m/%Y as well" in text
    assert sc.run("job.yaml").k


def test_dates_of_several_formats_are_dates(work: Path) -> None:
    days = [f"{1 + row % 28:02d}.03.{1980 + row % 30}" for row in range(400)]
    days[::10] = [f"{1990 + row}-05-{10 + row % 20}" for row in range(40)]
    pandas.DataFrame({"when": days, "sex": ["f", "m"] * 200}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    text = Path("job.yaml").read_text()
    assert 'formats: ["%d.%m.%Y", "%Y-%m-%d"]' in text and "dates as %d.%m.%Y or %Y-%m-%d" in text
    assert sc.run("job.yaml").k


def test_dates_that_two_formats_read_differently_are_not_guessed(work: Path) -> None:
    days = [f"{1 + row % 12:02d}/{1 + row % 28:02d}/2001" for row in range(200)]
    days += [f"{13 + row % 15:02d}/{1 + row % 12:02d}/2001" for row in range(200)]
    pandas.DataFrame({"when": days, "sex": ["f", "m"] * 200}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    assert "formats" not in Path("job.yaml").read_text()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("cell", "given"), [("{},5", 'decimal: ","'), ("{},2345", 'decimal: ","'), ("{},500", "csv"), ("1.{},5", "csv")]
)
def test_decimal_commas_are_found(work: Path, cell: str, given: str) -> None:
    frame = pandas.DataFrame({"weight": [cell.format(50 + row % 40) for row in range(400)], "sex": ["f", "m"] * 200})
    frame.to_csv("t.csv", index=False, sep=";")
    assert drafted("t.csv").exit_code == 0
    lines = [line for line in Path("job.yaml").read_text().splitlines() if line.startswith("  weight")]
    assert any(given in line for line in lines)
    assert any("intervals" in line for line in lines) == ("decimal" in given)
    assert sc.run("job.yaml").k


@pytest.mark.parametrize(("form", "given"), [("{:.1f}", "intervals"), ("00{:.0f}", "digits")])
def test_a_number_below_one_is_no_code(work: Path, form: str, given: str) -> None:
    """Codes are filled up by zeros in front."""
    values = [form.format(row % 90 / 10) for row in range(400)]
    pandas.DataFrame({"tenure": values, "sex": ["f", "m"] * 200}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    assert given in str(yaml.safe_load(Path("job.yaml").read_text())["quasi_identifiers"]["tenure"])


def test_two_letters_are_countries_where_the_name_says_so(work: Path) -> None:
    codes = ["CA", "DE", "IN", "AL", "AR", "CO", "GA", "ID", "MT", "PA"]
    names = ["country", "state", "language"]
    chance = random.Random(1)
    pandas.DataFrame({name: chance.sample(codes * 20, 200) for name in names}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    state, language = (path.read_text() for path in sorted(Path("job-hierarchies").glob("*.csv"))[-2:])
    assert "CA;Pacific;West;*" in state and "CA;CA;*" in language
    text = Path("job.yaml").read_text()
    assert "country: {classification: countries}  #" in text
    assert "the classification countries knows 10 of 10 values" in text
    assert sc.run("job.yaml").k


@pytest.mark.sampled(4)
@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("missing", ["NA", "?"])
def test_delimiter_and_text_for_missing_values_are_found(work: Path, delimiter: str, missing: str) -> None:
    frame = pandas.DataFrame({"age": [*range(20, 60), None], "name": [f"n{row}" for row in range(41)]}).astype(object)
    frame.to_csv("t.csv", index=False, sep=delimiter, na_rep=missing)
    assert drafted("t.csv").exit_code == 0
    source = yaml.safe_load(Path("job.yaml").read_text())["source"]
    assert source == {"path": "t.csv", "delimiter": delimiter, "null": ["", missing]}
    assert sc.run("job.yaml").k


@pytest.mark.sampled(2)
@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16"])
def test_the_encoding_is_found(work: Path, encoding: str) -> None:
    frame = pandas.DataFrame({"Größe": [*range(20, 60)] * 2, "Stadt": ["Köln", "Zürich"] * 40})
    frame.to_csv("t.csv", index=False, sep=";", encoding=encoding)
    assert drafted("t.csv").exit_code == 0
    source = yaml.safe_load(Path("job.yaml").read_text())["source"]
    assert source == {"path": "t.csv", "encoding": encoding, "delimiter": ";"}
    assert sc.run("job.yaml").k


def test_a_packed_file_has_no_encoding_of_its_own(work: Path) -> None:
    pandas.DataFrame({"age": [*range(20, 60)] * 2}).to_csv("t.csv.GZ", index=False, compression="gzip")
    assert drafted("t.csv.GZ").exit_code == 0
    assert "encoding" not in yaml.safe_load(Path("job.yaml").read_text())["source"]


def test_a_first_job_of_more_nodes_than_have_numbers_runs(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starcloak.commands.profile.trials.LARGEST_NUMBERED", 2**3)
    monkeypatch.setattr("starcloak.commands.profile.trials._LATTICE", 2**2)
    chance = random.Random(1)
    frame = pandas.DataFrame({f"class {n}": chance.choices("xyz", k=90) for n in range(4)})
    for columns, algorithm in ((2, "witness"), (3, "datafly"), (4, "mondrian")):
        frame.iloc[:, :columns].to_csv("t.csv", index=False)
        made = init.draft(Place(path=Path("t.csv")), into=Path("job.yaml"))
        assert [trial.algorithm for trial in made.choice.tried] == [algorithm, algorithm, "sweep"]
        init.write(made, Path("job.yaml"))
        assert (sc.run("job.yaml").k or 0) >= 5


def test_the_file_of_a_job_in_another_folder_names_its_source(work: Path) -> None:
    labelled.table("loans").to_csv("t.csv", index=False)
    Path("deep/er").mkdir(parents=True)
    assert drafted("t.csv", "--into", "deep/er/j.yaml").exit_code == 0
    assert sc.run("deep/er/j.yaml").k and Path("deep/er/j-release.csv").is_file()


def test_hostile_names_of_columns_stay_names(work: Path) -> None:
    names = ["a: b", "# c", "null", "'q'", 'd"e', "- f", "new\nline", "äö", "{g}", "1.5", "yes", "%h", "*"]
    frame = pandas.DataFrame({name: [str(row % 3) for row in range(40)] for name in names})
    frame.to_parquet("t.parquet")
    assert drafted("t.parquet").exit_code == 0
    assert sorted(roles()) == sorted(names)
    text = Path("job.yaml").read_text().replace("job-release.csv", "job-release.parquet")
    Path("job.yaml").write_text(text)
    assert sc.run("job.yaml").k


@pytest.mark.any_database
def test_a_table_of_a_database_is_profiled(server: Server, tmp_path: Path) -> None:
    frame = labelled.table("lab-results").astype(object)
    server.fill("people", frame.astype(str).where(frame.notna(), None), dict.fromkeys(frame, "varchar(40)"))
    into = tmp_path / "job.yaml"
    done = drafted(server.url, "--table", "people", "--into", str(into))
    assert done.exit_code == 0, done.output
    expected = labelled.roles("lab-results")
    assert {column: role for column, role in roles(str(into)).items() if role != expected[column]} == {}
    assert sc.run(into).k


def test_a_job_with_a_password_is_its_owners_alone(work: Path, postgresql: Server) -> None:
    """It has to run as it is; nobody else is to read it."""
    postgresql.execute(
        "drop table if exists ages", "create table ages (age int)", "insert into ages select generate_series(1, 50)"
    )
    assert ":secretpw7@" in postgresql.url
    os.umask(0)
    try:
        done = drafted(postgresql.url, "--table", "ages")
    finally:
        os.umask(0o022)
    assert done.exit_code == 0 and "secretpw7" not in done.output
    assert stat.S_IMODE(Path("job.yaml").stat().st_mode) == 0o600
    assert sc.run("job.yaml").k


def test_who_is_asked_decides(work: Path) -> None:
    pandas.DataFrame({"age": range(30), "flavour": ["a", "b", "c"] * 10}).to_csv("t.csv", index=False)
    done = drafted("t.csv", "--ask", said="\nsensitive\n")
    assert done.exit_code == 0
    assert roles() == {"age": "quasi_identifiers", "flavour": "sensitive"}


def test_a_table_without_a_quasi_identifier_has_a_job_all_the_same(work: Path) -> None:
    pandas.DataFrame({"email": [f"x{row}@y.example" for row in range(30)], "salary": range(30)}).to_csv(
        "t.csv", index=False
    )
    assert drafted("t.csv").exit_code == 0
    assert (sc.run("job.yaml").k or 0) >= 5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.csv",), "none.csv is not a file"),
        (("empty.csv",), "empty.csv has no rows, so there is nothing to profile"),
        (("t.csv", "--into", "t.csv"), "t.csv is there already and was changed after init wrote it"),
        (("t.csv", "--into", "no/where.yaml"), "is not a folder"),
        (("rows.csv",), "rows.csv: 2 columns have their own name among their values"),
        (("latin.csv",), "latin.csv, line 1: neither UTF-8 nor windows-1252: give source.encoding"),
        (("uneven.csv",), "uneven.csv, line 3"),
    ],
)
def test_what_cannot_be_profiled_is_refused_in_one_line(work: Path, arguments: tuple[str, ...], says: str) -> None:
    Path("t.csv").write_text("age\n1\n2\n")
    Path("empty.csv").write_text("age,zip\n")
    Path("latin.csv").write_bytes(b"stra\x81e,x\nwei\xdf,1\n")
    Path("uneven.csv").write_text("a,b\n1,2\n3\n")
    Path("rows.csv").write_text("Ann,f,flu\nBob,m,flu\nEve,f,cough\n")
    done = drafted(*arguments)
    assert isinstance(done.exception, sc.InputError)
    assert says in str(done.exception) and "\n" not in str(done.exception)
    assert not Path("job.yaml").exists()


def test_an_older_first_job_is_replaced_and_a_file_of_values_that_differs_is_not(work: Path) -> None:
    pandas.DataFrame({"town": [f"town{row % 12}" for row in range(60)]}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    assert drafted("t.csv").exit_code == 0
    (file,) = Path("job-hierarchies").glob("*.csv")
    file.write_text(file.read_text() + "mine;other;*\n")
    done = drafted("t.csv")
    assert "is there already" in str(done.exception) and "mine" in file.read_text()


def test_a_first_job_that_was_changed_is_not_written_over(work: Path) -> None:
    pandas.DataFrame({"age": [*range(20, 60)] * 2}).to_csv("t.csv", index=False)
    assert drafted("t.csv").exit_code == 0
    mine = Path("job.yaml").read_text().replace("k: 5", "k: 7")
    Path("job.yaml").write_text(mine)
    done = drafted("t.csv")
    assert isinstance(done.exception, sc.OutputError) and "was changed after init wrote it" in str(done.exception)
    assert Path("job.yaml").read_text() == mine
