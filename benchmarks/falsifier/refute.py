"""Run one case and tell every difference between what came and what the oracle says."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.falsifier import besides, bounds, checks, comparing, histories, running, scripts
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.faults import FAULTS
from benchmarks.falsifier.files import GIVEN
from benchmarks.falsifier.oracle import Oracle
from benchmarks.falsifier.places import Places, Released
from benchmarks.falsifier.running import Found, Made, resources


def refute(case: Case, folder: Path, **servers: str) -> Found:
    """Run a case in an empty folder, which is empty again afterwards; ``servers`` are URLs by their kinds."""
    with at_home(folder):
        spot = folder / "job"
        spot.mkdir()
        try:
            return _refute(case, Places(spot, servers))
        finally:
            shutil.rmtree(spot)


@contextmanager
def at_home(folder: Path) -> Iterator[None]:
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
    found = Found("released")
    if case.broken:
        FAULTS[case.broken].plants(case, spot)
    before = spot.snapshot(case)
    scripted = _scripted(case, spot, found)
    if found.differences:
        return found
    made = running.run(case, spot, found)
    if made is None:
        found.differences += spot.changed(case, before)
        found.differences += _raw(case, spot)
        if not found.differences and found.message.startswith("max_suppressed: "):
            found.differences += comparing.suppressed(case, spot)
    else:
        found.differences += spot.strangers(case, before)
        found.differences += comparing.differences(case, spot, made)
        _besides(case, spot, made, scripted, found)
    found.differences += _leftovers()
    return found


def _scripted(case: Case, spot: Places, found: Found) -> Released | None:
    """The rows of the compiled script, made before there is a release; none is compiled that would not count all."""
    if "script" not in case.besides or case.is_timed or case.broken or Oracle(case).refusals or not scripts.fits(case):
        return None
    try:
        if bounds.shares_of(case):
            found.differences += scripts.refused(running.described(case, spot))
            return None
        return scripts.run(case, running.described(case, spot), spot)
    except Exception as error:
        found.differences.append(f"script {type(error).__name__}: {''.join(traceback.format_exception(error))}")
        return None


def _besides(case: Case, spot: Places, made: Made, scripted: Released | None, found: Found) -> None:
    """What else a case does, as long as nothing differs."""
    if not found.differences and scripted is not None:
        found.differences += scripts.differences(case, spot.read(case, made.table(case)), scripted)
    if not found.differences:
        found.differences += _checked(case, spot, made) + _raw(case, spot)
    if not found.differences and "apply" in case.besides:
        found.differences += besides.applied(case, spot, made)
    if not found.differences and case.history:
        histories.differences(case, spot, made, found)
    if not found.differences and "again" in case.besides:
        found.differences += besides.again(case, spot)
    if not found.differences and "cube" in case.besides:
        besides.cube(case, spot, found)
    if not found.differences and "changed" in case.besides:
        besides.changed(case, spot, found)


def _checked(case: Case, spot: Places, made: Made) -> list[str]:
    """A check of the release says what the oracle counts on it."""
    if "check" not in case.besides or not made.report["released_rows"]:
        return []
    there, table = spot.target(case), made.table(case)
    read = spot.read(case, table)
    origin = table if there is None else _as_source(case, spot, there)
    return checks.differences(case, origin, read.names, read.rows, "release", resources(case))


def _as_source(case: Case, spot: Places, there: Mapping[str, str]) -> dict[str, str]:
    source = {key: value for key, value in there.items() if key in ("path", "url", "table")}
    if "path" not in source and "url" not in source:
        source["url"] = (spot.source(case) or {})["url"]
    return source


def _raw(case: Case, spot: Places) -> list[str]:
    """A check of the source says what the oracle counts on it, or refuses what cannot be counted."""
    if "raw" not in case.besides or case.broken:
        return []
    origin = GIVEN[case.frame](case) if case.source == "frame" else spot.source(case)
    return checks.differences(case, origin, case.names, case.rows, "source", resources(case))


def _leftovers() -> list[str]:
    """What a run left in its private folder."""
    left = [p.name for p in Path(tempfile.gettempdir()).glob("starcloak-*/*") if not p.name.startswith("lock-")]
    return [f"leftover: {left} in the private folder"] if left else []
