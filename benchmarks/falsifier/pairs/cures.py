"""Proof that the pairs find what was cured: one cure after the other is taken back, and scenarios are run until a
finding.

The code of a checkout of its own is changed, and a campaign runs in a process that imports this code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import yaml

from benchmarks.mutants.checkout import Checkout
from benchmarks.shared.process import BenchmarkError

__all__ = ["Cure", "cures", "markdown", "prove"]


@dataclass(frozen=True)
class Change:
    """Lines of a file, whatever their indentation, and the lines in their place."""

    file: str
    before: str
    after: str

    def applied(self, text: str) -> str:
        """The text of the file after the change. Raises :class:`BenchmarkError` unless it has the lines once."""
        lines = text.splitlines(keepends=True)
        wanted = [line.strip() for line in self.before.splitlines()]
        places = [
            at
            for at in range(len(lines) - len(wanted) + 1)
            if [line.strip() for line in lines[at : at + len(wanted)]] == wanted
        ]
        if len(places) != 1:
            raise BenchmarkError(f"{self.file} has {len(places)} places for a change in cures.yaml: {wanted[0]}")
        at = places[0]
        margin = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines[at : at + len(wanted)] = [indent(dedent(self.after), margin)]
        return "".join(lines)


@dataclass(frozen=True)
class Cure:
    """A cure in words, and the changes that take it back."""

    name: str
    changes: Sequence[Change]

    @contextmanager
    def taken_back(self, copy: Checkout) -> Iterator[None]:
        """Context with the changes made in a checkout."""
        with ExitStack() as stack:
            for change in self.changes:
                text = (copy.path / change.file).read_text(encoding="utf-8")
                stack.enter_context(copy.changed(change.file, change.applied(text).encode()))
            yield


def cures() -> list[Cure]:
    """All cures of cures.yaml, in order."""
    told = yaml.safe_load(Path(__file__).with_name("cures.yaml").read_text(encoding="utf-8"))
    return [Cure(each["cure"], [Change(**change) for change in each["changes"]]) for each in told]


def prove(options: Sequence[str], *, say: Callable[[str], None], only: str = "") -> Iterator[dict[str, Any]]:
    """Take back each cure whose name contains ``only``; yield the number of jobs until the first finding, if any.

    ``options`` are those of the campaign.
    """
    copy = Checkout(0)
    for cure in cures():
        if only not in cure.name:
            continue
        with tempfile.TemporaryDirectory(prefix="starcloak-cures-") as folder, cure.taken_back(copy):
            found = _found(copy.path, Path(folder), options)
        say(f"{cure.name}: {_told(found)}")
        yield {"cure": cure.name, **found}


def _found(root: Path, out: Path, options: Sequence[str]) -> dict[str, Any]:
    """The first finding of a campaign on the code of a checkout."""
    command = [sys.executable, "-m", "benchmarks", "falsify", "--pairs", "--until-found", *options, "--out", str(out)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(root / "engine"), str(root)])}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    report = out / "falsify-pairs.json"
    if not report.is_file():
        raise BenchmarkError(f"the campaign without a cure ended with {done.returncode}: {done.stderr[-500:]}")
    told = json.loads(report.read_text(encoding="utf-8"))
    first = told["findings"][0] if told["findings"] else None
    return {
        "jobs": told["jobs"],
        "features": None if first is None else first["shrunk"].partition(":")[2].split(","),
        "finding": None if first is None else first["findings"][0].splitlines()[0][:200],
    }


def _told(found: dict[str, Any]) -> str:
    if found["finding"] is None:
        return f"not found in {found['jobs']:,} jobs"
    return f"found by job {found['jobs']:,}, {' + '.join(found['features'])}: {found['finding']}"


def markdown(found: Sequence[dict[str, Any]]) -> str:
    """The table of cures that were taken back."""
    lines = [
        "# Cures taken back, and the job that found it",
        "",
        "| without | jobs | by the fewest features | finding |",
        "|---|---:|---|---|",
    ]
    for each in found:
        by = "" if each["features"] is None else ", ".join(each["features"])
        lines.append(f"| {each['cure']} | {each['jobs']:,} | {by} | {each['finding'] or 'none'} |")
    return "\n".join(lines) + "\n"
