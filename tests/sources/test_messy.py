"""Data as it comes: encodings, delimiters, names and dates that nobody tidied; what is found is told, or refused."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from tests.sources.tidy import TIDY, job, released


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", []),
        ("utf-8-sig", []),
        (
            "windows-1252",
            ["people.csv, line 2: not UTF-8, so it was read as windows-1252: give source.encoding to be sure"],
        ),
        ("utf-16", ["people.csv was read as utf-16, as its byte order mark says"]),
    ],
)
def test_an_encoding_is_found_and_told(encoding: str, said: list[str], tidy: list[str]) -> None:
    Path("people.csv").write_text(TIDY, encoding=encoding)
    assert released(job()) == (tidy, said)
    if encoding != "utf-8-sig":
        assert released(job(encoding=encoding)) == (tidy, [])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("encoding", ["latin-1", "cp850", "utf-16-le", "utf-8", "UTF8"])
def test_an_encoding_that_is_given_is_not_told(encoding: str, tidy: list[str]) -> None:
    Path("people.csv").write_text(TIDY, encoding=encoding)
    assert released(job(encoding=encoding)) == (tidy, [])


@pytest.mark.parametrize(
    ("content", "given", "problem"),
    [
        (
            TIDY.encode("latin-1"),
            "utf-8",
            "people.csv, line 2: the file is not in UTF-8: give source.encoding, such as windows-1252",
        ),
        (TIDY.encode(), "ascii", "people.csv, line 2: not ascii: give another source.encoding"),
        (
            b"zip,sex,note\n11,m,\x81\n",
            None,
            "people.csv, line 2: neither UTF-8 nor windows-1252: give source.encoding",
        ),
        (
            TIDY.encode("utf-16-le"),
            None,
            "people.csv is not UTF-8, and has NUL bytes",
        ),
        (TIDY.encode() + b"\xff", "utf-16", "people.csv, line "),
    ],
)
def test_an_encoding_that_is_wrong_is_refused(content: bytes, given: str | None, problem: str, work: Path) -> None:
    Path("people.csv").write_bytes(content)
    with pytest.raises(sc.SourceError) as error:
        sc.run(job(**({} if given is None else {"encoding": given})))
    assert str(error.value).startswith(problem)


def test_an_encoding_that_nobody_knows_is_refused() -> None:
    for name in ("latin-99", "base64", "rot13"):
        with pytest.raises(
            sc.JobError, match=f"source.encoding: unknown encoding '{name}': give an encoding such as utf-8"
        ):
            sc.run(job(encoding=name))


def test_nothing_of_a_decoded_file_stays(tidy: list[str], tmp_path: Path) -> None:
    Path("people.csv").write_text(TIDY, encoding="windows-1252")
    sc.run(job())
    assert [path for path in (tmp_path / "private").rglob("*") if path.is_file() and path.stat().st_size] == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_delimiter_is_found_and_told(delimiter: str, tidy: list[str]) -> None:
    Path("people.csv").write_text(TIDY.replace(",", delimiter))
    said = [] if delimiter == "," else [f"people.csv: cells are read with the delimiter {delimiter!r}, as in the lines"]
    assert released(job()) == (tidy, said)
    assert released(job(delimiter=delimiter)) == (tidy, [])


def test_a_delimiter_that_other_lines_do_not_have_is_none(work: Path) -> None:
    Path("people.csv").write_text("zip;sex;note, if any\n11;m;x\n11;m;y\n")
    assert sc.check("people.csv", ["zip", "sex"], 2).holds
    Path("people.csv").write_text("zip;x,sex\n11;1,m\n11;1,m\n")
    with pytest.raises(sc.SourceError, match=r"line 1: several characters may be the delimiter \(',', ';'\): give"):
        sc.check("people.csv", ["sex"], 2)
    assert sc.check({"path": "people.csv", "delimiter": ","}, ["sex"], 2).holds
    Path("people.csv").write_text("zip\n11\n11\n")
    assert sc.check("people.csv", "zip", 2).holds


def test_columns_without_a_name_of_their_own_get_one_that_is_told(work: Path) -> None:
    Path("people.csv").write_text("zip,,sex,zip,Sex,,note\n11,a,m,b,c,d,e\n11,a,m,b,c,d,e\n")
    given = job(rename={"zip_2": "old zip", "note": "remark"})
    given |= {"keep": ["column 2", "old zip", "remark"], "others": "identifiers"}
    release = sc.run(given)
    assert list(release.to_pandas().columns) == ["zip", "column 2", "sex", "old zip", "remark"]
    assert release.to_pandas()["old zip"].tolist() == ["b", "b"]
    assert release.result.warnings == [
        "people.csv has column 2, without a name, as 'column 2'; column 4, with the name of an earlier column, which "
        "is called by this name and _2; column 5, with the name of an earlier column, which is called by this name "
        "and _2; column 6, without a name, as 'column 6': source.rename gives it another name"
    ]
    with pytest.raises(
        sc.SourceError, match=r"source.rename: column 'zipp' is not in people.csv. Did you mean 'zip'\?"
    ):
        sc.run(job(rename={"zipp": "x"}))
    with pytest.raises(sc.SourceError, match="columns 'zip' and 'ZIP' differ at most in case"):
        sc.run(job(rename={"note": "ZIP"}))


def test_a_made_name_is_no_other_columns(work: Path) -> None:
    Path("people.csv").write_text("a,a,a_2,column 4,\n1,2,3,4,5\n")
    release = sc.run(
        {
            "source": {"path": "people.csv"},
            "quasi_identifiers": {"a": "suppress"},
            "keep": ["a_2", "a_3", "column 4", "column 5"],
            "requirement": {"k": 1},
        }
    )
    assert release.to_pandas().iloc[0].to_dict() == {"a": "1", "a_3": "2", "a_2": "3", "column 4": "4", "column 5": "5"}


def test_a_check_tells_what_it_found_of_its_source(work: Path, caplog: pytest.LogCaptureFixture) -> None:
    Path("people.csv").write_text(TIDY.replace(",", ";").replace("note", "zip"), encoding="windows-1252")
    assert sc.check("people.csv", "sex", 2).holds
    told = " ".join(caplog.messages)
    assert (
        "read as windows-1252" in told
        and "the delimiter ';'" in told
        and "with the name of an earlier column, which is called by this name and _2" in told
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("names", [["a;b"], ["a\tb"], ["a|b", "c;d"], ["'a'", "'b'"]], ids=" ".join)
def test_what_is_written_is_read_again_as_it_is(names: list[str], work: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing in a release's header has a reader guess another delimiter or other quotes."""
    frame = pandas.DataFrame([[str(row // 2)] * len(names) for row in range(8)], columns=names)
    qis = dict.fromkeys(names, "suppress")
    sc.anonymize(frame, quasi_identifiers=qis, k=2, output={"path": "release.csv"})
    assert sc.check("release.csv", names, 2).holds
    assert not caplog.messages
    with open("release.csv", newline="") as lines:
        assert next(csv.reader(lines)) == names


def test_check_and_audit_take_the_options_of_a_source(work: Path) -> None:
    Path("people.csv").write_text("zip;x,sex\n11;1,?\n11;1,?\n", encoding="utf-16")
    options = ["--delimiter", ",", "--null", "?", "--encoding", "utf-16"]
    for command in (["check", "people.csv", "--qi", "sex", "--k", "2"], ["audit", "people.csv", "--qi", "sex"]):
        assert isinstance(CliRunner().invoke(cli, command).exception, sc.SourceError)
        assert CliRunner().invoke(cli, [*command, *options]).exit_code == 0
    drafted = CliRunner().invoke(cli, ["init", "people.csv", *options])
    assert drafted.exception is None or "--delimiter" not in str(drafted.exception)


def test_several_texts_stand_for_missing_values(work: Path) -> None:
    Path("people.csv").write_text('zip,sex,note\n-,m,NA\n,m,"NA"\nNA,m,--\n')
    given = {**job(null=["", "-", "NA"]), "output": {"path": "out.csv"}}
    assert sc.run(given).to_pandas()["zip"].isna().all()
    notes = sorted(sc.run(given).to_pandas()["note"].fillna("missing"))
    assert notes == ["--", "NA", "missing"]
    Path("out.csv").unlink()
    duckdb.connect().execute(sc.compile(given))
    assert sorted(pandas.read_csv("out.csv", keep_default_na=False)["note"]) == ["", "--", "NA"]
    options = ["--null", "-", "--null", "NA", "--null", ""]
    assert CliRunner().invoke(cli, ["check", "people.csv", "--qi", "zip", "--k", "3", *options]).exit_code == 0
    assert CliRunner().invoke(cli, ["check", "people.csv", "--qi", "zip", "--k", "3", *options[:4]]).exit_code == 1
    with pytest.raises(sc.JobError, match=r"source.null"):
        sc.run(job(null=[]))


def test_a_text_for_missing_values_is_for_files() -> None:
    with pytest.raises(
        sc.JobError, match=r"source: null is for files only: .* as in clean: {column: {missing: \['-'\]}}"
    ):
        sc.run({"source": {"url": "sqlite:///none.db", "table": "people", "null": "-"}})


FRAME = pandas.DataFrame(
    {"zip": ["1", "1"], "name": ["x", "y"], "Lab_a": ["p", "q"], "Lab_b": ["r", "s"], "Lab_secret": ["t", "u"]}
)


def placed(**roles: Any) -> sc.Release:
    return sc.anonymize(FRAME, quasi_identifiers={"zip": "suppress"}, k=2, **roles)


def test_patterns_stand_for_columns_and_what_they_keep_is_shown_again() -> None:
    release = placed(keep=["Lab_*"], identifiers=["Lab_secret"], others="identifiers")
    assert list(release.to_pandas().columns) == ["zip", "Lab_a", "Lab_b"]
    assert release.result.kept_by_patterns == ["Lab_a", "Lab_b"]
    assert list(placed(identifiers=["n*", "Lab_*"]).to_pandas().columns) == ["zip"]
    assert placed(identifiers=["n*", "Lab_[b-z]*"], keep=["Lab_a"]).result.kept_by_patterns == []
    assert {field for field in release.openlineage()["outputs"][0]["facets"]["columnLineage"]["fields"]} == {
        "zip", "Lab_a", "Lab_b"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("roles", "problem"),
    [
        (
            {"keep": ["Labor_*"], "others": "identifiers"},
            r"keep: the pattern 'Labor_\*' fits no column of the data frame",
        ),
        (
            {"keep": ["Lab_*"], "identifiers": ["*a", "name"]},
            "'Lab_a' .* fits patterns under identifiers and under keep",
        ),
        ({"keep": ["lab_*"], "others": "identifiers"}, "the pattern 'lab_\\*' fits no column"),
        ({"sensitive": ["Lab_*"], "others": "identifiers"}, "sensitive: column 'Lab_\\*' is not in the data frame"),
        (
            {"keep": ["Lab_a"]},
            "columns 'name', 'Lab_b', 'Lab_secret' of the data frame are named nowhere in the job: put",
        ),
        (
            {"keep": ["Lab_a", "Lab"], "identifiers": ["nam"]},
            r"identifiers: column 'nam' .*'name'\? keep: column 'Lab' is",
        ),
    ],
)
def test_a_role_that_is_not_clear_is_refused_and_all_of_it_at_once(roles: dict[str, Any], problem: str) -> None:
    with pytest.raises(sc.SourceError, match=problem):
        placed(**roles)


def test_a_column_of_a_patterns_very_name_is_no_pattern() -> None:
    frame = pandas.DataFrame({"zip": ["1", "1"], "Lab_*": ["p", "q"], "Lab_a": ["r", "s"]})
    release = sc.anonymize(frame, quasi_identifiers={"zip": "suppress"}, keep=["Lab_*"], others="identifiers", k=2)
    assert list(release.to_pandas().columns) == ["zip", "Lab_*"]


@pytest.mark.any_database
def test_patterns_and_others_in_a_database(server: Any) -> None:
    server.execute(
        "create table people (zip varchar(9), lab_a varchar(9), lab_b varchar(9), name varchar(9))",
        "insert into people values ('1', 'a', 'b', 'n'), ('1', 'c', 'd', 'm')",
    )
    release = sc.run(
        {
            "source": {"url": server.url, "table": "people"},
            "quasi_identifiers": {"zip": "suppress"},
            "keep": ["lab_*"],
            "others": "identifiers",
            "requirement": {"k": 2},
        }
    )
    assert list(release.to_pandas().columns) == ["zip", "lab_a", "lab_b"]
    assert release.result.kept_by_patterns == ["lab_a", "lab_b"]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        (
            "people.ods",
            b"PK\x03\x04\0\0\x08",
            r"people.ods is a spreadsheet in a format that cannot be read exactly: save it as .xlsx or as CSV",
        ),
        (
            "people.json",
            b'[{"zip": "11"}]\n',
            r"people.json is JSON: write an object on each line, in a file whose name ends in .jsonl, or",
        ),
        ("people.json.gz", b"", r"people.json.gz is JSON: "),
        ("people.csv", b"PK\x03\x04\0\0\x08", r"people.csv, line 1: the line has the character NUL"),
        ("people.csv", b"zip,\0\n11,12\n", r"people.csv, line 1: the line has the character NUL"),
    ],
)
def test_a_file_of_another_kind_is_refused(name: str, content: bytes, problem: str, work: Path) -> None:
    Path(name).write_bytes(content)
    for ask in (
        lambda: sc.run({**job(name), "others": "identifiers"}),
        lambda: sc.check(name, "zip", 2),
        lambda: sc.init(name, "first.yaml"),
    ):
        with pytest.raises(sc.SourceError, match=problem):
            ask()
    assert not Path("first.yaml").exists()


def test_columns_of_bits_are_the_numbers_that_they_are(mariadb: Any, work: Path) -> None:
    mariadb.clear()
    mariadb.execute(
        "create table people (zip varchar(9), flag bit(1), mask bit(8), wide bit(64))",
        f"insert into people values ('1', 1, 5, {2**64 - 1}), ('1', 0, 0, {2**63}), ('2', null, 255, null)",
        "insert into people values ('2', 1, 5, 3)",
    )
    place = {"url": mariadb.url, "table": "people"}
    described = {
        "source": place,
        "quasi_identifiers": {"zip": "suppress", "mask": {"intervals": [8]}, "flag": {"tree": {"any": [0, 1, None]}}},
        "keep": ["wide"],
        "requirement": {"k": 1},
        "output": {"table": "cohort"},
    }
    sc.run(described)
    rows = mariadb.rows("select zip, mask, flag, wide from cohort order by mask, flag, wide")
    expected = [("1", 0, 0, 2**63), ("2", 5, 1, 3), ("1", 5, 1, 2**64 - 1), ("2", 255, None, None)]
    assert sorted(map(str, rows)) == sorted(map(str, expected))
    described["requirement"] = {"k": 2}
    described["output"] = {"path": "cohort.parquet"}
    assert sc.run(described).k == 2
    assert sorted(
        str(row["wide"]) for row in pandas.read_parquet("cohort.parquet", dtype_backend="pyarrow").to_dict("records")
    ) == sorted(["3", str(2**63), str(2**64 - 1), "None"])
    assert not sc.check(place, ["mask", "flag"], 2).holds
    assert sc.init(place, "first.yaml")


def messy(path: Path, rows: int) -> None:
    """Sixty columns in semicolons and windows-1252, dates in three forms, names missing and doubled, odd codes."""
    drawn = random.Random(1)
    header = [
        "Größe",
        "Geb.",
        "PLZ",
        "Alter",
        "Sex",
        "",
        "Diagnose",
        "Diagnose",
        "Straße",
        *(f"Lab_{n}" for n in range(51)),
    ]
    with path.open("w", encoding="windows-1252", newline="") as file:
        file.write(";".join(header) + "\r\n")
        for _ in range(rows):
            year, month, day = drawn.randint(1930, 2010), drawn.randint(1, 12), drawn.randint(13, 28)
            born = drawn.choice([f"{day}.{month:02}.{year}", f"{month}/{day}/{year}", f"{year}-{month:02}-{day}"])
            code = drawn.choice(["1234", "01234", f"{drawn.randint(10, 99)}{drawn.randint(100, 999)}", "unbek."])
            cells = [str(drawn.randint(150, 200)), born, code, str(drawn.randint(0, 117)), drawn.choice("mwd"), ""]
            cells += [drawn.choice(["J45", "I10", "E11"]), drawn.choice(["", "ä"]), '"Str; ""A"""', *["1,5"] * 51]
            file.write(";".join(cells) + "\r\n")


def test_a_messy_table_has_its_first_release_in_three_runs_by_what_the_program_prints(work: Path) -> None:
    messy(Path("raw.csv"), 2_000)
    described: dict[str, Any] = {
        "source": {"path": "raw.csv"},
        "quasi_identifiers": {
            "Geb.": {"dates": ["year", "decade"]},
            "PLZ": {"digits": 5},
            "Alter": {"intervals": [10, 20], "above": 80},
            "Sex": "suppress",
        },
        "keep": ["Lab_*"],
        "sensitive": ["Diagnose"],
        "requirement": {"k": 5, "suppression": 0.05},
        "output": {"path": "out.csv"},
    }

    def run() -> Any:
        Path("job.yaml").write_text(yaml.safe_dump(described, allow_unicode=True))
        return CliRunner().invoke(cli, ["run", "job.yaml"])

    first = run()
    assert isinstance(first.exception, sc.InputError)
    assert "columns 'Größe', 'column 6', 'Diagnose_2', 'Straße' of raw.csv are named nowhere" in str(first.exception)
    assert "or write others: identifiers" in str(first.exception)
    described["others"] = "identifiers"

    second = run()
    assert isinstance(second.exception, sc.InputError)
    assert "hierarchy of 'Geb.'" in str(second.exception) and 'give formats, such as formats: ["%d.%m.%Y"]' in str(
        second.exception
    )
    assert "hierarchy of 'PLZ'" in str(second.exception) and "write pad: 5 under clean" in str(second.exception)
    assert "nonconforming: missing or nonconforming: suppress" in str(second.exception)
    described["quasi_identifiers"]["Geb."]["formats"] = ["%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d"]
    described["quasi_identifiers"]["PLZ"] |= {"nonconforming": "missing"}
    described["clean"] = {"PLZ": {"pad": 5}}

    third = run()
    assert third.exit_code == 0, third.exception
    assert "read as windows-1252" in third.stderr and "the delimiter ';'" in third.stderr
    assert "kept        Lab_0, Lab_1" in third.stdout
    rows = pandas.read_csv("out.csv", dtype=str, keep_default_na=False)
    assert list(rows.columns)[:5] == ["Geb.", "PLZ", "Alter", "Sex", "Diagnose"] and len(rows) >= 1_900
    assert sc.check("out.csv", ["Geb.", "PLZ", "Alter", "Sex"], 5).holds


def test_a_file_without_a_header_shows_no_cell_where_its_columns_are_told(
    work: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Path("people.csv").write_text("ann,53715,hepatitis,hepatitis\nbob,53703,flu,flu\n")
    with pytest.raises(sc.SourceError, match="check that the first line has the names of the columns") as error:
        sc.check("people.csv", ["disease", "zip"], 2)
    assert "hepatitis" not in str(error.value) + caplog.text and "with the name of an earlier column" in caplog.text
