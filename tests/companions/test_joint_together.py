"""What all releases of a source tell together, per quasi-identifier, held against plain Python."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.base.errors import OutputError, RequirementError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from starcloak.companions.joint_risk import joint_partition
from starcloak.job.result import JointTogether, Result
from starcloak.releases import state
from starcloak.releases.recodings import registration, saved_recodings
from starcloak.store import staging
from tests import weighed

pytestmark = pytest.mark.usefixtures("work")

Row = dict[str, str]


def write(rows: Sequence[Row]) -> None:
    pandas.DataFrame(rows).to_csv("rows.csv", index=False)


def job(into: str, trees: dict[str, dict[str, list[str]]], **more: Any) -> dict[str, Any]:
    return {
        "source": {"path": "rows.csv"},
        "quasi_identifiers": {name: {"tree": tree} for name, tree in trees.items()},
        "sensitive": ["s"],
        "requirement": {"k": 2},
        "output": {"path": into},
        "insight": "off",
        **more,
    }


HALVES = [
    {name: [f"v{i}" for i in range(8) if i >> bit & 1 == side] for side, name in enumerate(("low", "high"))}
    for bit in range(3)
]


def test_joint_k_holds_for_each_of_several_quasi_identifiers() -> None:
    write([{"a": f"{i}", "b": f"{i}", "s": f"x{i}"} for i in range(1, 5)])
    qids = {"requirement": {"qids": [{"attributes": ["a"], "k": 2}, {"attributes": ["b"], "k": 2}]}}
    calm = {"o": ["1", "2", "3", "4"]}
    pipeline.run(job("r1.csv", {"a": {"p": ["1", "2"], "q": ["3", "4"]}, "b": calm}, **qids))
    other = job("r2.csv", {"a": {"u": ["2", "3"], "v": ["4", "1"]}, "b": calm}, **qids, against=["r1.csv"])
    with pytest.raises(RequirementError, match=r"joint k over \(a\) with .*r1\.csv is less than 2: 4 of 4 rows"):
        pipeline.run(other)
    assert not Path("r2.csv").exists()
    result = pipeline.run({**other, "accept": {"joint_k": 1}}).result
    assert {tuple(each.attributes): (each.k, each.rows_below) for each in result.joint_together} == {
        ("a",): (1, 4),
        ("b",): (4, 0),
    }
    assert [each.attributes for each in result.joint] == [["a"], ["b"]]


def test_three_releases_of_which_any_two_are_harmless_may_single_everybody_out() -> None:
    write([{"a": f"v{i}", "s": "x"} for i in range(8)])
    for number in (0, 1):
        pipeline.run(job(f"r{number}.csv", {"a": HALVES[number]}))
    third = job("r2.csv", {"a": HALVES[2]}, against=["r0.csv", "r1.csv"])
    with pytest.raises(RequirementError, match=r"together is less than 2: 8 of 8 rows.*none with a single release"):
        pipeline.run(third)
    assert not Path("r2.csv").exists()
    one_named = pipeline.run({**third, "against": ["r0.csv"]}).result
    assert [(each.k, each.required) for each in one_named.joint_together] == [(1, False), (2, True)]
    assert [each.k for each in one_named.joint] == [2, 2]
    (said,) = one_named.warnings
    assert "a reader who also has all 2 earlier releases together finds 8 of 8 rows" in said
    Path("again.yaml").write_text(json.dumps(job("r3.csv", {"a": HALVES[2]})))
    printed = CliRunner().invoke(cli, ["run", "again.yaml"])
    assert "k = 1 with all 3 earlier releases together: 8 of 8 rows in smaller groups than k" in printed.output
    assert CliRunner().invoke(cli, ["report", "r3.csv", "--into", "r.html"]).exit_code == 0
    assert "all 3 releases together" in Path("r.html").read_text()


def test_forgetting_one_release_leaves_what_the_others_tell_together() -> None:
    write([{"a": f"v{i}", "s": "x"} for i in range(8)])
    runs = [pipeline.run(job(f"r{bit}.csv", {"a": HALVES[bit]})).result.run for bit in range(3)]
    assert list(state.folder().glob("*.partition"))
    assert CliRunner().invoke(cli, ["forget", "r0.csv"]).exit_code == 0
    assert not list(state.folder().glob("*.partition*"))
    (together,) = pipeline.run(job("r3.csv", {"a": HALVES[2]})).result.joint_together
    assert (together.runs, together.k, together.exact) == (runs[1:], 2, False)  # r0.csv is out, too
    assert CliRunner().invoke(cli, ["forget", "--all"]).exit_code == 0
    assert not [file for file in state.folder().iterdir() if file.suffix in (".partition", ".recoding")]


def test_trials_that_nobody_received_count_no_longer() -> None:
    write([{"a": f"v{i}", "s": "x"} for i in range(8)])
    for bit in (0, 2):  # the second one in the place of the first
        pipeline.run(job("r0.csv", {"a": HALVES[bit]}))
    last = job("r1.csv", {"a": HALVES[1]})
    first = pipeline.run(last).result
    assert "r0.csv --never-given, then run with --force" in first.warnings[0]
    assert CliRunner().invoke(cli, ["forget", "r0.csv"]).output.count("erased") == 2  # said of notes, too
    done = CliRunner().invoke(cli, ["forget", "r0.csv", "--never-given"]).output
    assert done.count("erased") == 2 and "joint k of later releases does not count these releases" in done
    stale = pipeline.run(last).result.warnings
    assert "/r0.csv and 1 more, which nobody received: run with --force" in stale[-1]
    again = pipeline.run(last, force=True).result
    assert pipeline.run(last).result.warnings == []
    assert (again.warnings, [each.runs for each in again.joint_together]) == ([], [[first.run]])
    assert CliRunner().invoke(cli, ["forget", "--never-given"]).exit_code == 2


def test_forgetting_a_trial_forgets_nothing_of_releases_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARCLOAK_KEPT_GB", "0")
    write([{"a": f"v{i}", "b": f"v{i}", "s": "x"} for i in range(8)])
    kept = [pipeline.run(job(f"r{bit}.csv", {"a": HALVES[bit]}, identifiers=["b"])).result.run for bit in (0, 1)]
    pipeline.run(job("trial.csv", {"b": HALVES[0]}, identifiers=["a"]))
    CliRunner().invoke(cli, ["forget", "trial.csv", "--never-given"])
    third = pipeline.run(job("r2.csv", {"a": HALVES[2]}, identifiers=["b"])).result
    assert [(each.runs, each.k, each.exact) for each in third.joint_together] == [(kept, 1, True)]
    CliRunner().invoke(cli, ["forget", "r2.csv", "--never-given"])
    Path("last.yaml").write_text(json.dumps(job("r3.csv", {"a": HALVES[0]}, identifiers=["b"])))
    printed = CliRunner().invoke(cli, ["run", "last.yaml"]).output
    assert "r1.csv of" in printed and f"and 1 more is not known: {saved_recodings.TOO_LARGE}" in printed
    assert "joint       earlier releases left out, as nobody received them: 2" in printed
    assert CliRunner().invoke(cli, ["report", "r3.csv", "--into", "r.html"]).exit_code == 0
    assert "left out, as nobody received them: 2." in Path("r.html").read_text()


def test_a_release_measured_over_one_quasi_identifier_alone_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARCLOAK_KEPT_GB", "0")
    write([{"a": f"v{i % 8}", "b": f"v{i % 8}", "s": "x"} for i in range(16)])
    for number, other in enumerate((["b"], ["b"], ["a", "b"])):
        qids = [{"attributes": ["a"], "k": 4}, {"attributes": other, "k": 2}]
        trees = dict.fromkeys("ab", HALVES[number % 2])
        last = pipeline.run(job(f"r{number}.csv", trees, requirement={"qids": qids})).result
    assert [(len(each.runs), each.exact) for each in last.joint_together] == [(2, True), (1, False)]
    assert any("r0.csv of" in warning and "is not known" in warning for warning in last.warnings)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("harm", ["lost", "cut short", "as it was before the last release", "without readings"])
def test_a_partition_that_is_lost_damaged_or_old_is_made_up_for(harm: str) -> None:
    write([{"a": f"v{i}", "s": "x"} for i in range(8)])
    for bit in (0, 1):
        pipeline.run(job(f"r{bit}.csv", {"a": HALVES[bit]}))
    (file,) = state.folder().glob("*.partition")
    content = file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    pipeline.run(job("r2.csv", {"a": HALVES[0]}))
    if harm == "lost":
        file.unlink()
    elif harm == "without readings":
        about, tables = state.read_tables(file, len(joint_partition.KINDS))
        told = json.loads(about)
        told["members"] = [
            {name: part for name, part in member.items() if name != "readings"} for member in told["members"]
        ]
        state.write_tables(file, json.dumps(told), tables, "0")
    else:
        file.write_bytes(content[: len(content) // 2] if harm == "cut short" else content)
    last = pipeline.run(job("r3.csv", {"a": HALVES[2]})).result
    (together,) = last.joint_together
    assert (together.k, len(together.runs), together.exact) == (1, 3, True)
    assert any("the saved joint k of all earlier releases" in each for each in last.warnings) == (
        harm in ("cut short", "without readings")
    )


def test_a_release_is_out_whatever_keeps_the_partition_from_being_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory or a column may be too small for it, which is no error of a system call."""
    write([{"a": f"v{i}", "s": "x"} for i in range(8)])
    pipeline.run(job("r0.csv", {"a": HALVES[0]}))

    write_tables = state.write_tables

    def full(place: Path, *given: Any) -> None:
        if place.suffix == f".{saved_recodings.PARTITION}":
            raise MemoryError
        write_tables(place, *given)

    monkeypatch.setattr(state, "write_tables", full)
    release = pipeline.run(job("r1.csv", {"a": HALVES[1]}))
    assert Path("r1.csv").exists()
    assert any("cannot be saved (MemoryError)" in each for each in release.result.warnings)


def test_what_is_forgotten_while_another_run_publishes_is_erased_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    write([{"a": f"v{i}", "s": "x"} for i in range(8)])
    pipeline.run(job("r0.csv", {"a": HALVES[0]}))
    (about,) = saved_recodings.every()
    monkeypatch.setattr(staging, "PATIENCE", 0.0)
    with state.lock(about.origin):
        failed = CliRunner().invoke(cli, ["forget", "r0.csv"])
    assert isinstance(failed.exception, OutputError) and "another run of this source" in str(failed.exception)
    assert [each.run for each in saved_recodings.every()] == [about.run]
    assert CliRunner().invoke(cli, ["forget", "r0.csv"]).exit_code == 0
    assert saved_recodings.every() == []


def test_what_is_known_to_be_out_since_it_was_listed_is_forgotten() -> None:
    write([{"a": f"v{i}", "s": "x"} for i in range(8)])
    pipeline.run(job("r0.csv", {"a": HALVES[0]}))
    (about,) = saved_recodings.every()
    registration.erase(about.model_copy(update={"form": saved_recodings.PUBLISHING}))
    assert saved_recodings.every() == []


# ---------------------------------------------------------------------------------------------------- random histories


class History:
    """Some releases of a source that may change between them; every release is a random coarsening of its values."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        chance = self.chance
        self.names = ["a", "b"][: chance.randint(1, 2)]
        self.of_persons = chance.random() < 0.4
        self.changes = chance.random() < 0.5
        self.several = len(self.names) == 2 and chance.random() < 0.5
        self.diverse = chance.random() < 0.4
        self.values = [f"v{i}" for i in range(chance.randint(4, 7))]
        self.rows = [self.row(number) for number in range(chance.randint(12, 24))]
        self.count = len(self.rows)
        self.releases = chance.randint(3, 8)

    def row(self, number: int) -> Row:
        """One row of one person; who they are is their number."""
        cells = {name: self.chance.choice(self.values) for name in self.names}
        return {**cells, "s": self.chance.choice("wxyz"), "who": f"p{number}"}

    def change(self) -> None:
        """Some go, some come, and some move."""
        self.chance.shuffle(self.rows)
        del self.rows[: self.chance.randint(0, 2)]
        for row in self.rows[: self.chance.randint(0, 2)]:
            row["a"] = self.chance.choice(self.values)
        for _ in range(self.chance.randint(0, 2)):
            self.rows.append(self.row(self.count))
            self.count += 1

    def tree(self) -> dict[str, list[str]]:
        parts = defaultdict[str, list[str]](list)
        for value in self.values:
            parts[f"g{self.chance.randint(0, 2)}"].append(value)
        return dict(parts)

    @property
    def qids(self) -> list[tuple[str, ...]]:
        return [(name,) for name in self.names] if self.several else [tuple(self.names)]

    def job(self, number: int, against: list[str]) -> dict[str, Any]:
        k = self.chance.randint(1, 2)
        asked: dict[str, Any] = {"k": k}
        if self.several:
            asked = {"qids": [{"attributes": [name], "k": k} for name in self.names]}
        elif self.chance.random() < 0.3:
            asked["suppression"] = "0.3"
        if self.diverse:
            asked["l_diversity"] = [{"attribute": "s", "l": 2}]
        more: dict[str, Any] = {"person": "who"} if self.of_persons else {"identifiers": ["who"]}
        if against:
            more |= {"against": against, "accept": {"joint_k": 1}}
        trees = {name: self.tree() for name in self.names}
        importance = {name: self.chance.randint(1, 9) for name in self.names}
        return weighed.by_height(job(f"r{number}.csv", trees, requirement=asked, **more), importance)

    def key(self, row: Row, seen: Counter[Any]) -> Any:
        """What a row is known by: its person, or its tuple and how many of that were before."""
        if self.of_persons:
            return row["who"]
        values = tuple(row[name] for name in self.names)
        seen[values] += 1
        return values, seen[values]


Shown = dict[Any, tuple[str, ...]]


def by_hand(releases: list[Shown], k: int) -> tuple[int, int, int, int]:
    """Joint k, the groups, the rows, those in groups of fewer than k: of rows by their cells in some releases."""
    groups: Counter[Any] = Counter()
    for key in {key for shown in releases for key in shown}:
        groups[tuple(shown.get(key) for shown in releases)] += 1
    below = sum(rows for rows in groups.values() if rows < k)
    return min(groups.values()), len(groups), sum(groups.values()), below


def fewest_shared(releases: list[Shown], values: list[Shown]) -> int | None:
    """How many sensitive values the classes of a row share at least, of rows in the last release and an earlier one."""
    held: list[dict[Any, set[str]]] = []
    for shown, of_rows in zip(releases, values, strict=True):
        of_class = defaultdict[Any, set[str]](set)
        for key, cells in shown.items():
            of_class[cells].update(of_rows[key])
        held.append(of_class)
    found = []
    for key in releases[-1]:
        at = [number for number, shown in enumerate(releases) if key in shown]
        if len(at) > 1:
            found.append(len(set.intersection(*(held[number][releases[number][key]] for number in at))))
    return min(found, default=None)


def shown_by(history: History, release: sc.Release) -> dict[str, Shown]:
    """What the rows of a source read in a release, by QID; and their sensitive values, by ``s``."""
    mapping = release.mapping()
    tuples = {
        tuple(map(str, row[: len(history.names)])): row
        for row in mapping[[*history.names, *(f"{name}_released" for name in history.names)]].itertuples(index=False)
    }
    found: dict[str, Shown] = {",".join(qid): {} for qid in history.qids} | {"s": {}}
    seen: Counter[Any] = Counter()
    for row in history.rows:
        key, values = history.key(row, seen), tuple(row[name] for name in history.names)
        if values in tuples:
            cells = dict(zip(history.names, tuples[values][len(history.names) :], strict=True))
            for qid in history.qids:
                found[",".join(qid)][key] = tuple(str(cells[name]) for name in qid)
            found["s"][key] = (row["s"],)
    return found


def agrees(found: JointTogether, releases: list[Shown], values: list[Shown], history: History) -> None:
    assert found.required_k is not None
    expected = by_hand(releases, found.required_k)
    assert (found.k, found.groups, found.rows, found.rows_below) == expected
    before = {key for shown in releases[:-1] for key in shown}
    assert found.rows_gone == len(before - releases[-1].keys())
    assert found.rows_new == len(releases[-1].keys() - before)
    if history.diverse:
        assert next((each.least for each in found.shared), None) == fewest_shared(releases, values)


def try_history(seed: int) -> None:
    history = History(seed)
    shown: list[dict[str, Shown]] = []
    runs: list[str] = []
    sources: list[str] = []
    for number in range(history.releases):
        if number and history.changes:
            history.change()
        write(history.rows)
        places = [f"r{earlier}.csv" for earlier in range(number) if runs[earlier]]
        against = sorted(history.chance.sample(places, history.chance.randint(0, min(2, len(places)))))
        measured = history.chance.random() < 0.85
        try:
            release = pipeline.run(history.job(number, against), joint=measured, force=True)
        except RequirementError as error:
            assert "other people" not in str(error)
            runs.append("")
            shown.append({})
            sources.append("")
            continue
        result = release.result
        shown.append(shown_by(history, release))
        runs.append(result.run)
        sources.append(str(result.hashes.source))
        check(history, result, shown, runs, sources, [int(place[1:-4]) for place in against], measured)


def check(
    history: History, result: Result, shown: list[dict[str, Shown]], runs: list[str], sources: list[str],
    against: list[int], measured: bool,
) -> None:  # fmt: skip
    """All figures of a result against those by hand."""
    out = [number for number, run in enumerate(runs[:-1]) if run]
    if not measured and not against:
        assert (result.joint, result.joint_together) == ([], [])
        return
    wanted = [out] if measured and out else []
    if against and (against != out or not measured):
        wanted.append(against)
    assert len(result.joint_together) == len(wanted) * len(history.qids)
    for found in result.joint_together:
        at = [runs.index(run) for run in found.runs]
        assert at in wanted and found.required == (at == against)
        qid = ",".join(found.attributes)
        agrees(found, [shown[n][qid] for n in [*at, -1]], [shown[n]["s"] for n in [*at, -1]], history)
        assert found.exact == (history.of_persons or len({sources[n] for n in [*at, -1]}) == 1)
    for pair in result.joint:
        n, qid = runs.index(pair.run), ",".join(pair.attributes)
        together = JointTogether(
            **{**pair.model_dump(exclude={"release", "run", "released_at", "unknown"}), "runs": []}
        )
        agrees(together, [shown[n][qid], shown[-1][qid]], [shown[n]["s"], shown[-1]["s"]], history)
        assert pair.required == (n in against)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(8, 2000))])
def test_random_histories_tell_together_what_plain_python_counts(seed: int) -> None:
    try_history(seed)
    for about in saved_recodings.every():
        saved_recodings.forget(about)
