"""Jobs of every pair of features: their schedule, their oracle and their report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pyarrow
import pytest
from benchmarks.falsifier.hosts import Released
from benchmarks.falsifier.pairs import campaign as pairs
from benchmarks.falsifier.pairs import figures, steps, world
from benchmarks.falsifier.pairs.features import BY_NAME, FEATURES, Outcome, exclude
from benchmarks.falsifier.pairs.publication import Publication
from benchmarks.falsifier.pairs.record import Line, Record, Run
from benchmarks.falsifier.pairs.report import document, markdown, refusals
from pyarrow import parquet


def _pair(*names: str) -> frozenset[str]:
    return frozenset(names)


def test_pairs_are_drawn_and_judged(tmp_path: Path) -> None:
    """A few scenarios by the command: none breaks, each is counted, and the report and the refusals are written."""
    command = [sys.executable, "-m", "benchmarks", "falsify", "--pairs", "--seed", "4", "--jobs", "3"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path)], cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300
    )
    assert done.returncode in (0, 1), done.stderr
    result = json.loads((tmp_path / "falsify-pairs.json").read_text())
    assert result["jobs"] >= 3 and result["drawn"] >= 1
    assert not result["tracebacks"] and not result["hangs"], done.stdout
    assert not any(text.startswith("oracle") for each in result["findings"] for text in each["findings"]), done.stdout
    assert "refused" in json.loads((tmp_path / "falsify-pairs-refused.json").read_text())
    assert (tmp_path / "falsify-pairs.md").read_text().startswith("# Every pair of features")


def test_a_scenario_of_some_features_is_right(tmp_path: Path) -> None:
    names = _pair("duckdb", "sweep", "person: row", "mapping", "explain", "released again")
    outcome = steps.run(names, "right", tmp_path, {})
    assert outcome.released and names <= outcome.facts, outcome
    assert not any(text.startswith(judged) for text in outcome.findings for judged in ("certificate", "oracle", "leak"))


def test_a_joint_k_that_is_made_up_is_a_false_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle does not believe what a run says of its release and the one before."""
    names = _pair("csv", "witness", "released again", "rows go", "rows come")
    honest = steps.sc.run

    class Boasting:
        def __init__(self, release: Any) -> None:
            self._release = release

        def to_dict(self) -> dict[str, Any]:
            report: dict[str, Any] = self._release.to_dict()
            for told in (*report["joint"], *report["joint_together"]):
                told.update(k=10**6, exact=True)
            return report

    assert not any(text.startswith("certificate") for text in steps.run(names, "made up", tmp_path, {}).findings)
    monkeypatch.setattr(steps.sc, "run", lambda *given, **more: Boasting(honest(*given, **more)))
    found = steps.run(names, "made up", tmp_path, {}).findings
    assert any(text.startswith("certificate: joint k of 2 releases") for text in found), found


def test_joined_rows_are_counted_by_persons() -> None:
    """By the kept column a reader joins two rows of person 0, and nobody else is in both classes."""
    whose = {0: 0, 1: 0, 2: 1, 3: 2, 4: 3, 5: 3}
    cells = {0: ("a",), 2: ("a",), 3: ("b",), 1: ("b",), 4: ("c",), 5: ("c",)}
    kept = {row: {"city": {0: "x", 1: "y", 2: "y", 3: "z"}[person]} for row, person in whose.items()}
    shown = Publication(Released([], []), {"k": 2}, None, ("qi",), cells, kept, 0)
    counted = figures.joined_rows(world.World((), whose, {}, frozenset()), shown)
    assert (counted["k"], counted["persons_below"], counted["columns"]) == (1, 2, ["city"])
    constant = {row: {"city": "x"} for row in whose}
    shown = Publication(Released([], []), {"k": 2}, None, ("qi",), cells, constant, 0)
    counted = figures.joined_rows(world.World((), whose, {}, frozenset()), shown)
    assert (counted["k"], counted["persons_below"], counted["keys"]) == (None, 0, [])


def test_the_rarest_pair_comes_first_and_what_is_refused_is_left_out() -> None:
    chosen = ["csv", "duckdb", "witness", "sweep", "suppression", "importance", "against"]
    drawn = pairs.Campaign(1, chosen, times=2)
    assert ("csv", "duckdb") not in drawn.pairs and exclude(BY_NAME["csv"], BY_NAME["duckdb"])
    drawn.refusals[_pair("witness", "against")] = "JobError: no"
    rng = Random(1)
    for number in range(200):
        names = pairs.next_names(drawn, rng, [])
        if names is None:
            break
        assert not _pair("witness", "against") <= names
        run = Run.of(names, Outcome(set(names), released=True))
        drawn.count(Line("commit", 1, f"{number}:", None, 0, (), (), [run]))
    assert not drawn.open and drawn.why(("witness", "against")) == "JobError: no"
    assert all(drawn.judged[pair] >= 2 for pair in drawn.pairs if pair != ("witness", "against"))


def test_a_finding_is_gone_once_another_commit_does_not_show_it(tmp_path: Path) -> None:
    """A record keeps all finished lines; what is found again stands once, by the later commit."""
    record = Record(tmp_path / "jobs.jsonl")
    names = _pair("csv", "witness")
    for commit, again, findings in [
        ("one", None, ["leak: a"]),
        ("two", "7:csv,witness", ["leak: a"]),
        ("three", "7:csv,witness", []),
    ]:
        told = Run.of(names, Outcome(set(names), released=True, findings=findings))
        record.add(Line(commit, 1, "7:csv,witness", again, 1.5, (), ("csv", "witness"), [told]))
    with open(record.path, "a", encoding="utf-8") as file:
        file.write('{"commit": "th')
    counted = pairs.Campaign(1, ["csv", "witness"])
    states = []
    for line in record.lines():
        counted.count(line)
        states.append([(each["commit"], each.get("gone")) for each in counted.findings])
    assert states == [[("one", None)], [("two", None)], [("two", "three")]]
    assert (counted.jobs, counted.drawn, counted.judged["csv", "witness"]) == (3, 1, 3)
    assert {commit: each.jobs for commit, each in counted.stretches.items()} == {"one": 1, "two": 1, "three": 1}


def test_a_listed_refusal_is_drawn_around_until_it_is_lifted() -> None:
    chosen = ["csv", "witness", "sweep", "suppression", "against"]
    refused = {_pair("sweep", "against"): "JobError: no", _pair("sweep", "against", "csv"): "JobError: no"}
    drawn = pairs.Campaign(1, chosen, times=2, listed=refused | {_pair("sweep", "suppression"): "JobError: never"})
    assert sorted(map(len, pairs._one_of_each(drawn.listed, Random(1)))) in ([2, 2], [2, 3])
    for number in range(20):
        names = pairs.next_names(drawn, Random(number), [])
        assert names is not None and not any(each <= names for each in drawn.listed)
    run = Run.of(_pair("csv", "sweep", "against"), Outcome(released=True))
    drawn.count(Line("commit", 1, "0:", None, 0, (), (), [run]))
    assert drawn.listed == {_pair("sweep", "suppression"): "JobError: never"}
    assert drawn.why(("sweep", "against")) is None


def test_features_that_show_a_fault_together_are_drawn_together() -> None:
    drawn = pairs.Campaign(1, [feature.name for feature in FEATURES])
    met = 0
    for number in range(100):
        names = pairs._meet(drawn, {"keep_dimensions", "duckdb"}, Random(number))
        assert not any(exclude(BY_NAME[one], BY_NAME[other]) for one in names for other in names - {one})
        met += "suppression" in names
    assert 30 < met < 70


def test_the_pairs_of_a_feature_are_drawn_alone() -> None:
    chosen = ["csv", "witness", "sweep", "suppression", "against"]
    drawn = pairs.Campaign(1, chosen, only=_pair("against"))
    assert drawn.pairs == [(name, "against") for name in chosen[:-1]]
    names = pairs.next_names(drawn, Random(1), [])
    assert names is not None and "against" in names
    told = document(drawn)
    assert told["only"] == ["against"] and told["pairs"] == 4
    assert markdown(told, refusals(drawn)).splitlines()[2].startswith("against with each of 5 features: 4 pairs.")


@pytest.mark.parametrize("person", ["person: row", "person: set"])
def test_persons_are_counted_otherwise_in_the_second_night(tmp_path: Path, person: str) -> None:
    names = _pair("csv", "sweep", person, "persons counted otherwise")
    outcomes = [steps.run(names, f"otherwise {seed}", tmp_path, {}) for seed in range(3)]
    assert not any(outcome.findings for outcome in outcomes), outcomes
    assert any({"person: row", "person: set", "persons counted otherwise"} <= outcome.facts for outcome in outcomes)


def test_a_parquet_file_is_searched_by_its_pages(tmp_path: Path) -> None:
    """The pages are read, since a compressed page shows no value as it is."""
    path = tmp_path / "release.parquet"
    values = [f"abc{number}x0" for number in range(40)] * 3
    parquet.write_table(pyarrow.table({"zip": values, "n": list(range(120))}), path, compression="zstd")
    content = steps._content(path)
    assert all(value.encode() in content for value in values) and b"abc40x0" not in content
    (tmp_path / "release.csv").write_bytes(b"zip\nabc1x0\n")
    assert steps._content(tmp_path / "release.csv") == b"zip\nabc1x0\n"
