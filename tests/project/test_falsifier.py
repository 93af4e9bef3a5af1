"""The falsifier: some hundred jobs of a new seed every time, and faults planted in the engine that it must find."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.falsifier import histories
from benchmarks.falsifier.case import Case, Column
from benchmarks.falsifier.command import PLACE, falsify
from benchmarks.falsifier.jobs import job
from benchmarks.falsifier.pairs import steps
from benchmarks.falsifier.refute import refute

from starcloak.base.errors import RequirementError
from starcloak.hierarchy import levels, members
from starcloak.hierarchy.builder import Builder, BuildPlace
from starcloak.hierarchy.functions import Functions
from starcloak.job import Job
from starcloak.measures.measure import Loss
from starcloak.privacy.attribute import Diverse
from starcloak.privacy.delta_presence.model import DeltaPresence
from starcloak.privacy.histogram import ComparedHistogram
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.k_map.model import KMap
from starcloak.privacy.model import models_of
from starcloak.privacy.persons.model import DistinctPersons
from starcloak.privacy.t_closeness.model import TCloseness
from starcloak.releases import publish, stage
from starcloak.search.lattice import objective
from starcloak.sources import file_formats, json_lines
from starcloak.statements.statement import Number, Statement
from starcloak.verify import invariants
from starcloak.verify.invariants import Clause
from starcloak.verify.recount import Reading

# What is wrong whatever an oracle says: a release that does not hold, a traceback, something else that was written.
GRAVE = ("certificate", "traceback", "written", "leftover")


def _is_short(case: Case) -> bool:
    """Long tables take seconds each, and are the command's."""
    return len(case.rows) < 100


@pytest.mark.parametrize("jobs", [12, pytest.param(80, marks=pytest.mark.long)])
def test_random_jobs_are_as_the_oracle_says(jobs: int) -> None:
    """Jobs of one seed; the command draws new seeds, and makes smaller what fails."""
    told: list[str] = []
    campaign = falsify(4711, range(jobs), tell=told.append, shrinking=0, chosen=_is_short)
    assert not campaign.failures, "\n".join(told)
    assert campaign.outcomes["released"]


@pytest.mark.parametrize("jobs", [8, pytest.param(200, marks=pytest.mark.long)])
def test_no_random_job_has_a_false_certificate_or_a_traceback(jobs: int) -> None:
    """Jobs of a new seed every time: what an oracle may have wrong is told by others."""
    seed = secrets.randbelow(2**31)
    told = [f"python -m benchmarks falsify --seed {seed} --jobs {jobs}"]
    campaign = falsify(seed, range(jobs), tell=told.append, shrinking=0, chosen=_is_short)
    assert campaign.jobs
    kinds = {kind for failure in campaign.failures for kind in failure["kinds"]}
    assert not any(word in kind for word in GRAVE for kind in kinds), "\n".join(told)


def test_a_job_of_a_seed_is_the_same_for_ever() -> None:
    assert job(7, 12) == job(7, 12) != job(8, 12)
    assert job(7, 12).text() == job(7, 12).text()


def _weak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that ask for k - 1 rows, a verifier that says nothing, and no look at what was achieved."""
    weaker = property(lambda model: Statement("privacy/k_anonymity/model#violating", k=Number(max(model.k - 1, 1))))
    monkeypatch.setattr(KAnonymity, "violating", weaker)
    silent = tuple(Clause(clause.name, partial(_unsaid, clause)) for clause in invariants.CLAUSES)
    monkeypatch.setattr(invariants, "CLAUSES", silent)
    monkeypatch.setattr(publish, "refuse_short", lambda *_: None)


def _impersonal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that ask for the rows of one person, and the same verifier."""
    _weak(monkeypatch)
    found, asked = DistinctPersons.violates, vars(DistinctPersons)["violating"].fget
    monkeypatch.setattr(
        DistinctPersons, "violates", lambda model, groups: found(model.model_copy(update={"k": 1}), groups)
    )
    monkeypatch.setattr(DistinctPersons, "violating", property(lambda model: asked(model.model_copy(update={"k": 1}))))


def _unsaid(clause: Clause, reading: Reading) -> Iterator[str]:
    for _ in clause.problems(reading):
        pass
    yield from ()


def _wasteful(monkeypatch: pytest.MonkeyPatch) -> None:
    """The most general node in the place of the best one."""
    monkeypatch.setattr(objective, "choose", lambda star, found, *_, **__: found.lattice.node(found.lattice.size - 1))


def _mismeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure that is off by a little."""
    honest = Loss.of
    monkeypatch.setattr(Loss, "of", lambda self, counted: round(honest(self, counted) * 1.01, 10))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("plant", "kind", "algorithms", "seed"),  # one that has such a job soon
    [
        (_weak, "certificate", {"witness"}, 11),
        (_wasteful, "objective", {"witness", "bottom-up"}, 1),
        (_mismeasured, "loss", {"mondrian", "datafly", "kaca"}, 1),
    ],
)
def test_a_planted_fault_is_found(
    plant: Callable[[pytest.MonkeyPatch], None],
    kind: str,
    algorithms: set[str],
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(monkeypatch)

    def concerned(case: Case) -> bool:
        return case.algorithm["name"] in algorithms and not case.broken

    seen: set[str] = set()
    for start in range(0, 400, 20):
        campaign = falsify(seed, range(start, start + 20), chosen=concerned, shrinking=0)
        seen |= {name for failure in campaign.failures for name in failure["kinds"]}
        if kind in seen:
            return
    raise AssertionError(f"not found in 400 jobs, but {seen}")


def test_a_class_of_one_person_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("id", "text", "keep"))
    rows = (("11", "0", "p0"), ("11", "1", "p0"), ("22", "2", "p1"), ("22", "3", "p2"))
    case = Case((*columns, Column("whose", "text", "identifiers")), rows, person="whose")
    assert refute(case, tmp_path).differences == []
    _impersonal(monkeypatch)
    assert "certificate" in refute(case, tmp_path).kinds


def _unlearned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither searches nor the verifier look at what all persons of a class have."""
    monkeypatch.setattr(Diverse, "shared_is_only_value", False)
    monkeypatch.setattr(Diverse, "or_shared", lambda self, violating: violating)
    monkeypatch.setattr(Diverse, "is_shared", lambda self, groups: np.zeros(groups.sizes.shape, bool))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "asked",
    [
        {"l_diversity": (("ill", 2),)},
        {"models": (("l_diversity", {"kind": "entropy", "attribute": "ill", "l": "1.5"}),)},
        {"models": (("l_diversity", {"kind": "recursive", "attribute": "ill", "l": 2, "c": "3"}),)},
        {"models": (("p_sensitive", {"attribute": "ill", "p": 2}),)},
        {"models": (("p_sensitive", {"attribute": "ill", "p": 2, "missing": "value"}),)},
    ],
    ids=["distinct", "entropy", "recursive", "p-sensitive", "p-sensitive of all"],
)
def test_a_value_that_all_persons_of_a_class_have_is_found(
    asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Both persons of 11 have flu, whatever else one of them has."""
    columns = (
        Column("zip", "text", "quasi_identifiers", "suppress"),
        Column("ill", "text", "sensitive"),
        Column("id", "text", "keep"),
        Column("whose", "text", "identifiers"),
    )
    own = [("11", "flu", "p"), ("11", "cold", "p"), ("11", "flu", "q"), ("22", "flu", "r"), ("22", "cold", "s")]
    rows = tuple((code, ill, str(at), whose) for at, (code, ill, whose) in enumerate(own))
    case = Case(columns, rows, person="whose", **asked)
    assert refute(case, tmp_path).differences == []
    _unlearned(monkeypatch)
    assert "certificate" in refute(case, tmp_path).kinds


ZIPS = ("571", "572", "581", "582", "711", "712", "721", "721")


def _held(hierarchy: dict[str, Any], algorithm: str = "full-subtree", **more: Any) -> Case:
    """Codes of which four and two share their first two digits."""
    columns = (Column("zip", "text", "quasi_identifiers", hierarchy), Column("id", "text", "keep"))
    rows = tuple((code, str(at)) for at, code in enumerate(ZIPS))
    unrefined = {"class": "id", "max_refinements": 0} if algorithm == "tdr" else {}
    return Case(columns, rows, algorithm={"name": algorithm, **unrefined}, **more)


def _released_above(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels above the highest that a job allows, by searches and by the verifier."""
    honest = Builder.between
    monkeypatch.setattr(Builder, "between", lambda kind, height: (honest(kind, height)[0], height))
    monkeypatch.setattr(Job, "highest", {})


def _released_beneath(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels beneath the lowest."""
    honest = Builder.between
    monkeypatch.setattr(Builder, "between", lambda kind, height: (0, honest(kind, height)[1]))


def _never_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "refuse_suppressed", lambda *_: None)


def _always_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Reading, most: Any) -> None:
        if most:
            raise RequirementError("max_suppressed: more of 'zip'")

    monkeypatch.setattr(stage, "refuse_suppressed", refuse)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("case", "plant", "kind"),
    [
        (_held({"digits": 3, "to": 2}, "tdr", k=3), _released_above, "match"),
        (_held({"digits": 3, "to": 1}, "witness"), _released_above, "bounds"),
        (_held({"digits": 3, "from": 2}), _released_beneath, "bounds"),
        (_held({"digits": 3, "max_suppressed": "0.5"}, k=5), _never_refused, "certificate"),
        (_held({"digits": 3, "max_suppressed": "0.5"}, k=2), _always_refused, "suppressed"),
    ],
)
def test_a_cell_of_a_level_that_a_job_does_not_allow_is_found(
    case: Case, plant: Callable[[pytest.MonkeyPatch], None], kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert refute(case, tmp_path).differences == []
    plant(monkeypatch)
    assert kind in {each.partition(":")[0] for each in refute(case, tmp_path).differences}


def test_levels_that_cannot_be_are_refused_as_the_oracle_says(tmp_path: Path) -> None:
    for hierarchy, more in [
        ({"digits": 3, "from": 4}, {}),
        ({"digits": 3, "from": 2, "to": 1}, {}),
        ({"digits": 3, "to": 2, "max_suppressed": "1"}, {}),
        ({"digits": 3, "to": 0}, {}),
        ({"digits": 3, "from": 1}, {"algorithm": "cell-suppression"}),
    ]:
        found = refute(_held(hierarchy, **more), tmp_path)
        assert found.differences == [] and found.outcome.endswith("Error"), found


def test_json_lines_that_are_read_otherwise_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("weight", "float64", "keep"))
    case = Case(columns, (("11", 0.1), ("11", 2.0), ("22", None), ("22", None)), source="jsonl")
    assert refute(case, tmp_path).differences == []
    monkeypatch.setattr(json_lines, "_TYPES", {"VARCHAR": {"VARCHAR", "UBIGINT", "DOUBLE"}})
    assert refute(case, tmp_path).kinds == {"match"}


@pytest.mark.parametrize(("source", "suffix"), [("jsonl", "ndjson"), ("parquet", "pq")])
def test_a_file_that_is_taken_for_another_kind_is_found(
    source: str, suffix: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("weight", "float64", "keep"))
    case = Case(columns, (("11", 0.1), ("11", 2.0)), source=source, suffix=suffix)
    assert refute(case, tmp_path).differences == []
    monkeypatch.delitem(file_formats._KINDS, f".{suffix}")
    assert refute(case, tmp_path).differences


def test_columns_that_are_renamed_otherwise_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("ward", "text", "keep"))
    case = Case(columns, (("11", "a"), ("11", "b"), ("22", "a"), ("22", "c")), header=("", "zip"))
    assert refute(case, tmp_path).differences == []
    honest = file_formats.header_names
    monkeypatch.setattr(file_formats, "header_names", lambda header, rename, label: honest(header[::-1], rename, label))
    assert refute(case, tmp_path).differences


def test_values_without_a_leaf_that_go_elsewhere_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lenient = Column("zip", "text", "quasi_identifiers", {"digits": 2, "nonconforming": "missing"})
    case = Case((lenient,), (("11",), ("12",), ("odd",), ("strange",)), besides=("misfits",))
    assert refute(case, tmp_path).differences == []
    strict = replace(case, columns=(replace(lenient, hierarchy={"digits": 2}),))
    assert refute(strict, tmp_path).differences == []
    monkeypatch.setattr(members, "_add_nonconforming", partial(_to_the_top, members._add_nonconforming))
    monkeypatch.setattr(members.Misfits, "_write", lambda *_: None)
    assert refute(case, tmp_path).kinds & {"generalization", "match"}
    assert refute(strict, tmp_path).kinds == {"misfits"}


def test_levels_of_another_leaf_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    declared = {"levels": {11: "A", "12": ["A"], "21": "B", "22": "B", None: "B"}}
    column = Column("zip", "text", "quasi_identifiers", declared)
    case = Case((column,), (("11",), ("12",), ("21",), ("22",), (None,)), source="frame")
    assert refute(case, tmp_path).differences == []
    honest = levels.with_top
    monkeypatch.setattr(levels, "with_top", lambda lines: honest([*lines[:-1], [lines[-1][0], "A"]]))
    assert refute(case, tmp_path).kinds & {"generalization", "match"}


def test_functions_that_are_given_other_values_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    column = Column("age", "int64", "quasi_identifiers", {"functions": ["type"]})
    case = Case((column,), ((31,), (47,), (None,), (None,)), source="frame")
    assert refute(case, tmp_path).differences == []
    honest = Functions._levels
    monkeypatch.setattr(Functions, "_levels", lambda functions, place, value: honest(functions, place, str(value)))
    assert refute(case, tmp_path).kinds & {"generalization", "match"}


def _to_the_top(honest: Callable[..., None], place: BuildPlace, height: int, *, like_missing: bool) -> None:
    honest(place, height, like_missing=False)


def _distant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches to which no class is far from the table."""
    monkeypatch.setattr(TCloseness, "violates", lambda model, groups: np.zeros_like(groups.sizes, np.bool_))
    asked = TCloseness.violating.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(TCloseness, "violating", property(lambda model: asked(model.model_copy(update={"t": 1}))))


@pytest.mark.parametrize(
    ("distance", "given"),
    [("ordered", {"order": ["low", "mid", "high"]}), ("hierarchical", {"hierarchy": {"tree": {"x": ["low", "mid"]}}})],
)
def test_distances_that_are_too_short_are_found(
    distance: str, given: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("state", "text", "sensitive"))
    rows = (("11", "low"), ("11", "low"), ("22", "mid"), ("22", "mid"))
    model = {"attribute": "state", "t": "0.2", "distance": distance, **given}
    case = Case(columns, rows, models=(("t_closeness", model),))
    assert refute(case, tmp_path).differences == []
    _distant(monkeypatch)
    assert refute(case, tmp_path).kinds == {"error VerificationError"}


@pytest.mark.parametrize(
    ("key", "model"),
    [("t_closeness", {"t": "0.3"}), ("beta_likeness", {"beta": "0.7"}), ("delta_disclosure", {"delta": "1.2"})],
)
def test_classes_that_are_compared_with_the_release_alone_are_found(
    key: str, model: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("state", "text", "sensitive"))
    near = (("11", "low"), ("11", "low"), ("11", "low"), ("11", "mid"), *[("12", "low")] * 2, *[("12", "mid")] * 6)
    case = Case(columns, (*near, ("21", "low"), ("22", "low"), ("23", "low")), suppression="0.2", reference="source")
    case = replace(case, models=((key, {"attribute": "state", **model}),))
    assert refute(case, tmp_path).differences == []
    monkeypatch.setattr(ComparedHistogram, "beside_source", lambda model: model)
    assert "anonymous" in refute(case, tmp_path).kinds


def test_classes_that_are_near_the_release_alone_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("state", "text", "sensitive"))
    rows = (*[("11", "low"), ("11", "mid")] * 3, ("21", "high"), ("22", "high"), ("23", "high"))
    model = {"attribute": "state", "t": "0.3"}
    case = Case(columns, rows, models=(("t_closeness", model),), suppression="0.4", reference="source")
    assert refute(case, tmp_path).differences == []
    _distant(monkeypatch)
    assert refute(case, tmp_path).kinds == {"error VerificationError"}
    monkeypatch.setattr(ComparedHistogram, "beside_source", lambda model: model)
    assert "certificate" in refute(case, tmp_path).kinds


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["witness", "sweep"])
@pytest.mark.parametrize(("register", "counted"), [("csv", True), ("jsonl", False)])
def test_a_class_of_too_few_people_is_found(
    algorithm: str, register: str, counted: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("id", "text", "keep"))
    people = (("11",), ("11",), ("22",), ("22",), ("22",), ("33",))
    rows = (("11", "0"), ("22", "1"))
    case = Case(columns, rows, algorithm={"name": algorithm}, k=1, k_map=3, population=people)
    case = replace(case, register=register, counted=counted)
    assert refute(case, tmp_path).differences == []
    _weak(monkeypatch)
    monkeypatch.setattr(KMap, "violates", lambda model, groups: groups.sizes < 0)
    monkeypatch.setattr(KMap, "violating", Statement("privacy/shares#never"))
    assert "certificate" in refute(case, tmp_path).kinds


@pytest.mark.parametrize("presence", [("0", "0.9"), ("0.3", "1")])
def test_a_share_of_people_that_is_too_large_or_too_small_is_found(
    presence: tuple[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("id", "text", "keep"))
    people = (("11",), ("11",), ("22",), ("22",))
    case = Case(columns, (("11", "0"), ("11", "1")), presence=presence, population=people)
    assert refute(case, tmp_path).differences == []
    monkeypatch.setattr(DeltaPresence, "least_share", None)
    honest = refute(case, tmp_path).differences == []
    assert honest == (presence[0] == "0")
    _weak(monkeypatch)
    monkeypatch.setattr(DeltaPresence, "violates", lambda model, groups: groups.sizes < 0)
    monkeypatch.setattr(DeltaPresence, "violating", Statement("privacy/shares#never"))
    assert "certificate" in refute(case, tmp_path).kinds


def test_a_history_of_one_person_alone_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    columns = (Column("zip", "text", "quasi_identifiers", "suppress"), Column("id", "text", "keep"))
    rows = (("11", "0", "p0"), ("12", "1", "p0"), ("11", "2", "p1"), ("13", "3", "p1"))
    case = Case((*columns, Column("whose", "text", "identifiers")), rows, person="whose")
    case = replace(case, algorithm={"name": "sweep"}, as_set=True)
    assert refute(case, tmp_path).differences == []
    _weak(monkeypatch)
    monkeypatch.setattr(
        "starcloak.search.sweep.histories.models_of",
        lambda *given: tuple(each.model_copy(update={"k": 1}) for each in models_of(*given)),
    )
    assert "certificate" in refute(case, tmp_path).kinds


def test_values_that_from_makes_one_go_up_together(tmp_path: Path) -> None:
    """3 and 4 are C at the lowest level: that 3 alone could be C, and 4 be *, is no recoding of these levels."""
    tree = {"tree": {"2001": [{"20010": ["6", "36"]}, "-3"], "C": ["4", "3"]}, "from": 2}
    values = [(4, ""), (-3, " a"), (-3, ""), (3, " a"), (-3, " a"), (3, " a"), (3, " a"), (-3, " a"), (-3, "")]
    case = Case(
        columns=(
            Column(name="a", kind="int64", role="quasi_identifiers", hierarchy=tree, importance="1"),
            Column(name="id", kind="int64", role="keep", hierarchy=None, importance="1"),
            Column(name="b", kind="text", role="quasi_identifiers", hierarchy="suppress", importance="1"),
        ),
        rows=tuple((a, at, b) for at, (a, b) in enumerate(values)),
        source="sqlite",
        target="csv",
        algorithm={"name": "unrestricted"},
        k=3,
    )
    assert refute(case, tmp_path).differences == []


def test_joint_classes_are_those_of_all_releases_together() -> None:
    """Three releases halve eight rows, each in another way: any two leave pairs, all three tell every row."""
    halves = [{row: (str(row >> bit & 1),) for row in range(8)} for bit in range(3)]
    assert sorted(histories.joint(halves[:2], [0])) == [2, 2, 2, 2]
    assert histories.joint(halves, [0]) == [1] * 8
    assert sorted(histories.joint([halves[0], {}], [0], {row: row // 4 for row in range(8)})) == [2, 2]
    absent = {row: cells for row, cells in halves[0].items() if row}
    assert sorted(histories.joint([halves[0], absent], [0])) == [1, 3, 4]


@pytest.mark.long
def test_a_campaign_that_is_ended_by_ctrl_c_writes_what_it_ran(tmp_path: Path) -> None:
    for path in PLACE.glob("91126-*.jsonl"):
        path.unlink()
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "falsify",
        "--seed",
        "91126",
        "--minutes",
        "5",
        "--out",
        str(tmp_path),
    ]
    running = subprocess.Popen(
        [*command, "--processes", "2"], cwd=Path(__file__).parents[2], start_new_session=True, stdout=subprocess.PIPE
    )
    ends = time.monotonic() + 120
    while time.monotonic() < ends and not any(path.stat().st_size for path in PLACE.glob("91126-*.jsonl")):
        time.sleep(0.5)
    os.killpg(running.pid, signal.SIGINT)
    told, _ = running.communicate(timeout=60)
    (written,) = tmp_path.glob("*.json")
    result = json.loads(written.read_text())
    lines = [json.loads(line) for path in PLACE.glob("91126-*.jsonl") for line in path.read_text().splitlines()]
    assert running.returncode == 130 and result["interrupted"]
    assert result["jobs"] == sum(result["outcomes"].values()) == sum(len(line["numbers"]) for line in lines) > 0
    assert f"seed 91126: {result['jobs']} jobs" in told.decode()


def test_the_pairs_find_a_class_that_is_too_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _weak(monkeypatch)
    found = [
        text
        for seed in range(4)
        for text in steps.run(frozenset({"csv", "witness", "suppression"}), f"weak {seed}", tmp_path, {}).findings
    ]
    assert any(text.startswith("certificate: a class of") for text in found), found
