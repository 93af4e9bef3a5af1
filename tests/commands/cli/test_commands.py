"""What the user meets: the commands, their output as text and as data."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pandas
import pytest
import yaml

import starcloak as sc
from tests import weighed
from tests.commands.cli.jobs import Command, job, python, validate, write
from tests.daily import drawn_today

# ---------------------------------------------------------------------------------------------------------------- run


def test_run_says_what_it_released(starcloak: Command) -> None:
    done = starcloak("run", write(job()))
    assert (done.code, done.err) == (0, "")
    assert "7 of 7 rows" in done.out
    assert "release.csv" in done.out
    assert "k = 2" in done.out
    with open("release.csv") as release:
        assert next(release) == "zip,age,sex,illness\n"
        assert len(release.readlines()) == 7


def test_the_json_of_run_is_valid_and_true(starcloak: Command) -> None:
    done = starcloak("run", write(job()), "--json")
    assert (done.code, done.err) == (0, "")
    report = json.loads(done.out)
    validate(report, "report")
    assert (report["rows"], report["released_rows"], report["suppressed_rows"]) == (7, 7, 0)
    released = pandas.read_csv("release.csv", dtype=str, keep_default_na=False)
    sizes = released.groupby(["zip", "age", "sex"]).size()
    assert report["k"] == sizes.min() >= 2
    assert report["measures"]["classes"] == len(sizes)
    assert report["measures"]["discernibility"] == (sizes**2).sum()
    assert list(report["recoding"]["levels"]) == ["zip", "age", "sex"]
    assert list(report["recoding"]["levels"].values()) in report["search"]["minimal"]
    assert sum(report["recoding"]["levels"].values()) == min(map(sum, report["search"]["minimal"]))
    assert report["search"]["lattice_nodes"] == 6 * 4 * 2
    assert report["seconds"]["total"] >= report["seconds"]["search"] > 0


def test_the_json_of_run_holds_no_rows(starcloak: Command) -> None:
    done = starcloak("run", write(job(requirement={"k": 2, "suppression": "0.5"})), "--json")
    report = json.loads(done.out)
    validate(report, "report")
    assert report["suppressed_rows"] > 0
    for value in ("Ann", "53715", "measles"):
        assert value not in done.out


@pytest.mark.sampled(3)
@pytest.mark.parametrize("suppression", [0, 1, 0.5, "0.5", 1e-9], ids=repr)
def test_every_accepted_suppression_gives_a_valid_report(starcloak: Command, suppression: object) -> None:
    done = starcloak("run", write(job(requirement={"k": 3, "suppression": suppression})), "--json")
    assert done.code == 0
    validate(json.loads(done.out), "report")


def test_a_report_without_released_rows_is_valid(starcloak: Command) -> None:
    described = job(
        requirement={"k": 7, "suppression": 1},
        quasi_identifiers={"age": {"intervals": [5], "to": 0}},
        sensitive=["illness"],
    )
    done = starcloak("run", write({**described, "identifiers": ["name", "zip", "sex"]}), "--json")
    report = json.loads(done.out)
    validate(report, "report")
    assert (done.code, report["released_rows"], report["k"]) == (0, 0, None)


def test_the_job_of_a_valid_run_is_valid_under_its_schema(starcloak: Command) -> None:
    valid = (
        job(),
        weighed.by_height(job(seed=7, algorithm={"name": "incognito", "variant": "basic"}), {"zip": 2.5, "sex": "0.5"}),
        job(algorithm={"name": "incognito", "variant": "cube", "cube": "cube.duckdb"}),
        job(algorithm={"name": "witness"}),
        job(algorithm={"name": "samarati"}),
        job(algorithm={"name": "bottom-up", "rollup": False}),
        job(algorithm={"name": "datafly"}),
        job(quasi_identifiers={"zip": {"tree": {"all": ["53715", "53703", "53706"]}}}, keep=["age", "sex"]),
    )
    for described in valid:
        validate(described, "job")
    for described in drawn_today(valid, every=4):
        assert starcloak("run", write(described)).code == 0
    for unusable in (
        job(requirement={"k": 0}),
        job(requirment={}),
        job(quasi_identifiers={"zip": "supress"}),
        job(output={"path": 5}),
        job(algorithm={"name": "incognitoo"}),
        job(algorithm={"name": "samarati", "variant": "basic"}),
        job(algorithm={"variant": "basic"}),
        job(algorithm={}),
    ):
        with pytest.raises(jsonschema.ValidationError):
            validate(unusable, "job")


def test_paths_are_relative_to_the_job(starcloak: Command) -> None:
    Path("jobs").mkdir()
    Path("people.csv").rename("jobs/people.csv")
    Path("jobs/sex.csv").write_text("f;*\nm;*\n;*\n")
    described = job(quasi_identifiers={**job()["quasi_identifiers"], "sex": {"csv": "sex.csv"}})
    Path("jobs/job.yaml").write_text(yaml.safe_dump(described))
    assert starcloak("run", "jobs/job.yaml").code == 0
    assert Path("jobs/release.csv").is_file()


def test_trace_shows_the_sql_on_standard_error(starcloak: Command) -> None:
    done = starcloak("run", write(job()), "--json", "--trace")
    assert done.code == 0
    validate(json.loads(done.out), "report")
    for part in ('create or replace table "base"', "group by", "copy (", ";\n"):
        assert part in done.err
    for value in ("Ann", "53715", "measles"):
        assert value not in done.err


def test_verbose_tells_the_stages_on_standard_error(folder: Path) -> None:
    command = [sys.executable, "-m", "starcloak", "run", write(job()), "--json", "-v"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    validate(json.loads(done.stdout), "report")
    for stage in ("compress", "search", "recode", "verify", "publish"):
        assert stage in done.stderr
    for value in ("Ann", "53715", "measles"):
        assert value not in done.stderr


def test_memory_limit_and_threads_reach_the_working_store(starcloak: Command) -> None:
    bounded = starcloak("run", write(job()), "--memory-limit", "1GiB", "--threads", "1", "--json")
    assert bounded.code == 0 and json.loads(bounded.out)["memory_limit"] == "1.0 GiB"
    # Nobody bounds it: it takes a share of the machine's.
    unbounded = starcloak("run", write(job()), "--force", "--json")
    assert unbounded.code == 0 and json.loads(unbounded.out)["memory_limit"].endswith("iB")
    starved = starcloak("run", write(job()), "--memory-limit", "1KB")
    assert starved.code != 0
    assert starved.err.startswith("starcloak: ")
    assert starved.err.count("\n") == 1


def test_where_the_memory_does_not_do_it_says_what_to_do(starcloak: Command) -> None:
    """Nothing is wrong with the program, and nothing was written."""
    rows = "".join(f"{row},text number {row}\n" for row in range(60_000))
    hierarchies = {"number": {"intervals": [10]}, "text": "suppress"}
    Path("rows.csv").write_text("number,text\n" + rows)
    described = {"source": {"path": "rows.csv"}, "quasi_identifiers": hierarchies,
                 "requirement": {"k": 2}, "output": {"path": "released.csv"}}  # fmt: skip
    starved = starcloak("run", write(described), "--memory-limit", "10MB", "--threads", "1")
    assert starved.code == 2 and not Path("released.csv").exists()
    assert (
        "(OutOfMemoryException): give the run more memory if the machine has more (--memory-limit 8GB)" in starved.err
    )


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory")])
def test_memory_that_the_system_refuses_is_no_defect(
    error: Exception, starcloak: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of(*_: object) -> None:
        raise error

    monkeypatch.setattr("starcloak.releases.state.SavedTable.of", of)
    starved = starcloak("run", write(job()))
    assert starved.code == 2 and "people_k2.csv" not in os.listdir()
    assert "the run needs more memory than the system gives it (" in starved.err and "free memory" in starved.err


def test_a_csv_keeps_missing_values_apart_from_empty_texts(starcloak: Command) -> None:
    Path("people.csv").write_text('name,zip,illness\nAnn,,""\nBob,,\nCem,"",""\nDee,"",\n')
    done = starcloak("run", write(job(quasi_identifiers={"zip": "suppress"})))
    assert done.code == 0
    lines = sorted(Path("release.csv").read_text().splitlines()[1:])
    assert lines == sorted([',""', ",", '"",""', '"",'])


def test_a_csv_of_one_column_has_no_missing_values(starcloak: Command) -> None:
    """A row whose only cell is missing would be a blank line, which readers skip."""
    duckdb.sql("copy (from (values ('53715'), ('53715'), (null), (null)) as people (zip)) to 'people.parquet'")
    described = job(source={"path": "people.parquet"}, quasi_identifiers={"zip": "suppress"})
    done = starcloak("run", write({**described, "identifiers": [], "sensitive": []}))
    assert done.code == 2
    assert "release.csv: the release has one column, in which missing or blank cells would be empty lines" in done.err
    assert not Path("release.csv").exists()


def test_hard_cells_survive_a_csv_release(starcloak: Command) -> None:
    cells = [
        "a,b",
        'a"b',
        "a\nb",
        "a\r\nb",
        " a ",
        "'a'",
        "=1+1",
        "\ta",
        "NULL",
        "null",
        "é",
        "日本",
        "\\",
        '""',
        "a\rb",
    ]
    frame = pandas.DataFrame({"zip": ["1"] * len(cells), "note": cells})
    frame.to_parquet("people.parquet")
    described = job(source={"path": "people.parquet"}, quasi_identifiers={"zip": "suppress"}, keep=["note"])
    done = starcloak("run", write({**described, "identifiers": [], "sensitive": []}))
    assert (done.code, done.err) == (0, "")
    read = pandas.read_csv("release.csv", dtype=str, keep_default_na=False, lineterminator=None)
    assert len(read) == len(cells)
    assert set(cells) - set(read["note"]) <= {"a\r\nb", "a\rb"}  # pandas has its own mind about line ends


# -------------------------------------------------------------------------------------------------------------- check


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("qi", "k", "code"),
    [("zip", 2, 0), ("zip", 1, 0), ("zip,age", 1, 0), ("zip", 3, 1), ("sex", 2, 1), ("zip,sex", 2, 1), ("zip", 8, 1)],
)
def test_check_answers_by_its_exit_code(starcloak: Command, qi: str, k: int, code: int) -> None:
    done = starcloak("check", "people.csv", "--qi", qi, "--k", str(k))
    assert (done.code, done.err) == (code, "")
    assert done.out.startswith("holds: " if code == 0 else "does not hold: ")
    as_json = starcloak("check", "people.csv", "--qi", qi, "--k", str(k), "--json")
    assert as_json.code == code
    verdict = json.loads(as_json.out)
    validate(verdict, "verdict")
    assert verdict["holds"] == (code == 0)
    assert [qid["attributes"] for qid in verdict["qids"]] == [qi.split(",")]


def test_check_of_bad_input_exits_with_2(starcloak: Command) -> None:
    done = starcloak("check", "people.csv", "--qi", "zipp", "--k", "2", "--json")
    assert (done.code, json.loads(done.out)["error"]["exit_code"]) == (2, 2)
    assert "Did you mean 'zip'?" in done.err


@pytest.mark.parametrize("k", [10**10, 10**25, 10**50], ids=repr)
def test_check_answers_for_any_k(starcloak: Command, k: int) -> None:
    assert starcloak("check", "people.csv", "--qi", "zip", "--k", str(k)).code == 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("sizes", "k"),
    [
        ([1], 5),
        ([4], 5),
        ([1, 5, 5], 5),
        ([4, 5], 5),
        ([1, 1], 3),
        ([2, 2, 2, 2], 3),
        ([1] * 10, 5),
        ([5, 5], 5),
        ([1, 2, 3, 4], 5),
    ],
    ids=repr,
)
def test_check_tells_no_count_of_a_release_below_k(starcloak: Command, sizes: list[int], k: int) -> None:
    rows = "".join(f"group {number}\n" * size for number, size in enumerate(sizes))
    Path("rows.csv").write_text("zip\n" + rows)
    job = {"source": {"path": "rows.csv"}, "quasi_identifiers": {"zip": {"suppress": True, "to": 0}}}
    sc.run(job | {"requirement": {"k": 1}, "output": {"path": "groups.csv"}})
    for extra in ([], ["--json"]):
        done = starcloak("check", "groups.csv", "--qi", "zip", "--k", str(k), *extra)
        assert done.code == (0 if min(sizes) >= k else 1)
        if not extra:
            told = [int(count) for count in re.findall(r"(\d+) (?:of|rows)", done.out.replace(",", ""))]
            assert not [count for count in told if 0 < count < k and count != len(sizes)]
            continue
        verdict = json.loads(done.out)
        counts = {key: verdict["qids"][0][key] for key in ("k", "violating_rows", "violating_classes")}
        counts["rows"] = verdict["rows"]
        assert not {key: count for key, count in counts.items() if count is not None and 0 < count < k}
    raw = json.loads(starcloak("check", "rows.csv", "--qi", "zip", "--k", str(k), "--json").out)
    small = [size for size in sizes if size < k]
    assert raw["rows"] == sum(sizes) and raw["qids"][0]["classes"] == len(sizes)
    assert (raw["qids"][0]["violating_classes"], raw["qids"][0]["violating_rows"]) == (len(small), sum(small))


def test_check_counts_the_missing_value_as_a_value(starcloak: Command) -> None:
    """One person without a sex: dropping the missing value would certify the table."""
    Path("people.csv").write_text('sex\nf\nf\nm\nm\n""\n""\n')
    assert starcloak("check", "people.csv", "--qi", "sex", "--k", "2").code == 0
    Path("people.csv").write_text("sex,zip\nf,1\nf,1\nm,1\nm,1\n,1\n")
    assert starcloak("check", "people.csv", "--qi", "sex", "--k", "2").code == 1


def test_check_reads_tables_and_queries(starcloak: Command) -> None:
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("create table people as from read_csv('people.csv')")
    url = "duckdb:///hospital.duckdb"
    assert starcloak("check", url, "--table", "people", "--qi", "zip", "--k", "2").code == 0
    assert starcloak("check", url, "--query", "from people where age < 60", "--qi", "zip", "--k", "2").code == 1


def test_check_writes_nothing(starcloak: Command, folder: Path) -> None:
    before = os.listdir(folder)
    starcloak("check", "people.csv", "--qi", "zip", "--k", "2")
    assert os.listdir(folder) == before


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--version"], ["run", "--help"], ["compile", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    done = python(
        f"""
import sys
sys.argv = ["starcloak", *{arguments!r}]
from starcloak.commands.cli import main
try:
    main()
except SystemExit as ended:
    assert not ended.code
heavy = {{"duckdb", "pandas", "pyarrow", "pydantic", "sqlalchemy", "yaml", "numpy", "rich.console"}} & set(sys.modules)
print("heavy:", sorted(heavy))
"""
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("heavy: []\n")
    assert done.stdout.count("\n") > 1


def test_help_names_every_command(starcloak: Command) -> None:
    done = starcloak("--help")
    assert (done.code, done.err) == (0, "")
    for name in ("run", "compile", "check", "demo"):
        assert f"\n  {name} " in done.out
        assert starcloak(name, "--help").out.startswith("Usage:")


@pytest.mark.sampled(3, among="documentation")
def test_demo_tells_the_story_on_embedded_data(starcloak: Command, folder: Path, monkeypatch: Any) -> None:
    """On a machine without Adult and without a network: the generated census."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.delenv("STARCLOAK_DATA", raising=False)
    done = starcloak("demo", "--into", "told")
    assert done.code == 0 and re.fullmatch(
        r"(starcloak: .* s(; next: .*)?\n)*", done.err
    )  # progress, on a busy machine
    assert len(done.out.splitlines()) <= 40
    for part in ("before", "after: k = 2", "1976-01-21", "45,222", "sweep", f"k = {10}.", "starcloak init FILE"):
        assert part in done.out
    assert "create temporary table" in Path("told/patients.sql").read_text()
    for kind in ("full-domain", "sweep"):
        assert "<h1>Release report</h1>" in Path(f"told/census-{kind}.html").read_text()
        assert starcloak("check", f"told/census-{kind}.csv", "--qi", "age,sex,race", "--k", "10").code == 0


def test_a_reader_that_has_enough_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "starcloak", "algorithms"]
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
