"""Thirty nights of a source that changes: refreshed, beside a release afresh.

Every row has a number, which the release keeps: by it, what whoever has all releases finds is counted on the released
files themselves, not asked of the engine.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import click
import pandas

from benchmarks.local import arx_adult

K = 10
SEED = 1
NIGHTS = 30
#: How often a release afresh is measured, too, and the nights of a quick benchmark.
_AFRESH = 5
_QUICK = 2
_QUICK_ROWS = 2_000
_SOURCE = "source.csv"

Cells = tuple[str, ...]


def measure(*, nights: int, rows: int | None, quick: bool) -> Iterator[dict[str, Any]]:
    """Rows that only come, 1 % each night; rows of which 0.5 % go and 0.5 % change, which is told, or held; and visits.

    Of persons with one to three visits 1 % are new each night, 1 % come again, and of 0.1 % a visit goes.
    """
    place = arx_adult.folder()
    if place is None:
        yield {"skipped": arx_adult.MISSING}
        return
    table = pandas.read_csv(place / "adult.csv", sep=";", dtype=str)
    table = table.assign(number=[str(number) for number in range(len(table))])
    if quick or rows is not None:
        table = table.sample(_QUICK_ROWS if quick else rows, random_state=SEED)
    for kind, departures in (("come", "tell"), ("go and change", "tell"), ("go and change", "hold")):
        measured = list(_nights(place, table, kind, departures, nights=_QUICK if quick else nights))
        yield {"rows that": kind, "departures": departures, "nights": measured}
    for departures in ("tell", "hold"):
        measured = list(_nights_of_persons(place, table, departures, nights=_QUICK if quick else nights))
        yield {"rows that": "are visits", "departures": departures, "nights": measured}


def _nights_of_persons(
    place: Path, rows: pandas.DataFrame, departures: str, *, nights: int
) -> Iterator[dict[str, Any]]:
    from starcloak.commands import pipeline

    chosen, each = random.Random(SEED), round(len(rows) / (100 + nights))
    people = rows.sample(frac=1, random_state=SEED).rename(columns={"number": "person"})
    there = [person for person in range(len(people) - nights * each) for _ in range(chosen.choice((1, 1, 2, 3)))]
    visits, before = list(enumerate(there)), list[Mapping[str, Cells]]()
    whose, come = {str(number): person for number, person in visits}, len(people) - nights * each
    with _at_home():
        for night in range(nights + 1):
            table = people.iloc[[person for _, person in visits]].assign(number=[number for number, _ in visits])
            table.sample(frac=1, random_state=night).to_csv(_SOURCE, index=False, sep=";")
            job = {**_job(place), "person": {"column": "person", "as": "set"}}
            refreshed = {**job, "output": {"path": "a.csv"}, "refresh": True, "departures": departures}
            release = pipeline.run(refreshed, joint=False)
            now = _released("a.csv")
            told = {
                "night": night,
                "rows": len(table),
                "k": release.k,
                "loss": release.measures.loss,
                **(release.result.refresh.model_dump() if release.result.refresh else {}),
                **_of_persons(before[-1:], now, whose, "with the night before"),
                **_of_persons(before, now, whose, "with all nights before"),
            }
            before.append(now)
            click.echo(f"nights: visits, {departures}, {told}", err=True)
            yield told
            known = sorted({person for _, person in visits})
            new = [person for person in range(come, come + each) for _ in range(chosen.choice((1, 1, 2, 3)))]
            come += each
            for person in (*new, *chosen.sample(known, max(1, len(known) // 100))):
                visits.append((len(whose), person))
                whose[str(len(whose))] = person
            gone = set(chosen.sample(range(len(visits)), max(1, len(known) // 1000)))
            visits = [visit for at, visit in enumerate(visits) if at not in gone]


def _of_persons(
    before: list[Mapping[str, Cells]], now: Mapping[str, Cells], whose: Mapping[str, int], named: str
) -> dict[str, Any]:
    """The same where what counts is a person's history: what the visits read in each release."""
    if not before:
        return {}
    seen: dict[int, list[tuple[Cells | None, ...]]] = {}
    for visit in set(now).union(*before):
        seen.setdefault(whose[visit], []).append(tuple(release.get(visit) for release in (*before, now)))
    groups = Counter(tuple(sorted(visits, key=repr)) for visits in seen.values())
    below = sum(persons for persons in groups.values() if persons < K)
    return {named: {"joint k": min(groups.values()), "share below k": round(below / len(seen), 4)}}


def _nights(
    place: Path, rows: pandas.DataFrame, kind: str, departures: str, *, nights: int
) -> Iterator[dict[str, Any]]:
    from starcloak.commands import pipeline

    drawn = rows.sample(frac=1, random_state=SEED)
    each = round(len(drawn) / (100 + nights)) if kind == "come" else len(drawn) // 200
    there = drawn.iloc[: len(drawn) - nights * each] if kind == "come" else drawn
    chosen = random.Random(SEED)
    before: list[Mapping[str, Cells]] = []
    afresh: Mapping[str, Cells] | None = None
    with _at_home():
        for night in range(nights + 1):
            there.to_csv(_SOURCE, index=False, sep=";")
            job = _job(place)
            refreshed = {**job, "output": {"path": "a.csv"}, "refresh": True, "departures": departures}
            release = pipeline.run(refreshed, joint=False)
            now = _released("a.csv")
            told = {
                "night": night,
                "rows": len(there),
                "k": release.k,
                "loss": release.measures.loss,
                **(release.result.refresh.model_dump() if release.result.refresh else {}),
                **_together(before[-1:], now, "with the night before"),
                **_together(before, now, "with all nights before"),
            }
            before.append(now)
            # Pairs of nights one after the other; of the same rows once.
            if departures == "tell" and night % _AFRESH in (0, _AFRESH - 1):
                fresh = pipeline.run({**job, "output": {"path": "b.csv"}}, force=True, joint=False)
                new = _released("b.csv")
                told["afresh"] = {"loss": fresh.measures.loss}
                if night % _AFRESH == 0 and afresh is not None:
                    told["afresh"] |= _together([afresh], new, "with the night before")
                afresh = new
            click.echo(f"nights: {kind}, {departures}, {told}", err=True)
            yield told
            come = kind == "come"
            there = drawn.iloc[: len(there) + each] if come else _changed(there.iloc[each:], each, chosen)


@contextmanager
def _at_home() -> Iterator[None]:
    """In a folder of one's own, which keeps what runs keep."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        old = os.environ.get("XDG_STATE_HOME")
        os.environ["XDG_STATE_HOME"] = folder
        try:
            yield
        finally:
            os.environ.pop("XDG_STATE_HOME")
            if old is not None:
                os.environ["XDG_STATE_HOME"] = old


def _job(place: Path) -> dict[str, Any]:
    return {
        **arx_adult.job(place),
        "source": {"path": _SOURCE, "delimiter": ";"},
        "sensitive": ["salary-class"],
        "identifiers": [],
        "keep": ["number"],
        "requirement": {"k": K},
        "algorithm": {"name": "sweep"},
        "insight": "off",
    }


def _changed(rows: pandas.DataFrame, count: int, chosen: random.Random) -> pandas.DataFrame:
    """The rows, of which some have another's value in one attribute."""
    rows = rows.sample(frac=1, random_state=chosen.randrange(1 << 30)).reset_index(drop=True)
    for at in range(count):
        name = chosen.choice(arx_adult.ATTRIBUTES)
        column = list(rows.columns).index(name)
        rows.iat[at, column] = str(rows.iat[chosen.randrange(len(rows)), column])
    return rows.sample(frac=1, random_state=chosen.randrange(1 << 30))


def _released(path: str) -> dict[str, Cells]:
    """What each row reads in a release, by its number."""
    frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
    cells = frame[list(arx_adult.ATTRIBUTES)].itertuples(index=False, name=None)
    return dict(zip(frame["number"], cells, strict=True))


def _together(before: list[Mapping[str, Cells]], now: Mapping[str, Cells], named: str) -> dict[str, Any]:
    """What whoever has some releases finds: the smallest group, and the share of rows in smaller ones than k."""
    if not before:
        return {}
    everybody = set(now).union(*before)
    groups = Counter(tuple(release.get(row) for release in (*before, now)) for row in everybody)
    below = sum(rows for rows in groups.values() if rows < K)
    return {named: {"joint k": min(groups.values()), "share below k": round(below / len(everybody), 4)}}


def table(found: list[dict[str, Any]]) -> str:
    """The last night of each kind, and the worst of all, as text."""
    lines = []
    for each in found:
        if "skipped" in each:
            return str(each["skipped"])
        nights = each["nights"]
        pairs = [night["with the night before"] for night in nights[1:]]
        afresh = [night["afresh"] for night in nights if "afresh" in night]
        fresh_pairs = [one["with the night before"] for one in afresh if "with the night before" in one]
        lines += [
            f"rows that {each['rows that']}, {len(nights) - 1} nights, k = {K}, departures: {each['departures']}",
            f"  refreshed: loss {nights[0]['loss']:.4f} to {nights[-1]['loss']:.4f}, {nights[-1].get('waiting', 0):,} "
            f"of {nights[-1]['rows']:,} rows wait in the end, "
            f"{nights[-1].get('held', 0):,} are held; joint k with the night before at least "
            f"{min(pair['joint k'] for pair in pairs)}, at most {max(pair['share below k'] for pair in pairs):.2%} of "
            f"the rows below k; with all nights together {nights[-1]['with all nights before']}",
        ]
        if afresh:
            lines.append(
                f"  afresh: loss {afresh[0]['loss']:.4f} to {afresh[-1]['loss']:.4f}"
                + (
                    f"; joint k {min(pair['joint k'] for pair in fresh_pairs)}, "
                    f"{max(pair['share below k'] for pair in fresh_pairs):.2%} of the rows below k"
                    if fresh_pairs
                    else ""
                )
            )
    return "\n".join(lines)
