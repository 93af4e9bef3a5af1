"""One room per concern: a toy of each kind is registered from one place, runs in a job and is found everywhere."""

from __future__ import annotations

import ast
import json
import re
from abc import ABC
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.base import installation
from starcloak.base.errors import VerificationError
from starcloak.commands import documentation, pipeline, schema
from starcloak.commands.algorithm_table import table
from starcloak.commands.cli import cli
from starcloak.exports import dbt, script
from starcloak.hierarchy import builder
from starcloak.hierarchy.classifications import registry as classifications
from starcloak.job import algorithms as search
from starcloak.measures import measure
from starcloak.privacy import model as privacy
from starcloak.releases import companion
from starcloak.statements.statement import Statement
from starcloak.store.databases import registry as hosts
from tests import layers

PEOPLE = pandas.DataFrame({"sex": list("mmffm"), "zip": ["10", "11", "10", "10", "20"], "job": list("abcda")})


JOB: dict[str, Any] = {"quasi_identifiers": {"sex": "suppress", "zip": {"digits": 2}}, "sensitive": ["job"]}


HOMES = (
    (privacy, "_MODELS"),
    (search, "_ALGORITHMS"),
    (builder, "_BUILDERS"),
    (measure, "_MEASURES"),
    (hosts, "_KINDS"),
    (companion, "_REGISTERED"),
    (classifications, "_CLASSIFICATIONS"),
)
OTHERS = [getattr(home, name) for home, name in HOMES]


def test_a_toy_is_one_file_that_registers_one_thing_and_knows_no_other_test(toys: None) -> None:
    added = [set(getattr(home, name)) - set(others) for (home, name), others in zip(HOMES, OTHERS, strict=True)]
    assert added == [{"even"}, {"highest"}, {"initials"}, {"highest_level"}, {"vault"}, {"quota"}, {"teams"}]
    room = Path(__file__).parents[1] / "toys"
    files = [path for path in room.glob("*.py") if path.stem not in ("__init__", "shelf")]
    assert len(files) == len(added)
    for file in files:
        named = re.findall(r"^(?:from|import) (\w+)", file.read_text(), re.MULTILINE)
        assert set(named) <= {"__future__", "collections", "typing", "pydantic", "starcloak"}, file


def test_a_toy_algorithm_runs_and_is_found_everywhere(toys: None) -> None:
    release = sc.anonymize(PEOPLE, **JOB, k=2, algorithm={"name": "highest"})
    assert (release.k, release.result.recoding.levels) == (5, {"sex": 1, "zip": 2})
    assert release.result.algorithm.name == "highest"
    exported = json.dumps(schema.exports()["job"]["properties"]["algorithm"])
    assert '"highest"' in exported
    told = CliRunner().invoke(cli, ["algorithms"]).output
    assert "highest  (full-domain)" in told and "when       never" in told
    assert "| `{name: highest}` | full-domain |" in table()
    with pytest.raises(sc.JobError, match=r"unknown name 'highst'.*Did you mean 'highest'"):
        sc.anonymize(PEOPLE, **JOB, k=2, algorithm={"name": "highst"})


def test_a_toy_model_is_searched_for_and_found_everywhere(toys: None) -> None:
    asked = {"requirement": {"k": 1, "even": [{"least": 2}], "suppression": "0.2"}}
    release = sc.run({**JOB, **asked}, frame=PEOPLE)
    sizes = release.to_pandas().groupby(["sex", "zip"]).size()
    assert len(sizes) and all(size % 2 == 0 for size in sizes)
    exported = schema.exports()["job"]["$defs"]["JobRequirement"]["properties"]
    assert exported["even"]["items"]
    assert "| `even` | Every class has an even number of rows" in documentation.models()
    assert "coalesce(max(size % 2), 0) = 1" in release.sql()
    with pytest.raises(sc.JobError, match=r"requirement.even.0.least: must be greater than or equal to 2"):
        sc.run({**JOB, "requirement": {"k": 1, "even": [{"least": 1}]}}, frame=PEOPLE)


def test_a_toy_model_that_reads_no_column_is_judged_by_the_verifier(
    toys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = privacy.models()["even"][privacy.PLAIN]
    monkeypatch.setattr(kind, "violating", property(lambda self: Statement("star/recoding/full_domain#none_rare")))
    monkeypatch.setattr(kind, "violates", lambda self, groups: groups.sizes < 0)
    with pytest.raises(VerificationError, match="does not have an even number of rows"):
        sc.run({**JOB, "requirement": {"k": 1, "even": [{"least": 2}]}}, frame=PEOPLE)
    even = [{"sex": sex, "zip": "1"} for sex in "mmffff"]
    assert sc.check(pandas.DataFrame(even), ["sex"], 1, even=[{"least": 2}]).holds
    assert not sc.check(pandas.DataFrame(even[1:]), ["sex"], 1, even=[{"least": 2}]).holds


def test_a_model_without_a_recount_is_not_registered(toys: None) -> None:
    kind = privacy.models()["even"][privacy.PLAIN]
    without = type("Without", (kind,), {"recount": None, "key": "without", "__module__": kind.__module__})
    with pytest.raises(TypeError, match="Without has no recount"):
        privacy.register(without)
    misspelt = type("Misspelt", (privacy.PersonShares, kind), {"key": "without", "__module__": kind.__module__})
    with pytest.raises(TypeError, match="Misspelt has no by_persons"):
        privacy.register(misspelt)
    assert "without" not in privacy.models()


def test_who_adds_a_thing_has_little_to_read() -> None:
    """Public names that a base class defines, and a capability of models."""
    optional = [kind for kind in vars(privacy).values() if isinstance(kind, type) and ABC in kind.__bases__]
    assert len(optional) > 7
    for kind, most in [(privacy.Model, 15), (search.Algorithm, 14), *((kind, 4) for kind in optional)]:
        named = {**vars(kind), **vars(kind).get("__annotations__", {})}
        members = [name for name in named if not name.startswith(("_", "model_"))]
        assert 0 < len(members) <= most, members


def test_sql_is_refused_for_a_model_that_it_cannot_recount(toys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {**JOB, "requirement": {"k": 1, "even": [{"least": 2}], "suppression": "0.2"}}
    monkeypatch.setattr(script, "ScriptRecount", privacy.PersonShares)  # which the toy has not
    release = sc.run(asked, frame=PEOPLE)
    with pytest.raises(sc.OutputError, match=r"requirement\.even: a script cannot count this model again: use run"):
        release.sql()


def test_a_dbt_model_is_refused_for_a_model_without_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dbt, "DbtTest", privacy.PersonShares)  # which k-anonymity has not
    (tmp_path / "dbt_project.yml").touch()
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    asked: dict[str, Any] = {**JOB, "requirement": {"k": 2}, "source": {"path": str(tmp_path / "people.csv")}}
    with pytest.raises(
        sc.OutputError, match=r"requirement\.k: a dbt model has no test for this privacy model: use run"
    ):
        pipeline.compile_dbt({**asked, "output": {"path": str(tmp_path / "released.csv")}}, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"dbt_project.yml", "people.csv"}


def test_a_toy_builder_of_hierarchies_is_found_everywhere(toys: None) -> None:
    hierarchies = {"sex": {"suppress": True, "importance": 3}, "zip": {"initials": 1}}
    release = sc.anonymize(PEOPLE, quasi_identifiers=hierarchies, sensitive=["job"], k=2)
    assert set(release.to_pandas()["zip"]) == {"*"} or set(release.to_pandas()["zip"]) <= {
        "1",
        "2",
        "*",
        "10",
        "11",
        "20",
    }
    assert release.result.recoding.heights == {"sex": 1, "zip": 2}
    assert "| `{initials: 2}` | Masters → Ma → \\* |" in documentation.hierarchies()
    assert '"initials"' in json.dumps(schema.exports()["job"]["properties"]["quasi_identifiers"])
    with pytest.raises(sc.JobError, match=r"quasi_identifiers.zip.initials: must be greater than or equal to 1"):
        sc.anonymize(PEOPLE, quasi_identifiers={"zip": {"initials": 0}, "sex": "suppress"}, keep=["job"], k=2)
    with pytest.raises(sc.JobError, match=r"unknown hierarchy 'initial'.*Did you mean 'initials'"):
        sc.anonymize(PEOPLE, quasi_identifiers={"zip": {"initial": 1}, "sex": "suppress"}, keep=["job"], k=2)


def test_a_toy_classification_is_named_by_a_job_and_is_found_everywhere(toys: None) -> None:
    players = pandas.DataFrame({"player": ["ann", "BOB", "cid", "cid"]})
    release = sc.anonymize(players, quasi_identifiers={"player": {"classification": "teams", "from": 1}}, k=2)
    assert sorted(release.to_pandas()["player"]) == ["blue team", "blue team", "red team", "red team"]
    assert "| `teams` | players of two teams | team → \\* |" in documentation.classifications()
    with pytest.raises(sc.JobError, match=r"unknown classification 'team'.*Did you mean 'teams'"):
        sc.anonymize(players, quasi_identifiers={"player": {"classification": "team"}}, k=2)


def test_a_toy_measure_is_counted_and_told(toys: None) -> None:
    release = sc.anonymize(PEOPLE, **JOB, k=2)
    assert release.measures.highest_level == max(release.result.recoding.levels.values())
    assert release.to_dict()["measures"]["highest_level"] == release.measures.highest_level
    assert schema.exports()["report"]["$defs"]["Measures"]["properties"]["highest_level"]["type"] == "integer"
    assert "| `highest_level` | a toy |" in documentation.measures()


def test_a_toy_host_has_source_and_release_and_is_found_everywhere(toys: None, tmp_path: Path) -> None:
    example = hosts.kinds()["vault"].example
    url = f"vault:///{tmp_path}/clinic.vault"
    with duckdb.connect(str(tmp_path / "clinic.vault")) as connection:
        connection.register("given", PEOPLE)
        connection.execute("create table people as from given")
    described = {**JOB, "source": {"url": url, "table": "people"}, "requirement": {"k": 2}, "keep_dimensions": True}
    for k, output in ((2, {"table": "cohort"}), (3, {"url": f"vault:///{tmp_path}/fresh.vault", "table": "cohort"})):
        release = sc.run({**described, "requirement": {"k": k}, "output": output})
        assert release.k is not None and release.k >= k
        assert sc.check({"url": output.get("url", url), "table": "cohort"}, ["sex", "zip"], k=release.k).holds
        with duckdb.connect(str(tmp_path / Path(output.get("url", url)).name)) as connection:
            assert connection.execute("select count(*) from starcloak_releases").fetchall() == [(3,)]
            assert connection.execute("select count(*) from cohort_dim_zip").fetchall() == [(1,)]
    assert "create or replace table" in release.sql() and "fresh.vault" in release.sql()
    with pytest.raises(
        sc.OutputError, match="does not allow the table name 'cohort2', which has a digit: choose another name"
    ):
        sc.run({**described, "output": {"table": "cohort2"}})
    with pytest.raises(sc.OutputError, match="is the source"):
        sc.run({**described, "output": {"table": "People"}})
    for of in ("Place", "Output"):
        assert example in json.dumps(schema.exports()["job"]["$defs"][of]["properties"]["url"])
    for command in ("check", "audit", "init"):
        assert example in "".join(CliRunner().invoke(cli, [command, "--help"]).output.split())
    assert f"| `{example}` | a toy | its commit |" in documentation.hosts()
    with pytest.raises(sc.SourceError, match=r"urls of vaul are not supported.*Did you mean 'vault'"):
        sc.check({"url": "vaul:///x", "table": "people"}, ["sex"], k=2)


# ------------------------------------------------------------------------------------------------------------- layers


def modules() -> dict[str, Path]:
    root = Path(installation.__file__).parents[1]
    named = {}
    for file in root.rglob("*.py"):
        parts = ["starcloak", *file.relative_to(root).with_suffix("").parts]
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return named


def imported(name: str, file: Path, known: set[str]) -> set[str]:
    """The modules that a module imports, at once, in a function, or for types alone."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update((inner & known) or {str(node.module)})
    return (found & known) - {name}


def test_no_module_imports_itself_by_way_of_others() -> None:
    known = modules()
    graph = {name: imported(name, file, set(known)) for name, file in known.items()}
    while leaves := {name for name, needs in graph.items() if not needs}:
        graph = {name: needs - leaves for name, needs in graph.items() if name not in leaves}
    assert not graph, f"a circle among {sorted(graph)}"


def test_the_picture_of_the_layers_is_that_of_the_code() -> None:
    """``python -m tests.layers`` draws it again."""
    assert layers.shown() == layers.picture()


def test_a_public_class_name_is_one_thing() -> None:
    homes: dict[str, list[str]] = {}
    for name, file in modules().items():
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_nothing_outside_its_room_knows_an_algorithms_name() -> None:
    for name, file in modules().items():
        if name.startswith("starcloak.search.") or name in (
            "starcloak.commands.demo",
            "starcloak.job.algorithms",
            "starcloak.statements.statement_docs",
        ):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        texts = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not texts & set(search.algorithms()), name


def test_no_file_is_over_600_lines() -> None:
    root = Path(__file__).parents[2]
    files = [path for folder in ("engine", "tests", "benchmarks") for path in sorted((root / folder).rglob("*.py"))]
    over = {path.name: lines for path in files if (lines := len(path.read_text().splitlines())) > 600}
    assert files and not over, f"split by concern: {over}"
