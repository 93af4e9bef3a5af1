"""The wheel holds all that the package needs, and has the command."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from starcloak.statements.statement_file import files
from tests.commands.cli.jobs import python

ROOT = Path(__file__).parents[3]


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
    assert {
        "starcloak/py.typed",
        "starcloak/commands/cli/commands/run.py",
        "starcloak/search/incognito/basic.py",
    } <= packed
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
from starcloak.base import installation
print(sc.__file__, installation.sql(), installation.schemas())
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
