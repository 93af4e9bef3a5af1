"""The command ``falsify --pairs``: the servers, the campaign and its report."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.falsifier.command import start, workplace
from benchmarks.falsifier.pairs import campaign, cures, report
from benchmarks.falsifier.pairs.campaign import TIMES
from benchmarks.falsifier.pairs.record import Record
from benchmarks.shared import result

__all__ = ["TIMES", "Asked", "prove", "run"]


@dataclass(frozen=True)
class Asked:
    """Request of the command line.

    ``case`` is one job, as a finding names it. ``refusals`` is the list of an earlier campaign. ``only`` are features:
    each pair has one of them, unless it is empty.
    """

    seed: int
    times: int
    jobs: int
    minutes: float | None
    processes: int
    served: bool
    case: str | None
    until_found: bool = False
    refusals: Path | None = None
    only: tuple[str, ...] = ()

    @property
    def options(self) -> list[str]:
        """The options by which the same jobs are run again."""
        given = ["--pairs", "--seed", str(self.seed), "--times", str(self.times)]
        given += ["--minutes", f"{self.minutes:g}"] if self.minutes else ["--jobs", str(self.jobs)]
        given += ["--processes", str(self.processes)] if self.processes > 1 else []
        given += ["--refusals", str(self.refusals)] if self.refusals else []
        for name in self.only:
            given += ["--feature", name]
        return [*given, *(["--servers"] if self.served else [])]


def run(asked: Asked, out: Path | None, *, say: Callable[[str], None]) -> int:
    """Run the campaign, print its report, and return the exit code: 1 after findings.

    The report is written for all pairs, or if a folder is named. A folder that has a record of scenarios goes on.
    """
    stamp = result.stamp("falsify", asked.options) | {"benchmark": "falsify-pairs"}
    record = None
    if out is not None and asked.case is None:
        out.mkdir(parents=True, exist_ok=True)
        record = Record(out / "falsify-pairs-jobs.jsonl")
    with ExitStack() as stack:
        folder = stack.enter_context(workplace())
        # Clients of servers on this machine need not read the system's certificates each time.
        os.environ["SSL_CERT_FILE"] = os.devnull
        servers = start(stack) if asked.served else {}
        campaign.make_databases(servers, asked.processes)
        done = campaign.falsify(
            campaign.Campaign(
                asked.seed,
                campaign.names(servers),
                asked.times,
                frozenset(asked.only),
                listed=report.listed(asked.refusals),
            ),
            commit=f"{stamp['commit']}"[:12] + ("" if stamp["clean"] else "+"),
            folder=folder,
            servers=servers,
            record=record,
            jobs=asked.jobs,
            seconds=asked.minutes * 60 if asked.minutes else None,
            processes=asked.processes,
            case=asked.case,
            until_found=asked.until_found,
            tell=say,
        )
    if asked.case is None:
        found = report.document(done)
        say(report.markdown(found, report.refusals(done)))
        is_whole = not found["open"] and asked.times >= TIMES
        if folder_written := out or (result.RESULTS / "pairs" if is_whole else None):
            folder_written.mkdir(parents=True, exist_ok=True)
            report.write(done, stamp, folder_written)
    return 1 if done.standing else 0


def prove(asked: Asked, out: Path | None, *, say: Callable[[str], None], only: str = "") -> int:
    """Take back one cure after the other, and return the exit code: 1 if one is not found."""
    asked = replace(
        asked, refusals=asked.refusals or (result.RESULTS / "pairs" / "falsify-pairs-refused.json").resolve()
    )
    options = asked.options[1:]  # --pairs is given
    stamp = result.stamp("falsify", [*asked.options, "--cures"]) | {"benchmark": "falsify-cures"}
    found = list(cures.prove(options, say=say, only=only))
    if folder := out or (None if only else result.RESULTS / "pairs"):
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({**stamp, "cures": found}, indent=1, ensure_ascii=False)
        (folder / "falsify-cures.json").write_text(text + "\n", encoding="utf-8")
        (folder / "falsify-cures.md").write_text(cures.markdown(found), encoding="utf-8")
    return 1 if any(each["finding"] is None for each in found) else 0
