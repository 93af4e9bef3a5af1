"""Tables whose base frequency set stays where it is: nodes are counted there, and few of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from operator import ge
from typing import Any

import numpy as np
import pandas
import pytest

from starcloak.search.lattice import starting_node
from starcloak.search.witness import samples, search
from starcloak.star import remote_star, star
from starcloak.star.open_nodes import Levels
from tests.people import TYPES, Server, client, job, people, run, scripted
from tests.store.test_databases import RANDOM, random_job


@pytest.fixture
def nothing_comes_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if some rows were many."""
    monkeypatch.setattr(remote_star, "AT_HOME", 0)
    monkeypatch.setattr(search, "_LARGEST", 60)
    monkeypatch.setattr(samples, "_SAMPLED", 800)


def told(result: Any) -> dict[str, Any]:
    """What both ways must tell alike."""
    return {
        "levels": result.recoding.levels, "suppressed": result.suppressed_rows, "measures": result.measures,
        "k": result.k, "sizes": result.class_sizes,
    }  # fmt: skip


def agree(apart: Any, home: Any) -> None:
    """The nodes of a search that ended once the best was found satisfy the requirement, those of another are all."""
    if apart.complete:
        assert (apart.minimal, apart.anonymous_nodes) == (home.minimal, home.anonymous_nodes)
    else:
        assert 0 < apart.anonymous_nodes <= home.anonymous_nodes
        lowest = home.minimal
        assert all(any(all(map(ge, node, low)) for low in lowest) for node in apart.minimal)


def as_if_at_home(
    server: Server, described: dict[str, Any], monkeypatch: pytest.MonkeyPatch, then: Callable[[], None] = lambda: None
) -> list[str]:
    """The statements of a run whose base frequency set stays; it ends as one that has that at home.

    ``then`` something is done, before that one.
    """
    traced: list[str] = []
    first = run(described, traced.append)
    then()
    apart, script, rows = first.result, first.sql(), Counter(server.rows("select * from cohort"))
    assert sum("grouping sets" in each and "apart_1" in each for each in traced) == 1
    with monkeypatch.context() as patched:
        patched.setattr(remote_star, "AT_HOME", 10_000)
        home = run(described)
    agree(apart.search, home.result.search)
    assert (
        told(apart) == told(home.result)
        and script == home.sql()
        and rows == Counter(server.rows("select * from cohort"))
    )
    return traced


@pytest.mark.sampled(4)
@pytest.mark.parametrize("suppression", ["0", "0.05"])
@pytest.mark.parametrize("k", [2, 5, 40])
def test_a_run_ends_as_if_all_were_at_home(
    postgresql: Server, nothing_comes_home: None, k: int, suppression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgresql.fill("people", people(400), TYPES)
    described = job(postgresql, requirement={"k": k, "suppression": suppression})
    as_if_at_home(postgresql, described, monkeypatch)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("suppression", ["0", "0.02"])
@pytest.mark.parametrize("minimize", ["loss", "height", "precision", "discernibility"])
def test_the_best_of_many_nodes_is_found_without_the_others(
    postgresql: Server, nothing_comes_home: None, minimize: str, suppression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_LARGEST", 1)
    monkeypatch.setattr(search, "_TOGETHER", 2)
    monkeypatch.setattr(samples, "_SAMPLED", 1)
    frame = people(2_000)
    frame["zip"] = [f"{number * 7919 % 100_000:05}" for number in range(2_000)]
    postgresql.fill("people", frame, TYPES)
    described = job(postgresql, requirement={"k": 4, "suppression": suppression}, objective={"minimize": minimize})
    every = run(described).result
    monkeypatch.setattr(search, "_EVERY", 8)
    best = run(described).result
    assert every.search.complete and told(best) == told(every)
    agree(best.search, every.search)
    assert best.search.complete == (minimize == "discernibility")
    assert best.search.complete or best.search.scans < every.search.scans


def test_a_sample_without_rows_tells_nothing(
    postgresql: Server, nothing_comes_home: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = star.RemoteCounts.sample
    monkeypatch.setattr(
        star.RemoteCounts, "sample", lambda *told: {name: each[:0] for name, each in sample(*told).items()}
    )
    for name, number in {"_SAMPLED": 200, "_LARGEST": 1, "_OPEN": 0, "_GROUPS": 2, "_GAIN": 2}.items():
        monkeypatch.setattr(samples, name, number)
    postgresql.fill("people", people(400), TYPES)
    as_if_at_home(postgresql, job(postgresql, 5), monkeypatch)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("few", "further"), [(1, ["rare", "outliers"]), (400, [])], ids=["two", "one"])
def test_a_sample_comes_between_two_counts_and_none_after_the_last(
    postgresql: Server, nothing_comes_home: None, few: int, further: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three samples come before the first count."""
    for name, value in {"_LARGEST": few, "_TOGETHER": 1, "_EVERY": 0}.items():
        monkeypatch.setattr(search, name, value)
    for name, number in {"_SAMPLED": 40, "_LARGEST": 1, "_OPEN": 0, "_GROUPS": 2, "_GAIN": 2, "_RARE": 9}.items():
        monkeypatch.setattr(samples, name, number)
    asked: list[str] = []
    for name in ("sample", "rare", "outliers"):
        own = getattr(star.RemoteCounts, name)
        monkeypatch.setattr(
            star.RemoteCounts, name, lambda *told, own=own, name=name: (asked.append(name), own(*told))[1]
        )
    frame = people(2_000)
    frame["zip"] = [f"{number * 7919 % 100_000:05}" for number in range(2_000)]
    postgresql.fill("people", frame, TYPES)
    run(job(postgresql, 4, objective={"minimize": "loss"}))
    assert asked == ["sample", "rare", "rare", "outliers", *further]


def test_what_is_left_open_comes_home_at_once(
    postgresql: Server, nothing_comes_home: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is settled there, though it is more than a search at home takes."""
    monkeypatch.setattr(search, "_EVERY", 0)
    monkeypatch.setattr(search, "_LARGEST", 10_000)
    monkeypatch.setattr(search, "_AT_HAND", 10)
    monkeypatch.setattr(samples, "_SAMPLED", 1)
    postgresql.fill("people", people(400), TYPES)
    as_if_at_home(postgresql, job(postgresql, 5, objective={"minimize": "loss"}), monkeypatch)


def test_a_star_that_came_home_serves_what_it_has_and_nothing_else(
    postgresql: Server, nothing_comes_home: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a cell's recoding changes depends on its leaf at a level that reads like one of them."""
    home, asked = star.RemoteCounts.home, list[Levels]()

    def checked(self: star.RemoteCounts, star: Any, levels: Levels) -> Any:
        came = home(self, star, (1, 1, 0))
        assert home(self, star, (1, 1, 0)) is came and home(self, star, (2, 2, 1)) is came
        assert [each.lowest for each in came.dimensions] == [1, 1, 0]
        leaves = home(self, star, (1, 3, 0))
        assert [each.lowest for each in leaves.dimensions] == [1, 0, 0] and home(self, star, (1, 1, 0)) is leaves
        asked.append(levels)
        return home(self, star, levels)

    monkeypatch.setattr(star.RemoteCounts, "home", checked)
    frame = people(400)
    frame.loc[:20, "zip"] = "53***"
    postgresql.fill("people", frame, TYPES)
    as_if_at_home(postgresql, job(postgresql, 5), monkeypatch)
    assert asked


def test_a_sample_of_rare_groups_has_those_that_their_weights_tell(
    postgresql: Server, nothing_comes_home: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And each as a whole: what has all weights has every row."""
    rare, shares = star.RemoteCounts.rare, list[float]()

    def checked(self: star.RemoteCounts, drawn: Mapping[Levels, int]) -> Any:
        every = rare(self, dict.fromkeys(drawn, 0))
        codes = [every[f"value_{place}"] for place in range(1, len(self.dimensions) + 1)]
        (levels, *_) = drawn
        weights = self.weight(levels, codes)
        middle = int(weights.max() + weights.min()) // 2 + 1
        found, own = rare(self, {levels: middle}), weights >= middle
        before, after = (
            Counter(zip(*(columns[name][rows].tolist() for name in columns), strict=True))
            for columns, rows in ((every, own), (found, slice(None)))
        )
        assert before == after and every["frequency"].sum() == self.rows
        shares.append(found["frequency"].sum() / self.rows)
        return rare(self, drawn)

    monkeypatch.setattr(star.RemoteCounts, "rare", checked)
    monkeypatch.setattr(samples, "_SAMPLED", 2_000)
    monkeypatch.setattr(samples, "_GROUPS", 2)
    monkeypatch.setattr(samples, "_OPEN", 0)
    frame = people(4_000)
    for name, rows in {"age": 500, "zip": 600}.items():
        frame.loc[:rows, name] = frame[name][0]
    postgresql.fill("people", frame, TYPES)
    run(job(postgresql, 5))
    assert shares and all(0 < share < 1 for share in shares)


@pytest.mark.parametrize("rows", [10, 1000])
def test_rare_is_what_few_rows_are(rows: int) -> None:
    """Where all are alike none are, however many may come home."""
    weight, frequency = np.array([3, 9, 3, 40, 9]), np.array([rows, 1, 100 * rows, 1, 2])
    assert samples._least(weight, frequency, 1.0) == 3
    assert samples._least(weight, frequency, 3.9 / frequency.sum()) == 40
    assert samples._least(weight, frequency, 4 / frequency.sum()) == 9
    assert samples._least(weight, frequency, 0.5 / frequency.sum()) == 41


OBJECTIVES = ["height", "loss", "precision", "discernibility", "average_class_size"]


def compare(server: Server, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job on odd values, of which some read like their own generalization."""
    described, frame = random_job(server, seed)
    chance = random.Random(seed)
    frame = pandas.concat(
        [frame.sample(frac=1, replace=True, random_state=turn) for turn in range(chance.randrange(1, 9))]
    )
    monkeypatch.setattr(search, "_LARGEST", chance.choice([3, 10, 1000]))
    monkeypatch.setattr(samples, "_SAMPLED", chance.choice([1, 8, len(frame), 2 * len(frame), 10 * len(frame)]))
    monkeypatch.setattr(samples, "_GROUPS", chance.choice([2, 6]))
    monkeypatch.setattr(samples, "_GAIN", 2)
    monkeypatch.setattr(samples, "_OPEN", 0)
    monkeypatch.setattr(search, "_EVERY", chance.choice([0, 8, 1000]))
    monkeypatch.setattr(search, "_TOGETHER", chance.choice([1, 2, 5, 16]))
    server.fill("people", frame, RANDOM)
    suppression = chance.choice(["0", "0.02", "0.1"])
    described |= {
        "algorithm": {"name": "witness"},
        "objective": {"minimize": chance.choice(OBJECTIVES)},
        "requirement": {"k": chance.randrange(2, 8), "suppression": suppression},
    }
    monkeypatch.setattr(search, "_AT_HAND", chance.choice([2, 200_000]))
    as_if_at_home(server, described, monkeypatch)


@pytest.mark.parametrize(("first", "jobs"), [(0, 4), pytest.param(100, 300, marks=pytest.mark.long)], ids=["4", "300"])
def test_random_jobs_end_as_if_all_were_at_home(
    postgresql: Server, nothing_comes_home: None, first: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(first, first + jobs):
        compare(postgresql, seed, monkeypatch)


# A local recoding begins at a node whose frequency set comes home.


@pytest.fixture
def few_come_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_star, "AT_HOME", 60)
    monkeypatch.setattr(starting_node, "_SURELY", 10)


def covered(cell: Any, values: list[Any]) -> int:
    """How many of a column's values read as a released cell does."""
    if cell is None or cell in values:
        return 1
    if cell == "*":
        return len(values)
    if "[" in cell:
        low, high = cell.strip("[)").split(", ")
        return sum(value is not None and int(low) <= int(value) < int(high) for value in values)
    return sum(value is not None and value.startswith(cell.rstrip("*")) for value in values)


def loss(server: Server) -> float:
    """The mean share of a column's other values that a cell covers."""
    cells = server.rows("select cast(age as char(99)), zip, sex from cohort")
    total = 0.0
    for place, name in enumerate(["age", "zip", "sex"]):
        values = [value for (value,) in server.rows(f"select distinct cast({name} as char(99)) from people")]
        values = [None if value is None else value.strip() for value in values]
        each = Counter(None if row[place] is None else row[place].strip() for row in cells)
        total += sum(n * (covered(cell, values) - 1) / (len(values) - 1) for cell, n in each.items()) / len(cells)
    return total / 3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ["sweep", "mondrian"])
@pytest.mark.parametrize("k", [2, 5, 40])
def test_a_local_recoding_begins_where_its_frequency_set_comes_home(
    postgresql: Server, few_come_home: None, algorithm: str, k: int
) -> None:
    postgresql.fill("people", people(400), TYPES)
    described = job(postgresql, k, algorithm={"name": algorithm})
    traced: list[str] = []
    release = run(described, traced.append)
    assert sum("grouping sets" in each and "apart_1" in each for each in traced) == 1
    rows = Counter(postgresql.rows("select age, zip, sex, illness from cohort"))
    classes = Counter[Any]()
    for row, count in rows.items():
        classes[row[:3]] += count
    assert classes.total() == 400 and min(classes.values()) >= k == release.result.requirement.k
    assert Counter(illness for *_, illness in rows.elements()) == Counter(people(400)["illness"])
    # By the sample it is not the node that surely comes home, of ten value groups at most.
    assert algorithm == "mondrian" or 10 < release.result.search.sweep.tuples <= 60
    assert release.result.measures.loss == pytest.approx(loss(postgresql), abs=1e-9)
    lowest = release.result.recoding.levels
    assert lowest["age"] and lowest["zip"]
    postgresql.execute("drop table cohort", "drop table starcloak_releases")
    done = scripted(client(postgresql), release.sql())
    assert done.returncode == 0, done.stderr
    assert Counter(postgresql.rows("select age, zip, sex, illness from cohort")) == rows


@pytest.mark.sampled(2)
@pytest.mark.parametrize("at_home", [10, 1_500])
def test_numbers_have_ranges_where_they_came_home(
    postgresql: Server, at_home: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And else their top alone, which one step up is."""
    monkeypatch.setattr(starting_node, "_SURELY", 10)
    postgresql.fill("people", people(3_000), TYPES)
    described = job(postgresql, 20, algorithm={"name": "mondrian"})
    described["quasi_identifiers"]["age"] = "numeric"
    monkeypatch.setattr(remote_star, "AT_HOME", at_home)
    run(described)
    cells, least = zip(*postgresql.rows("select age, min(count) from (select age, zip, sex, count(*) from cohort "
                                        "group by 1, 2, 3) as classes group by 1"), strict=True)  # fmt: skip
    assert min(least) >= 20
    assert set(cells) == {"*"} if at_home == 10 else all(cell[0] in "[<>" for cell in cells)


def local(server: Server, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job on odd values: what is released is counted and matched with the source by the verifier, where it is."""
    described, frame = random_job(server, seed)
    chance = random.Random(seed)
    monkeypatch.setattr(remote_star, "AT_HOME", chance.choice([0, 5, 20, len(frame)]))
    monkeypatch.setattr(starting_node, "_SURELY", chance.choice([1, 10, 100]))
    monkeypatch.setattr(starting_node, "_SAMPLED", chance.choice([3, 1000]))
    server.fill("people", frame, RANDOM)
    k = chance.randrange(2, 8)
    if chance.random() < 0.5:
        described |= {"algorithm": {"name": "mondrian"}}
    else:
        described |= {"algorithm": {"name": "sweep"}, "objective": {"minimize": chance.choice(["loss", "distortion"])}}
    described |= {"requirement": {"k": k, "suppression": chance.choice(["0", "0.1"])}, "insight": "off"}
    release = run(described)
    names = ", ".join(server.quoted(name) for name in described["quasi_identifiers"])
    (sizes,) = zip(*server.rows(f"select count(*) from cohort group by {names}"), strict=True)
    assert min(sizes) >= k and sum(sizes) == release.result.released_rows == len(frame) - release.result.suppressed_rows


@pytest.mark.parametrize(("first", "jobs"), [(0, 8), pytest.param(100, 300, marks=pytest.mark.long)], ids=["8", "300"])
def test_random_local_recodings_that_begin_anywhere_are_sound(
    postgresql: Server, first: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(first, first + jobs):
        local(postgresql, seed, monkeypatch)
