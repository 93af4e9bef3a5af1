"""The command: mutants of some groups, each tried by the tests that reach it, and what became of them."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal

import yaml

from benchmarks.mutants import places, python, reach, sql
from benchmarks.mutants.checkout import PLACE, Changed, Checkout, Planned
from benchmarks.mutants.mutant import Mutant, digest, mutants
from benchmarks.mutants.reach import Reach, Test
from benchmarks.mutants.words import Words
from benchmarks.shared.process import ROOT, BenchmarkError

#: Mutants of the rest that are tried, and the share of them that has to be killed.
SAMPLE = 300
_SHARE = 0.9

_EXPLAINED = Path(__file__).parent / "explained.yaml"
_KILLERS = 4  # tests that killed other mutants of a file, and are tried on all of its mutants
_TELLING = 12  # tests that reach little else than a mutant, and are tried on it first
_SLACK, _TIMES = 10.0, 5.0  # a test may take so many seconds and so many times what it takes without a mutant
_COUNTED = ("mutants", "tried", "killed", "explained", "survived")
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: ``by`` is the test that saw it, ``how`` what it saw, ``tests`` how many ran at most."""

    id: str
    content: str
    ended: Literal["killed", "survived"]
    by: str
    how: str
    tests: int
    seconds: float


@dataclass(frozen=True)
class Asked:
    """What is to be tried: groups, files whose path has a text, a sample of the rest; ``patience`` seconds each.

    After so many ``minutes`` no other one is tried.
    """

    groups: Sequence[str]
    files: Sequence[str]
    tests: Sequence[str]
    sample: int
    seed: int
    patience: float
    again: bool
    retrace: bool
    processes: int
    minutes: float | None = None


def chosen(asked: Asked) -> list[Mutant]:
    """The mutants that are tried: all of each group, of the rest a sample that its seed decides."""
    found: list[Mutant] = []
    for group, files in places.files().items():
        if group not in asked.groups:
            continue
        named = [file for file in files if not asked.files or any(part in file for part in asked.files)]
        all_of_it = [mutant for file in named for mutant in _of_file(group, file)]
        if group == places.REST and not asked.files:
            all_of_it = random.Random(asked.seed).sample(all_of_it, min(asked.sample, len(all_of_it)))
        found += all_of_it
    return found


def _of_file(group: str, file: str) -> list[Mutant]:
    content = (ROOT / file).read_bytes()
    return mutants(group, file, content, (sql if file.endswith(".sql") else python).changes(content))


def run(asked: Asked, *, tell: Callable[[str], None]) -> dict[str, Any]:
    """Try every mutant that has no fate yet; returns all of it as a document."""
    listed = chosen(asked)
    explained = {each["id"]: each["why"] for each in explanations()}
    known = _known(explained, again=asked.again)
    left = [mutant for mutant in listed if (mutant.id, mutant.content) not in known]
    tell(f"{len(listed)} mutants, of which {len(left)} are to be tried")
    if left and asked.minutes != 0:
        files = reach.test_files(asked.tests)
        mutated = {mutant.file for mutant in listed}
        reached = reach.trace(files, mutated=mutated, again=asked.retrace, processes=asked.processes, tell=tell)
        copies = [Checkout(number) for number in range(1, asked.processes + 1)]
        killers = Killers(_last_killers(), Words(files))
        for mutant in listed:
            if fate := known.get((mutant.id, mutant.content)):
                killers.add(mutant, fate)
        for fate in _fates(left, reached, copies, asked, explained, killers, tell):
            known[fate.id, fate.content] = fate
    tried = [mutant for mutant in listed if (mutant.id, mutant.content) in known]
    fates = {mutant.id: known[mutant.id, mutant.content] for mutant in tried}
    return document(asked, listed, fates, explained)


class Killers:
    """Which tests killed mutants so far: the more of a file's, the sooner a test is tried on others of that file.

    ``before`` has by a mutant's id what killed it when its file was another one.
    """

    def __init__(self, before: Mapping[str, str], words: Words) -> None:
        self._before, self._words = before, words
        self._tests: dict[str, Counter[str]] = defaultdict(Counter)  # of a file
        self._files: dict[str, Counter[str]] = defaultdict(Counter)  # of tests, by folder

    def add(self, mutant: Mutant, fate: Fate) -> None:
        if fate.how == "failed":
            self._tests[mutant.file][fate.by] += 1
            self._files[str(Path(mutant.file).parent)][fate.by.partition("::")[0]] += 1

    def first(self, mutant: Mutant, tests: Sequence[Test], rarity: Mapping[str, int]) -> list[Test]:
        """The tests in the order in which they are tried: those that reach little else in little time first.

        Then those of a mutant's own file and of low ``rarity``. Their files have turns, a mutant's own more often;
        every other test is the next of those that speak of it.
        """
        before = [name for name, _ in self._tests[mutant.file].most_common(_KILLERS)]
        killed = self._files[str(Path(mutant.file).parent)]
        taken = Counter[tuple[int, str]]()
        places: dict[str, tuple[bool, bool, int, int, int]] = {}
        for test in tests:
            is_own = mutant.has_own(test.file)
            rare = 0 if is_own else rarity.get(test.name, 0)
            turn = taken[rare, test.file] // (_KILLERS if is_own else 1)
            itself = test.name == self._before.get(mutant.id)
            places[test.name] = not itself, test.name not in before, rare, turn, -killed[test.file]
            taken[rare, test.file] += 1
        ordered = sorted(tests, key=lambda test: places[test.name])
        pairs = zip(ordered, self._words.order(mutant, ordered), strict=True)
        return list({test.name: test for test in (*tests[:_TELLING], *chain.from_iterable(pairs))}.values())


def explanations() -> list[dict[str, str]]:
    """The mutants that no test can tell from the code, and why."""
    listed: list[dict[str, str]] = yaml.safe_load(_EXPLAINED.read_text(encoding="utf-8")) or []
    return listed


def _fates(
    left: Sequence[Mutant],
    reached: Reach,
    copies: Sequence[Checkout],
    asked: Asked,
    explained: Mapping[str, str],
    killers: Killers,
    tell: Callable[[str], None],
) -> list[Fate]:
    free: SimpleQueue[Checkout] = SimpleQueue()
    for copy in copies:
        tests = reached.tests.values()
        copy.found(sorted({test.file for test in tests}), servers=any(test.needs_server for test in tests))
        free.put(copy)
    started, done = time.monotonic(), Counter[str]()
    sound: dict[str, bool] = {}

    def one(mutant: Mutant) -> Fate | None:
        if asked.minutes is not None and time.monotonic() - started > 60 * asked.minutes:
            return None
        copy = free.get()
        try:
            fate = _fate(mutant, reached, copy, killers, asked.patience, sound)
        finally:
            free.put(copy)
        if asked.tests and not fate.tests:
            return None  # other tests may reach it
        with _LOCK:
            _keep(fate)
            killers.add(mutant, fate)
            done[fate.ended] += 1
            if fate.ended == "survived":
                tell(f"{mutant.id} survived{' as explained' * (mutant.id in explained)}: {mutant.told}")
            tried = done.total()
            if tried % 20 == 0:
                hours = (time.monotonic() - started) / tried * (len(left) - tried) / 3600
                tell(f"{tried} of {len(left)}: {done['killed']} killed; about {hours:.1f} h to go")
        return fate

    try:
        with ThreadPoolExecutor(len(copies)) as pool:
            return [fate for fate in pool.map(one, left) if fate is not None]
    finally:
        for copy in copies:
            copy.close()


def _fate(
    mutant: Mutant, reached: Reach, copy: Checkout, killers: Killers, patience: float, sound: dict[str, bool]
) -> Fate:
    content = (copy.path / mutant.file).read_bytes()
    if digest(content) != mutant.content:
        raise BenchmarkError(f"{mutant.file} was changed meanwhile: start again, which goes on where it was")
    telling = killers.first(mutant, reached.tests_of(mutant), reached.rarity(mutant))
    seconds, ran = 0.0, 0
    while tests := _planned([test for test in telling if sound.get(test.name, True)], patience):
        with copy.changed(mutant.file, mutant.apply(content)):
            done = copy.test(tests, Changed(mutant.file, content), limit=30 + sum(test.patience for test in tests))
        seconds, ran = seconds + done.seconds, ran + len(tests)
        if done.ended == "passed":
            break
        by = next((test for test in tests if test.name == done.by), None)
        if by is None or _is_sound(by, copy, sound):
            return Fate(mutant.id, mutant.content, "killed", done.by, done.ended, ran, round(seconds, 1))
    how = "" if tests else "no test reaches it"
    return Fate(mutant.id, mutant.content, "survived", "", how, ran, round(seconds, 1))


def _is_sound(test: Planned, copy: Checkout, sound: dict[str, bool]) -> bool:
    """Whether a test that failed passes without a mutant; asked once of each."""
    if test.name not in sound:
        sound[test.name] = copy.test([test], None, limit=30 + test.patience).ended == "passed"
    return sound[test.name]


def _planned(tests: Sequence[Test], patience: float) -> list[Planned]:
    """The tests for which there is patience, the most telling first."""
    planned: list[Planned] = []
    left = patience
    for test in tests:
        seconds = test.seconds
        if seconds <= left or not planned:
            left -= seconds
            planned.append(Planned(test.name, test.file, _SLACK + _TIMES * seconds, test.needs_server))
    return planned


def _known(explained: Container[str], *, again: bool) -> dict[tuple[str, str], Fate]:
    """What became of mutants of files as they are; those that survived and are not explained are tried ``again``."""
    known = {(fate.id, fate.content): fate for fate in _kept()}
    if not again:
        return known
    return {key: fate for key, fate in known.items() if fate.ended != "survived" or fate.id in explained}


def _last_killers() -> dict[str, str]:
    """What killed mutants last, by their ids, whatever their files were then."""
    return {fate.id: fate.by for fate in _kept() if fate.how == "failed"}


def _kept() -> Iterator[Fate]:
    kept = PLACE / "fates.jsonl"
    if kept.exists():
        for line in kept.read_text(encoding="utf-8").splitlines():
            yield Fate(**json.loads(line))


def _keep(fate: Fate) -> None:
    with open(PLACE / "fates.jsonl", "a", encoding="utf-8") as kept:
        kept.write(json.dumps(asdict(fate)) + "\n")


def document(
    asked: Asked, listed: Sequence[Mutant], fates: Mapping[str, Fate], explained: Mapping[str, str]
) -> dict[str, Any]:
    """What became of the mutants that are listed, as plain data; those without a fate were not tried."""

    def counts(some: Iterable[Mutant]) -> dict[str, int]:
        asked = list(some)
        ended = Counter(_ended(mutant, fates[mutant.id], explained) for mutant in asked if mutant.id in fates)
        counted = {each: ended[each] for each in ("killed", "explained", "survived")}
        return {"mutants": len(asked), "tried": ended.total(), **counted}

    operators = sorted({(_language(mutant), mutant.change.operator) for mutant in listed})
    groups = list(dict.fromkeys(mutant.group for mutant in listed))
    found = {
        mutant.id for group in places.files() for file in places.files()[group] for mutant in _of_file(group, file)
    }
    return {
        "sample": asked.sample,
        "seed": asked.seed,
        "seconds": round(sum(fate.seconds for fate in fates.values())),
        "groups": {group: counts(mutant for mutant in listed if mutant.group == group) for group in groups},
        "operators": {
            f"{language}: {operator}": counts(
                mutant for mutant in listed if (_language(mutant), mutant.change.operator) == (language, operator)
            )
            for language, operator in operators
        },
        "survived": [
            {"id": mutant.id, "change": mutant.told, "tests": fates[mutant.id].tests}
            for mutant in listed
            if mutant.id in fates and _ended(mutant, fates[mutant.id], explained) == "survived"
        ],
        "explained but killed, or gone": [
            each for each in explained if each not in found or (each in fates and fates[each].ended == "killed")
        ],
    }


def _ended(mutant: Mutant, fate: Fate, explained: Mapping[str, str]) -> str:
    return "explained" if fate.ended == "survived" and mutant.id in explained else fate.ended


def _language(mutant: Mutant) -> str:
    return "SQL" if mutant.file.endswith(".sql") else "Python"


def holds(document: Mapping[str, Any]) -> bool:
    """Whether all were tried, those of the groups are killed or explained, and of the rest as many as have to be."""
    for group, counts in document["groups"].items():
        most = (1 - _SHARE) * counts["mutants"] if group == places.REST else 0
        if counts["tried"] < counts["mutants"] or counts["survived"] > most:
            return False
    return True


def markdown(document: Mapping[str, Any]) -> str:
    """The document as tables, and the mutants that survived."""
    lines = [f"`{document['command']}`, seed {document['seed']}, at {str(document['commit'])[:12]}", ""]
    for group, counts in document["groups"].items():
        of = "the sample of the rest" if group == places.REST else group
        told = f"* {counts['tried']:,} of {counts['mutants']:,} of {of} tried: {counts['killed']:,} killed"
        lines.append(told + f", {counts['explained']:,} explained" * bool(counts["explained"]))
    lines.append("")
    for title, part in (("group", "groups"), ("operator", "operators")):
        lines += [f"| {title} | {' | '.join(_COUNTED)} |", f"|---|{'---:|' * len(_COUNTED)}"]
        for name, counts in document[part].items():
            lines.append(f"| {name} | {' | '.join(f'{counts[each]:,}' for each in _COUNTED)} |")
        lines.append("")
    if document["survived"]:
        lines.append("Survived, and not explained, with the number of tests that were tried:\n")
    lines += [f"* {each['id']} {each['change']} ({each['tests']} tests)" for each in document["survived"]]
    return "\n".join(lines).rstrip() + "\n"
