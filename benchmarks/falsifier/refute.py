"""Run one case and tell every difference between what came and what the oracle says."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

import starcloak as sc
from benchmarks.falsifier import guarantees, lattices, measured, places, released, scripts
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.faults import FAULTS
from benchmarks.falsifier.oracle import FULL_DOMAIN, Oracle, Verdict, check, diversity
from benchmarks.falsifier.places import Places, dimension
from benchmarks.falsifier.released import Matched
from benchmarks.falsifier.trees import Refusal
from benchmarks.falsifier.values import exact
from starcloak.pipeline import Release, Resources

# One thread each: small tables gain nothing by more, and jobs may run beside each other.
RESOURCES = Resources(threads=1)


@dataclass
class Found:
    """What a case came to: an outcome in a word, and the differences, each as a kind and what it is."""

    outcome: str
    differences: list[str] = field(default_factory=list)

    @property
    def kinds(self) -> set[str]:
        """The kinds of the differences, by which a smaller case is known to fail in the same way."""
        return {difference.partition(":")[0] for difference in self.differences}


def refute(case: Case, folder: Path) -> Found:
    """Run a case in an empty folder, which is empty again afterwards."""
    with _at_home(folder):
        spot = folder / "job"
        spot.mkdir()
        try:
            return _refute(case, Places(spot))
        finally:
            shutil.rmtree(spot)


@contextmanager
def _at_home(folder: Path) -> Iterator[None]:
    """Have the engine's own files in a folder; put the environment back."""
    private, state = folder / "private", folder / "state"
    for made in (private, state):
        made.mkdir(exist_ok=True)
    before = {name: os.environ.get(name) for name in ("TMPDIR", "XDG_STATE_HOME")}
    temporary = tempfile.tempdir
    os.environ |= {"TMPDIR": str(private), "XDG_STATE_HOME": str(state)}
    tempfile.tempdir = str(private)
    try:
        yield
    finally:
        tempfile.tempdir = temporary
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        shutil.rmtree(state)


def _refute(case: Case, spot: Places) -> Found:
    spot.prepare(case)
    oracle = Oracle(case)
    found = Found("released")
    if case.broken:
        FAULTS[case.broken].plants(case, spot)
    before = spot.snapshot(case)
    scripted = None
    if "script" in case.besides and not case.broken and not oracle.refusals and scripts.fits(case):
        try:
            scripted = scripts.run(case, described(case, spot), spot)
        except Exception as error:
            found.differences.append(f"script {type(error).__name__}: {''.join(traceback.format_exception(error))}")
            return found
    release = _run(case, spot, oracle, found)
    if release is None:
        found.differences += spot.changed(case, before)
        found.differences += _raw(case, spot)
        return found
    if spot.target(case) is not None:
        found.differences += _strangers(case, spot, before)
    _compare(case, spot, oracle, release, found)
    if scripted is not None and not found.differences:
        table = release.to_pandas() if case.target == "memory" else None
        found.differences += scripts.differences(case, places.read(case, spot, table), scripted)
    if not found.differences:
        found.differences += _checked(case, spot, oracle, release) + _raw(case, spot)
    if not found.differences and "again" in case.besides:
        found.differences += _again(case, spot)
    if not found.differences and "changed" in case.besides:
        _changed(case, spot, found)
    found.differences += leftovers()
    return found


def described(case: Case, spot: Places) -> dict[str, Any]:
    """The job of a case."""
    job: dict[str, Any] = {
        "quasi_identifiers": {
            column.name: _hierarchy(column.name, column.hierarchy, at, spot)
            for at, column in enumerate(case.quasi_identifiers)
        },
        "requirement": {"suppression": case.suppression},
        "algorithm": dict(case.algorithm),
        "seed": case.seed,
    }
    for role in ("identifiers", "sensitive", "keep"):
        job[role] = [column.name for column in case.of(role)]
    if case.qids:
        job["requirement"]["qids"] = [{"attributes": list(names), "k": k} for names, k in case.qids]
    else:
        job["requirement"]["k"] = case.k
    for key, value in (
        ("objective", case.objective),
        ("source", spot.source(case)),
        ("output", spot.target(case)),
    ):
        if value is not None:
            job[key] = value
    if case.broken:
        FAULTS[case.broken].breaks(job, case, spot)
    return job


def _hierarchy(name: str, declared: Any, at: int, spot: Places) -> Any:
    if isinstance(declared, Mapping) and "csv" in declared:
        return {"csv": str(spot.hierarchy(at))}
    if isinstance(declared, Mapping) and "table" in declared:
        return {"table": dimension(name)}
    return declared


def _call(case: Case, spot: Places) -> Release:
    """Run a case's job by one of the ways that there are."""
    job = described(case, spot)
    table = places.frame(case) if case.source == "frame" else None
    if "schema" in case.besides:
        _as_schema(job, spot)
    if "yaml" in case.besides:
        path = spot.inputs / "job.yaml"
        path.write_text(yaml.safe_dump(job, allow_unicode=True, sort_keys=False), encoding="utf-8")
        return sc.run(path, frame=table, resources=RESOURCES)
    if "anonymize" in case.besides:
        requirement = job.pop("requirement")
        origin = job.pop("source", table)
        return sc.anonymize(origin, resources=RESOURCES, **requirement, **job)
    return sc.run(job, frame=table, resources=RESOURCES)


def _as_schema(job: dict[str, Any], spot: Places) -> None:
    """Put the roles into a ready-made schema of the user's; the job lists its quasi-identifiers."""
    roles = ("identifiers", "quasi_identifiers", "sensitive", "keep")
    path = spot.inputs / "roles.yaml"
    held = {role: job.pop(role) for role in roles}
    path.write_text(yaml.safe_dump(held, allow_unicode=True, sort_keys=False), encoding="utf-8")
    job["schema"] = str(path)
    job["quasi_identifiers"] = list(held["quasi_identifiers"])


def _run(case: Case, spot: Places, oracle: Oracle, found: Found) -> Release | None:
    """The release, or none with why; an error that the oracle does not know is a difference."""
    right = [FAULTS[case.broken].right, *oracle.refusals] if case.broken else oracle.refusals
    try:
        release = _call(case, spot)
    except sc.StarcloakError as error:
        found.outcome = type(error).__name__
        found.differences += _judged(case, error, right)
        return None
    except Exception as error:
        found.outcome = "traceback"
        found.differences.append(f"traceback {type(error).__name__}: {''.join(traceback.format_exception(error))}")
        return None
    if right:
        found.differences.append(f"accepted: released, where it is refused: {right}")
        return None
    return release


def _judged(case: Case, error: sc.StarcloakError, right: list[Refusal]) -> list[str]:
    """Whether an error is one of those that are right, in one line, without a value."""
    told, found = str(error), []
    if not any(type(error).__name__ == each.error and each.part in told for each in right):
        found.append(f"error {type(error).__name__}: {told!r}; right: {right}")
    if "\n" in told:
        found.append(f"lines: {told!r}")
    # What a message may have: names of columns, and the date that it shows the form of dates by.
    named = repr([column.name for column in case.columns]) + "2001-12-31"
    for row in case.rows:
        for cell in row:
            if isinstance(cell, str) and len(cell) > 4 and cell in told and cell not in named:
                found.append(f"leak: {told!r} has {cell!r}")
    return found


def _compare(case: Case, spot: Places, oracle: Oracle, release: Release, found: Found) -> None:
    """Hold a release and its report against the oracle."""
    report = release.to_dict()
    table = release.to_pandas() if case.target == "memory" else None
    matched = Matched(oracle, places.read(case, spot, table))
    found.differences += released.differences(matched, report)
    if found.differences:
        return
    if oracle.name in FULL_DOMAIN:
        found.differences += lattices.differences(oracle, report)
    found.differences += guarantees.differences(matched, report)
    found.differences += measured.differences(matched, report)


def _strangers(case: Case, spot: Places, before: dict[str, bytes]) -> list[str]:
    """Files that a run left beside its release and its ledger."""
    there = spot.target(case) or {}
    place = there.get("path", there.get("url", "").partition(":///")[2])
    expected = {*before, *([place, f"{place}.starcloak.json"] if "path" in there else [place] if place else [])}
    expected |= {str(spot.inputs / name) for name in ("job.yaml", "roles.yaml")}
    left = {str(path) for path in spot.folder.rglob("*") if path.is_file()} - expected
    return [f"leftover: {sorted(left)}"] if left else []


def leftovers() -> list[str]:
    """What a run left in its private folder."""
    left = [
        path.name for path in Path(tempfile.gettempdir()).glob("starcloak-*/*") if not path.name.startswith("lock-")
    ]
    return [f"leftover: {left} in the private folder"] if left else []


def _checked(case: Case, spot: Places, oracle: Oracle, release: Release) -> list[str]:
    """A check of the release says what the oracle counts on it."""
    if "check" not in case.besides or release.report.released_rows == 0:
        return []
    there = spot.target(case)
    table = release.to_pandas() if there is None else None
    read = places.read(case, spot, table)
    origin = table if there is None else _as_source(case, spot, there)
    return _verdict(case, origin, read.names, read.rows, "release")


def _as_source(case: Case, spot: Places, there: Mapping[str, str]) -> dict[str, str]:
    if "path" in there or "url" in there:
        return dict(there)
    source = spot.source(case)
    assert source is not None
    return {"url": source["url"], **there}


def _raw(case: Case, spot: Places) -> list[str]:
    """A check of the source says what the oracle counts on it, or refuses what cannot be counted."""
    if "raw" not in case.besides or case.broken:
        return []
    origin = places.frame(case) if case.source == "frame" else spot.source(case)
    return _verdict(case, origin, [column.name for column in case.columns], list(case.rows), "source")


def _verdict(case: Case, origin: Any, names: list[str], rows: list[Any], what: str) -> list[str]:
    oracle, found = Oracle(case), []
    sensitive = [column.name for column in case.of("sensitive")][:1]
    least = {name: case.diversity for name in sensitive}
    asked = [{"attributes": list(attributes), "k": k} for attributes, k in case.requirement]
    refused = [] if rows else [Refusal("SourceError", "has no rows: there is nothing to check")]
    if what == "source":
        refused += oracle.unreadable
    try:
        verdict = sc.check(origin, qids=asked, l_diversity=least, resources=RESOURCES)
    except sc.StarcloakError as error:
        return [f"check of {each}" for each in _judged(case, error, refused)]
    except Exception as error:
        return [f"traceback {type(error).__name__}: check of the {what}: {''.join(traceback.format_exception(error))}"]
    if refused:
        return [f"check: of the {what} accepted, where it is refused: {refused}"]
    for (attributes, k), told in zip(case.requirement, verdict.qids, strict=True):
        at = [names.index(name) for name in attributes]
        counted = check(rows, at, k)
        diverse = [diversity(rows, at, names.index(name), k, case.diversity) for name in sensitive]
        held = counted.holds and all(each.holds for each in diverse)
        seen_ = Verdict(told.holds, told.k, told.classes, told.wanting_classes, told.wanting_rows)
        if replace(counted, holds=held) != seen_:
            found.append(f"check: of the {what} over {attributes}, k = {k}: {told} told, {counted} counted")
        for each, seen in zip(diverse, told.l_diversity, strict=True):
            if each != Verdict(seen.holds, seen.l, None, seen.wanting_classes, seen.wanting_rows):
                found.append(f"check: l-diversity of the {what} over {attributes}: {seen} told, {each} counted")
    if verdict.holds != all(told.holds for told in verdict.qids):
        found.append(f"check: of the {what}: {verdict}")
    return found


def _again(case: Case, spot: Places) -> list[str]:
    """A second run does nothing, and says so; of a release in memory there is no second one."""
    if case.target == "memory":
        return []
    before = places.read(case, spot).rows
    try:
        again = _call(case, spot)
    except Exception as error:
        return [f"again: {''.join(traceback.format_exception(error))}"]
    after = places.read(case, spot).rows
    same = sorted(map(exact, before)) == sorted(map(exact, after))
    return [] if again.report.unchanged and same else [f"again: unchanged {again.report.unchanged}, same rows {same}"]


def _changed(case: Case, spot: Places, found: Found) -> None:
    """After one cell changed, a run does not say that nothing did, and its release is as right as the first."""
    changed = changed_cell(case)
    if case.target == "memory" or changed is None:
        return
    oracle = Oracle(changed)
    spot.rewrite(changed)
    release = _run(changed, spot, oracle, found)
    if release is None:
        return
    if release.report.unchanged:
        found.differences.append("unchanged: although a cell changed")
        return
    _compare(changed, spot, oracle, release, found)
    found.differences = [f"changed {difference}" for difference in found.differences]


def changed_cell(case: Case) -> Case | None:
    """The case with one cell of the first row that leaves another one's value in its column."""
    if case.target == "here":
        return None
    for at, column in enumerate(case.columns):
        if column.role in ("sensitive", "keep") and column.name != "id":
            others = [row[at] for row in case.rows if exact(row[at]) != exact(case.rows[0][at])]
            if others:
                first = (*case.rows[0][:at], others[0], *case.rows[0][at + 1 :])
                return replace(case, rows=(first, *case.rows[1:]))
    return None
