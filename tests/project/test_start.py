"""What a command imports: only what it needs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

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
    code, _, modules = ended.partition(" ")
    assert code in ("0", "None"), done.stdout + done.stderr
    return set(json.loads(modules))


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
        "commands.profile", "privacy.t_closeness.model", "releases.dbt", "releases.openlineage", "releases.preview",
        "releases.report", "releases.targets.table", "search.kaca.search", "search.sweep.search", "search.tdr.search",
        "sources.frame", "sources.in_database", "sources.parquet", "store.hosts.database", "store.hosts.postgresql",
        "verify.gate",
    }  # fmt: skip
    assert all(find_spec(f"starcloak.{name}") for name in others)
    assert found & {f"starcloak.{name}" for name in others} == set()
