"""A compiled release as a dbt model, with the package's test: run by dbt itself, in an environment of its own."""

from __future__ import annotations

import atexit
import csv
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import yaml
from click.testing import CliRunner

from starcloak.base import installation
from starcloak.base.errors import JobError, OutputError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from starcloak.job import load_requirement
from starcloak.store.resources import Resources

PYTHON = Path(sys.prefix) / "dbt" / "bin" / "python"

# Runs commands of dbt or of the database, and writes files, in one process; tells whether each of dbt's succeeded, and
# what its nodes said. The processes fork from one that has imported dbt, which takes longer than most of what they do.
DRIVER = """
import json, os, signal, sys
import duckdb
from dbt.cli.main import dbtRunner

def run(commands):
    told = []
    for command in commands:
        if isinstance(command, str):
            with duckdb.connect("hospital.duckdb") as connection:
                connection.execute(command)
            continue
        if isinstance(command, dict):
            for path, text in command.items():
                open(path, "w").write(text)
            continue
        done = dbtRunner().invoke([*command, "--quiet"])
        nodes = getattr(done.result, "results", None) or []
        told.append([done.success, {each.node.name: [str(each.status), each.message or ""] for each in nodes}])
    open("told.json", "w").write(json.dumps(told))

for line in sys.stdin:
    folder, environment, said, commands = json.loads(line)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    signal.alarm(300)
    os.environ.update(environment)
    os.chdir(folder)
    output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    run(commands)
    break
"""

# Texts that a reader of CSV files may take for something else.
ODD = [
    "",
    "null",
    "NULL",
    "01",
    "1",
    "1.0",
    "true",
    "2001-01-01",
    " a ",
    'q"q,',
    "two\nlines",
    "{{ a }}",
    "ünï ☃",
    None,
]

JOBS: dict[str, dict[str, Any]] = {
    "odd": {"requirement": {"k": 3, "suppression": "0.2"}, "objective": {"minimize": "loss"}},
    "local": {"requirement": {"k": 3}, "algorithm": {"name": "kaca"}},
}


@pytest.fixture
def project(work: Path) -> Path:
    """A dbt project whose database holds the source."""
    (work / "dbt_project.yml").write_text("name: clinic\nversion: 1.0.0\nprofile: clinic\n")
    target = {"type": "duckdb", "path": "hospital.duckdb", "threads": 1}
    (work / "profiles.yml").write_text(yaml.safe_dump({"clinic": {"target": "here", "outputs": {"here": target}}}))
    (work / "packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(installation.sql() / "dbt")}]}))
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute('create table people (zip varchar, sex varchar, age integer, "{{ note }}" varchar)')
        rows = [
            (ODD[i % 13 if i % 4 else 13], "fm"[i % 2], 20 + i % 3 if i % 5 else None, f"note {i}") for i in range(90)
        ]
        connection.executemany("insert into people values (?, ?, ?, ?)", rows)
        connection.execute("create table small as select 'SECRETx7' as name, i // 3 as zip from range(10) r (i)")
    return work


def job(name: str) -> dict[str, Any]:
    return {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "people"},
        "quasi_identifiers": {
            "zip": {"tree": {"some": ODD[:7], "others": ODD[7:]}},
            "sex": "suppress",
            "age": {"tree": {"young": ["20", "21"], "old": ["22", None]}},
        },
        "keep": ["{{ note }}"],
        "output": {"table": name},
        **JOBS[name],
    }


@functools.cache
def driver() -> subprocess.Popen[str]:
    """It ends with this process."""
    started = subprocess.Popen([str(PYTHON), "-c", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(started.communicate)
    return started


def dbt(*commands: list[str] | str | dict[str, str]) -> list[tuple[bool, dict[str, tuple[str, str]]]]:
    """Whether each command succeeded, and the status and message of every node."""
    process, said = driver(), Path(tempfile.gettempdir()) / "dbt"
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps([str(Path.cwd()), dict(os.environ), str(said), commands]) + "\n")
    process.stdin.flush()
    assert process.stdout.readline() == "0\n", said.read_text()[-2000:]
    told: list[tuple[bool, dict[str, tuple[str, str]]]] = json.loads(Path("told.json").read_text())
    return told


needs_dbt = pytest.mark.skipif(not PYTHON.exists(), reason="dbt is not installed: make test installs it into .venv/dbt")


@pytest.mark.sampled(3, among="dbt")
@needs_dbt
def test_dbt_builds_the_release_and_tests_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    released = {}
    # One reads its source by a ref, the other by a source.
    Path("models").mkdir()
    Path("models/staged.sql").write_text("select * from {{ source('clinic', 'people') }}")
    tables = [{"name": "clinic", "schema": "main", "tables": [{"name": "people"}]}]
    Path("models/sources.yml").write_text(yaml.safe_dump({"sources": tables}))
    for name, upstream in zip(JOBS, ("staged", "clinic.people"), strict=True):
        files = pipeline.compile_dbt(job(name), project, upstream=upstream, resources=Resources(threads=1))
        assert '"people"' not in files[-2].read_text()
        kept = {key: value for key, value in job(name).items() if key != "output"}
        frame = pipeline.run(kept).to_pandas().astype(object)
        released[name] = list(frame.where(frame.notna(), None).itertuples(index=False, name=None))
    assert (project / "starcloak_values/odd/outliers.csv").exists()
    Path("models/few.sql").write_text("select zip from small\n")
    gate = {
        "starcloak.k_anonymous": {
            "arguments": {"quasi_identifiers": ["zip"], "k": 2},
            "config": {"store_failures": True},
        }
    }
    Path("models/few.yml").write_text(yaml.safe_dump({"models": [{"name": "few", "data_tests": [gate]}]}))
    deps, built, again = dbt(
        ["deps"],
        ["build", "--exclude", "few"],
        "insert into people select 'unheard of', 'f', 20, 'note'",
        ["build", "--select", "odd+", "few+"],
    )
    assert deps[0]
    assert built[0], built
    assert len([name for name in built[1] if "k_anonymous" in name]) == 2
    with duckdb.connect("hospital.duckdb") as connection:
        for name, rows in released.items():
            found = connection.execute(f'from "{name}"').fetchall()
            assert sorted(map(str, found)) == sorted(map(str, rows))
        kept = "select schema_name || '.' || table_name from duckdb_tables() where schema_name like '%audit'"
        ((stored,),) = connection.execute(kept).fetchall()
        failures = connection.execute(f"from {stored}").fetchall()
    # A source that is not the one that was searched is an error, and the release of before stays.
    assert not again[0]
    assert again[1]["odd"][0] == "error"
    assert "not the source that this script was made for" in again[1]["odd"][1]
    # One class of one row fails the test, which tells no count between 1 and k - 1.
    (status,) = (told[0] for name, told in again[1].items() if name.startswith("starcloak_k_anonymous_few"))
    assert status == "fail"
    assert failures == [(2, None, None)]


# What a template or a reader of one might take for something else, and what once stood for a reference in a model.
NAMES = [
    "starcloak reference 0",
    "starcloak upstream",
    "{{ ref('few') }}",
    "{% raw %}",
    "{# c",
    "}}",
    "{",
    "a\rb",
    "a\r\nb",
    'q"q',
    "it's",
    "%s",
    "$k",
    "a.b",
    "new\nline",
    "--",
    "copy",
]
# Classes of one, however alike they are: to a collation, to a type, as texts.
ALIKE = {
    "nocase": "select unnest(['a', 'A']) collate nocase as q",
    "an_interval": "select unnest([interval '1 month', interval '30 days']) as q",
    "a_union": "select unnest([union_value(a := 1)::union(a int, b int), union_value(b := 1)]) as q",
    "a_variant": "select unnest([1::variant, '1'::variant]) as q",
    "zeros": "select unnest([0.0::double, -0.0::double]) as q",
    "nothing_or_empty": "select unnest([null, '']) as q",
}


@pytest.mark.sampled(3, among="dbt")
@needs_dbt
def test_dbt_counts_values_that_are_alike_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    Path("models").mkdir()
    gate = {"starcloak.l_diverse": {"arguments": {"quasi_identifiers": ["k"], "sensitive": "q", "l": 2}}}
    models = {**ALIKE, "unlike": "select unnest(['a', 'b', null]) as q"}
    for name, rows in models.items():
        Path(f"models/{name}.sql").write_text(f"select 1 as k, q from ({rows})\n")
    listed = [{"name": name, "data_tests": [gate]} for name in models]
    Path("models/models.yml").write_text(yaml.safe_dump({"models": listed}))
    _, built = dbt(["deps"], ["build"])
    told = {name: status for name, (status, _) in built[1].items() if name.startswith("starcloak_l_diverse")}
    passed = [name for name, status in told.items() if status == "pass"]
    assert len(told) == len(models)
    # A text of another variant's type is another value to DuckDB, and to no reader.
    assert len(passed) == 1 and passed[0].startswith("starcloak_l_diverse_unlike")


# Columns in which all rows of a class have one value, with a text by which a project may name it.
NAMED = {
    "text": ("'1'", "1"),
    "double": ("1.0::double", 1),
    "decimals": ("1.00::decimal(4, 2)", "1"),
    "day": ("timestamp '2024-01-01'", "2024-01-01"),
    "truth": ("true", True),
    "unreadable": ("2.0::double", "two"),
}


@pytest.mark.sampled(3, among="dbt")
@needs_dbt
def test_dbt_bounds_a_named_value_however_it_is_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    Path("models").mkdir()
    listed = []
    for name, (cell, value) in {**NAMED, "another": ("2.0::double", 1)}.items():
        Path(f"models/{name}.sql").write_text(f"select 1 as k, {cell} as q from range(4)\n")
        bound = {"quasi_identifiers": ["k"], "sensitive": "q", "alpha": 1, "parts": 2, "values": [value]}
        listed.append({"name": name, "data_tests": [{"starcloak.alpha_bounded": {"arguments": bound}}]})
    Path("models/models.yml").write_text(yaml.safe_dump({"models": listed}))
    _, built = dbt(["deps"], ["build"])
    told = {name: status for name, (status, _) in built[1].items() if name.startswith("starcloak_alpha_bounded")}
    assert len(told) == len(listed)
    by_model = {
        model["name"]: told[next(name for name in told if f"bounded_{model['name']}_" in name)] for model in listed
    }
    assert by_model.pop("another") == "pass" and by_model.pop("unreadable") == "error"
    assert set(by_model.values()) == {"fail"}, by_model


@pytest.mark.sampled(3, among="dbt")
@needs_dbt
def test_dbt_builds_nothing_but_what_was_searched(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    Path("models").mkdir()
    attributes = ['q"q', "new\nline", "a.b", "%s", "it's"]
    with duckdb.connect("hospital.duckdb") as connection:
        columns = ", ".join('"' + name.replace('"', '""') + '" varchar' for name in NAMES)
        connection.execute(f"create table hostile ({columns})")
        rows = [[f"v{row % 3}" if name in attributes else f"{name} {row}" for name in NAMES] for row in range(12)]
        connection.executemany(f"insert into hostile values ({', '.join('?' * len(NAMES))})", rows)
        # Every tuple of the first is in a class of two; the second is alike but for one letter's case.
        connection.execute("create table doctors as select unnest(['a', 'a', 'b', 'b']) as zip, 1 as age")
        connection.execute("create table others as select unnest(['a', 'A', 'b', 'b']) collate nocase as zip, 1 as age")
    hostile = {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "hostile"},
        "quasi_identifiers": dict.fromkeys(attributes, "suppress"),
        "keep": [name for name in NAMES if name not in attributes],
    }
    for k in (1, 2, 5):  # the first two need no values
        described = {**hostile, "requirement": {"k": k}, "output": {"table": f"hostile_{k}"}}
        pipeline.compile_dbt(described, project, resources=Resources(threads=1))
    doctors = {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "doctors"},
        "quasi_identifiers": {"zip": {"tree": {"A": ["a"], "B": ["b"]}}, "age": "suppress"},
        "requirement": {"k": 2},
        "output": {"table": "staff"},
    }
    pipeline.compile_dbt(doctors, project, upstream="staged")
    older = "select zip, age + 1 as age from doctors"
    searched, alike, retyped, changed = (
        {"models/staged.sql": text}
        for text in ("from doctors", "from others", "select zip, cast(age as double) as age from doctors", older)
    )
    again = job("odd")
    stood: list[dict[str, str]] = []
    for quasi_identifiers in ({}, {"zip": {"tree": {"all": {"some": ODD[:7], "others": ODD[7:]}}}}):
        again["quasi_identifiers"] |= quasi_identifiers
        again["requirement"] = {"k": 3 + 20 * bool(quasi_identifiers)}
        files = pipeline.compile_dbt(again, project)
        stood.append({str(path.relative_to(project)): path.read_text() for path in files})
    # Every leaf once as before, but one of them another.
    file = next(path for path, text in stood[0].items() if path.endswith(".csv") and '"=true","=01"' in text)
    edited = {file: stood[0][file].replace('"=true","=01"', '"=true","=1"')}
    for name, text in ALIKE.items():
        Path(f"models/{name}.sql").write_text(text)
    gate = {"starcloak.k_anonymous": {"arguments": {"quasi_identifiers": ["q"], "k": 2}}}
    described = [{"name": name, "data_tests": [gate]} for name in ALIKE]
    Path("models/alike.yml").write_text(yaml.safe_dump({"models": described}))
    _, built, *wrong, other = dbt(
        ["deps"],
        {**searched, **stood[0]},
        ["build", "--exclude", *ALIKE],
        alike,
        ["run", "--select", "staged", "staff"],
        retyped,
        ["run", "--select", "staged", "staff"],
        changed,
        ["run", "--select", "staged", "staff"],
        {**searched, **edited},
        ["build", "--select", "+odd"],
        ["build", "--select", *ALIKE],
        stood[1],
        ["build", "--select", "staged", "+odd"],
    )
    assert built[0], built
    with duckdb.connect("hospital.duckdb") as connection:
        for k in (1, 2, 5):
            found = connection.execute(f"from hostile_{k}")
            assert [column[0] for column in found.description or ()] == NAMES
            assert len(found.fetchall()) == 12
        assert sorted(connection.execute("select zip from staff").fetchall()) == [("a",), ("a",), ("b",), ("b",)]
    collated, typed, other_cells, edited_values, gates = wrong
    assert "not the source that this script was made for" in collated[1]["staff"][1]
    assert "of other types" in typed[1]["staff"][1]
    assert "not the source that this script was made for" in other_cells[1]["staff"][1]
    assert "not the files of values that this model was made with" in edited_values[1]["odd"][1]
    told = {name: status for name, (status, _) in gates[1].items() if name.startswith("starcloak_k_anonymous")}
    assert set(told.values()) == {"fail"}
    assert len(told) == len(ALIKE)
    # Values whose columns are others than before are read as they are.
    assert other[0], other


def test_the_command_writes_where_the_readme_says(project: Path) -> None:
    Path("job.yaml").write_text(yaml.safe_dump(job("odd"), sort_keys=False))
    done = CliRunner().invoke(cli, ["compile", "job.yaml", "--format", "dbt", "--into", "."])
    assert done.exit_code == 0
    assert {Path(line).parts[0] for line in done.stdout.split()} == {"models", "starcloak_values"}
    assert CliRunner().invoke(cli, ["compile", "job.yaml", "--format", "dbt"]).exit_code == 2
    tests = yaml.safe_load(Path("models/odd/odd.yml").read_text())["models"][0]["data_tests"]
    assert tests == [{"starcloak.k_anonymous": {"arguments": {"quasi_identifiers": ["zip", "sex", "age"], "k": 3}}}]


def test_an_upstream_that_is_no_name_is_refused(project: Path) -> None:
    for name in ("a b", "a.b.c", "') }}", ""):
        with pytest.raises(JobError, match="the upstream must be a dbt model"):
            pipeline.compile_dbt(job("odd"), project, upstream=name)
    assert not (project / "starcloak_values").exists()


def test_a_model_of_a_workbook_reads_an_upstream(project: Path) -> None:
    pandas.DataFrame({"zip": ["1", "1"]}).to_excel("people.xlsx", index=False)
    described = {**job("odd"), "source": {"path": "people.xlsx"}, "quasi_identifiers": {"zip": "suppress"}}
    described = {**described, "keep": [], "requirement": {"k": 2}}
    with pytest.raises(JobError, match=r"people\.xlsx: dbt cannot read a workbook: save it as CSV, or load it into a"):
        pipeline.compile_dbt(described, project)
    assert not list(project.glob("models/**/*.sql"))
    pipeline.compile_dbt(described, project, upstream="people")
    assert "{{ ref('people') }}" in (project / "models/odd/odd.sql").read_text()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("source", "upstream"),
    [
        ({"table": "people"}, None),
        ({"query": "with found as (select * from main.People) select * from found"}, None),
        ({"query": "select * from people"}, "clinic.people"),
    ],
)
def test_a_model_that_would_take_the_place_of_its_own_source_is_refused(
    source: dict[str, str], upstream: str | None, project: Path
) -> None:
    described = {**job("odd"), "source": {"url": "duckdb:///hospital.duckdb", **source}}
    with pytest.raises(JobError, match=r"named 'people' like a table that it reads.*: give the output another"):
        pipeline.compile_dbt({**described, "output": {"path": "People.csv"}}, project, upstream=upstream)
    assert not list(project.glob("models/**/*.sql"))


def test_values_tell_texts_from_missing_values(project: Path) -> None:
    files = pipeline.compile_dbt(job("odd"), project)
    assert [path.relative_to(project).as_posix() for path in files[-2:]] == ["models/odd/odd.sql", "models/odd/odd.yml"]
    with open(project / "starcloak_values/odd/dimension_1.csv", newline="") as lines:
        values = [line["value"] for line in csv.DictReader(lines)]
    assert sorted(values) == sorted("" if value is None else f"={value}" for value in ODD)


def test_a_second_model_leaves_no_values_of_the_first(project: Path) -> None:
    pipeline.compile_dbt(job("odd"), project)
    pipeline.compile_dbt({**job("odd"), "requirement": {"k": 1}}, project)
    assert not (project / "starcloak_values/odd/outliers.csv").exists()
    assert not [path for path in project.rglob("*") if "staging" in path.name]


def test_what_is_not_ours_is_left_alone(project: Path) -> None:
    with pytest.raises(OutputError, match="not the folder of a dbt project"):
        pipeline.compile_dbt(job("odd"), project.parent)
    theirs = project / "models" / "odd" / "odd.sql"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("select 1")
    with pytest.raises(OutputError, match=r"the dbt model would replace .*odd\.sql, which starcloak did not write"):
        pipeline.compile_dbt(job("odd"), project)
    assert theirs.read_text() == "select 1"
    assert not (project / "starcloak_values").exists()


def test_values_replace_nothing_but_their_own(project: Path) -> None:
    """Files of the folder may well be a source, or somebody's that have such a name."""
    values = project / "starcloak_values" / "odd"
    values.mkdir(parents=True)
    theirs = values / "outliers.csv"
    theirs.write_text("a\n1\n")
    with pytest.raises(OutputError, match=r"the values would replace .*outliers"):
        pipeline.compile_dbt(job("odd"), project)
    assert theirs.read_text() == "a\n1\n"
    theirs.unlink()
    pipeline.compile_dbt(job("odd"), project)
    described = {
        "source": {"path": str(values / "dimension_1.csv")},
        "quasi_identifiers": {"value": "suppress"},
        "identifiers": ["present", "level_1", "ancestor_1"],
        "requirement": {"k": 2},
        "output": {"table": "odd", "url": "duckdb:///release.duckdb"},
    }
    with pytest.raises(OutputError, match="the values would replace the source,"):
        pipeline.compile_dbt(described, project)


def test_a_model_of_another_output_is_left_alone(project: Path) -> None:
    """A model's name has letters, digits and underscores alone, so two outputs may come to one."""
    files = pipeline.compile_dbt({**job("odd"), "output": {"table": "odd-one"}}, project)
    before = {path: path.read_bytes() for path in files}
    for name in ("odd_one", "clinic.odd-one", "Odd-One"):
        with pytest.raises(
            OutputError, match=r"the dbt model would replace .*odd_one\.sql, which starcloak did not write"
        ):
            pipeline.compile_dbt({**job("odd"), "output": {"table": name}}, project)
    assert {path: path.read_bytes() for path in files} == before


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", ["", "\xff", "models: []", "# Made by starcloak compile for 'odd-one'\nmodels: []"])
def test_properties_that_are_not_ours_are_left_alone(project: Path, text: str) -> None:
    properties = project / "models" / "odd" / "odd.yml"
    properties.parent.mkdir(parents=True)
    properties.write_text(text, encoding="latin-1")
    with pytest.raises(OutputError, match=r"odd\.yml"):
        pipeline.compile_dbt(job("odd"), project)
    assert properties.read_text(encoding="latin-1") == text
    assert [path for path in project.rglob("*") if "odd" in path.name] == [properties.parent, properties]


@pytest.mark.parametrize("name", ["{{ note }}", "a\rb"])
def test_an_attribute_that_would_be_a_template_is_refused(project: Path, name: str) -> None:
    described = job("odd")
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(f'alter table people rename "{{{{ note }}}}" to "{name}"')
    described["quasi_identifiers"] = {name: "suppress"}
    described["keep"] = ["zip", "sex", "age"]
    with pytest.raises(JobError, match="template"):
        pipeline.compile_dbt(described, project)


MODELS: list[dict[str, Any]] = [
    {"l_diversity": [{"attribute": "q", "kind": "entropy", "l": "1.9"}]},
    {"l_diversity": [{"attribute": "q", "kind": "recursive", "c": "1.5", "l": 2}]},
    {"alpha": [{"attribute": "q", "alpha": "0.5"}]},
    {"alpha": [{"attribute": "q", "alpha": "0.5", "values": ["it's", "z"]}]},
    {"p_sensitive": [{"attribute": "q", "p": 2}]},
    {"beta_likeness": [{"attribute": "q", "beta": "0.5"}]},
    {"beta_likeness": [{"attribute": "q", "beta": "5", "enhanced": True}]},
    {"delta_disclosure": [{"attribute": "q", "delta": "0.5"}]},
    {"t_closeness": [{"attribute": "q", "t": "0.25"}]},
    {"t_closeness": [{"attribute": "q", "t": "0.25", "distance": "ordered", "order": ["it's", None, "b"]}]},
]


@pytest.mark.sampled(3, among="dbt")
@needs_dbt
def test_dbt_tests_what_each_privacy_model_asks(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a table in which every class is as the whole, and of one whose classes have a value each."""
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    Path("models").mkdir()
    tests = [model.dbt_test(["k"]) for asked in MODELS for model in load_requirement({"k": 1, **asked}).models]
    order = {"good": "1, 2, 1, 2", "bad": "1, 1, 2, 2"}
    for name, classes in order.items():
        rows = f"select unnest([{classes}]) as k, unnest(['it''s', 'it''s', 'b', 'b']) as q\n"
        Path(f"models/{name}.sql").write_text(rows)
    listed = [{"name": name, "data_tests": tests} for name in order]
    Path("models/models.yml").write_text(yaml.safe_dump({"models": listed}))
    _, built = dbt(["deps"], ["build"])
    told = {name: status for name, (status, _) in built[1].items() if name.startswith("starcloak_")}
    assert len(told) == 2 * len(tests), built
    for name, status in told.items():
        assert status == ("pass" if "_good_" in name else "fail"), (name, built[1][name])


def test_a_project_knows_the_test_of_its_model_and_git_knows_no_value(work: Path) -> None:
    Path("people.csv").write_text("zip,name\n" + "537,SECRETx7\n531,SECRETx8\n538,SECRETx9\n")
    Path("job.yaml").write_text(
        yaml.safe_dump(
            {
                "source": {"path": "people.csv"},
                "identifiers": ["name"],
                "quasi_identifiers": {"zip": {"digits": 3}},
                "requirement": {"k": 2},
                "output": {"table": "cohort"},
            }
        )
    )
    Path("dbt_project.yml").write_text("name: clinic\n")
    command = ["compile", "job.yaml", "--format", "dbt", "--into", "."]
    for first in (True, False):
        done = CliRunner().invoke(cli, command)
        assert (done.exit_code, done.exception) == (0, None)
        assert ("packages.yml" in done.stdout) == first
    assert yaml.safe_load(Path("packages.yml").read_text()) == {"packages": [{"local": "starcloak"}]}
    package = installation.sql() / "dbt"
    for path in package.rglob("*.*"):
        assert (Path("starcloak") / path.relative_to(package)).read_text() == path.read_text()
    assert list(Path("starcloak_values").rglob("*.csv")) and "keeps these files out of git" in done.stderr
    subprocess.run(["git", "init", "-q", "."], check=True)
    told = subprocess.run(["git", "status", "--short", "-uall"], capture_output=True, text=True, check=True).stdout
    assert "starcloak_values" not in told and "models/cohort/cohort.sql" in told
    assert CliRunner().invoke(cli, [*command, "--quiet"]).stderr == ""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("file", ["packages.yml", "dependencies.yml"])
def test_a_project_whose_packages_lack_the_test_is_left_as_it_is(file: str, project: Path) -> None:
    Path("packages.yml").unlink()
    mine = "packages:\n- package: dbt-labs/dbt_utils\n  version: 1.1.1\n"
    Path(file).write_text(mine)
    with pytest.raises(
        OutputError, match=rf"{file} lacks the dbt package .*: add '- local: starcloak' under packages, "
    ):
        pipeline.compile_dbt(job("odd"), project)
    assert Path(file).read_text() == mine and not Path("models").exists() and not Path("starcloak_values").exists()
    Path(file).write_text(f"{mine}- local: starcloak\n")
    assert Path("starcloak/dbt_project.yml") in [
        path.relative_to(project) for path in pipeline.compile_dbt(job("odd"), project)
    ]
    assert Path(file).read_text() == f"{mine}- local: starcloak\n"


def test_the_package_in_the_project_is_that_of_the_version_that_compiles(project: Path) -> None:
    Path("packages.yml").unlink()
    pipeline.compile_dbt(job("odd"), project)
    macro = Path("starcloak/macros/k_anonymous.sql")
    now = macro.read_text()
    macro.write_text(now.replace("having", "where false having"))
    pipeline.compile_dbt(job("odd"), project)
    assert macro.read_text() == now


def test_another_folder_in_the_place_of_the_package_stays(project: Path) -> None:
    Path("packages.yml").unlink()
    Path("starcloak").mkdir()
    Path("starcloak/dbt_project.yml").write_text("name: other\n")
    with pytest.raises(OutputError, match="is not the dbt package with the test of the model: move it"):
        pipeline.compile_dbt(job("odd"), project)
    assert not Path("models").exists()
