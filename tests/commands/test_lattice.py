"""lattice: what is counted once answers every k and suppression as a run does."""

from __future__ import annotations

import random
import re
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.commands import counted_lattice
from starcloak.commands import lattice as counting
from starcloak.commands.counted_lattice import CountedLattice
from starcloak.job.result import Result
from starcloak.store.resources import Resources
from tests import weighed

OBJECTIVES = ["loss", "height", "precision", "discernibility", "average_class_size"]


def people(seed: int) -> pandas.DataFrame:
    chance = random.Random(seed)
    rows = range(chance.randint(40, 400))
    return pandas.DataFrame(
        {
            "age": [chance.randint(20, 59) for _ in rows],
            "zip": [f"{chance.choice([537, 541])}{chance.randint(10, 15)}" for _ in rows],
            "sex": [chance.choice(["f", "m", None]) for _ in rows],
            "disease": [chance.choice(["flu", "cold", "ulcer", "asthma"]) for _ in rows],
            "who": [chance.randint(1, 60) for _ in rows],
        }
    )


def job_on(objective: str, **more: Any) -> dict[str, Any]:
    hierarchies = {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 5}, "sex": "suppress"}
    return {
        "identifiers": ["who"],
        "quasi_identifiers": hierarchies,
        "sensitive": ["disease"],
        "requirement": {"k": 2},
        "objective": {"minimize": objective},
        **more,
    }


def same_as_run(lattice: Any, job: dict[str, Any], k: int, share: str, frame: Any = None) -> Result | None:
    """What the run comes to; None where nothing satisfies."""
    answer = lattice.at(k, share)
    asked = {**job, "requirement": {**job["requirement"], "k": k, "suppression": share}, "insight": "off"}
    try:
        result = sc.run(asked, frame=frame).result
    except sc.RequirementError:
        assert answer.chosen is None and not answer.satisfying.any()
        return None
    assert answer.chosen is not None
    levels = dict(zip(lattice.attributes, lattice.nodes[answer.chosen].tolist(), strict=True))
    assert levels == result.recoding.levels
    assert int(answer.left_out[answer.chosen]) == result.suppressed_rows
    assert int(answer.satisfying.sum()) == result.search.anonymous_nodes
    assert sorted(lattice.nodes[answer.minimal].tolist()) == sorted(result.search.minimal)
    assert answer.loss[answer.chosen] == pytest.approx(result.measures.loss, abs=1e-9)
    assert int(answer.classes[answer.chosen]) == result.measures.classes
    return result


@pytest.mark.sampled(4)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_answers_are_those_of_runs(objective: str) -> None:
    chance, frame, job = random.Random(objective), people(len(objective)), job_on(objective)
    lattice = sc.lattice(job, frame=frame)
    for _ in range(4):
        same_as_run(lattice, job, chance.randint(1, 60), f"{chance.choice([0, 0.01, 0.1, 0.4, 1])}", frame)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("objective", ["loss", "height"])
def test_answers_go_by_importance_as_runs_do_and_tell_the_loss_without(objective: str) -> None:
    frame, job = people(9), job_on(objective)
    important = {**job, "quasi_identifiers": weighed.beside(job["quasi_identifiers"], {"age": 7, "zip": "0.1"})}
    lattice, plain = sc.lattice(important, frame=frame), sc.lattice(job, frame=frame)
    for k, share in ((2, "0"), (9, "0.1"), (20, "0.4")):
        same_as_run(lattice, important, k, share, frame)
        assert lattice.at(k, share).loss == pytest.approx(plain.at(k, share).loss)
    assert any(lattice.at(k, "0.2").chosen != plain.at(k, "0.2").chosen for k in range(2, 30))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "more",
    [{"l_diversity": [{"attribute": "disease", "l": 3}]}, {"alpha": [{"attribute": "disease", "alpha": 0.6}]}],
    ids=["l", "alpha"],
)
def test_answers_with_further_models_are_those_of_runs(more: dict[str, Any]) -> None:
    chance, frame = random.Random(1), people(3)
    job = job_on("loss", requirement={"k": 2, **more})
    lattice = sc.lattice(job, frame=frame)
    for k in (2, 5, 11, 30):
        same_as_run(lattice, job, k, chance.choice(["0", "0.02", "0.2"]), frame)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rows_of_one", [1, 4])
def test_answers_of_persons_are_those_of_runs(rows_of_one: int) -> None:
    frame = people(5)
    frame["who"] = [row // rows_of_one for row in range(len(frame))]
    job = job_on("loss", identifiers=[], person="who", requirement={"k": 30})
    lattice = sc.lattice(job, frame=frame)
    for k, share in ((2, "0.1"), (7, "0"), (30, "0.05")):
        same_as_run(lattice, job, k, share, frame)


def test_k_goes_up_with_persons() -> None:
    frame = people(5)
    frame["who"] = [row // 4 for row in range(len(frame))]
    job = job_on("loss", identifiers=[], person="who", requirement={"k": 3})
    lattice = sc.lattice(job, frame=frame)
    for k, share in ((4, "0.1"), (11, "0"), (30, "0.05")):
        same_as_run(lattice, job, k, share, frame)


def test_the_frontier_of_the_own_k_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the answer for the job's own k; and the progress says about how long the others take."""
    monkeypatch.setattr(counted_lattice, "_AT_ONCE", 1)
    monkeypatch.setattr(counted_lattice, "_TOGETHER", 4)
    reported: list[CountedLattice] = []
    said: list[str] = []
    job = job_on("loss", requirement={"k": 5, "suppression": 0.01})
    lattice = counting.lattice(job, frame=people(5), resources=Resources(progress=said.append), report=reported.append)
    (first,) = reported
    assert not first.complete and len(first) < len(lattice) == first.size and lattice.complete
    one, other = first.at(5, "0.01"), lattice.at(5, "0.01")
    assert one.chosen is not None and other.chosen is not None
    assert first.nodes[one.chosen].tolist() == lattice.nodes[other.chosen].tolist()
    assert one.loss[one.chosen] == other.loss[other.chosen]
    assert any(re.fullmatch(r"\d+ of \d+ generalizations counted, about \d+ s left", line) for line in said)


def test_what_moves_with_the_rows_left_out_is_not_answered() -> None:
    frame, model = people(6), {"t_closeness": [{"attribute": "disease", "t": 0.3, "distance": "equal"}]}
    job = job_on("loss", requirement={"k": 2, **model})
    lattice = sc.lattice(job, frame=frame)
    same_as_run(lattice, job, 4, "0", frame)
    with pytest.raises(sc.JobError, match="run the job"):
        lattice.at(4, 0.1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("k, share", [(0, 0), (2, -0.1), (2, 1.5), (2, "x"), (2, "nan")])
def test_what_is_no_requirement_is_refused(k: int, share: Any) -> None:
    lattice = sc.lattice(job_on("loss"), frame=people(1))
    with pytest.raises(sc.JobError, match="suppression a share from 0 to 1"):
        lattice.at(k, share)


def test_several_qids_are_refused() -> None:
    qids = [{"attributes": ["age", "sex"], "k": 4}, {"attributes": ["sex", "zip"], "k": 5}]
    with pytest.raises(sc.JobError, match="cannot be counted for several QIDs"):
        sc.lattice(job_on("loss", requirement={"qids": qids}), frame=people(1))


@pytest.mark.parametrize("key", ["requirement.joined_rows", "max_suppressed"])
def test_conditions_that_only_the_verifier_counts_are_refused(key: str) -> None:
    job = job_on("loss")
    if key == "max_suppressed":
        job["quasi_identifiers"] = {**job["quasi_identifiers"], "sex": {"suppress": True, "max_suppressed": "0.5"}}
    else:
        job |= {"identifiers": [], "person": "who", "requirement": {"k": 2, "joined_rows": 5}}
    with pytest.raises(sc.JobError, match=rf"lattice: {key}: only the verifier .*or run the job"):
        sc.lattice(job, frame=people(1))


def test_a_histogram_has_every_row_of_its_node() -> None:
    lattice = sc.lattice(job_on("loss"), frame=people(2))
    for place in range(len(lattice)):
        counted = lattice.histogram(place)
        assert sum(entry.rows for entry in counted) == lattice.rows
        assert all(entry.rows == entry.size * entry.classes > 0 for entry in counted)
    assert [(entry.size, entry.classes) for entry in lattice.histogram(len(lattice) - 1)] == [(lattice.rows, 1)]


def test_of_a_lattice_that_is_too_large_the_frontier_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, job = people(4), job_on("loss")
    whole = sc.lattice(job, frame=frame)
    monkeypatch.setattr(counted_lattice, "MOST_NODES", 10)
    frontier = sc.lattice(job, frame=frame)
    assert whole.complete and not frontier.complete and len(frontier) < len(whole)
    for k in (2, 5, 10):
        one, other = whole.at(k), frontier.at(k)
        assert one.chosen is not None and other.chosen is not None
        assert whole.nodes[one.chosen].tolist() == frontier.nodes[other.chosen].tolist()
        minimal = {tuple(node) for node in whole.nodes[one.minimal].tolist()}
        assert minimal == {tuple(node) for node in frontier.nodes[other.minimal].tolist()}
