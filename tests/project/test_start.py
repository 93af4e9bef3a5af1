"""What a command imports: only what it needs."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import pytest

from tests import modules

# What takes long to import, and is asked for by few jobs.
FEW_NEED = {"pandas", "polars", "pyarrow.compute", "sqlalchemy", "jinja2", "matplotlib", "sqlglot", "urllib.request"}

_TOLD = """
import json, sys
from starcloak.commands.cli import main
try:
    main()
except SystemExit as done:
    print("\\nended", done.code, json.dumps(sorted(sys.modules)))
else:
    print("\\nended", 0, json.dumps(sorted(sys.modules)))
"""


def imported(*arguments: str, folder: Path) -> set[str]:
    """The modules that a command has imported when it is done."""
    done = subprocess.run([sys.executable, "-c", _TOLD, *arguments], cwd=folder, capture_output=True, text=True)
    _, _, ended = done.stdout.rpartition("\nended ")
    code, _, names = ended.partition(" ")
    assert code in ("0", "None"), done.stdout + done.stderr
    return set(json.loads(names))


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["check", "--help"], ["run", "--help"]])
def test_help_imports_no_library_but_that_of_the_command_line(arguments: list[str], tmp_path: Path) -> None:
    found = imported(*arguments, folder=tmp_path)
    assert found & {"duckdb", "numpy", "pyarrow", "pydantic", "yaml", *FEW_NEED} == set()
    assert "starcloak.commands.pipeline" not in found


def test_a_run_from_a_file_to_a_file_imports_no_more_than_it_needs(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("sex,zip\n" + "f,10\nm,11\n" * 4)
    (tmp_path / "zip.csv").write_text("10;1*;*\n11;1*;*\n")
    job = {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"sex": "suppress", "zip": {"csv": "zip.csv"}},
        "requirement": {"k": 2},
        "output": {"path": "released.csv"},
    }
    (tmp_path / "job.yaml").write_text(json.dumps(job))
    found = imported("run", "job.yaml", folder=tmp_path)
    assert found & FEW_NEED == set()
    # No database, no other target, no other command, and of other algorithms and models nothing but their settings.
    others = {
        "commands.audit", "commands.cli.commands.check", "commands.comparison", "commands.explanation",
        "commands.profile", "companions.joint_risk.joint_risk", "companions.lineage.openlineage",
        "companions.refresh.refresh", "exports.dbt", "exports.report", "exports.translation",
        "privacy.t_closeness.model", "releases.targets.table", "search.kaca.search", "search.sweep.search",
        "search.tdr.search", "sources.frame", "sources.in_database", "sources.parquet_types",
        "store.databases.database", "store.databases.postgresql.database", "commands.check_table",
    }  # fmt: skip
    assert all(find_spec(f"starcloak.{name}") for name in others)
    assert found & {f"starcloak.{name}" for name in others} == set()


#: Modules with a function that a run calls: whoever follows a run from its command to its release reads in these.
_ENTERED = 80


def test_a_run_with_a_sensitive_column_ranges_and_digits_enters_few_modules(tmp_path: Path) -> None:
    modules.write_usual_job(tmp_path)
    entered = modules.follow("run", "usual.yaml", folder=tmp_path).entered
    assert "starcloak.hierarchy.intervals" in entered
    assert len(entered) <= _ENTERED, sorted(entered)


#: What any run has to import; a run takes at most so many times the CPU of that.
_IMPORTS = "import click, duckdb, numpy, pydantic, yaml"
_TIMES = 5


@pytest.mark.long
def test_a_small_run_takes_a_few_times_the_cpu_of_the_libraries_that_it_imports(tmp_path: Path) -> None:
    """The median of several, in turn: a machine that is busy slows both."""
    modules.write_job(tmp_path)
    ratios = []
    for _ in range(5):
        bare = cpu_seconds(sys.executable, "-c", _IMPORTS, folder=tmp_path)
        ratios.append(
            cpu_seconds(sys.executable, "-m", "starcloak", "run", "job.yaml", "--force", folder=tmp_path) / bare
        )
    assert median(ratios) < _TIMES, ratios


def cpu_seconds(*command: str, folder: Path) -> float:
    """The CPU seconds of a process that has to succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_run_imports_hierarchies_and_what_tells_of_kept_columns_only_where_it_has_some(tmp_path: Path) -> None:
    modules.write_job(tmp_path)
    imported = modules.follow("run", "job.yaml", folder=tmp_path).imported
    assert {"starcloak.hierarchy.csv", "starcloak.hierarchy.suppress"} <= imported
    others = {
        "hierarchy.dates",
        "hierarchy.digits",
        "hierarchy.tree",
        "companions.insight.kept_columns",
    }
    assert all(find_spec(f"starcloak.{name}") for name in others)
    assert imported & {f"starcloak.{name}" for name in others} == set()
