"""The command ``falsify --pairs``: the servers, the campaign and its report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.falsifier.command import start, workplace
from benchmarks.falsifier.pairs import campaign, report
from benchmarks.falsifier.pairs.campaign import TIMES
from benchmarks.shared import result

__all__ = ["TIMES", "Asked", "run"]


@dataclass(frozen=True)
class Asked:
    """Request of the command line. ``case`` is one job, as a finding names it."""

    seed: int
    times: int
    jobs: int
    minutes: float | None
    processes: int
    served: bool
    case: str | None

    @property
    def options(self) -> list[str]:
        """The options by which the same jobs are run again."""
        given = ["--pairs", "--seed", str(self.seed), "--times", str(self.times)]
        given += ["--minutes", f"{self.minutes:g}"] if self.minutes else ["--jobs", str(self.jobs)]
        given += ["--processes", str(self.processes)] if self.processes > 1 else []
        return [*given, *(["--servers"] if self.served else [])]


def run(asked: Asked, out: Path | None, *, say: Callable[[str], None]) -> int:
    """Run the campaign, print its report, and return the exit code: 1 after findings.

    The report is written for all pairs, or if a folder is named.
    """
    stamp = result.stamp("falsify", asked.options) | {"benchmark": "falsify-pairs"}
    with ExitStack() as stack:
        folder = stack.enter_context(workplace())
        servers = start(stack) if asked.served else {}
        campaign.make_databases(servers, asked.processes)
        done = campaign.falsify(
            asked.seed,
            chosen=campaign.names(servers),
            folder=folder,
            servers=servers,
            times=asked.times,
            jobs=asked.jobs,
            seconds=asked.minutes * 60 if asked.minutes else None,
            processes=asked.processes,
            case=asked.case,
            tell=say,
        )
    if asked.case is None:
        found = report.document(done)
        say(report.markdown(found, report.refusals(done)))
        is_whole = not found["open"] and asked.times >= TIMES
        if folder_written := out or (result.RESULTS if is_whole else None):
            folder_written.mkdir(parents=True, exist_ok=True)
            report.write(done, stamp, folder_written)
    return 1 if done.findings else 0
