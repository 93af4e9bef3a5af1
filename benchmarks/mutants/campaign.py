"""The command: mutants of some groups, each tried by the tests that reach it, and what became of them."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal

import yaml

from benchmarks.mutants import places, python, reach, sql
from benchmarks.mutants.checkout import PLACE, Checkout
from benchmarks.mutants.mutant import Mutant, digest, mutants
from benchmarks.mutants.reach import Reach, Test
from benchmarks.shared.process import ROOT, BenchmarkError

#: Mutants of the rest that are tried, and the share of them that has to be killed.
SAMPLE = 300
_SHARE = 0.9

_EXPLAINED = Path(__file__).parent / "explained.yaml"
_TELLING, _FIRST = 5.0, 20.0  # seconds of the tests that are tried before others
_KILLERS = 3  # tests that killed other mutants of a file, and are tried on all of its mutants
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
    known = _known(again=asked.again)
    left = [mutant for mutant in listed if (mutant.id, mutant.content) not in known]
    explained = {each["id"]: each["why"] for each in explanations()}
    tell(f"{len(listed)} mutants, of which {len(left)} are to be tried")
    if left and asked.minutes != 0:
        copies = [Checkout(number) for number in range(1, asked.processes + 1)]
        reached = reach.trace(reach.test_files(asked.tests), copies=copies, again=asked.retrace, tell=tell)
        for fate in _fates(left, reached, copies, asked, explained, tell):
            known[fate.id, fate.content] = fate
    tried = [mutant for mutant in listed if (mutant.id, mutant.content) in known]
    fates = {mutant.id: known[mutant.id, mutant.content] for mutant in tried}
    return document(asked, listed, fates, explained)


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
    tell: Callable[[str], None],
) -> list[Fate]:
    free: SimpleQueue[Checkout] = SimpleQueue()
    for copy in copies:
        free.put(copy)
    _refuse_failing(copies, reached, left, asked.patience)
    killers: dict[str, Counter[str]] = {mutant.file: Counter() for mutant in left}
    started, done = time.monotonic(), Counter[str]()

    def one(mutant: Mutant) -> Fate | None:
        if asked.minutes is not None and time.monotonic() - started > 60 * asked.minutes:
            return None
        copy = free.get()
        try:
            fate = _fate(mutant, reached, copy, killers[mutant.file], asked.patience)
        finally:
            free.put(copy)
        with _LOCK:
            _keep(fate)
            killers[mutant.file][fate.by] += fate.how == "failed"
            done[fate.ended] += 1
            if fate.ended == "survived":
                tell(f"{mutant.id} survived{' as explained' * (mutant.id in explained)}: {mutant.told}")
            tried = done.total()
            if tried % 20 == 0:
                hours = (time.monotonic() - started) / tried * (len(left) - tried) / 3600
                tell(f"{tried} of {len(left)}: {done['killed']} killed; about {hours:.1f} h to go")
        return fate

    with ThreadPoolExecutor(len(copies)) as pool:
        return [fate for fate in pool.map(one, left) if fate is not None]


def _refuse_failing(copies: Sequence[Checkout], reached: Reach, left: Sequence[Mutant], patience: float) -> None:
    """Refuse to begin where tests fail that no mutant has touched."""
    batches = (_batches(reached.tests_of(mutant), reached, patience) for mutant in left)
    batch = next((found[0] for found in batches if found), [])
    for copy in copies:
        done = copy.test(sorted({test.file for test in batch}), [test.name for test in batch], limit=600)
        if done.ended != "passed":
            raise BenchmarkError(f"tests fail without a mutant: {done.output[-400:]}")


def _fate(mutant: Mutant, reached: Reach, copy: Checkout, killers: Counter[str], patience: float) -> Fate:
    content = (copy.path / mutant.file).read_bytes()
    if digest(content) != mutant.content:
        raise BenchmarkError(f"{mutant.file} was changed meanwhile: start again, which goes on where it was")
    before = [name for name, times in killers.most_common(_KILLERS) if times and name]
    # A killer that needs a server waits for its turn: to start one takes longer than most tests.
    tests = sorted(reached.tests_of(mutant), key=lambda test: test.name not in before or reached.shared_by([test]) > 1)
    seconds, ran = 0.0, 0
    with copy.changed(mutant.file, mutant.apply(content)):
        for batch in _batches(tests, reached, patience):
            expected = reached.seconds(batch)
            files = sorted({test.file for test in batch})
            done = copy.test(files, [test.name for test in batch], limit=30 + 3 * expected)
            seconds, ran = seconds + done.seconds, ran + len(batch)
            if done.ended != "passed":
                by = next(iter(done.told.get("failed", [])), "")
                return Fate(mutant.id, mutant.content, "killed", by, done.ended, ran, round(seconds, 1))
    return Fate(
        mutant.id, mutant.content, "survived", "", "" if tests else "no test reaches it", ran, round(seconds, 1)
    )


def _batches(tests: Sequence[Test], reached: Reach, patience: float) -> list[list[Test]]:
    """The most telling tests by themselves, a few more, then all others for as long as it is worth."""
    batches: list[list[Test]] = [[], [], []]
    limits = (_TELLING, _FIRST, patience)
    for test in tests:
        for batch, limit in zip(batches, limits, strict=True):
            if not batch or reached.seconds([*batch, test]) <= limit:
                batch.append(test)
                break
    return [batch for batch in batches if batch]


def _known(*, again: bool) -> dict[tuple[str, str], Fate]:
    """What became of mutants of files as they are; those that survived are tried ``again``."""
    known: dict[tuple[str, str], Fate] = {}
    kept = PLACE / "fates.jsonl"
    if kept.exists():
        for line in kept.read_text(encoding="utf-8").splitlines():
            fate = Fate(**json.loads(line))
            known[fate.id, fate.content] = fate
    return {key: fate for key, fate in known.items() if not (again and fate.ended == "survived")}


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
        lines.append("Survived, and not explained:\n")
    lines += [f"* {each['id']} {each['change']}" for each in document["survived"]]
    return "\n".join(lines).rstrip() + "\n"
