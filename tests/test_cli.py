"""What the user meets: the commands, their output as text and as data, the Python interface, the wheel."""

from __future__ import annotations

import datetime
import doctest
import inspect
import json
import os
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pandas
import pytest
import yaml

import starcloak as sc
from starcloak import cli, paths
from starcloak.statement_file import files

ROOT = Path(__file__).parent.parent

PEOPLE = """name,zip,age,sex,illness
Ann,53715,21,f,flu
Bob,53715,22,m,cold
Cem,53703,33,m,flu
Dee,53703,35,f,flu
Eva,53703,38,f,"measles, ""mild"" ones"
Fay,53706,39,f,cold
Gus,53706,64,,
"""


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    """A working folder with the people in it."""
    Path("people.csv").write_text(PEOPLE)
    return work


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code and what it said."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def starcloak(capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in this process."""

    def command(*arguments: str) -> Done:
        capfd.readouterr()
        code: object = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["starcloak", *arguments])
            try:
                cli.main()
            except SystemExit as ended:
                code = ended.code
        assert isinstance(code, int)
        return Done(code, *capfd.readouterr())

    return command


def job(**changes: Any) -> dict[str, Any]:
    usable = {
        "source": {"path": "people.csv"},
        "identifiers": ["name"],
        "quasi_identifiers": {"zip": {"digits": 5}, "age": {"intervals": [10, 20]}, "sex": "suppress"},
        "sensitive": ["illness"],
        "requirement": {"k": 2},
        "output": {"path": "release.csv"},
    }
    return {key: value for key, value in (usable | changes).items() if value is not None}


def write(described: dict[str, Any]) -> str:
    Path("job.yaml").write_text(yaml.safe_dump(described, sort_keys=False))
    return "job.yaml"


def validate(result: object, schema: str) -> None:
    described = json.loads((paths.schemas() / f"{schema}.json").read_text())
    checker = jsonschema.Draft202012Validator
    checker.check_schema(described)
    checker(described).validate(result)


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


@pytest.mark.parametrize("suppression", [0, 1, 0.5, "0.5", 1e-9], ids=repr)
def test_every_accepted_suppression_gives_a_valid_report(starcloak: Command, suppression: object) -> None:
    done = starcloak("run", write(job(requirement={"k": 3, "suppression": suppression})), "--json")
    assert done.code == 0
    validate(json.loads(done.out), "report")


def test_a_report_without_released_rows_is_valid(starcloak: Command) -> None:
    described = job(
        requirement={"k": 7, "suppression": 1}, quasi_identifiers={"age": "suppress"}, sensitive=["illness"]
    )
    done = starcloak("run", write({**described, "identifiers": ["name", "zip", "sex"]}), "--json")
    report = json.loads(done.out)
    validate(report, "report")
    assert (done.code, report["released_rows"], report["k"]) == (0, 0, None)


def test_the_job_of_a_valid_run_is_valid_under_its_schema(starcloak: Command) -> None:
    for described in (
        job(),
        job(seed=7, objective={"weights": {"zip": 2.5}}, algorithm={"name": "incognito", "variant": "basic"}),
        job(algorithm={"name": "incognito", "variant": "cube", "cube": "cube.duckdb"}),
        job(algorithm={"name": "witness"}),
        job(algorithm={"name": "samarati"}),
        job(algorithm={"name": "bottom-up", "rollup": False}),
        job(algorithm={"name": "datafly"}),
        job(quasi_identifiers={"zip": {"tree": {"all": ["53715", "53703", "53706"]}}}, keep=["age", "sex"]),
    ):
        validate(described, "job")
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
    for part in ('create or replace temporary table "base"', "group by", "copy (", ";\n"):
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
    assert starcloak("run", write(job()), "--memory-limit", "1GB", "--threads", "1").code == 0
    starved = starcloak("run", write(job()), "--memory-limit", "1KB")
    assert starved.code != 0
    assert starved.err.startswith("starcloak: ")
    assert starved.err.count("\n") == 1


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
    assert "release.csv: cells that are missing or blank are empty lines where there is one column" in done.err
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
def test_check_tells_no_count_of_rows_below_k(starcloak: Command, sizes: list[int], k: int) -> None:
    rows = "".join(f"group {number}\n" * size for number, size in enumerate(sizes))
    Path("people.csv").write_text("zip\n" + rows)
    for extra in ([], ["--json"]):
        done = starcloak("check", "people.csv", "--qi", "zip", "--k", str(k), *extra)
        assert done.code == (0 if min(sizes) >= k else 1)
        if not extra:
            told = [int(count) for count in re.findall(r"(\d+) (?:of|rows)", done.out.replace(",", ""))]
            assert not [count for count in told if 0 < count < k and count != len(sizes)]
            continue
        verdict = json.loads(done.out)
        counts = {key: verdict["qids"][0][key] for key in ("k", "violating_rows", "violating_classes")}
        counts["rows"] = verdict["rows"]
        assert not {key: count for key, count in counts.items() if count is not None and 0 < count < k}


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


# ------------------------------------------------------------------------------------------------------ help and demo


def python(code: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | environment)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--version"], ["run", "--help"], ["compile", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    done = python(
        f"""
import sys
sys.argv = ["starcloak", *{arguments!r}]
from starcloak.cli import main
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


def test_demo_tells_the_story_on_embedded_data(starcloak: Command, folder: Path, monkeypatch: Any) -> None:
    """On a machine without Adult and without a network: the generated census."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.delenv("STARCLOAK_DATA", raising=False)
    before = sorted(os.listdir(folder))
    done = starcloak("demo")
    assert done.code == 0 and re.fullmatch(r"(starcloak: .*, \d+ s\n)*", done.err)  # progress, on a busy machine
    for part in ("Six patients", "45,222", "k = 2", "k = 10", "k = 50", "select"):
        assert part in done.out
    assert sorted(os.listdir(folder)) == before
    for report in re.findall(r"^ +(/.*\.html)$", done.out, re.MULTILINE):
        assert "<h1>Release report</h1>" in Path(report).read_text()
    assert len(re.findall(r"(?m)-(?:full-domain|local)\.html$", done.out)) == 2


# ------------------------------------------------------------------------------------------------------------ compile

DATABASE = "duckdb:///hospital.duckdb"
SOURCES: dict[str, dict[str, str]] = {
    "csv": {"path": "people.csv"},
    "parquet": {"path": "people.parquet"},
    "table": {"url": DATABASE, "table": "people"},
    "table of a schema": {"url": DATABASE, "table": "ward.people"},
    "table named source": {"url": DATABASE, "table": "source"},
    "table named as a dimension": {"url": DATABASE, "table": "dimension_zip"},
    "view": {"url": DATABASE, "table": "patients"},
    "query": {"url": DATABASE, "query": "select * from people where name is not null"},
    "query with remarks": {"url": DATABASE, "query": "-- all\nselect *\nfrom people -- really\n"},
    "query with a semicolon": {"url": DATABASE, "query": "from people;"},
    "query with a semicolon and a remark": {"url": DATABASE, "query": "from people; -- done"},
    "query with a cte": {"url": DATABASE, "query": "with adults as (from people where age > 18) from adults"},
    "query of a table named source": {"url": DATABASE, "query": "from source"},
}


@pytest.fixture
def sources(folder: Path) -> None:
    """The people as every kind of source; numbers are numbers where the source has types."""
    duckdb.sql("copy (from read_csv('people.csv', types = {'zip': 'VARCHAR'})) to 'people.parquet'")
    with duckdb.connect("hospital.duckdb") as connection:
        for statement in (
            "create table people as from 'people.parquet'",
            "create schema ward",
            "create table ward.people as from people",
            "create table source as from people",
            "create table dimension_zip as from people",
            "create view patients as from people",
        ):
            connection.execute(statement)


def rows_of(file: str) -> Counter[tuple[Any, ...]]:
    return Counter(duckdb.sql(f"from '{file}'").fetchall())


def run_and_compile(starcloak: Command, described: dict[str, Any]) -> str:
    """Assert that the compiled script, run by DuckDB alone, makes the release that the run made; returns the script."""
    path = write(described)
    compiled = starcloak("compile", path)
    assert (compiled.code, compiled.err) == (0, "")
    output = described["output"]
    assert not Path(output.get("path", "nowhere")).exists()
    done = starcloak("run", path)
    assert (done.code, done.err) == (0, "")
    database = described["source"].get("url", "").removeprefix("duckdb:///")
    if "path" in output:
        released = rows_of(output["path"])
        Path(output["path"]).unlink()
    else:
        held = output.get("url", DATABASE).removeprefix("duckdb:///")
        with duckdb.connect(held) as connection:
            released = Counter(connection.execute(f"from {output['table']}").fetchall())
            connection.execute(f"drop table {output['table']}")
    with duckdb.connect(database or ":memory:") as connection:
        connection.execute(compiled.out)
        if "table" in output and "url" not in output:
            assert Counter(connection.execute(f"from {output['table']}").fetchall()) == released
    if "path" in output:
        assert rows_of(output["path"]) == released
        Path(output["path"]).unlink()
    elif "url" in output:
        with duckdb.connect(output["url"].removeprefix("duckdb:///")) as connection:
            assert Counter(connection.execute(f"from {output['table']}").fetchall()) == released
    assert released
    return compiled.out


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_the_compiled_script_makes_the_release(starcloak: Command, sources: None, source: str) -> None:
    run_and_compile(starcloak, job(source=SOURCES[source]))


@pytest.mark.parametrize(
    ("source", "weights"),
    [
        ("csv", {"zip": 100}),
        ("csv", {"age": 100}),
        ("csv", {"sex": 100}),
        ("parquet", {"age": 100}),
        ("table", {"zip": 100}),
        ("query", {"sex": 100}),
    ],
    ids=repr,
)
def test_the_compiled_script_leaves_out_what_is_suppressed(
    starcloak: Command, sources: None, source: str, weights: dict[str, int]
) -> None:
    """With a weighty attribute at level 0, and a missing sex, among the released and the suppressed rows."""
    described = job(source=SOURCES[source], requirement={"k": 2, "suppression": "0.43"}, objective={"weights": weights})
    script = run_and_compile(starcloak, described)
    assert "outliers" in script


def test_the_compiled_script_refuses_a_source_with_a_row_that_has_no_leaf(starcloak: Command) -> None:
    """The row would be lost, and the release be as large as before."""
    assert starcloak("run", write(job())).code == 0
    script = starcloak("compile", write(job())).out
    Path("release.csv").unlink()
    people = Path("people.csv")
    people.write_text(people.read_text() + "Zoe,99999,99,unheard of,flu\n")
    with duckdb.connect() as connection, pytest.raises(duckdb.Error, match="not the source"):
        connection.execute(script)
    assert not Path("release.csv").exists()


def test_the_compiled_script_keeps_missing_values_at_any_level(starcloak: Command) -> None:
    table = "(values (null, null, 1), (null, null, 2), ('2001-02-03', 'a', 3), ('2001-02-04', 'a', 4))"
    duckdb.sql(f"copy (from {table} as people (born, sex, visits)) to 'people.parquet'")
    rules: list[dict[str, Any]] = [{"dates": ["month"]}, {"digits": 10}]
    for hierarchy in [*rules, {"tree": {"all": [None, "2001-02-03", "2001-02-04"]}}]:
        described = job(
            source={"path": "people.parquet"},
            identifiers=[],
            quasi_identifiers={"born": hierarchy, "sex": {"tree": {"all": ["a", None]}}},
            sensitive=None,
            keep=["visits"],
        )
        run_and_compile(starcloak, described)
        run_and_compile(starcloak, described | {"output": {"path": "release.parquet"}})


@pytest.mark.parametrize(
    "output",
    [
        {"path": "out.parquet"},
        {"table": "released"},
        {"table": "ward.released"},
        {"url": "duckdb:///other.duckdb", "table": "released"},
    ],
    ids=repr,
)
def test_the_compiled_script_writes_where_the_run_does(
    starcloak: Command, sources: None, output: dict[str, str]
) -> None:
    run_and_compile(starcloak, job(source=SOURCES["table"], output=output))


TYPED = """
select
    cast(i % 2 = 0 as boolean) as truth,
    cast(i % 3 as tinyint) as small,
    cast(i % 3 as hugeint) as huge,
    cast(i % 3 as ubigint) as natural,
    cast(i % 3 / 10 as decimal(9, 2)) as price,
    i % 3 + 0.1 as real,
    cast(i % 3 + 0.1 as float) as single,
    date '2001-01-01' + cast(i % 3 as integer) as day,
    timestamp '2001-01-01 10:00:00.123456' + interval (i % 3) hour as moment,
    time '10:00:00' + interval (i % 3) minute as clock,
    cast('00000000-0000-0000-0000-00000000000' || (i % 3) as uuid) as uuid,
    cast(['a''b', 'c"d', 'e;f'][i % 3 + 1] as varchar) as "te""xt;--",
    ['{x}', 'ü', chr(10)][i % 3 + 1] as "{braces} $1 %s",
    i as visits
from range(24) as many (i)
"""


def test_the_compiled_script_keeps_every_type_and_hostile_name(starcloak: Command) -> None:
    """At level 0 and at the top; k = 4 holds at most one column at level 0, so each has its turn."""
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(f"create table people as {TYPED}")
        names = [row[0] for row in connection.execute("describe people").fetchall()][:-1]
    for name in names:
        described = job(
            source=SOURCES["table"],
            identifiers=[other for other in names if other not in (name, "truth")],
            quasi_identifiers={name: "suppress"} | ({"truth": "suppress"} if name != "truth" else {}),
            sensitive=None,
            keep=["visits"],
            requirement={"k": 8},
            output={"table": "released"},
        )
        run_and_compile(starcloak, described)
        with duckdb.connect("hospital.duckdb") as connection:
            quoted = name.replace('"', '""')
            column = f'select distinct "{quoted}" from'
            released = connection.execute(f"{column} released").fetchall()
            assert sorted(released) == sorted(connection.execute(f"{column} people").fetchall())
            connection.execute("drop table released; drop table starcloak_releases")


@pytest.mark.parametrize(
    ("source", "algorithm"),
    [("path", "witness"), *(("table", name) for name in ("witness", "kaca", "mondrian", "tdr", "full-subtree"))],
)
def test_names_of_several_lines_leave_no_comment_of_a_script(starcloak: Command, source: str, algorithm: str) -> None:
    quasi, kept = "zip\n; drop table people; --", "kept\r\n); drop table people; --"
    with duckdb.connect("hospital.duckdb") as connection:
        rows = "select i % 4 as a, i // 9 as b from range(36) as many (i)"
        connection.execute(f'create table people as select a as "{quasi}", b as "{kept}" from ({rows})')
        connection.execute('create table "wa\nrd" as from people')
        connection.execute("copy people to 'pe\nople.parquet'")
    described = job(
        source={"url": DATABASE, "table": "wa\nrd"} if source == "table" else {"path": "pe\nople.parquet"},
        identifiers=None,
        quasi_identifiers={quasi: "suppress"},
        sensitive=None,
        keep=[kept],
        requirement={"k": 12},
        algorithm={"name": algorithm} | ({"class": kept} if algorithm == "tdr" else {}),
        output={"path": "release.parquet"} if source == "path" else {"table": "released"},
    )
    script = run_and_compile(starcloak, described)
    heading = script.partition("\n\n")[0].splitlines()
    assert all(line.startswith("-- ") for line in heading)
    assert any("zip ; drop table people" in line for line in heading)


def test_compile_writes_nothing(starcloak: Command, folder: Path) -> None:
    path = write(job())
    before = sorted(os.listdir(folder))
    assert starcloak("compile", path).code == 0
    assert sorted(os.listdir(folder)) == before


# ------------------------------------------------------------------------------------------------------------- Python


def frame() -> pandas.DataFrame:
    """Eight people with a column of every common type."""
    return pandas.DataFrame(
        {
            "name": [f"person {number}" for number in range(8)],
            "sex": pandas.Categorical(["f", "f", "m", "m", "f", "f", "m", None], categories=["f", "m", "unused"]),
            "born": pandas.to_datetime(["2001-01-05", "2001-01-20", "2001-02-03", None] * 2),
            "age": pandas.Series([31, 32, 38, 39, 31, 32, 38, 39], dtype="int64"),
            "weight": [60.5, float("nan"), 71.25, 80.0, 60.5, None, 71.25, 80.0],
            "smokes": [True, False, True, False, True, False, True, False],
            "city": ["a", None, "b", "b", "a", None, "b", "b"],
            "visits": pandas.array([1, 2, 3, None, 5, 6, 7, 8], dtype="Int64"),
        }
    )


QUASI_IDENTIFIERS: dict[str, Any] = {
    "sex": "suppress",
    "born": {"dates": ["month", "year"]},
    "age": {"intervals": [5, 10]},
    "weight": {"intervals": [10, 20]},
    "smokes": "suppress",
    "city": {"tree": {"all": ["a", "b", None]}},
}


def test_a_frame_goes_in_and_a_frame_comes_out() -> None:
    people = frame()
    release = sc.anonymize(people, quasi_identifiers=QUASI_IDENTIFIERS, k=2, identifiers=["name"], keep=["visits"])
    released = release.to_pandas()
    assert list(released.columns) == ["sex", "born", "age", "weight", "smokes", "city", "visits"]
    assert len(released) == 8
    sizes = released.groupby(list(QUASI_IDENTIFIERS), dropna=False, observed=True).size()
    assert release.k == sizes.min() >= 2
    assert release.measures.classes == len(sizes)
    assert sorted(released["visits"].dropna()) == [1, 2, 3, 5, 6, 7, 8]
    assert released["visits"].isna().sum() == 1
    pandas.testing.assert_frame_equal(people, frame())


def test_a_frame_may_have_the_roles_of_a_ready_made_schema() -> None:
    from starcloak.source import dataset

    patients = pandas.read_csv(dataset.files("patients")[0], dtype=str)
    schema = {"schema": "patients/incognito-2005", "k": 2}
    release = sc.anonymize(patients, quasi_identifiers=["sex", "zipcode"], **schema)
    assert list(release.to_pandas()) == ["sex", "zipcode", "disease"]


def test_a_frames_levels_are_those_of_its_types() -> None:
    """Each attribute alone, at the level that two like it need."""
    people = frame()
    expected: dict[str, list[object]] = {
        "sex": ["f", "m", None],
        "born": ["2001-01", "2001-02", None],
        "age": ["[30, 35)", "[35, 40)"],
        "weight": [60.5, 71.25, 80.0, None],
        "smokes": [False, True],
        "city": ["a", "b", None],
    }
    for attribute, values in expected.items():
        released = sc.anonymize(
            people[[attribute]],
            quasi_identifiers={attribute: QUASI_IDENTIFIERS[attribute]},
            k={"born": 2, "age": 4}.get(attribute, 1),
        ).to_pandas()[attribute]
        if attribute == "born":
            continue  # 2001-01-05 and 2001-01-20 occur twice each: no generalization is needed
        found = {None if pandas.isna(value) else value for value in released}
        assert found == set(values), attribute


def test_a_frames_dates_are_generalized() -> None:
    people = pandas.DataFrame({"born": pandas.to_datetime(["2001-01-05", "2001-01-20", "2002-02-03", "2002-02-28"])})
    released = sc.anonymize(people, quasi_identifiers={"born": {"dates": ["month", "year"]}}, k=2).to_pandas()
    assert sorted(released["born"]) == ["2001-01", "2001-01", "2002-02", "2002-02"]
    days = pandas.DataFrame({"born": [datetime.date(2001, 1, 5), datetime.date(2001, 1, 20)]})
    released = sc.anonymize(days, quasi_identifiers={"born": {"dates": ["month"]}}, k=2).to_pandas()
    assert list(released["born"]) == ["2001-01"] * 2


@pytest.mark.parametrize(
    "missing",
    [[float("nan"), 1.0], [None, "a"], [pandas.NA, "a"], [pandas.NaT, pandas.Timestamp("2001-01-01")]],
    ids=repr,
)
def test_a_missing_value_of_a_frame_is_a_value(missing: list[Any]) -> None:
    """Dropping it would certify a table in which somebody stands alone."""
    people = pandas.DataFrame({"a": [missing[0], *[missing[1]] * 3]})
    verdict = sc.check(people, ["a"], 2)
    assert not verdict.holds
    released = sc.anonymize(people, quasi_identifiers={"a": "suppress"}, k=2).to_pandas()
    assert list(released["a"]) == ["*"] * 4


def test_a_category_without_rows_is_no_value() -> None:
    people = pandas.DataFrame({"sex": pandas.Categorical(["f", "f"], categories=["f", "unused"])})
    release = sc.anonymize(people, quasi_identifiers={"sex": "suppress"}, k=2, output={"path": "release.parquet"})
    assert "unused" not in release.sql()
    assert b"unused" not in Path("release.parquet").read_bytes()
    assert list(release.to_pandas()["sex"]) == ["f", "f"]


def test_an_index_is_not_released() -> None:
    people = frame().set_index(pandas.Index([f"id {number}" for number in range(8)], name="id"))
    release = sc.anonymize(people[["sex"]], quasi_identifiers={"sex": "suppress"}, k=2)
    assert list(release.to_pandas().columns) == ["sex"]
    assert list(release.to_pandas().index) == list(range(8))


def test_a_frame_of_other_names_than_texts_is_read() -> None:
    people = pandas.DataFrame({1: ["a", "a", "b", "b"]})
    assert list(sc.anonymize(people, quasi_identifiers={"1": "suppress"}, k=2).to_pandas().columns) == [1]


def test_a_release_tells_its_measures_its_sql_and_its_report() -> None:
    release = sc.run(job(output=None))
    assert release.to_dict() == json.loads(release.result.model_dump_json())
    validate(release.to_dict(), "report")
    assert release.measures is release.result.measures
    assert release.k == release.to_dict()["k"]
    assert "select" in release.sql()
    assert isinstance(release, sc.Release)
    assert isinstance(release.result, sc.Result)


def test_the_sql_of_a_release_is_the_compiled_script(folder: Path) -> None:
    path = write(job())
    assert sc.run(path).sql() == sc.compile(path) == sc.compile(job())


def test_run_takes_a_path_a_mapping_or_a_job() -> None:
    described = job(output=None)
    path = write(described)
    from starcloak.job import load

    releases = [sc.run(given) for given in (path, Path(path), described, load(described))]
    first, *others = [release.to_pandas() for release in releases]
    for other in others:
        pandas.testing.assert_frame_equal(first, other)


def test_anonymize_takes_a_file_or_a_place_as_well_as_a_frame(sources: None) -> None:
    roles: dict[str, Any] = {
        "quasi_identifiers": job()["quasi_identifiers"],
        "identifiers": ["name"],
        "sensitive": ["illness"],
        "k": 2,
    }
    people = duckdb.sql("from 'people.parquet'").df()
    given: list[Any] = ["people.parquet", Path("people.parquet"), SOURCES["parquet"], SOURCES["table"], people]
    found = [sc.anonymize(data, **roles).to_pandas() for data in given]
    for other in found[1:]:
        pandas.testing.assert_frame_equal(found[0], other)


def test_a_frame_is_released_into_a_file() -> None:
    release = sc.anonymize(
        frame()[["sex", "visits"]],
        quasi_identifiers={"sex": "suppress"},
        k=2,
        keep=["visits"],
        output={"path": "release.csv"},
    )
    assert release.result.output.endswith("release.csv")
    assert len(Path("release.csv").read_text().splitlines()) == 9
    assert len(release.to_pandas()) == 8


@pytest.mark.parametrize("suppression", [0.25, "0.25", 0.2500001])
def test_suppression_is_a_share(suppression: float | str) -> None:
    people = pandas.DataFrame({"sex": ["f"] * 3 + ["m"], "zip": ["1"] * 4})
    quasi_identifiers = {"sex": "suppress", "zip": "suppress"}
    release = sc.anonymize(people, quasi_identifiers=quasi_identifiers, k=2, suppression=suppression)
    assert (release.result.suppressed_rows, release.k) == (1, 3)
    assert list(release.to_pandas()["sex"]) == ["f"] * 3


def test_errors_are_typed() -> None:
    people = frame()
    twins = pandas.concat([people, people[["sex"]]], axis=1)
    mixed = pandas.DataFrame({"a": [1, "one", datetime.date(2001, 1, 1)]})
    endless = pandas.DataFrame({"a": [1.0, float("inf")]})
    alone: dict[str, Any] = {"quasi_identifiers": {"a": "suppress"}, "k": 1}
    cases: list[tuple[type[Exception], Callable[[], object]]] = [
        (sc.JobError, lambda: sc.run("nowhere.yaml")),
        (sc.JobError, lambda: sc.run(job(requirement={"k": 0}))),
        (sc.JobError, lambda: sc.run(job(source=None))),
        (sc.JobError, lambda: sc.anonymize(endless, quasi_identifiers={}, k=1)),
        (sc.JobError, lambda: sc.anonymize(people, quasi_identifiers={"sex": "suppress"}, k=2, kep=["visits"])),
        (sc.JobError, lambda: sc.check("people.csv", ["zip"], 0)),
        (sc.JobError, lambda: sc.check("people.csv", [], 2)),
        (sc.SourceError, lambda: sc.check("nowhere.csv", ["zip"], 2)),
        (sc.SourceError, lambda: sc.check(people, ["sexx"], 2)),
        (sc.SourceError, lambda: sc.anonymize(people, quasi_identifiers={"sex": "suppress"}, k=2)),
        (sc.SourceError, lambda: sc.check(twins, ["sex"], 2)),
        (sc.SourceError, lambda: sc.anonymize(mixed, **alone)),
        (sc.SourceError, lambda: sc.anonymize(endless, **alone)),
        (sc.SourceError, lambda: sc.anonymize(endless.iloc[:0], **alone)),
        (sc.SourceError, lambda: sc.anonymize(pandas.DataFrame(), **alone)),
        (sc.HierarchyError, lambda: sc.anonymize(endless.iloc[:1], quasi_identifiers={"a": {"digits": 2}}, k=1)),
        (sc.RequirementError, lambda: sc.anonymize(people[["sex"]], quasi_identifiers={"sex": "suppress"}, k=9)),
        (sc.OutputError, lambda: sc.run(job(output={"path": "people.csv"}))),
        (sc.OutputError, lambda: sc.run(job(output={"path": "nowhere/release.csv"}))),
    ]
    for number, (kind, call) in enumerate(cases):
        with pytest.raises(sc.StarcloakError) as raised:
            call()
        assert raised.type is kind, (number, raised.value)
        assert "\n" not in str(raised.value)
    assert issubclass(sc.JobError, sc.InputError)
    assert issubclass(sc.InputError, sc.StarcloakError)
    assert not issubclass(sc.RequirementError, sc.InputError)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="anonymise"):
        sc.anonymise  # noqa: B018
    assert set(sc.__all__) <= {*dir(sc), *sc.__all__}
    for name in sc.__all__:
        assert getattr(sc, name)


def test_every_public_function_has_an_example_that_runs() -> None:
    """Doctests run it; here it is there."""
    functions = [each for name in sc.__all__ if inspect.isfunction(each := getattr(sc, name))]
    assert len(functions) > 10
    finder = doctest.DocTestFinder()
    assert [each.__name__ for each in functions if not any(test.examples for test in finder.find(each))] == []


# -------------------------------------------------------------------------------------------------------------- wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stderr
    (found,) = out.glob("starcloak-*.whl")
    return found


def test_the_wheel_holds_every_statement_and_schema(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        packed = set(opened.namelist())
        for folder, suffixes in (("sql", (".sql", ".yml")), ("schemas", (".json", ".yaml", ".csv"))):
            for file in (ROOT / folder).rglob("*"):
                if file.suffix in suffixes:
                    name = f"starcloak/{file.relative_to(ROOT).as_posix()}"
                    assert name in packed
                    assert opened.read(name) == file.read_bytes()
    assert {"starcloak/py.typed", "starcloak/cli.py", "starcloak/search/incognito/basic.py"} <= packed
    assert {f"starcloak/sql/{path}.sql" for path in files()} <= packed
    assert not [
        name for name in packed if name.startswith(("tests/", "benchmarks/", "engine/")) or "__pycache__" in name
    ]


def test_the_package_of_the_wheel_runs_elsewhere(wheel: Path, folder: Path) -> None:
    """Unpacked, with no checkout in sight."""
    unpacked = folder.parent / "unpacked"
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(unpacked)
    done = python(
        """
import starcloak as sc
from starcloak import paths
print(sc.__file__, paths.sql(), paths.schemas())
release = sc.anonymize(
    "people.csv",
    quasi_identifiers={"zip": {"digits": 5}, "age": {"intervals": [10]}, "sex": "suppress"},
    identifiers=["name"],
    sensitive=["illness"],
    k=2,
    output={"path": "release.csv"},
)
patients = sc.run(
    {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
)
print(release.k, patients.k)
""",
        PYTHONPATH=str(unpacked),
    )
    assert (done.returncode, done.stderr) == (0, "")
    places, ks = done.stdout.splitlines()
    for place in places.split():
        assert place.startswith(str(unpacked))
    assert all(int(k) >= 2 for k in ks.split())
    assert Path("release.csv").is_file()


def test_the_wheel_has_the_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        (entry,) = [name for name in opened.namelist() if name.endswith("entry_points.txt")]
        assert "starcloak = starcloak.__main__:main" in opened.read(entry).decode()


def test_a_reader_that_has_enough_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "starcloak", "algorithms"]
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
