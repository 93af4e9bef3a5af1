"""The tests on every supported Python with every supported DuckDB: what is there runs, what is not is named.

``make matrix``, or ``python tests/matrix.py -k patients`` with options of pytest's; ``--list`` runs nothing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
DUCKDBS = ("1.5", "2.0")
ROOT = Path(__file__).parents[1]
PINNED = ("duckdb==", "numpy==", "pandas==")  # by constraints.txt, for one Python and one DuckDB


def found(version: str) -> str | None:
    """The Python of a version, where one is installed that starts."""
    program = shutil.which(f"python{version}")
    if program is None:
        return None
    asked = [program, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return program if done.stdout.strip() == version else None


def run(python: str, version: str, duckdb: str, arguments: list[str]) -> str:
    """Install into an environment of its own and test there; returns how that went."""
    folder = ROOT / "build" / "matrix" / f"python{version}-duckdb{duckdb}"
    constraints = ROOT / "build" / "matrix" / "constraints.txt"
    folder.parent.mkdir(parents=True, exist_ok=True)
    lines = (ROOT / "constraints.txt").read_text().splitlines(keepends=True)
    constraints.write_text("".join(line for line in lines if not line.startswith(PINNED)))
    inside = folder / "bin" / "python"
    pip = [str(inside), "-m", "pip", "install", "--quiet", "--constraint", str(constraints)]
    for command in (
        [python, "-m", "venv", str(folder)],
        [*pip, "--editable", f"{ROOT}[test]", f"duckdb=={duckdb}.*"],
    ):
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            return "could not be installed"
    tests = [str(inside), "-m", "pytest", *(arguments or ["--numprocesses", "auto"])]
    return "failed" if subprocess.run(tests, cwd=ROOT, check=False).returncode else "passed"


def main(arguments: list[str]) -> int:
    """Run what is there, and tell of each combination how it went."""
    told = {}
    for version, duckdb in product(PYTHONS, DUCKDBS):
        python = found(version)
        if python is None:
            told[version, duckdb] = "this Python is not here"
        elif arguments == ["--list"]:
            told[version, duckdb] = f"runs by {python}"
        else:
            told[version, duckdb] = run(python, version, duckdb, arguments)
    for (version, duckdb), how in told.items():
        print(f"Python {version}, DuckDB {duckdb}: {how}")
    return int("failed" in told.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
