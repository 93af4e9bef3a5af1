"""The tests on every supported Python with every supported DuckDB, and with the lowest and the newest versions of all
dependencies: what is there runs, what is not is named.

``make matrix``, or ``python tests/matrix.py -k patients`` with options of pytest's; ``--list`` runs nothing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from itertools import product
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
DUCKDBS = ("2.0",)
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


def lowest(requirement: str) -> str | None:
    """The lowest version of a requirement, as a line of constraints; None for a requirement without one."""
    declared = re.match(r"([\w.-]+)(?:\[[^]]*])?>=([\d.]+)", requirement)
    return None if declared is None else f"{declared[1]}=={declared[2]}" + (".*" if declared[2].count(".") < 2 else "")


def constraints(dependencies: str) -> list[str]:
    """The lines of constraints for the lowest, the newest, or else the tried versions of all dependencies.

    Tools of the tests alone stay as they were tried or, with the lowest versions, are no newer: a tool may need a newer
    version of a dependency.
    """
    tried = (ROOT / "constraints.txt").read_text().splitlines()
    if dependencies == "newest":
        return []
    if dependencies != "lowest":
        return [line for line in tried if not line.startswith(PINNED)]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    own = [line for extra in extras if extra not in ("all", "spark", "test") for line in extras[extra]]
    lines = list(dict.fromkeys(filter(None, map(lowest, [*project["dependencies"], *own]))))
    tools = {_name(line) for line in extras["test"]} - {_name(line) for line in lines}
    return [*lines, *(line.replace("==", "<=") for line in tried if _name(line) in tools)]


def _name(line: str) -> str:
    return re.split(r"[\[<>=]", line)[0].lower()


def run(python: str, version: str, duckdb: str | None, arguments: list[str], dependencies: str = "tried") -> str:
    """Install into an environment of its own and test there; returns how that went."""
    folder = ROOT / "build" / "matrix" / f"python{version}-{dependencies}{duckdb or ''}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    file = folder.with_name(f"{folder.name}.txt")
    file.write_text("".join(f"{line}\n" for line in constraints(dependencies)))
    inside = folder / "bin" / "python"
    pip = [str(inside), "-m", "pip", "install", "--quiet", "--quiet", "--constraint", str(file)]
    wanted = [f"duckdb=={duckdb}.*"] if duckdb else []
    newest = ["--upgrade", "--upgrade-strategy", "eager"] if dependencies == "newest" else []
    for command in (
        [python, "-m", "venv", str(folder)],
        [*pip, *newest, "--editable", f"{ROOT}[test]", *wanted],
    ):
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            return "could not be installed"
    tests = [str(inside), "-m", "pytest", *(arguments or ["--numprocesses", "auto"])]
    return "failed" if subprocess.run(tests, cwd=ROOT, check=False).returncode else "passed"


def main(arguments: list[str]) -> int:
    """Run what is there, and tell of each combination how it went."""
    cases: list[tuple[str, str | None, str]] = [(*case, "tried") for case in product(PYTHONS, DUCKDBS)]
    cases += [(PYTHONS[0], None, "lowest"), *((version, None, "newest") for version in PYTHONS)]
    told = {}
    for version, duckdb, dependencies in cases:
        python = found(version)
        if python is None:
            told[version, duckdb, dependencies] = "this Python is not here"
        elif arguments == ["--list"]:
            told[version, duckdb, dependencies] = f"runs by {python}"
        else:
            told[version, duckdb, dependencies] = run(python, version, duckdb, arguments, dependencies)
    for (version, duckdb, dependencies), how in told.items():
        print(f"Python {version}, {f'DuckDB {duckdb}' if duckdb else f'{dependencies} versions'}: {how}")
    return int("failed" in told.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
