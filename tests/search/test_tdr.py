"""Top-Down Refinement: the worked examples of its paper, and every step against brute force on random tables."""

from __future__ import annotations

import random
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import pytest

import starcloak as sc
from starcloak.base.interrupts import Ending
from starcloak.job import Job, load
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.single_dimension import cuts
from starcloak.search.tdr import information, tables
from starcloak.search.tdr import search as tdr
from starcloak.search.tdr.partitions import Partitions
from starcloak.search.tdr.settings import RefinementDone, Refinements, Tdr
from starcloak.star.star import Star
from starcloak.store.resources import Resources
from tests import demands
from tests.search import ranges


def table(rows: Sequence[tuple[str, str, int, int, int]]) -> pandas.DataFrame:
    records = [(*row[:3], label) for row in rows for label in "Y" * row[3] + "N" * row[4]]
    return pandas.DataFrame(records, columns=["Education", "Sex", "Work_Hrs", "Class"])


TABLE_1 = table(
    [
        ("9th", "M", 30, 0, 3),
        ("10th", "M", 32, 0, 4),
        ("11th", "M", 35, 2, 3),
        ("12th", "F", 37, 3, 1),
        ("Bachelors", "F", 42, 4, 2),
        ("Bachelors", "F", 44, 4, 0),
        ("Masters", "M", 44, 4, 0),
        ("Masters", "F", 44, 3, 0),
        ("Doctorate", "F", 44, 1, 0),
    ]
)
TABLE_2 = table(
    [
        ("10th", "M", 40, 20, 0),
        ("10th", "M", 30, 0, 4),
        ("9th", "M", 30, 0, 2),
        ("9th", "F", 30, 0, 4),
        ("9th", "F", 40, 0, 6),
        ("8th", "F", 30, 0, 2),
        ("8th", "F", 40, 0, 2),
    ]
)
FIGURE_1 = {
    "Secondary": [{"Junior Sec.": ["9th", "10th"]}, {"Senior Sec.": ["11th", "12th"]}],
    "University": ["Bachelors", {"Grad School": ["Masters", "Doctorate"]}],
}
SEX = {"tree": {"ANY_Sex": ["M", "F"]}}
QUASI_IDENTIFIERS = {"Education": {"tree": FIGURE_1}, "Sex": SEX, "Work_Hrs": "numeric"}


def job_of(quasi_identifiers: dict[str, Any], *, k: int = 1, keep: Sequence[str] = (), **settings: Any) -> Job:
    return load(
        {
            "quasi_identifiers": quasi_identifiers,
            "keep": ["Class", *keep],
            "requirement": {"k": k},
            "algorithm": {"name": "tdr", "class": "Class", **settings},
        }
    )


@pytest.fixture
def refined(star_of: Callable[..., Star]) -> Callable[..., Refinements]:
    """The steps of a search, by the names of the requirement's attributes."""

    def search(frame: pandas.DataFrame, job: Job, *requirement: tuple[set[str], int], **more: Any) -> Refinements:
        star = star_of(job, frame)
        asked = tuple(Demand(tuple(sorted(names)), (KAnonymity(k=k),)) for names, k in requirement)
        assert isinstance(job.algorithm, Tdr)
        return tdr._refinements(*tdr.search_cut(star, Requirement(asked), job.algorithm, **more))

    return search


def test_example_4_entropies_gain_loss_and_score(star_of: Callable[..., Star]) -> None:
    classes = np.array([[21, 13], [5, 11], [16, 2]])
    assert information.entropy(classes) == pytest.approx([0.9597, 0.8960, 0.5033], abs=5e-5)
    assert information.gain(classes[1:]) == pytest.approx(0.2716, abs=5e-5)
    star = star_of(job_of(QUASI_IDENTIFIERS), TABLE_1)
    masks = tables.masks(star)
    first = Partitions(masks, cuts.records(star, ["Education", "Sex"]), demand=demands.rows(4))
    assert first.anonymity - first.after(1, np.array([0])) == [34 - 16]
    assert masks[1].gains[0] / (34 - 16 + 1) == pytest.approx(0.0143, abs=5e-5)


def test_examples_6_to_8_two_quasi_identifiers(refined: Callable[..., Refinements]) -> None:
    requirement = ({"Education", "Sex"}, 4), ({"Sex", "Work_Hrs"}, 11)
    done = refined(TABLE_1, job_of(QUASI_IDENTIFIERS), *requirement)
    first, second, *rest = done.steps
    # The paper cuts at 37, the number itself; there is nobody between it and 35.
    assert (first.attribute, first.into, first.anonymity) == ("Work_Hrs", ["< 36", ">= 36"], [34, 12])
    assert (second.attribute, second.into) == ("Education", ["Secondary", "University"])
    assert (second.anonymity, second.anonymity_loss) == ([16, 12], 34 - 16)
    assert [step.attribute for step in rest].count("Work_Hrs") == 0
    assert done.stopped == "maximally refined"


def test_example_3_the_lowest_cut() -> None:
    job = {"quasi_identifiers": {"Education": {"tree": FIGURE_1}, "Sex": SEX}, "keep": ["Work_Hrs", "Class"]}
    algorithm = {"name": "tdr", "class": "Class"}
    release = sc.anonymize(TABLE_1, **job, k=4, algorithm=algorithm)
    assert set(release.to_pandas()["Education"]) == {"Junior Sec.", "11th", "12th", "Bachelors", "Grad School"}
    assert release.result.recoding.model == "single-dimension"


def test_example_5_the_three_scores(star_of: Callable[..., Star]) -> None:
    education = {"tree": {"ANY_Edu": ["8th", "9th", "10th"]}}
    star = star_of(job_of({"Education": education, "Sex": SEX, "Work_Hrs": "numeric"}), TABLE_2)
    masks = tables.masks(star)
    counted = Partitions(masks, cuts.records(star, list(QUASI_IDENTIFIERS)), demand=demands.rows(4))
    expected = {1: (0.6100, 36, 0.0165), 2: (0.4934, 26, 0.0183), 3: (0.3958, 28, 0.0136)}
    for attribute, (gain, loss, score) in expected.items():
        numbers = np.flatnonzero(masks[attribute].candidates)
        # A single child of the top gains and loses nothing: the paper's tree begins beneath it.
        if attribute < 3:
            assert masks[attribute].gains[numbers] == 0
            masks[attribute].refine(int(numbers[0]))
            counted.refine(attribute, int(numbers[0]))
            numbers = np.flatnonzero(masks[attribute].candidates)
        assert masks[attribute].gains[numbers] == pytest.approx([gain], abs=5e-5)
        assert counted.anonymity - counted.after(attribute, numbers) == [loss]
        assert masks[attribute].gains[numbers] / (loss + 1) == pytest.approx([score], abs=5e-5)


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        ("infogain", {("10th", "*", "*", "Y"): 20, ("10th", "*", "*", "N"): 4, ("9th", "*", "*", "N"): 12}),
        ("score", {("*", "M", ">= 35", "Y"): 20, ("*", "M", "< 35", "N"): 6, ("*", "F", ">= 35", "N"): 8}),
    ],
)
def test_example_5_final_tables(criterion: str, expected: dict[tuple[str, ...], int]) -> None:
    tables = {"infogain": ("8th", "*", "*", "N"), "score": ("*", "F", "< 35", "N")}
    expected = expected | {tables[criterion]: {"infogain": 4, "score": 6}[criterion]}
    release = sc.anonymize(
        TABLE_2,
        quasi_identifiers={
            "Education": {"tree": {"*": ["8th", "9th", "10th"]}},
            "Sex": {"tree": {"*": ["M", "F"]}},
            "Work_Hrs": "numeric",
        },
        keep=["Class"],
        k=4,
        algorithm={"name": "tdr", "class": "Class", "criterion": criterion},
    )
    assert Counter(map(tuple, release.to_pandas().values.tolist())) == expected


def test_example_5_table_2_d() -> None:
    """After the first refinement by Score, of ANY_Sex: A = 14, the fourteen women."""
    release = sc.anonymize(
        TABLE_2,
        quasi_identifiers={
            "Education": {"tree": {"*": ["8th", "9th", "10th"]}},
            "Sex": {"tree": {"*": ["M", "F"]}},
            "Work_Hrs": "numeric",
        },
        keep=["Class"],
        k=4,
        algorithm={"name": "tdr", "class": "Class", "criterion": "score", "max_refinements": 1},
    )
    table_2_d = {("*", "M", "*", "Y"): 20, ("*", "M", "*", "N"): 6, ("*", "F", "*", "N"): 14}
    assert Counter(map(tuple, release.to_pandas().values.tolist())) == table_2_d
    assert release.k == 14
    (step,) = release.result.search.refinement.steps
    assert step.attribute == "Sex" and step.anonymity == [14]


class Oracle:
    """Algorithm 1 by its definitions: every step counts everything again."""

    def __init__(self, frame: pandas.DataFrame, kinds: dict[str, Any], requirement: Sequence[tuple[set[str], int]]):
        self.rows = frame.to_dict("records")
        self.kinds, self.requirement = kinds, requirement
        self.paths: dict[str, dict[Any, list[str]]] = {}
        for name, kind in kinds.items():
            if isinstance(kind, dict):
                self.paths[name] = dict(self._paths(kind["tree"], ["*"]))
        self.depth = {name: dict.fromkeys(paths, 0) for name, paths in self.paths.items()}
        self.disclosed: dict[str, set[Any]] = {name: set() for name, kind in kinds.items() if kind == "suppress"}
        self.splits: dict[str, list[int]] = {name: [] for name, kind in kinds.items() if kind == "numeric"}

    def _paths(self, tree: Any, above: list[str]) -> Iterator[tuple[Any, list[str]]]:
        for name, members in tree.items() if isinstance(tree, dict) else ():
            yield from self._paths(members, [*above, name])
        for member in tree if isinstance(tree, list) else ():
            if isinstance(member, dict):
                yield from self._paths(member, above)
            else:
                yield member, [*above, member]

    def masked(self, name: str, value: Any) -> Any:
        if name in self.paths:
            return self.paths[name][value][self.depth[name][value]]
        if name in self.disclosed:
            return value if value in self.disclosed[name] else "*"
        splits = self.splits[name]
        below = [split for split in splits if split <= value]
        above = [split for split in splits if split > value]
        if not splits:
            return "*"
        known = {row[name] for row in self.rows}
        there = [number for number in known if all(number >= split for split in below)]
        return ranges.label([number for number in there if all(number < split for split in above)], known)

    def smallest(self, names: set[str]) -> int:
        return min(Counter(tuple(self.masked(n, row[n]) for n in sorted(names)) for row in self.rows).values())

    @staticmethod
    def entropy(rows: list[dict[str, Any]]) -> float:
        counts = Counter(row["Class"] for row in rows).values()
        return sum(-count / len(rows) * log2(count / len(rows)) for count in counts)

    def refinements(self) -> Iterator[tuple[str, str, list[Any], Callable[[], None], Callable[[], None]]]:
        """Attribute, value, what comes in its place, how to do it, how to undo it."""
        for name, depth in self.depth.items():
            paths = self.paths[name]
            for value in {paths[leaf][at] for leaf, at in depth.items() if at < len(paths[leaf]) - 1}:
                under = [leaf for leaf, at in depth.items() if paths[leaf][at] == value]
                into = sorted({str(paths[leaf][depth[leaf] + 1]) for leaf in under})
                yield name, value, into, self._move(depth, under, 1), self._move(depth, under, -1)
        for name, disclosed in self.disclosed.items():
            left = {row[name] for row in self.rows} - disclosed
            for value in left:
                into = [value, "*"] if len(left) > 1 else [value]
                yield name, "*", into, lambda d=disclosed, v=value: d.add(v), lambda d=disclosed, v=value: d.discard(v)
        for name, splits in self.splits.items():
            for low, high in pairwise([-(10**9), *splits, 10**9]):
                inside = [row for row in self.rows if low <= row[name] < high]
                points = sorted({row[name] for row in inside})[1:]
                if points:
                    point = max(points, key=lambda at: (round(self._gain(self._halves(inside, name, at)), 12), -at))
                    value = self.masked(name, inside[0][name])
                    self.splits[name] = sorted([*splits, point])
                    into = [self.masked(name, half[0][name]) for half in self._halves(inside, name, point)]
                    self.splits[name] = splits
                    yield name, value, into, self._set(name, sorted([*splits, point])), self._set(name, splits)

    @staticmethod
    def _halves(rows: list[dict[str, Any]], name: str, point: int) -> list[list[dict[str, Any]]]:
        return [[row for row in rows if row[name] < point], [row for row in rows if row[name] >= point]]

    def _set(self, name: str, splits: list[int]) -> Callable[[], None]:
        return lambda: self.splits.update({name: splits})

    @staticmethod
    def _move(depth: dict[Any, int], under: list[Any], by: int) -> Callable[[], None]:
        return lambda: depth.update({leaf: depth[leaf] + by for leaf in under})

    def _gain(self, sets: list[list[dict[str, Any]]]) -> float:
        whole = [row for part in sets for row in part]
        return self.entropy(whole) - sum(len(part) / len(whole) * self.entropy(part) for part in sets)

    def candidates(self) -> Iterator[tuple[str, str, list[Any], float, float, Callable[[], None]]]:
        for name, value, into, do, undo in list(self.refinements()):
            members = [row for row in self.rows if self.masked(name, row[name]) == value]
            if len({row["Class"] for row in members}) < 2:
                continue
            before = [(self.smallest(names), k) for names, k in self.requirement if name in names]
            do()
            after = [self.smallest(names) for names, _ in self.requirement if name in names]
            parts: dict[Any, list[dict[str, Any]]] = {}
            for row in members:
                parts.setdefault(self.masked(name, row[name]), []).append(row)
            gain = self._gain(list(parts.values()))
            undo()
            if all(left >= k for left, (_, k) in zip(after, before, strict=True)):
                loss = sum(was - left for left, (was, _) in zip(after, before, strict=True)) / len(after)
                yield name, value, into, gain, loss, do

    def follow(self, step: RefinementDone, criterion: str) -> None:
        """Check a step against all candidates, and take it."""
        known = list(self.candidates())
        scores = [gain / (loss + 1) if criterion == "score" else gain for *_, gain, loss, _ in known]
        assert step.score == pytest.approx(max(scores), abs=1e-9)
        for name, value, into, gain, loss, do in known:
            if (name, value, sorted(map(str, into))) == (step.attribute, step.value, sorted(map(str, step.into))):
                assert (step.information_gain, step.anonymity_loss) == pytest.approx((gain, loss), abs=1e-9)
                do()
                assert step.anonymity == [self.smallest(names) for names, _ in self.requirement]
                return
        raise AssertionError(f"{step} is no candidate")


TREE = {"tree": {"p": ["a", {"q": ["b", "c"]}], "r": [{"s": ["d"]}, "e", "spare"]}}


def random_case(seed: int) -> tuple[pandas.DataFrame, dict[str, Any], list[tuple[set[str], int]], str]:
    draw = random.Random(seed)
    rows = draw.randint(8, 40)
    frame = pandas.DataFrame(
        {
            "tree": [draw.choice("abcde") for _ in range(rows)],
            "word": [draw.choice("uvwxyz") for _ in range(rows)],
            "number": [draw.choice([-2, 0, 3, 7, 10]) for _ in range(rows)],
            "other": [draw.choice("ae") for _ in range(rows)],
            "Class": [draw.choice("YYN" if draw.random() < 0.5 else "YNZ") for _ in range(rows)],
        }
    )
    kinds = {"tree": TREE, "word": "suppress", "number": "numeric", "other": TREE}
    requirement = [({"tree", "word", "number", "other"}, draw.randint(1, 4))]
    if draw.random() < 0.6:
        k = draw.randint(1, 6)
        requirement = [({"tree", "word"}, k), ({"word", "number", "other"}, draw.randint(1, 4)), ({"tree", "other"}, 2)]
    return frame, kinds, requirement, draw.choice(["score", "score", "infogain"])


@pytest.mark.parametrize("seed", range(8))
def test_every_step_is_the_best_and_the_end_is_maximally_refined(
    seed: int, refined: Callable[..., Refinements]
) -> None:
    frame, kinds, requirement, criterion = random_case(seed)
    done = refined(frame, job_of(kinds, criterion=criterion), *requirement)
    oracle = Oracle(frame, kinds, requirement)
    for step in done.steps:
        oracle.follow(step, criterion)
    assert done.stopped == "maximally refined"
    assert not list(oracle.candidates())
    assert all(oracle.smallest(names) >= k for names, k in requirement)


def in_pipeline(frame: pandas.DataFrame, kinds: dict[str, Any], k: int, **more: Any) -> sc.Release:
    resources = more.pop("resources", Resources())
    algorithm = {"name": "tdr", "class": "Class", **more}
    return sc.anonymize(frame, quasi_identifiers=kinds, keep=["Class"], k=k, algorithm=algorithm, resources=resources)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_release_is_a_single_dimension_recoding_and_its_script_makes_it_again(seed: int) -> None:
    frame, kinds, _, criterion = random_case(seed)
    frame.loc[frame["number"] == 7, "number"] = None
    frame.loc[0, "Class"] = None
    frame["number"] = frame["number"].astype("Int64")
    release = in_pipeline(frame, kinds, 3, criterion=criterion)
    rows = release.to_pandas()
    assert release.k is not None and release.k >= 3
    assert rows.groupby(list(kinds), dropna=False).size().min() >= 3
    assert Counter(rows["Class"].fillna("-")) == Counter(frame["Class"].fillna("-"))
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        *script, released, _ = release.sql().split(";\n\n")
        connection.execute(";".join(script))
        again = connection.execute(released).fetchall()
    assert Counter(again) == Counter(rows.astype(object).where(rows.notna(), None).itertuples(index=False, name=None))


def test_the_missing_value_stands_after_all_numbers() -> None:
    numbers = [1, 1, 2, 2, 3, 3, 4, 4, None, None, None]
    frame = pandas.DataFrame({"n": pandas.Series(numbers, dtype="Int64"), "Class": list("YYYNNNNNYYY")})
    told = {value: cell for value, cell in zip(frame["n"], in_order(frame, 2), strict=True) if value is not pandas.NA}
    assert told == {1: "< 2", 2: "[2, 3)", 3: ">= 3", 4: ">= 3"}
    assert in_order(frame, 2)[-1] is None
    frame["Class"] = list("YYYYNNNNNNN")
    assert set(in_order(frame, 2)) == {"< 3", ">= 3 or missing"}
    frame["Class"] = list("NNNNNNNNYYY")
    assert set(in_order(frame, 2)) == {"any number", None}


def in_order(frame: pandas.DataFrame, k: int) -> list[str | None]:
    """The masked numbers, in the order of the rows."""
    numbered = frame.assign(row=range(len(frame)))
    algorithm = {"name": "tdr", "class": "Class"}
    release = sc.anonymize(
        numbered, quasi_identifiers={"n": "numeric"}, keep=["Class", "row"], k=k, algorithm=algorithm
    )
    cells = release.to_pandas().sort_values("row")["n"]
    return [None if missing else cell for cell, missing in zip(cells, cells.isna(), strict=True)]


def test_a_search_stops_at_any_time_with_a_release() -> None:
    frame, kinds, _, _ = random_case(5)
    whole = in_pipeline(frame, kinds, 2).to_dict()["search"]["refinement"]
    assert whole["stopped"] == "maximally refined"
    for most in range(len(whole["steps"])):
        part = in_pipeline(frame, kinds, 2, max_refinements=most)
        assert part.to_dict()["search"]["refinement"]["stopped"] == "max_refinements"
        assert part.to_dict()["search"]["refinement"]["steps"] == whole["steps"][:most]
        assert part.k == (whole["steps"][most - 1]["anonymity"] if most else [len(frame)])[0]
    none = in_pipeline(frame, kinds, 2, time_limit=0)
    assert none.to_dict()["search"]["refinement"] == {"stopped": "time_limit", "steps": [], "records": 0}
    assert set(none.to_pandas()[list(kinds)].stack()) == {"*"}


def test_a_search_that_is_told_to_stop_releases_what_it_has() -> None:
    frame, kinds, _, _ = random_case(5)
    ending = Ending()
    heeded = []

    def stop(text: str) -> None:
        if text.startswith(("compress", "search: 2 ", "recode")):
            heeded.extend([ending.stop(), ending.stop()])

    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    kept = in_pipeline(frame, kinds, 2, resources=Resources(ending=ending, progress=stop))
    done = kept.to_dict()["search"]["refinement"]
    assert (done["stopped"], len(done["steps"])) == ("interrupt", 2)
    assert heeded == [False, False, True, False, False, False]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_an_interrupt_in_a_program_is_its_own() -> None:
    frame, kinds, _, _ = random_case(5)

    def press(text: str) -> None:
        if text.startswith("search: 2 "):
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match="nothing was written"):
        in_pipeline(frame, kinds, 2, resources=Resources(ending=Ending(), progress=press))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"algorithm": {"name": "tdr"}}, r"algorithm\.class: this key is missing"),
        ({"algorithm": {"name": "tdr", "class": "Sex"}}, r"column 'Sex' is a quasi-identifier"),
        ({"algorithm": {"name": "tdr", "class": "Clas"}}, r"'Clas' is not released unchanged: .* mean 'Class'\?"),
        ({"suppression": "0.1"}, r"algorithm tdr does not support requirement\.suppression"),
        ({"quasi_identifiers": {"Education": "numeric", "Sex": SEX, "Work_Hrs": "numeric"}}, "'Education': 7 values"),
    ],
)
def test_bad_input_is_refused(change: dict[str, Any], says: str) -> None:
    job = {"quasi_identifiers": QUASI_IDENTIFIERS, "keep": ["Class"], "algorithm": {"name": "tdr", "class": "Class"}}
    with pytest.raises(sc.InputError, match=says):
        sc.anonymize(TABLE_1, k=4, **{**job, **change})


def test_several_quasi_identifiers_in_a_run() -> None:
    qids = [{"attributes": ["Education", "Sex"], "k": 4}, {"attributes": ["Sex", "Work_Hrs"], "k": 11}]
    release = sc.run(
        {
            "quasi_identifiers": QUASI_IDENTIFIERS,
            "keep": ["Class"],
            "requirement": {"qids": qids},
            "algorithm": {"name": "tdr", "class": "Class"},
        },
        frame=TABLE_1,
    )
    achieved = [qid.achieved_k for qid in release.result.requirement.qids]
    assert achieved == [4, 12]
    assert release.result.search.refinement is not None
    assert release.result.search.refinement.steps[-1].anonymity == achieved


def test_a_release_that_time_ended_is_made_anew(tmp_path: Path) -> None:
    job = {"quasi_identifiers": QUASI_IDENTIFIERS, "keep": ["Class"], "requirement": {"k": 4}}
    job |= {"output": {"path": str(tmp_path / "release.csv")}}
    for settings, unchanged in (({}, True), ({"max_refinements": 1}, True), ({"time_limit": 0}, False)):
        algorithm = {"name": "tdr", "class": "Class", **settings}
        sc.run(job | {"algorithm": algorithm}, frame=TABLE_1)
        assert sc.run(job | {"algorithm": algorithm}, frame=TABLE_1).result.unchanged is unchanged


def test_fewer_rows_than_k_cannot_be_met() -> None:
    with pytest.raises(sc.RequirementError, match="fewer than 35 rows"):
        in_pipeline(TABLE_1, QUASI_IDENTIFIERS, 35)


@pytest.mark.parametrize("seed", range(4))
def test_a_masking_applied_to_its_own_table_makes_the_release(seed: int) -> None:
    frame, kinds, _, criterion = random_case(seed)
    frame["number"] = frame["number"].astype("Int64").mask(frame["number"] == 7)
    release = in_pipeline(frame, kinds, 2, criterion=criterion)
    applied, released = (
        Counter(map(tuple, rows.astype(object).where(rows.notna(), None).astype(str).values.tolist()))
        for rows in (release.apply(frame, k=1), release.to_pandas())
    )
    assert applied == released


@pytest.mark.parametrize("hierarchy", ["a;any\nb;any\n", "a;*;any\nb;q;any\n"])
def test_a_masking_that_refined_nothing_applies_the_top_whatever_it_reads(tmp_path: Path, hierarchy: str) -> None:
    (tmp_path / "t.csv").write_text(hierarchy)
    frame = pandas.DataFrame({"t": list("aabb"), "Class": list("YNYN")})
    release = in_pipeline(frame, {"t": {"csv": str(tmp_path / "t.csv")}}, 3)
    for rows in (release.to_pandas(), release.apply(frame, k=1)):
        assert rows["t"].tolist() == ["any"] * 4


def test_a_masking_applied_knows_values_of_several_levels_that_read_the_same(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;r;q;*\nb;s;q;*\nc;q;r;*\n")
    frame = pandas.DataFrame({"t": list("abcc"), "Class": list("YYNN")})
    release = in_pipeline(frame, {"t": {"csv": str(tmp_path / "t.csv")}}, 2)
    assert sorted(release.to_pandas()["t"]) == release.apply(frame)["t"].tolist() == ["q", "q", "r", "r"]


def test_a_masking_applied_to_values_that_it_has_not_seen() -> None:
    frame = pandas.DataFrame({"n": [10, 20, 30, 40] * 3, "w": list("aabb") * 3, "t": list("aabb") * 3})
    frame["Class"] = list("YYNN") * 3
    kinds = {"n": "numeric", "w": "suppress", "t": TREE}
    release = in_pipeline(frame, kinds, 6)
    unseen = pandas.DataFrame({"n": [-5, 29, 31, 999], "w": ["a", "new", "b", "new"], "t": ["a", "c", "b", "e"]})
    applied = release.apply(unseen.assign(Class=list("NYNY")), k=1)
    assert applied["n"].tolist() == ["< 25", ">= 25", ">= 25", ">= 25"]
    assert applied["w"].tolist() == ["a", "*", "*", "*"]
    assert applied["Class"].tolist() == list("NYNY")
    assert set(release.to_pandas()["t"]) == {"a", "q"}
    assert applied["t"].tolist() == ["a", "q", "q", "r"]


@pytest.mark.parametrize("goes", ["missing", "suppress"])
def test_values_that_a_hierarchy_has_no_leaf_for_are_masked_as_they_were_released(goes: str) -> None:
    frame = pandas.DataFrame({"t": ["odd", "odd", "11", "12"], "Class": list("YNNN")})
    release = in_pipeline(frame, {"t": {"digits": 2, "nonconforming": goes}}, 2)
    assert sorted(release.apply(frame)["t"]) == sorted(release.to_pandas()["t"]) == ["1*", "1*", "odd", "odd"]


def test_values_that_no_hierarchy_has_are_masked_to_the_top() -> None:
    frame = pandas.DataFrame({"n": [10, 20, 30, 40] * 3, "t": list("aabb") * 3, "zip": ["11", "12", "21", "22"] * 3})
    frame["when"] = ["2020-01-01", "2020-02-01", "2021-01-01", "2021-02-01"] * 3
    frame["Class"] = list("YYNN") * 3
    kinds = {"n": "numeric", "t": TREE, "zip": {"digits": 2}, "when": {"dates": ["month", "year"]}}
    release = in_pipeline(frame, kinds, 6)
    unseen = pandas.DataFrame({"n": ["10", "ten", None, "1e3"], "t": ["a", "unknown", "", None]})
    unseen["zip"], unseen["when"] = ["13", "1", "345", None], ["2020-12-31", "soon", "2020-02-30", None]
    applied = release.apply(unseen, k=1)
    assert applied["n"].tolist() == ["< 25", "*", "*", ">= 25"]
    assert applied["t"].tolist() == ["a", "*", "*", "*"]
    assert applied["zip"].tolist() == ["1*", "*", "*", "*"]
    assert applied["when"].tolist() == ["2020", "*", "*", "*"]


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_masking_applied_finds_the_tables_of_its_hierarchies(kind: str, tmp_path: Path) -> None:
    """They lie in the source's database, which the rows that are masked do not come from."""
    file = tmp_path / f"there.{kind}"
    rows = ", ".join(f"('{t}', '{told}')" for t, told in zip("abcd" * 3, "YNYN" * 3, strict=True))

    def execute(*statements: str) -> None:
        connection: Any = duckdb.connect(str(file)) if kind == "duckdb" else sqlite3.connect(file)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    execute(
        "create table people (t varchar(9), class varchar(9))",
        f"insert into people values {rows}",
        'create table "dim t" (leaf varchar(9), above varchar(9), top varchar(9))',
        """insert into "dim t" values ('a', 'p', '*'), ('b', 'q', '*'), ('c', 'p', '*'), ('d', 'q', '*')""",
    )
    job = {
        "source": {"url": f"{kind}:///{file}", "table": "people"},
        "quasi_identifiers": {"t": {"table": "dim t"}},
        "keep": ["class"],
        "requirement": {"k": 4},
        "algorithm": {"name": "tdr", "class": "class"},
    }
    release = sc.run(job)
    assert set(release.to_pandas()["t"]) == {"p", "q"}
    unseen = pandas.DataFrame({"t": ["c", "e", "b"]})
    assert release.apply(unseen, k=1)["t"].tolist() == ["p", "*", "q"]
    execute("""update "dim t" set above = 'p'""")
    with pytest.raises(sc.HierarchyError, match="hierarchy of 't': its file or table has changed since the release"):
        release.apply(unseen, k=1)


def test_a_masking_applied_lets_nothing_through_that_the_job_does_not_release() -> None:
    frame = pandas.DataFrame({"name": list("ABCDEF"), "w": list("aabbcc"), "Class": list("YNYNYN")})
    frame["when"] = pandas.date_range("2020-01-01", periods=6, tz="Europe/Berlin")
    algorithm = {"name": "tdr", "class": "Class"}
    kinds = {"w": "suppress"}
    release = sc.anonymize(
        frame, identifiers=["name"], quasi_identifiers=kinds, keep=["Class", "when"], k=2, algorithm=algorithm
    )
    rows = frame.iloc[::-1].set_index(pandas.Index(list("FEDCBA"), name="who"))
    rows.attrs = {"secret": "A"}
    applied = release.apply(rows, k=1)
    assert list(applied.columns) == ["w", "Class", "when"]
    assert (applied.index.name, applied.attrs) == (None, {})
    pandas.testing.assert_frame_equal(applied[["Class", "when"]], rows[["Class", "when"]].reset_index(drop=True))
    assert list(release.apply(frame[["w"]], k=1).columns) == ["w"]
    with pytest.raises(sc.SourceError, match="column 'more' of the data frame is named nowhere in the job"):
        release.apply(frame.assign(more=1))
    with pytest.raises(sc.SourceError, match="quasi_identifiers: column 'w' is not in the data frame"):
        release.apply(frame[["Class"]])
    with pytest.raises(sc.SourceError, match="give a data frame of pandas"):
        release.apply([1])  # type: ignore[arg-type]
