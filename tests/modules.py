"""Which modules and layers a command needs: ``python -m tests.modules`` prints those imported and those entered.

A module is entered where one of its functions is called: what is imported alone only costs time at the start.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import servers
from tests.layers import layers

_ROWS = "sex,zip\n" + "f,10\nm,11\n" * 4
_JOB: dict[str, Any] = {
    "source": {"path": "people.csv"},
    "quasi_identifiers": {"sex": "suppress", "zip": {"csv": "zip.csv"}},
    "requirement": {"k": 2},
    "output": {"path": "released.csv"},
}
_USUAL: dict[str, Any] = {
    **_JOB,
    "source": {"path": "patients.csv"},
    "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 2}},
    "sensitive": ["illness"],
}
# Functions that a module has written down: neither what runs as it or a class is made, nor what decorators make.
_FOLLOWED = """
import inspect, json, sys
entered = set()
def follow(frame, event, _):
    code = frame.f_code
    is_written = code.co_flags & inspect.CO_OPTIMIZED and "<" not in (code.co_name[0], code.co_filename[0])
    if event == "call" and is_written:
        entered.add(frame.f_globals.get("__name__", ""))
from starcloak.commands.cli import main
code = 0
sys.setprofile(follow)
try:
    main()
except SystemExit as done:
    code = done.code
sys.setprofile(None)
names = [sorted(name for name in some if name.startswith("starcloak")) for some in (sys.modules, entered)]
print("\\n" + json.dumps([code, *names]))
"""


@dataclass(frozen=True)
class Followed:
    """The modules of the engine that a command ``imported``, and those it ``entered``, each by its name."""

    imported: frozenset[str]
    entered: frozenset[str]


def follow(*arguments: str, folder: Path) -> Followed:
    """Follow a command of the command line in a process of its own. It has to succeed."""
    done = subprocess.run([sys.executable, "-c", _FOLLOWED, *arguments], cwd=folder, capture_output=True, text=True)
    code, *names = json.loads(done.stdout.splitlines()[-1])
    assert code in (0, None), done.stdout + done.stderr
    return Followed(*map(frozenset, names))


def write_job(folder: Path) -> None:
    """A small job from a CSV file to a CSV file, as job.yaml."""
    (folder / "people.csv").write_text(_ROWS)
    (folder / "zip.csv").write_text("10;1*;*\n11;1*;*\n")
    (folder / "job.yaml").write_text(json.dumps(_JOB))


def write_usual_job(folder: Path) -> None:
    """A job with the usual parts, as usual.yaml: a sensitive column, ranges and digits."""
    (folder / "patients.csv").write_text("age,zip,illness\n" + "31,10,flu\n34,11,cold\n" * 4)
    (folder / "usual.yaml").write_text(json.dumps({**_USUAL, "output": {"path": "patients-released.csv"}}))


def _commands(folder: Path) -> Iterator[tuple[str, Followed]]:
    """What is followed: runs from CSV to CSV, one within PostgreSQL where that is installed, and a check."""
    write_job(folder)
    yield "run, CSV to CSV", follow("run", "job.yaml", folder=folder)
    write_usual_job(folder)
    yield "run, with ranges, digits and a sensitive column", follow("run", "usual.yaml", folder=folder)
    yield "check, CSV", follow("check", "people.csv", "--qi", "sex,zip", "--k", "4", folder=folder)
    if servers.postgresql_programs() is None:
        return
    with servers.postgresql() as url:
        import sqlalchemy

        engine = sqlalchemy.create_engine(url)
        with engine.begin() as connection:
            connection.execute(sqlalchemy.text("create table people (sex text, zip text)"))
            connection.execute(
                sqlalchemy.text("insert into people values ('f', '10'), ('m', '11'), ('f', '10'), ('m', '11')")
            )
        engine.dispose()
        places = {"source": {"url": url, "table": "people"}, "output": {"url": url, "table": "released"}}
        (folder / "job.yaml").write_text(json.dumps({**_JOB, **places}))
        yield "run, PostgreSQL", follow("run", "job.yaml", folder=folder)


def _layers_of(modules: frozenset[str]) -> list[str]:
    return [layer for layer in layers() if any(name.startswith(f"starcloak.{layer}.") for name in modules)]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        print("| command | modules imported | entered | layers entered |\n|---|---:|---:|---|")
        for name, modules in _commands(Path(temporary)):
            entered = ", ".join(_layers_of(modules.entered))
            print(f"| {name} | {len(modules.imported)} | {len(modules.entered)} | {entered} |")
