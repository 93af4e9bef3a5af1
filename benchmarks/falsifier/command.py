"""The command: so many jobs of a seed, or so many minutes of them, and what they came to."""

from __future__ import annotations

import json
import logging
import multiprocessing
import signal
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from multiprocessing.synchronize import Event
from pathlib import Path
from traceback import format_exception
from types import MappingProxyType
from typing import Any

from benchmarks.falsifier.case import Case
from benchmarks.falsifier.jobs import job
from benchmarks.falsifier.refute import refute
from benchmarks.falsifier.running import Found
from benchmarks.falsifier.shrink import shrink

# So many jobs are a result.
WHOLE = 20_000
# What so many came to is kept at a time.
_BLOCK = 10
_MEMORY = Path("/dev/shm")
PLACE = Path(__file__).parents[2] / "build" / "falsify"
_interrupted: Event = multiprocessing.Event()


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for the files of one job after the other; in memory where the system has that."""
    parent = str(_MEMORY) if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="starcloak-falsify-", dir=parent) as folder:
        yield Path(folder)


def start(stack: ExitStack) -> dict[str, str]:
    """Start the database servers that are installed, until the stack closes; their URLs by their kinds."""
    from tests import servers

    urls = {}
    if servers.postgresql_programs():
        urls["postgresql"] = stack.enter_context(servers.postgresql())
    if servers.mariadb_program():
        urls["mariadb"] = stack.enter_context(servers.mariadb())
    return urls


def _counters() -> defaultdict[str, Counter[str]]:
    return defaultdict(Counter)


@dataclass
class Campaign:
    """Many jobs of a seed: how many came to what, by everything that tells jobs apart, and those that failed."""

    seed: int
    jobs: int = 0
    seconds: float = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    covered: dict[str, dict[str, Counter[str]]] = field(default_factory=lambda: defaultdict(_counters))
    failures: list[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False

    def count(self, case: Case, found: Found) -> None:
        """Count a job by what it is made of."""
        self.jobs += 1
        self.outcomes[found.outcome] += 1
        builders = {name for column in case.quasi_identifiers for name in _builder(column.hierarchy)}
        parts: dict[str, Iterable[str]] = {
            "algorithm": ["-".join(map(str, (case.algorithm["name"], *_options(case))))],
            "source": [f"{case.frame} frame" if case.source == "frame" else case.source],
            "target": [case.target],
            "hierarchy": builders,
            "importance": ["of columns"] if any(column.importance != "1" for column in case.quasi_identifiers) else [],
            "kind": {column.kind for column in case.columns},
            "besides": case.besides,
            "fault": [case.broken] if case.broken else [],
            "history": [f"refresh, {case.refresh}" if case.refresh else "beside"] if case.history else [],
            "resources": [f"{case.threads} threads", *filter(None, [case.memory])],
            "requirement": [
                *(["persons"] if case.person and not case.as_set else []),
                *(["persons as sets"] if case.as_set else []),
                *(["l_diversity"] if case.l_diversity else []),
                *(["k_map", f"k_map in {case.register}"] if case.k_map is not None else []),
                *(["delta_presence"] if case.presence is not None else []),
                *(" ".join([key, *([model["distance"]] if "distance" in model else [])]) for key, model in case.models),
                *(["reference: source"] if case.reference == "source" else []),
                "several quasi-identifiers" if case.qids else "one quasi-identifier",
            ],
            "files": [case.files, *filter(None, [case.suffix]), *(["renamed"] if case.renamed else [])]
            if case.is_file
            else [],
        }
        for part, names in parts.items():
            for name in names:
                self.covered[part][name][found.outcome] += 1

    def add(self, other: Campaign) -> None:
        """Count the jobs of another process, which ran at the same time."""
        self.jobs += other.jobs
        self.seconds = max(self.seconds, other.seconds)
        self.outcomes += other.outcomes
        self.failures += other.failures
        self.interrupted |= other.interrupted
        for part, names in other.covered.items():
            for name, counts in names.items():
                self.covered[part][name] += counts

    def follow(self, other: Campaign) -> None:
        """Count jobs that were run after these."""
        seconds = self.seconds + other.seconds
        self.add(other)
        self.seconds = seconds

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Campaign:
        """The campaign that plain data tell of."""
        made = cls(told["seed"], told["jobs"], told["seconds"], Counter(told["outcomes"]), failures=told["failures"])
        for part, names in told["covered"].items():
            for name, counts in names.items():
                made.covered[part][name] += Counter(counts)
        return made

    def _failing(self, kind: str) -> int:
        """How many jobs failed in a way."""
        return sum(any(each.startswith(kind) for each in failure["kinds"]) for failure in self.failures)

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain data."""
        covered = {
            part: {name: dict(sorted(counts.items())) for name, counts in sorted(names.items())}
            for part, names in sorted(self.covered.items())
        }
        return {
            "seed": self.seed,
            "jobs": self.jobs,
            "seconds": round(self.seconds, 1),
            "jobs_a_second": round(self.jobs / self.seconds, 2) if self.seconds else None,
            "outcomes": dict(sorted(self.outcomes.items())),
            "interrupted": self.interrupted,
            "failing": len(self.failures),
            "false_certificates": self._failing("certificate"),
            "tracebacks": self._failing("traceback"),
            "failures": sorted(self.failures, key=lambda failure: int(failure["number"])),
            "covered": covered,
        }


@dataclass
class Kept:
    """What jobs came to, in a file that an ended campaign goes on with; and the ``numbers`` of those that are in it."""

    path: Path
    numbers: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, seed: int, commit: str, *, served: bool) -> Kept:
        """That of a seed and a commit."""
        PLACE.mkdir(parents=True, exist_ok=True)
        return cls(PLACE / f"{seed}-{commit}{'-servers' if served else ''}.jsonl")

    def add(self, numbers: Sequence[int], done: Campaign) -> None:
        """Keep what some jobs came to."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"numbers": numbers, **done.to_dict()}) + "\n")

    def read(self, seed: int, processes: int) -> Campaign:
        """What jobs of so many processes came to."""
        campaign = Campaign(seed)
        for line in map(json.loads, self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []):
            self.numbers |= set(line["numbers"])
            campaign.follow(Campaign.of(line))
        campaign.seconds /= processes
        return campaign


def _builder(declared: Any) -> list[str]:
    """The builder of a hierarchy, and what becomes of values that have no leaf."""
    if isinstance(declared, str):
        return [declared]
    return [f"{key} {given}" if key == "nonconforming" else key for key, given in declared.items()]


def _options(case: Case) -> list[str]:
    names = ("variant", "execution", "rollup", "relaxed", "criterion")
    return [f"{name}-{case.algorithm[name]}".lower() for name in names if name in case.algorithm]


def falsify(
    seed: int,
    numbers: Iterable[int],
    *,
    seconds: float | None = None,
    servers: Mapping[str, str] = MappingProxyType({}),
    chosen: Callable[[Case], bool] = lambda case: True,
    tell: Callable[[str], None] = lambda text: None,
    shrinking: float = 120,
    ended: Callable[[], bool] = lambda: False,
) -> Campaign:
    """Run the jobs of some numbers, until the seconds are over; a failing one is shrunk and told as a test.

    A job during which it was ``ended`` is not counted: its servers and commands were, too.
    """
    campaign, began = Campaign(seed), time.monotonic()
    with workplace() as folder:
        for number in numbers:
            if seconds is not None and time.monotonic() - began > seconds:
                break
            case = job(seed, number, servers)
            if not chosen(case):
                continue
            found = _refuted(case, folder, servers)
            if ended():
                campaign.interrupted = True
                break
            campaign.count(case, found)
            if found.differences:
                fails = partial(_same, found=found, folder=folder, servers=servers, ended=ended)
                smaller = shrink(case, fails, seconds=shrinking)
                again = found if ended() else _refuted(smaller, folder, servers)
                campaign.failures.append(
                    {"number": number, "kinds": sorted(found.kinds), "differences": again.differences}
                )
                tell(f"job {number} of seed {seed} fails: python -m benchmarks falsify --seed {seed} --only {number}\n")
                tell("\n".join(again.differences or found.differences) + "\n")
                tell(test_of(smaller if again.differences else case, seed, number, found))
            if campaign.jobs % 500 == 0:
                tell(f"{campaign.jobs} jobs, {len(campaign.failures)} failing, {time.monotonic() - began:.0f} s")
    campaign.seconds = time.monotonic() - began
    return campaign


def _refuted(case: Case, folder: Path, servers: Mapping[str, str]) -> Found:
    """What a case came to; an oracle that fails itself is a difference like others, and ends no campaign."""
    try:
        return refute(case, folder, **servers)
    except Exception as error:
        return Found("unknown", [f"oracle {type(error).__name__}: {''.join(format_exception(error))}"])


def share(seed: int, numbers: Iterable[int], seconds: float | None, served: bool, kept: Kept | None) -> Campaign:
    """Run jobs in a process of their own, which starts servers of its own, and print what fails."""
    logging.getLogger("starcloak").setLevel(logging.ERROR)  # warnings of hundreds of jobs would hide what fails
    campaign, began = Campaign(seed), time.monotonic()
    left = (number for number in numbers if kept is None or number not in kept.numbers)
    with ExitStack() as started:
        servers = start(started) if served else {}
        while not campaign.interrupted and (some := list(islice(left, _BLOCK))):
            ends = None if seconds is None else seconds - (time.monotonic() - began)
            if ends is not None and ends <= 0:
                break
            done = falsify(seed, some, seconds=ends, servers=servers, tell=_print, ended=_interrupted.is_set)
            if kept is not None and done.jobs:
                kept.add(some[: done.jobs], done)
            campaign.follow(done)
    return campaign


def together(
    seed: int, numbers: Sequence[Iterable[int]], seconds: float | None, served: bool, kept: Kept | None = None
) -> Campaign:
    """Run shares of the jobs, each in a process; after Ctrl-C what was run until then."""
    campaign = Campaign(seed)
    context = multiprocessing.get_context("spawn")
    ended = context.Event()
    with ProcessPoolExecutor(len(numbers), context, _listen, (ended,)) as pool:
        parts = [pool.submit(share, seed, some, seconds, served, kept) for some in numbers]
        try:
            wait(parts)
        except KeyboardInterrupt:
            ended.set()
        for part in parts:
            campaign.add(part.result())
    return campaign


def _listen(ended: Event) -> None:
    """In a process that runs jobs: Ctrl-C is heard by the first one, which tells the others."""
    global _interrupted  # a process inherits it, and no call can bring it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _interrupted = ended


def _print(text: str) -> None:
    print(text, flush=True)


def _same(case: Case, *, found: Found, folder: Path, servers: Mapping[str, str], ended: Callable[[], bool]) -> bool:
    """Whether a case fails in the way of another; none does once it is ended."""
    try:
        return not ended() and bool(refute(case, folder, **servers).kinds & found.kinds)
    except (ValueError, KeyError, IndexError, StopIteration, AssertionError):
        return False  # it is no case


def test_of(case: Case, seed: int, number: int, found: Found) -> str:
    """A failing case as a test that can be pasted."""
    what = "; ".join(sorted(found.kinds)).replace("\n", " ")
    served = sorted({case.host, case.home} & {"postgresql", "mariadb"}, key=str)
    fixtures = "".join(f", {name}: Server" for name in served)
    urls = "".join(f", {name}={name}.url" for name in served)
    return f'''import datetime
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from uuid import UUID

from benchmarks.falsifier.case import Case, Column
from benchmarks.falsifier.refute import refute
from tests.people import Server


def test_falsified_{abs(seed)}_{number}(tmp_path: Path{fixtures}) -> None:
    """{what}"""
    case = {case.text("    ").strip()}
    assert refute(case, tmp_path{urls}).differences == []
'''
