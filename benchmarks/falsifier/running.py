"""The job of a case, and the ways to run it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas
import yaml

import starcloak as sc
from benchmarks.falsifier import dirt, errors
from benchmarks.falsifier.case import Case, Column
from benchmarks.falsifier.faults import FAULTS
from benchmarks.falsifier.files import GIVEN, RETURNED
from benchmarks.falsifier.oracle import Oracle
from benchmarks.falsifier.places import Places, dimension
from benchmarks.falsifier.trees import FUNCTIONS, Refusal
from starcloak.commands.release import Release
from starcloak.store.resources import Resources

# What a further release of a history is told by, before what is wrong with it.
_LATER = re.compile(r"^release \d+: ")
_ROLES = ("identifiers", "quasi_identifiers", "sensitive", "keep")


@dataclass
class Found:
    """What a case came to: an outcome in a word, an error's message, and the differences, each with its kind."""

    outcome: str
    differences: list[str] = field(default_factory=list)
    message: str = ""

    @property
    def kinds(self) -> set[str]:
        """The kinds of the differences, by which a smaller case is known to fail in the same way."""
        return {_LATER.sub("", difference).partition(":")[0] for difference in self.differences}


@dataclass(frozen=True)
class Made:
    """A release: its report, and itself but where a process of its own made it."""

    report: dict[str, Any]
    release: Release | None

    def table(self, case: Case) -> pandas.DataFrame | None:
        """The rows of a release in memory."""
        if self.release is None or case.target != "memory":
            return None
        return RETURNED[case.frame](self.release) if case.source == "frame" else self.release.to_pandas()


def resources(case: Case) -> Resources:
    """What a run may use: mostly one thread, as small tables gain nothing by more."""
    return Resources(threads=case.threads, memory_limit=case.memory or None)


def described(case: Case, spot: Places) -> dict[str, Any]:
    """The job of a case."""
    requirement: dict[str, Any] = {"suppression": case.suppression}
    if case.qids:
        requirement["qids"] = [{"attributes": list(names), "k": k} for names, k in case.qids]
    else:
        requirement["k"] = case.k
    if case.l_diversity:
        requirement["l_diversity"] = [{"attribute": name, "l": least} for name, least in case.l_diversity]
    if case.of_population:
        requirement["population"] = spot.population(case)
    if case.k_map is not None:
        requirement["k_map"] = case.k_map
    if case.presence is not None:
        requirement["delta_presence"] = list(case.presence)
    for key, model in case.models:
        requirement.setdefault(key, []).append(dict(model))
    if case.reference != "release":
        requirement["reference"] = case.reference
    job: dict[str, Any] = {
        "quasi_identifiers": {
            column.name: _important(column, _hierarchy(column.name, column.hierarchy, at, spot))
            for at, column in enumerate(case.quasi_identifiers)
        },
        "requirement": requirement,
        "algorithm": dict(case.algorithm),
        "seed": case.seed,
        "identifiers": [
            *(column.name for column in case.of("identifiers") if column.name != case.person),
            *(column.name for column in case.of("levels") if column.name not in case.levels),
        ],
        "sensitive": [column.name for column in case.of("sensitive")],
        "keep": [column.name for column in case.of("keep")],
    }
    if "cube" in case.besides:
        job["algorithm"]["cube"] = str(spot.cube)
    if case.person is not None:
        job["person"] = {"column": case.person, "as": "set"} if case.as_set else case.person
    if "others" in case.besides:
        del job["identifiers"]
        job["others"] = "identifiers"
    if "no insight" in case.besides:
        job["insight"] = "off"
    if "misfits" in case.besides:
        job["without_leaf"] = str(spot.misfits)
    if "dimensions" in case.besides:
        job["keep_dimensions"] = True
    for key, value in (("objective", case.objective), ("source", spot.source(case)), ("output", spot.target(case))):
        if value is not None:
            job[key] = value
    if case.dirty:
        job["clean"] = dirt.rules(case)
    if case.against:
        job["against"] = list(case.against)
    if case.accept is not None:
        job["accept"] = {"joint_k": case.accept}
    if case.refresh:
        job |= {"refresh": True, "departures": case.refresh}
    if case.broken:
        FAULTS[case.broken].breaks(job, case, spot)
    return job


def _hierarchy(name: str, declared: Any, at: int, spot: Places) -> Any:
    if isinstance(declared, Mapping) and "csv" in declared:
        return {**declared, "csv": str(spot.hierarchy(at))}
    if isinstance(declared, Mapping) and "table" in declared:
        return {**declared, "table": dimension(name)}
    if isinstance(declared, Mapping) and "functions" in declared:
        return {**declared, "functions": [FUNCTIONS[name] for name in declared["functions"]]}
    return declared


def _important(column: Column, declared: Any) -> Any:
    """A hierarchy with the importance of its column beside it."""
    if column.importance == "1":
        return declared
    mapping = {declared: True} if isinstance(declared, str) else declared
    return {**mapping, "importance": column.importance}


def call(case: Case, spot: Places, *, force: bool = False) -> Made:
    """Run a case's job by one of the ways that there are."""
    job = described(case, spot)
    table = GIVEN[case.frame](dirt.soiled(case)) if case.source == "frame" else None
    options: dict[str, Any] = {"resources": resources(case), "force": force}
    if "schema" in case.besides:
        _as_schema(job, spot)
    if "yaml" in case.besides:
        path = spot.inputs / "job.yaml"
        path.write_text(yaml.safe_dump(job, allow_unicode=True, sort_keys=False), encoding="utf-8")
        made = sc.run(path, frame=table, **options)
    elif "anonymize" in case.besides:
        requirement = job.pop("requirement")
        made = sc.anonymize(job.pop("source", table), **requirement, **job, **options)
    else:
        made = sc.run(job, frame=table, **options)
    return Made(made.to_dict(), made)


def _as_schema(job: dict[str, Any], spot: Places) -> None:
    """Put the roles into a ready-made schema of the user's; the job lists its quasi-identifiers."""
    path = spot.inputs / "roles.yaml"
    held = {role: job.pop(role) for role in _ROLES if role in job}
    path.write_text(yaml.safe_dump(held, allow_unicode=True, sort_keys=False), encoding="utf-8")
    job["schema"] = str(path)
    job["quasi_identifiers"] = list(held["quasi_identifiers"])


def run(case: Case, spot: Places, found: Found, *, force: bool = False) -> Made | None:
    """The release, or none with why; an error that the oracle does not know is a difference."""
    oracle = Oracle(case)
    right = oracle.refusals
    if case.broken:
        right = [FAULTS[case.broken].right, *right]
    if "command" in case.besides:
        return _commanded(case, spot, found, right, oracle.possible)
    try:
        made = call(case, spot, force=force)
    except sc.StarcloakError as error:
        found.outcome, found.message = type(error).__name__, str(error)
        found.differences += errors.judged(case, error, [*right, *oracle.possible])
        found.differences += _misfits(oracle, spot, error)
        return None
    except Exception as error:
        found.outcome = "traceback"
        found.differences.append(f"traceback {type(error).__name__}: {''.join(traceback.format_exception(error))}")
        return None
    if right:
        found.differences.append(f"accepted: released, where it is refused: {right}")
        return None
    return made


def _misfits(oracle: Oracle, spot: Places, error: sc.StarcloakError) -> list[str]:
    """What is wrong with the file of values that have no leaf, which is taken away."""
    expected = oracle.misfits if isinstance(error, sc.HierarchyError) and "misfits" in oracle.case.besides else []
    if not spot.misfits.exists():
        return ["misfits: there is no file of them"] if expected else []
    private = spot.misfits.stat().st_mode & 0o077 == 0
    lines = spot.misfits.read_bytes().decode()
    spot.misfits.unlink()
    told = [tuple(line) for line in csv.reader(io.StringIO(lines, newline=""), strict=True)]
    counted = [("attribute", "value", "rows"), *expected]
    same = sorted(told) == sorted(counted)
    return [] if private and same else [f"misfits: {told} told, {counted} counted, in a private file {private}"]


def _commanded(
    case: Case, spot: Places, found: Found, right: Sequence[Refusal], possible: Sequence[Refusal]
) -> Made | None:
    """Run the job by the command line, in a process of its own."""
    path = spot.inputs / "job.yaml"
    path.write_text(yaml.safe_dump(described(case, spot), allow_unicode=True, sort_keys=False), encoding="utf-8")
    command = [sys.executable, "-m", "starcloak", "run", str(path), "--json", "--threads", str(case.threads)]
    command += ["--memory-limit", case.memory] if case.memory else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    if done.returncode == 0:
        if right:
            found.differences.append(f"accepted: by the command, where it is refused: {right}")
            return None
        return Made(json.loads(done.stdout), None)
    try:
        told = json.loads(done.stdout)["error"]
    except (ValueError, KeyError, TypeError):
        found.outcome = "unknown"
        found.differences.append(f"lines: {done.stderr!r} and {done.stdout!r} of the command")
        return None
    found.outcome, found.message = told["kind"], told["message"]
    spot.misfits.unlink(missing_ok=True)
    kinds = {each.error for each in (*right, *possible) if each.part in told["message"]}
    code = 1 if told["kind"] == "RequirementError" else 2
    if told["kind"] not in kinds or not done.returncode == told["exit_code"] == code:
        found.differences.append(f"exit code: {done.returncode} and {told}; right: {list(right)}")
    # Above it a slow run has lines of its progress.
    if done.stderr.splitlines()[-1:] != [f"starcloak: {told['message']}"]:
        found.differences.append(f"lines: {done.stderr!r} and {done.stdout!r} of the command")
    return None
