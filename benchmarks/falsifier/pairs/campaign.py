"""The schedule: the rarest pair first, each scenario in a process of its own, until every pair was judged."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from benchmarks.falsifier.pairs import features, steps
from benchmarks.falsifier.pairs.features import BY_NAME, FEATURES, Outcome, exclude
from benchmarks.falsifier.pairs.record import Line, Record, Run

#: Times that each pair is judged, unless said otherwise.
TIMES = 30
#: Seconds of one scenario, with what makes it smaller.
LIMIT = 120
_SHRINKING = 20
_KINDS_OF_REFUSALS = ("JobError", "SourceError", "HierarchyError", "OutputError", "Unfit")
#: A pair is given up after so many scenarios that did not show both to have taken effect.
_TRIES = 90
_FEATURES = 12
#: Refusals whose messages begin with as many equal letters are the same.
_SAME = 60
#: Groups of which every scenario has a feature, with those that stand in for others when a scenario is made smaller.
_BASE = {"algorithm": ("witness", "sweep", "bottom-up"), "place": ("csv", "duckdb", "sqlite")}

#: Features that only show a fault together are drawn together so often, if a scenario has one of them.
_MEETING = 0.5
#: The share of scenarios that may leave rows out: only then can other features show a value of such a row.
_LEAVING, _SUPPRESSION = 0.4, "suppression"

Pair = tuple[str, str]


@dataclass
class Stretch:
    """Count of what ran under one commit: scenarios, those that released, and judgements of a pair."""

    jobs: int = 0
    released: int = 0
    judgements: int = 0
    seconds: float = 0


@dataclass
class Campaign:
    """Scenarios of one or several seeds, with what each pair came to.

    ``drawn`` counts the scenarios of the schedule, ``jobs`` also those that made one of them smaller: each is judged.
    ``only`` are features: if there are some, the pairs are those with one of them.
    """

    seed: int
    chosen: list[str]
    times: int = TIMES
    only: frozenset[str] = frozenset()
    jobs: int = 0
    drawn: int = 0
    stretches: dict[str, Stretch] = field(default_factory=dict)
    judged: Counter[Pair] = field(default_factory=Counter)
    tried: Counter[Pair] = field(default_factory=Counter)
    refusals: dict[frozenset[str], str] = field(default_factory=dict)
    #: Refusals of an earlier campaign, until a scenario with their features releases something.
    listed: dict[frozenset[str], str] = field(default_factory=dict)
    #: Scenarios with both features of a pair that released something, and the refusals of the others.
    released: Counter[Pair] = field(default_factory=Counter)
    messages: dict[Pair, Counter[str]] = field(default_factory=dict)
    ended: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    findings: list[dict[str, Any]] = field(default_factory=list)
    first: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        pairs = features.pairs([BY_NAME[name] for name in self.chosen])
        self.pairs = [pair for pair in pairs if not self.only or self.only & set(pair)]

    @property
    def open(self) -> list[Pair]:
        """The pairs that further scenarios are for."""
        return [pair for pair in self.pairs if self.judged[pair] < self.times and not self.is_closed(pair)]

    @property
    def standing(self) -> list[dict[str, Any]]:
        """The findings that no later commit is known to have cured."""
        return [finding for finding in self.findings if "gone" not in finding]

    @property
    def known(self) -> frozenset[str]:
        """The kinds of the findings that stand."""
        return frozenset(kind for finding in self.standing for kind in kinds(finding["findings"]))

    def is_closed(self, pair: Pair) -> bool:
        """Say whether no scenario is expected to judge a pair."""
        return self.why(pair) is not None or (self.tried[pair] >= _TRIES and not self.judged[pair])

    def always_refused(self, pair: Pair) -> str | None:
        """The most frequent refusal of a pair with no release in any of many scenarios; None for another pair."""
        if self.tried[pair] < _TRIES or self.released[pair] or pair not in self.messages:
            return None
        ((message, _),) = self.messages[pair].most_common(1)
        return message

    def why(self, pair: Iterable[str]) -> str | None:
        """The message of the refusal that a pair, or one of its features alone, comes to."""
        names = frozenset(pair)
        held = (*self.refusals.items(), *self.listed.items())
        return next((message for found, message in held if found <= names), None)

    def count(self, line: Line) -> None:
        """Count a scenario, and those that made it smaller, for all of their pairs."""
        stretch = self.stretches.setdefault(line.commit, Stretch())
        stretch.seconds += line.seconds
        self.drawn += line.again is None
        told = set[str]()
        for run in line.runs:
            self._count_run(run, stretch)
            if new := [text for text in run.findings if not kinds([text]) & told]:
                self._find(line, run, new)
                told |= kinds(new)
        refusal = line.runs[0].refusal
        if line.refused and refusal is not None:
            self.refusals[frozenset(line.refused)] = f"{refusal[0]}: {plain(refusal[2])}"
        old = [each for each in self.standing if (each["seed"], each["shrunk"]) == (line.seed, line.again)]
        for finding in [each for each in old if each["commit"] != line.commit]:
            if kinds(finding["findings"]) & told:
                self.findings.remove(finding)  # it was found once more
            else:
                finding["gone"] = line.commit

    def _count_run(self, run: Run, stretch: Stretch) -> None:
        self.jobs += 1
        stretch.jobs += 1
        names, facts = set(run.names), set(run.facts)
        within = [pair for pair in self.pairs if names.issuperset(pair)]
        self.tried.update(within)
        if run.released:
            self.released.update(within)
            judged = [pair for pair in within if facts.issuperset(pair)]
            self.judged.update(judged)
            stretch.released += 1
            if run.refusal is None:
                self.listed = {found: message for found, message in self.listed.items() if not found <= names}
            stretch.judgements += len(judged)
        if run.refusal is not None:
            message = f"{run.refusal[0]}: {plain(run.refusal[2])}"
            for pair in within:
                if not self.judged[pair]:
                    self.messages.setdefault(pair, Counter())[message] += 1
            self.ended[message] += 1
        self.skipped.update(set(run.skipped))

    def _find(self, line: Line, run: Run, texts: list[str]) -> None:
        """Keep the findings of a scenario by the fewest features that show them."""
        label = line.case.partition(":")[0]
        fewest = line.shrunk if run is line.runs[0] and line.shrunk else sorted(run.names)
        for text in texts:
            self.first.setdefault(f"{text.partition(':')[0]}: {plain(text.partition(':')[2])[:160]}", self.jobs)
        self.findings.append(
            {
                "seed": line.seed,
                "case": f"{label}:{','.join(sorted(run.names))}",
                "shrunk": f"{label}:{','.join(fewest)}",
                "commit": line.commit,
                "findings": texts,
            }
        )


def plain(message: str) -> str:
    """A message without the values, names and numbers that differ from one scenario to the next."""
    message = message.splitlines()[0] if message.strip() else message
    message = re.sub(r"/[^\s,:;'\"]*/[^\s,:;'\"]*", "<path>", message)
    return re.sub(r"\d[\d,.]*", "#", message)


def kinds(findings: Iterable[str]) -> set[str]:
    """The kinds of findings: what two of them have in common that are of one fault."""
    return {f"{each.partition(':')[0]}: {plain(each.partition(':')[2])[:40]}" for each in findings}


# --------------------------------------------------------------------------------------------------------- scheduling


def next_names(campaign: Campaign, rng: Random, running: Iterable[frozenset[str]]) -> frozenset[str] | None:
    """The features of the next scenario: the rarest pair, and others that are not known to be refused with them."""
    busy = Counter(pair for names in running for pair in campaign.pairs if set(pair) <= names)
    rarest = campaign.open
    if not rarest:
        return None
    least = min(campaign.judged[pair] + busy[pair] + campaign.tried[pair] // 8 for pair in rarest)
    pair = rng.choice(
        [p for p in rarest if campaign.judged[p] + busy[p] + campaign.tried[p] // 8 == least]
    )  # fmt: skip
    if campaign.tried[pair] % 3 == 2 and campaign.tried[pair] > 2 * campaign.judged[pair]:
        return frozenset(_with_base(campaign, set(pair), rng))  # by itself, so that no other feature is at fault
    names = _with_base(campaign, _meet(campaign, set(pair), rng), rng)
    if rng.random() < _LEAVING and _SUPPRESSION in campaign.chosen and campaign.why({*names, _SUPPRESSION}) is None:
        names.add(_SUPPRESSION)
    wanted = _wanted(campaign, rarest)
    most = rng.randint(4, _FEATURES)
    others = {name for name in campaign.chosen if name not in names}
    while others and len(names) < most:
        gains = {name: sum(wanted[name].get(one, 0.0) for one in names) for name in sorted(others)}
        name = max(gains, key=lambda name: gains[name] * rng.uniform(0.3, 1))
        others.remove(name)
        if _fits(campaign, name, names):
            names.add(name)
    return frozenset(_meet(campaign, names, rng))


def _meet(campaign: Campaign, names: set[str], rng: Random) -> set[str]:
    """Features with some more that only show a fault together with one of them."""
    names = set(names)
    for sets in features.MEETINGS:
        if not any(names & each for each in sets) or rng.random() > _MEETING:
            continue
        for missing in [each for each in sets if not names & each]:
            fitting = [name for name in sorted(missing & set(campaign.chosen)) if _fits(campaign, name, names)]
            names.update([rng.choice(fitting)] if fitting else [])
    return names


def _fits(campaign: Campaign, name: str, names: set[str]) -> bool:
    """Say whether a scenario may have a feature beside others: none excludes it, and no refusal of them is known."""
    return not any(exclude(BY_NAME[name], BY_NAME[one]) for one in names) and campaign.why({*names, name}) is None


def _wanted(campaign: Campaign, rarest: Iterable[Pair]) -> dict[str, dict[str, float]]:
    """By feature and other feature, the worth of a scenario with both, for pairs that need it.

    The rarer a pair was judged, and the likelier a scenario judges it, the more it is worth.
    """
    wanted: dict[str, dict[str, float]] = {name: {} for name in campaign.chosen}
    for pair in rarest:
        one, other = pair
        likely = (campaign.judged[pair] + 1) / (campaign.tried[pair] + 2)
        wanted[one][other] = wanted[other][one] = likely / (1 + campaign.judged[pair])
    return wanted


def _with_base(campaign: Campaign, names: set[str], rng: Random) -> set[str]:
    """Features with an algorithm and a place, if there are some that are not known to be refused with the others."""
    for group in _BASE:
        if not any(BY_NAME[name].group == group for name in names):
            of = [name for name in campaign.chosen if BY_NAME[name].group == group]
            fitting = [name for name in of if campaign.why({*names, name}) is None]
            names.add(rng.choice(fitting or of))
    return names


def _one_of_each(listed: Mapping[frozenset[str], str], rng: Random) -> list[frozenset[str]]:
    """The features of a refusal of each message: whether it is still refused is seen first."""
    alike: dict[str, list[frozenset[str]]] = {}
    for names, message in sorted(listed.items(), key=lambda item: sorted(item[0])):
        if all(name in BY_NAME for name in names):
            alike.setdefault(message[:_SAME], []).append(names)
    return [rng.choice(each) for each in alike.values()]


# ---------------------------------------------------------------------------------------------------------- processes


@dataclass(frozen=True)
class Told:
    """Report of a process: the scenario that was asked for, those that made it smaller, and the fewest features."""

    runs: list[Run]
    seconds: float
    refused: tuple[str, ...] = ()
    shrunk: tuple[str, ...] = ()


def _judge(
    names: frozenset[str], seed: str, folder: Path, servers: Mapping[str, str], known: frozenset[str], *, listed: bool
) -> Told:
    """Run one scenario; find the fewest features of the same findings, and of the same refusal unless it is listed."""
    began = time.monotonic()
    runs: list[Run] = []

    def run(fewer: frozenset[str]) -> Outcome:
        outcome = _apart(fewer, seed, folder, servers)
        runs.append(Run.of(fewer, outcome))
        return outcome

    outcome = run(names)
    refused: tuple[str, ...] = ()
    shrunk: tuple[str, ...] = ()
    if outcome.refusal is not None and outcome.refusal[0] in _KINDS_OF_REFUSALS and not listed:
        wanted = (outcome.refusal[0], plain(outcome.refusal[2])[:_SAME])

        def same(fewer: frozenset[str]) -> bool:
            refusal = run(fewer).refusal
            return refusal is not None and (refusal[0], plain(refusal[2])[:_SAME]) == wanted

        refused = tuple(sorted(_fewest(names, same, began)))
    elif found := kinds(outcome.findings) - known:
        shrunk = tuple(sorted(_fewest(names, lambda fewer: bool(kinds(run(fewer).findings) & found), began)))
    return Told(runs, time.monotonic() - began, refused, shrunk)


def _apart(names: frozenset[str], seed: str, folder: Path, servers: Mapping[str, str]) -> Outcome:
    """The outcome of a scenario in a process of its own: some libraries have threads, which no later fork may meet."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(_run(names, seed, folder, servers)))
    process.start()
    sender.close()
    try:
        outcome: Outcome = receiver.recv()
    except EOFError:
        outcome = Outcome(findings=["crash: the process ended"])
    process.join()
    return outcome


def _run(names: frozenset[str], seed: str, folder: Path, servers: Mapping[str, str]) -> Outcome:
    from traceback import format_exception

    try:
        return steps.run(names, seed, folder, servers)
    except Exception as error:
        told = f"traceback {type(error).__name__}: {error} {''.join(format_exception(error))[-1500:]}"
        return Outcome(findings=[told])


def _fewest(names: frozenset[str], same: Callable[[frozenset[str]], bool], began: float) -> frozenset[str]:
    """The features that are left once each that is not needed was taken away."""
    base = {name for name in names if BY_NAME[name].group in _BASE}
    for name in sorted(names - base):
        if time.monotonic() - began > _SHRINKING:
            return names
        if same(names - {name}):
            names -= {name}
    needed = names
    for name in sorted(base):  # one that is not needed has others in its place
        others = [other for other in _BASE[BY_NAME[name].group] if other != name][:2]
        if all(same(names - {name} | {other}) for other in others):
            needed -= {name}
    return needed or names


def _child(
    sender: Connection,
    names: frozenset[str],
    seed: str,
    folder: Path,
    servers: Mapping[str, str],
    known: frozenset[str],
    listed: bool,
) -> None:
    import logging
    import warnings

    os.setsid()
    warnings.simplefilter("ignore")
    logging.getLogger("starcloak").setLevel(logging.ERROR)
    sender.send(_judge(names, seed, folder, servers, known, listed=listed))
    sender.close()


@dataclass(frozen=True)
class _Job:
    """A scenario to be run.

    It was found ``again`` by the case of a finding of an earlier commit, if it is one. Its features are the fewest of a
    ``listed`` refusal.
    """

    seed: int
    label: str
    names: frozenset[str]
    again: str | None = None
    listed: bool = False

    @classmethod
    def of(cls, seed: int, case: str, *, again: bool) -> _Job:
        """That of a case as findings name it."""
        label, _, listed = case.partition(":")
        return cls(seed, label, frozenset(filter(None, listed.split(","))), case if again else None)


@dataclass
class _Running:
    process: Any
    receiver: Connection
    job: _Job
    ends: float
    slot: int


def falsify(
    campaign: Campaign,
    *,
    commit: str,
    folder: Path,
    servers: Mapping[str, str],
    record: Record | None = None,
    jobs: int | None = None,
    seconds: float | None = None,
    processes: int = 2,
    case: str | None = None,
    until_found: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> Campaign:
    """Run scenarios until every pair was judged often enough, or the jobs or the seconds are over.

    What a record has counts, and further scenarios are added to it. Its findings of other commits are run again before
    anything else. ``case`` is that of one scenario alone, as findings name it: its number, a colon and its features.
    With ``until_found`` no scenario begins after a finding.
    """
    for line in record.lines() if record is not None else ():
        campaign.count(line)
    seed, began, first = campaign.seed, time.monotonic(), campaign.jobs
    rng = Random(f"pairs-{seed}-{campaign.drawn}")
    number = campaign.drawn
    old = [finding for finding in campaign.standing if finding["commit"] != commit]
    waiting = [_Job.of(finding["seed"], finding["shrunk"], again=True) for finding in old]
    waiting += [_Job.of(seed, case, again=False)] if case is not None else []
    for names in _one_of_each(campaign.listed, rng) if not campaign.drawn and case is None else ():
        waiting.append(_Job(seed, str(number), names, listed=True))
        number += 1
    context = multiprocessing.get_context("fork")
    running: list[_Running] = []
    load_engine()

    def following() -> _Job | None:
        nonlocal number
        if waiting:
            return waiting.pop(0)
        enough = jobs is not None and campaign.jobs + len(running) - first >= jobs
        late = seconds is not None and time.monotonic() - began > seconds
        if case is not None or enough or late or (until_found and campaign.findings):
            return None
        names = next_names(campaign, rng, [each.job.names for each in running])
        number += 1
        return None if names is None else _Job(seed, str(number - 1), names)

    try:
        while True:
            while len(running) < processes and (job := following()) is not None:
                slot = min(set(range(processes)) - {each.slot for each in running})
                receiver, sender = context.Pipe(duplex=False)
                place = folder / f"slot {slot}"
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir(parents=True)
                own = {name: in_slot(url, slot) for name, url in servers.items()}
                given = (sender, job.names, f"{job.seed}-{job.label}", place, own, campaign.known, job.listed)
                process = context.Process(target=_child, args=given)
                process.start()
                sender.close()
                running.append(_Running(process, receiver, job, time.monotonic() + LIMIT, slot))
            if not running:
                break
            ready = wait([each.receiver for each in running], timeout=1)
            for each in list(running):
                late = time.monotonic() > each.ends
                if each.receiver not in ready and not late:
                    continue
                running.remove(each)
                told = _received(each, late)
                spec = f"{each.job.label}:{','.join(sorted(each.job.names))}"
                line = Line(
                    commit, each.job.seed, spec, each.job.again, told.seconds, told.refused, told.shrunk, told.runs
                )  # fmt: skip
                found, hundreds = len(campaign.findings), campaign.jobs // 100
                campaign.count(line)
                if record is not None:
                    record.add(line)
                for last in campaign.findings[found:]:
                    tell(f"python -m benchmarks falsify --pairs --seed {last['seed']} --case {last['shrunk']!r}")
                    tell("    " + "\n    ".join(text[:400] for text in last["findings"]))
                if campaign.jobs // 100 > hundreds:
                    done = len(campaign.pairs) - len(campaign.open)
                    tell(
                        f"{campaign.jobs} jobs, {done} of {len(campaign.pairs)} pairs, {time.monotonic() - began:.0f} s"
                    )
    finally:
        for each in running:
            _kill(each)
    return campaign


def _received(each: _Running, late: bool) -> Told:
    """Report that a process sent; a process that ends without one, or takes too long, is a finding."""
    try:
        told: Told | None = None if late and not each.receiver.poll() else each.receiver.recv()
    except EOFError:
        told = None
    if told is None:
        _kill(each)
    each.process.join()
    each.receiver.close()
    if told is not None:
        return told
    what = f"hang: ended after {LIMIT} seconds" if late else f"crash: the process ended with {each.process.exitcode}"
    return Told([Run.of(each.job.names, Outcome(findings=[what]))], LIMIT)


def _kill(each: _Running) -> None:
    """End a process with all that it started."""
    try:
        os.killpg(each.process.pid, signal.SIGKILL)
    except ProcessLookupError:
        each.process.kill()


def load_engine() -> None:
    """Import the engine and build its models once, so that no scenario's process has to."""
    import importlib
    import pkgutil

    import pydantic

    import starcloak

    for module in pkgutil.walk_packages(starcloak.__path__, "starcloak."):
        if not any(part in module.name for part in ("spark", "studio", "__main__", "writer_process")):
            importlib.import_module(module.name)
    models = [pydantic.BaseModel]
    for model in models:
        models += [each for each in model.__subclasses__() if each.__module__.startswith("starcloak.")]
    for model in models[1:]:
        model.model_rebuild()


def in_slot(url: str, slot: int) -> str:
    """The URL of the database of one process."""
    return urlsplit(url)._replace(path=f"/pairs_{slot}").geturl()


def make_databases(servers: Mapping[str, str], processes: int) -> None:
    """Make a database on each server for each process."""
    from benchmarks.falsifier.hosts import server

    for name, url in servers.items():
        connection = server(name, url).connect()
        if name == "postgresql":
            connection.autocommit = True
        with connection.cursor() as cursor:
            for slot in range(processes):
                more = " character set utf8mb4 collate utf8mb4_unicode_ci" if name == "mariadb" else ""
                cursor.execute(f"create database pairs_{slot}{more}")
        connection.close()


def names(servers: Mapping[str, str]) -> list[str]:
    """The features that can be drawn with some servers."""
    return [feature.name for feature in FEATURES if feature.name not in features.SERVED or feature.name in servers]
