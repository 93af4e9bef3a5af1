"""Files as they lie about: packed ones, several as one table, quotes of another kind."""

from __future__ import annotations

import contextlib
import gzip
import os
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from starcloak.sources import file_formats
from tests.sources.tidy import TIDY, job, released

HEADER, *ROWS = TIDY.splitlines()
HALVES = ["\n".join([HEADER, *ROWS[:1], ""]), "\n".join([HEADER, *ROWS[1:], ""])]


def zstd(content: bytes) -> bytes:
    packed = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(content)
    return packed.getvalue().to_pybytes()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "packed"), [("t.csv.gz", gzip.compress), ("t.csv.zst", zstd)])
@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252"])
def test_a_packed_file_is_read_as_it_would_be_unpacked(
    name: str, packed: Any, encoding: str, tidy: list[str], tmp_path: Path
) -> None:
    Path(name).write_bytes(packed(TIDY.encode(encoding)))
    rows, said = released(job(name))
    assert rows == tidy
    assert [line for line in said if "not UTF-8" not in line] == []
    assert [path for path in (tmp_path / "private").rglob("*") if path.is_file() and path.stat().st_size] == []
    script = sc.compile({**job(name), "output": {"path": "out.csv"}})
    assert name in script and "private" not in script


def test_a_packed_file_of_several_pieces_is_read_whole(tidy: list[str]) -> None:
    cut = TIDY.encode().index(b"21")
    Path("t.csv.gz").write_bytes(gzip.compress(TIDY.encode()[:cut]) + gzip.compress(TIDY.encode()[cut:]))
    assert released(job("t.csv.gz"))[0] == tidy


@pytest.mark.parametrize(
    "content",
    [gzip.compress(TIDY.encode())[:-9], b"zip\n11\n", b"\x1f\x8b"],
    ids=["its end is missing", "not packed", "two bytes"],  # a header has the time, which two workers read apart
)
def test_a_packed_file_that_is_broken_is_refused(content: bytes, work: Path) -> None:
    Path("t.csv.gz").write_bytes(content)
    with pytest.raises(sc.SourceError, match=r"^t.csv.gz cannot be unpacked as gzip \(\w+\): check the file$"):
        released(job("t.csv.gz"))


def test_several_files_are_one_table_however_each_is_written(tidy: list[str]) -> None:
    Path("visits").mkdir()
    Path("visits/a.csv").write_text(HALVES[0].replace(",", ";"), encoding="windows-1252")
    Path("visits/b.csv.gz").write_bytes(gzip.compress(HALVES[1].encode()))
    Path("visits/.c.csv").write_text("hidden\n1\n")
    rows, said = released(job("visits/*.csv*"))
    assert rows == tidy
    assert len(said) == 2 and all("visits/a.csv" in line for line in said)
    assert released(job("visits/[ab]*")) == (rows, said)
    assert released(job("*/[ab]*"))[0] == rows


def test_what_is_found_of_many_files_is_told_once(tidy: list[str]) -> None:
    for number, half in enumerate(HALVES):
        Path(f"part-{number}.csv").write_text(half.replace(",", ";"))
    (said,) = released(job("part-?.csv"))[1]
    assert said.endswith("part-0.csv: cells are read with the delimiter ';', as in the lines (also in 1 further files)")


def test_several_parquet_files_are_one_table(tidy: list[str]) -> None:
    frame = pandas.read_csv("tidy.csv", dtype=str)
    frame[:1].to_parquet("a.parquet")
    frame[1:].to_parquet("b.parquet")
    assert released(job("*.parquet"))[0] == tidy
    frame.assign(sex=1).to_parquet("c.parquet")
    with pytest.raises(sc.SourceError, match=r"c.parquet has other columns than \S+a.parquet, or another order"):
        released(job("*.parquet"))


@pytest.mark.parametrize(
    ("linked", "path"),
    [
        ("visits/latest.csv", "visits/*.csv"),
        ("latest", "*/*.csv"),
        ("visits/hard.csv", "visits/*.csv"),
        ("visits/may.csv.gz", "visits/may*"),
    ],
)
def test_a_file_and_a_link_or_a_packed_copy_are_not_read_twice(linked: str, path: str, work: Path) -> None:
    Path("visits").mkdir()
    Path("visits/may.csv").write_text("zip,sex,note\n11,m,x\n22,f,y\n")
    if linked.endswith(".gz"):
        Path(linked).write_bytes(gzip.compress(Path("visits/may.csv").read_bytes()))
    elif linked == "visits/hard.csv":
        os.link("visits/may.csv", linked)
    else:
        os.symlink("visits" if linked == "latest" else "may.csv", linked)
    # Each of the two persons alone would be a class of two rows.
    with pytest.raises(
        sc.SourceError,
        match=r"may.csv\S* and \S+ are one file with two names, or packed|csv and \S+may.csv are one file",
    ):
        released(job(path))


def test_a_file_that_comes_or_changes_makes_a_run_again(tidy: list[str]) -> None:
    Path("visits").mkdir()
    Path("visits/a.csv").write_text(TIDY)
    described = {**job("visits/*.csv"), "output": {"path": "out.csv"}}
    assert sc.run(described).result.rows == 4
    assert sc.run(described).result.unchanged
    Path("visits/b.csv").write_text(TIDY)
    again = sc.run(described).result
    assert (again.unchanged, again.rows) == (False, 8)
    os.remove("visits/a.csv")
    assert sc.run(described).result.rows == 4


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("files", "path", "problem"),
    [
        ({}, "*.csv", r"^no file fits the pattern \*.csv: check the path$"),
        ({"a.csv": "x,sex,note\n1,m,\n"}, "*.csv", r"tidy.csv has other columns than \S+a.csv, or another order"),
        (
            {"z.csv": "zip,sex,note\n11,m\n"},
            "*.csv",
            r"z.csv, line 2: the line has more or fewer cells than the header",
        ),
        ({"z.parquet": "no"}, "*.*", r"some of its files are CSV, some Parquet: give a pattern for one"),
        ({"z.parquet": "no"}, "z*", r"z\* cannot be read|z.parquet cannot be read"),
    ],
)
def test_files_that_are_no_table_are_refused(files: dict[str, str], path: str, problem: str, tidy: list[str]) -> None:
    if not files:
        os.remove("tidy.csv")
    for name, text in files.items():
        Path(name).write_text(text)
    with pytest.raises(sc.SourceError, match=problem):
        released(job(path))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", ["visits/*.csv", "**/*.csv", "v*/[ao]*"])
def test_a_release_does_not_become_a_file_of_its_source(path: str, work: Path) -> None:
    Path("visits").mkdir()
    Path("visits/a.csv").write_text(TIDY)
    with pytest.raises(
        sc.OutputError, match=r"^the release would be written to .*, one of the files of the source: check output.path$"
    ):
        sc.run({**job(path), "output": {"path": "visits/out.csv"}})
    assert os.listdir("visits") == ["a.csv"]
    assert sc.run({**job(path), "output": {"path": "visits/.out.csv"}}).result.rows == 4


def test_a_file_of_a_patterns_very_name_is_no_pattern(tidy: list[str]) -> None:
    os.rename("tidy.csv", "t[a-z]*.csv")
    Path("tax.csv").write_text("other\n1\n")
    assert released(job("t[a-z]*.csv"))[0] == tidy


@pytest.mark.sampled(2)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_apostrophes_around_cells_are_found_and_told(delimiter: str, tidy: list[str]) -> None:
    quoted = [delimiter.join(f"'{cell}'" for cell in line.split(",")) for line in [HEADER, *ROWS[:3]]]
    last = delimiter.join(["22", "f", "'it''s \"x\"; a, b'"])
    Path("t.csv").write_text("\n".join([*quoted, last, ""]))
    rows, said = released(job("t.csv"))
    assert rows == sorted([*tidy[:2], "2*,f,é", '2*,f,it\'s "x"; a, b'])
    assert said[0] == "t.csv: cells are read with the quote ', as in the header"
    assert released(job("t.csv", quote="'", delimiter=delimiter)) == (rows, [])
    checked = CliRunner().invoke(
        cli, ["check", "t.csv", "--qi", "sex", "--k", "2", "--quote", "'", "--delimiter", delimiter]
    )
    assert (checked.exit_code, checked.stderr) == (0, "")


def test_apostrophes_around_two_cells_are_found(work: Path) -> None:
    Path("t.csv").write_text("'zip','sex'\n'1,1','m'\n'1,1','f'\n'1,1','m'\n'1,1','f'\n")
    release = sc.run({"source": {"path": "t.csv"}, "quasi_identifiers": {"zip": "suppress", "sex": "suppress"},
                      "requirement": {"k": 2}})  # fmt: skip
    assert Counter(release.to_pandas().itertuples(index=False, name=None)) == {("1,1", "m"): 2, ("1,1", "f"): 2}


def test_the_line_of_a_byte_that_is_not_utf_8_is_told_however_far_it_is(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_formats, "_BLOCK", 16)
    Path("t.csv").write_bytes(b"zip,sex\n" + b"11,m\n" * 20 + b"1\xff,f\n" + b"12,f\n" * 20)
    with pytest.raises(file_formats.NotUnicode, match=r"t\.csv, line 22: the file is not in UTF-8"):
        file_formats.refuse_other_bytes(Path("t.csv"), "t.csv")


def test_other_columns_are_identifiers_beside_those_that_are_named(work: Path) -> None:
    Path("t.csv").write_text("zip,sex,note,ward\n" + "11,m,x,y\n" * 4)
    job = {"source": {"path": "t.csv"}, "quasi_identifiers": {"zip": "suppress", "sex": "suppress"}}
    release = sc.run({**job, "identifiers": ["note"], "others": "identifiers", "requirement": {"k": 2}})
    assert set(release.to_pandas().columns) == {"zip", "sex"}


def test_apostrophes_of_cells_alone_stay(work: Path) -> None:
    Path("t.csv").write_text("zip,sex,note\n11,m,'t\n11,m,'x'\n")
    assert released(job("t.csv")) == (["11,m,'t", "11,m,'x'"], [])


def test_a_first_job_of_several_packed_files_runs(tidy: list[str]) -> None:
    for number in range(2):
        rows = "".join(f"{10 + number},{'mf'[row % 2]},n{row}\n" for row in range(20))
        Path(f"v{number}.csv.gz").write_bytes(gzip.compress(f"{HEADER}\n{rows}".encode()))
    done = CliRunner().invoke(cli, ["init", "v*.csv.gz"])
    assert (done.exit_code, done.exception) == (0, None)
    assert sc.run("job.yaml").result.rows == 40


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
@pytest.mark.parametrize("name", ["clinic.{}", "clinic.db"])
def test_a_database_under_path_is_refused_with_its_url(scheme: str, name: str, work: Path) -> None:
    """Read as text, it was said to need an encoding."""
    file = name.format(scheme)
    connect = {"sqlite": sqlite3.connect, "duckdb": duckdb.connect}[scheme]
    with contextlib.closing(connect(file)) as database:
        database.execute("create table patients as select 1 as age")
        database.commit()
    done = CliRunner().invoke(cli, ["init", file])
    assert isinstance(done.exception, sc.InputError)
    assert f"{file} is a database, not a table: give its url, {scheme}:///" in str(done.exception)
    url = str(done.exception).partition("its url, ")[2].partition(",")[0]
    assert CliRunner().invoke(cli, ["audit", url, "--table", "patients", "--qi", "age"]).exit_code == 0
