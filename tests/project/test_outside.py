"""Things of every kind in a package of somebody else's, which names them by entry points."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOYS = Path(__file__).parents[1] / "toys"
NAMED = {
    "models": "even",
    "algorithms": "highest",
    "hierarchies": "initials",
    "measures": "highest_level",
    "databases": "vault",
    "companions": "quota",
    "classifications": "teams",
}
JOB = {
    "source": {"path": "people.csv"},
    "quasi_identifiers": {"sex": "suppress", "zip": {"initials": 1}},
    "requirement": {"k": 2, "even": [{"least": 2}]},
    "algorithm": {"name": "highest"},
    "output": {"path": "released.csv"},
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with an installed package of all toys, and a job beside it that asks for them."""
    outside = tmp_path / "site" / "outside"
    outside.mkdir(parents=True)
    (outside / "__init__.py").touch()
    entries = []
    for kind, toy in NAMED.items():
        shutil.copy(TOYS / f"{toy}.py", outside)
        entries.append(f"[starcloak.{kind}]\n{toy} = outside.{toy}\n")
    described = tmp_path / "site" / "outside-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text("\n".join(entries))
    (tmp_path / "people.csv").write_text("sex,zip\n" + "f,10\nm,11\n" * 4)
    (tmp_path / "job.yaml").write_text(json.dumps(JOB))
    return tmp_path


def starcloak(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "XDG_STATE_HOME": str(folder / "state")}
    command = [sys.executable, "-m", "starcloak", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_what_another_package_adds_is_found_and_runs(package: Path) -> None:
    done = starcloak(package, "run", "job.yaml", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["algorithm"]["name"], told["k"]) == ("highest", 8)
    assert told["measures"]["highest_level"] == 2
    (even,) = told["requirement"]["qids"][0]["models"]
    assert (even["model"], even["required"], even["achieved"]) == ("even", {"least": 2}, 8.0)
    refused = starcloak(package, "check", "vaul:///x", "--table", "t", "--qi", "a", "--k", "2")
    assert refused.returncode == 2 and "Did you mean 'vault'" in refused.stderr


def test_a_classification_of_another_package_is_named_as_one_of_the_program(package: Path) -> None:
    (package / "people.csv").write_text("player\n" + "ann\nBOB\ncid\n" * 2)
    job = {**JOB, "quasi_identifiers": {"player": {"classification": "teams", "from": 1}}, "requirement": {"k": 2}}
    (package / "job.yaml").write_text(json.dumps({**job, "algorithm": {"name": "sweep"}}))
    done = starcloak(package, "run", "job.yaml", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["recoding"]["classifications"] == {"player": "teams: teams, season 1"}
    released = (package / "released.csv").read_text().splitlines()
    assert sorted(released) == ["blue team"] * 2 + ["player"] + ["red team"] * 4


def test_a_release_is_made_again_when_a_package_has_changed(package: Path) -> None:
    def run() -> bool:
        return bool(json.loads(starcloak(package, "run", "job.yaml", "--json").stdout)["unchanged"])

    assert (run(), run()) == (False, True)
    with open(package / "site" / "outside" / "even.py", "a") as module:
        module.write("\n# changed\n")
    assert not run()


def test_a_package_that_cannot_be_loaded_is_named(package: Path) -> None:
    (package / "site" / "outside" / "even.py").write_text("import nothing_of_that_name\n")
    done = starcloak(package, "run", "job.yaml")
    assert done.returncode == 2
    assert "the package outside has an entry point starcloak.models that cannot be loaded" in done.stderr
    assert not (package / "released.csv").exists()


def test_a_companion_of_another_package_takes_part_where_the_job_names_it(package: Path) -> None:
    job = package / "job.yaml"

    def run(**companions: object) -> subprocess.CompletedProcess[str]:
        job.write_text(json.dumps({**JOB, "companions": companions}))
        return starcloak(package, "run", "job.yaml", "--json")

    done = run(quota={"rows": 8})
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["companions"] == {"quota": {"rows": 8, "most": 8}} and "the quota was counted" in result["warnings"]
    released = (package / "released.csv").read_bytes()
    refused = run(quota={"rows": 7})
    assert refused.returncode == 1 and "more than 7 rows would be released" in refused.stderr
    assert (package / "released.csv").read_bytes() == released
    assert json.loads(run().stdout)["companions"] == {}
    for given, said in (({"quota": {"most": 7}}, "companions.quota"), ({"quotas": {}}, "Did you mean 'quota'")):
        refused = run(**given)
        assert refused.returncode == 2 and said in refused.stderr


SPOKEN = """
from starcloak.statements.dialects import Dialect, register
from starcloak.statements.sql_literals import literal
from starcloak.statements.statement import Literal, Name, Statement
register(Dialect("tern", quote="`", escapes_backslashes=True, hex_bytes="hex'{}'"))
print(Name("a`b").sql("tern"), Literal("a\\\\b").sql("tern"), literal(b"\\x00", "tern"))
relation = Name("people")
for path in ("tern/rows", "store/relation"):
    print(Statement(path, relation=relation).sql("tern").split())
print(Statement("hierarchy/domain", value=Name("v"), base=Name("b")).sql("tern").split())
print(Statement("store/relation", relation=relation).sql().split())
"""


def test_another_package_brings_a_dialect_and_statements_and_replaces_none(package: Path) -> None:
    outside = package / "site" / "outside"
    for path, text in {
        "tern/rows": "select 1 from {relation}",
        "databases/tern/store/relation": "select 2 from {relation}",
        "store/relation": "select 3 from {relation}",
        "databases/sqlite/hierarchy/domain": "select 4 from {base} {value}",
    }.items():
        (file := outside / "sql" / f"{path}.sql").parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"-- Rows.\n{text}\n")
    paths = os.pathsep.join([str(package / "site"), os.environ.get("PYTHONPATH", "")])
    script = SPOKEN + 'print(Statement("hierarchy/domain", value=Name("v"), base=Name("b")).sql("sqlite").split())'
    script = "import starcloak.store.databases.sqlite.database\n" + script
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    written, added, own, common, unchanged, sqlite = done.stdout.splitlines()
    assert written == r"`a``b` 'a\\b' hex'00'"
    assert added == "['select', '1', 'from', '`people`']" and own == "['select', '2', 'from', '`people`']"
    assert common == "['select', 'distinct', '`v`', 'as', 'value', 'from', '`b`']"
    assert unchanged == """['select', '*', 'from', '"people"']"""
    assert sqlite == """['select', 'distinct', '"v"', 'as', 'value', 'from', '"b"']"""
