"""Privacy models as requirements: distinct l-diversity in every search, against brute force in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import JobError, RequirementError
from starcloak.commands import pipeline
from starcloak.job import load
from starcloak.job.algorithms import algorithms
from starcloak.privacy.model import models
from starcloak.search.single_dimension import greedy
from starcloak.star import tuples
from tests.daily import SERVERS, some_daily
from tests.oracle import HIERARCHIES, TREES, Oracle
from tests.people import TYPES, Server, client, released, run, scripted
from tests.people import job as people_job
from tests.people import people as everybody

Row = tuple[Any, ...]

VALUES = ["flu", "cough", "ache", None]
ROWS = st.lists(st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES), st.sampled_from(VALUES)), max_size=40)
COMPLETE: list[dict[str, Any]] = [
    {"name": "witness"},
    {"name": "bottom-up", "rollup": True},
    {"name": "bottom-up", "rollup": False},
    {"name": "incognito", "variant": "basic"},
    {"name": "incognito", "variant": "super-roots"},
    {"name": "incognito", "variant": "cube"},
]
EVERY = [name for name in algorithms() if name not in ("witness", "bottom-up", "incognito")]


def frame(rows: list[Row]) -> pandas.DataFrame:
    return pandas.DataFrame(rows, columns=["one", "two", "three", "disease"], dtype=object)


def job(k: int, least: int, algorithm: dict[str, Any], **more: Any) -> dict[str, Any]:
    requirement = {"k": k, "l_diversity": [{"attribute": "disease", "l": least}], **more}
    described = {"quasi_identifiers": HIERARCHIES, "sensitive": ["disease"], "requirement": requirement}
    return {**described, "algorithm": algorithm, "objective": {"minimize": "loss"}}


def groups(rows: list[Row], node: tuple[int, ...]) -> dict[Row, list[Any]]:
    found: dict[Row, list[Any]] = defaultdict(list)
    for *leaves, value in rows:
        found[tuple(tree[leaf][level] for tree, leaf, level in zip(TREES, leaves, node, strict=True))].append(value)
    return found


def violating(values: list[Any], k: int, least: int) -> bool:
    return len(values) < k or len({value for value in values if value is not None}) < least


def satisfying(rows: list[Row], k: int, least: int, allowed: int) -> set[tuple[int, ...]]:
    heights = [len(next(iter(tree.values()))) - 1 for tree in TREES]
    return {
        node
        for node in product(*(range(height + 1) for height in heights))
        if sum(len(each) for each in groups(rows, node).values() if violating(each, k, least)) <= allowed
    }


@given(ROWS, st.integers(1, 4), st.integers(2, 3), st.sampled_from(["0", "0.1", "0.3"]))
@settings(max_examples=3)
def test_complete_searches_find_all_that_satisfy_both(rows: list[Row], k: int, least: int, share: str) -> None:
    """With the largest keys, and the parts of rollups, that a large table would have."""
    allowed = int(pandas.Series([float(share)])[0] * len(rows) + 1e-9)
    expected = satisfying(rows, k, least, allowed) if rows else set()
    hopeless = not rows or violating([value for *_, value in rows], k, least)
    for number, algorithm in enumerate(COMPLETE):
        asked = job(k, least, algorithm, suppression=share)
        with pytest.MonkeyPatch.context() as patched:
            if number % 2:
                patched.setattr(tuples, "_FEW_TUPLES", 2)
                patched.setattr(tuples, "_FEW_NODES", 2)
            if hopeless or not expected:
                with pytest.raises((RequirementError, sc.InputError)):
                    pipeline.run(asked, frame=frame(rows))
                continue
            release = pipeline.run(asked, frame=frame(rows))
        found = release.result.search
        assert found.anonymous_nodes == len(expected), algorithm
        assert {tuple(node) for node in found.minimal} == Oracle.minimal(expected), algorithm
        node = tuple(release.result.recoding.levels.values())
        assert node in expected
        kept = Counter()  # type: ignore[var-annotated]
        for group, values in groups(rows, node).items():
            if not violating(values, k, least):
                kept.update((*group, value) for value in values)
        told = [tuple(None if pandas.isna(cell) else cell for cell in row) for row in release.to_pandas().values]
        assert Counter(told) == kept


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", EVERY)
@given(rows=ROWS, k=st.integers(1, 4), least=st.integers(2, 3))
@settings(max_examples=3)
def test_every_search_satisfies_both(name: str, rows: list[Row], k: int, least: int) -> None:
    algorithm = {"name": name, **({"class": "disease"} if name == "tdr" else {})}
    if not rows or violating([value for *_, value in rows], k, least):
        with pytest.raises((RequirementError, sc.InputError)):
            pipeline.run(job(k, least, algorithm), frame=frame(rows))
        return
    release = pipeline.run(job(k, least, algorithm), frame=frame(rows))
    classes: dict[Row, list[Any]] = defaultdict(list)
    for *cells, value in release.to_pandas().values:
        classes[tuple(map(str, cells))].append(None if pandas.isna(value) else value)
    assert sum(map(len, classes.values())) == len(rows)
    assert not any(violating(values, k, least) for values in classes.values())
    (qid,) = release.result.requirement.qids
    (told,) = qid.models
    fewest = min(len({value for value in values if value is not None}) for values in classes.values())
    assert (told.model, told.required, told.achieved) == ("l_diversity", {"attribute": "disease", "l": least}, fewest)


@given(rows=ROWS, k=st.integers(1, 3), least=st.integers(2, 3), name=st.sampled_from(["full-subtree", "ordered-set"]))
@settings(max_examples=5)
def test_single_dimension_refinements_are_refused_for_either_model_only(
    rows: list[Row], k: int, least: int, name: str
) -> None:
    """What is refused would violate: with l of 2 values in every row the answer is that of k alone."""
    doubled = [(*leaves, value) for *leaves, _ in rows for value in ("flu", "cough", "ache")[:least]]
    if len(doubled) < k * least:
        return
    asked = job(k * least, least, {"name": name})
    alone = {**asked, "requirement": {"k": k * least}}
    both, one = (pipeline.run(each, frame=frame(doubled)) for each in (asked, alone))
    assert both.result.recoding == one.result.recoding
    assert both.result.search.told == one.result.search.told


@given(st.data())
@settings(max_examples=40)
def test_prefixes_and_suffixes_of_an_interval_hold_what_is_counted(data: st.DataObject) -> None:
    import numpy as np

    from starcloak.privacy.groups import Pairs, ValueRecords
    from starcloak.search.single_dimension.cuts import Leaves

    size = data.draw(st.integers(1, 12))
    group = np.sort(np.array(data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))))
    held = [data.draw(st.sets(st.integers(0, 3))) for _ in range(size)]
    of = np.array([record for record, values in enumerate(held) for _ in values], np.int64)
    value = np.array([each for values in held for each in sorted(values)], np.int64)
    leaves = Leaves({1: np.arange(size)}, np.ones(size), {"a": ValueRecords.of(Pairs(of, value, 4), size)})
    held_by = greedy._Groups(leaves, None).held  # type: ignore[arg-type]
    prefixes = greedy._Prefixes(group, np.arange(size), held_by)
    before, after = prefixes.up_to("a"), prefixes.from_on("a")
    for record in range(size):
        same = [other for other in range(size) if group[other] == group[record]]
        assert before[record] == len(set().union(*(held[other] for other in same if other <= record)))
        assert after[record] == len(set().union(*(held[other] for other in same if other >= record)))


@pytest.mark.parametrize(
    ("requirement", "more", "problem"),
    [
        ({"l_diversity": [{"attribute": "disease", "l": 1}]}, {}, "requirement.l_diversity.0.l: must be greater"),
        ({"l_diversity": []}, {}, "requirement.l_diversity: name at least one"),
        ({"l_diversty": []}, {}, "unknown key 'l_diversty'.*Did you mean 'l_diversity'"),
        (
            {"l_diversity": [{"attribute": "diseas", "l": 2}]},
            {},
            "uses column 'diseas', which is not under sensitive.*'disease'",
        ),
        (
            {"l_diversity": [{"attribute": "disease", "l": 2}]},
            {"algorithm": {"name": "mondrian", "relaxed": True}},
            "algorithm.relaxed may put equal rows into two classes",
        ),
        (
            {"l_diversity": [{"attribute": "disease", "l": 2}]},
            {"algorithm": {"name": "kaca", "distance_threshold": 1}},
            "algorithm.distance_threshold suppresses classes",
        ),
    ],
)
def test_what_a_model_cannot_be_asked(requirement: dict[str, Any], more: dict[str, Any], problem: str) -> None:
    described = {"quasi_identifiers": HIERARCHIES, "sensitive": ["disease"]}
    with pytest.raises(JobError, match=problem):
        load({**described, "requirement": {"k": 2, **requirement}, **more})


def test_what_no_generalization_satisfies_is_said_before_the_search() -> None:
    rows = [("m", "a", "000", "flu"), ("m", "b", "000", "flu"), ("f", "a", "001", None)]
    with pytest.raises(RequirementError, match="the data frame as a whole must have 2 values of disease"):
        pipeline.run(job(1, 2, {"name": "witness"}), frame=frame(rows))


def test_a_release_with_too_few_values_is_refused_by_the_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is made to look at k alone: the verifier counts the values by itself."""
    from starcloak.privacy.l_diversity.model import LDiversity
    from starcloak.statements.statement import Statement

    rows = [("m", "a", "000", "flu"), ("m", "a", "000", "flu"), ("f", "b", "111", "ache"), ("f", "b", "111", "cough")]
    monkeypatch.setattr(
        LDiversity, "violating", property(lambda self: Statement("star/recoding/full_domain#none_rare"))
    )
    monkeypatch.setattr(LDiversity, "violates", lambda self, groups: groups.sizes < 0)

    with pytest.raises(sc.VerificationError, match="a class over one, two, three does not have 2 values of disease"):
        pipeline.run(job(2, 2, {"name": "witness"}), frame=frame(rows))


def test_every_model_says_what_its_room_asks() -> None:
    for key, kinds in models().items():
        for model in kinds.values():
            assert model.key == key and model.source and model.superset_closed in (True, False)


# ------------------------------------------------------------------------------------------------------------ databases


# Each database once, and each recoding: every model is on every database in tests/privacy/test_privacy_models.py.
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "server"), some_daily(["witness", "mondrian", "kaca"], SERVERS, each=3), indirect=["server"]
)
def test_every_database_releases_what_satisfies_both(server: Server, name: str, tmp_path: Path) -> None:
    """In the database, into a file, and by the script in the database's own client."""
    frame = everybody(120)
    server.fill("people", frame, TYPES)
    requirement = {"k": 4, "l_diversity": [{"attribute": "illness", "l": 3}]}
    described = people_job(server, algorithm={"name": name}, requirement=requirement)
    script = sc.compile(described)
    inside = run(described)
    outside = run({**described, "output": {"path": str(tmp_path / "release.csv")}})
    alone = sc.run({**described, "source": None, "output": None}, frame=frame)
    assert inside.result.requirement == outside.result.requirement == alone.result.requirement
    found = released(server)
    assert found is not None and found == Counter(
        tuple(map(str, row)) for row in alone.to_pandas().astype(object).where(lambda cell: cell.notna(), None).values
    )
    classes: dict[Row, Counter[str]] = defaultdict(Counter)
    for (*cells, illness), rows in found.items():
        classes[tuple(cells)][illness] += rows
    assert min(each.total() for each in classes.values()) >= 4 and min(map(len, classes.values())) >= 3
    (qid,) = inside.result.requirement.qids
    assert qid.models[0].achieved == min(map(len, classes.values()))
    server.execute("drop table cohort", "drop table starcloak_releases")
    assert scripted(client(server), script).returncode == 0
    assert released(server) == found
    server.execute("drop table cohort", "update people set illness = 'flu'")
    done = scripted(client(server), script)
    assert done.returncode != 0 and "not the source that this script was made for" in done.stderr
    assert "cohort" not in server.tables()


ALIKE = {"postgresql": ("numeric", ["1", "1.00"]), "mariadb": ("time", ["1:00", "01:00"]), "sqlite": ("", [1, 1.0])}


def test_one_value_of_several_texts_is_never_counted_as_two(server: Server) -> None:
    """1 and 1.00 are equal in the database, whose GROUP BY yields one for one class and the other for the next."""
    kind, (one, other) = ALIKE[server.name]
    rows = [("a", "x", one), ("a", "y", other), ("b", "x", other), ("b", "y", one)]
    types = {"one": "varchar(9)", "two": "varchar(9)", "dose": kind}
    server.fill("people", pandas.DataFrame(rows, columns=list(types), dtype=object), types)
    qids = [{"attributes": ["one"], "k": 1}, {"attributes": ["two"], "k": 1}]
    place = {"url": server.url, "table": "people"}
    described = {
        "source": place,
        "quasi_identifiers": {"one": "suppress", "two": "suppress"},
        "sensitive": ["dose"],
        "requirement": {"qids": qids, "l_diversity": [{"attribute": "dose", "l": 2}]},
        "output": {"table": "cohort"},
    }
    with pytest.raises(sc.InputError, match="whose values cannot be counted for the requirement"):
        run(described)
    assert server.tables() == {"people"}
    with pytest.raises(sc.InputError, match="whose values cannot be counted for the requirement"):
        sc.check(place, qids=qids, l_diversity=[{"attribute": "dose", "l": 2}])
