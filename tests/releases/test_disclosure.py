"""What leaves the custodian tells nothing of rows that were left out, and no count of rows below k, by difference."""

from __future__ import annotations

import itertools
import json
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import yaml

import starcloak as sc
from starcloak.job.result import Joint, JointTogether, Result
from starcloak.releases import disclosure
from starcloak.releases.disclosure import disclosure_of, parts

ALGORITHMS = ["witness", "datafly", "kaca", "mondrian", "full-subtree", "sweep"]


def drawn(seed: int) -> tuple[pandas.DataFrame, dict[str, Any]]:
    """A random table, some of whose rows no generalization but the last keeps, and a job on it."""
    chance = random.Random(seed)
    rows, k = chance.randint(20, 80), chance.randint(2, 6)
    frame = pandas.DataFrame(
        {
            "age": [str(20 + int(chance.triangular(0, 40, 5))) for _ in range(rows)],
            "sex": [chance.choice("ffm") for _ in range(rows)],
            "zip": [chance.choice(["101", "102", "102", "103", "210"]) for _ in range(rows)],
            "illness": [chance.choice(["flu", "cold", "flu", "gout"]) for _ in range(rows)],
            "row": [f"r{row}" for row in range(rows)],
        }
    )
    algorithm = ALGORITHMS[seed % len(ALGORITHMS)]
    job = {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"age": {"intervals": [5, 20]}, "sex": "suppress", "zip": {"digits": 3}},
        "sensitive": ["illness"],
        "keep": ["row"],  # by which the test knows who was left out
        "requirement": {"k": k, "suppression": chance.choice(["0", "0.1", "0.3"])},
        "algorithm": {"name": algorithm},
        "objective": {"minimize": chance.choice(["height", "loss"])},
        "output": {"path": "release.csv"},
    }
    if algorithm in ("full-subtree", "mondrian", "sweep"):
        job["requirement"]["suppression"] = "0"
    if algorithm in ("kaca", "mondrian", "datafly", "sweep", "full-subtree"):
        del job["objective"]
    return frame, job


class Read:
    """What readers have of a release: the report, the event, the entry of the ledger, and a notebook's table."""

    def __init__(self, release: sc.Release, place: Path) -> None:
        text = release.report(place / "report.html").read_text()
        self.report = unescape(text)
        self.event = json.loads((place / "event.json").read_text())
        (self.ledger,) = json.loads((place / "release.csv.starcloak.json").read_text())["releases"]
        self.notebook = repr(release) + release._repr_html_()

    @property
    def lasting(self) -> str:
        """All of it but what is of the run and its folder alone: its number, its time, the source's path."""
        report = re.sub(r"Run <code>\w+</code>", "", self.report.partition("<details><summary>Seconds")[0])
        report = report.replace("script-src 'sha256-", "")
        event = {**self.event, "eventTime": "", "run": ""}
        ledger = {name: value for name, value in self.ledger.items() if name not in ("run", "origin")}
        return "\n".join([report, json.dumps(event), json.dumps(ledger), self.notebook])

    @property
    def populations(self) -> Iterator[tuple[int, list[int]]]:
        """Rows that are told as parts of others, with these: those of the source, of a column, of class sizes."""
        released = self.event["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"]
        assert self.ledger["rows"] == released
        facts = dict(reversed(pair) for pair in re.findall(r"<div><b>([\d,]+)</b>(rows [a-z ]+)", self.report))
        told = {name.strip(): int(count.replace(",", "")) for name, count in facts.items()}
        if whole := re.search(r"rows released of ([\d,]+)<", self.report):
            yield int(whole[1].replace(",", "")), [released, told["rows left out"]]
        for bars in re.findall(r'<g transform="translate\(46 22\)">(.*?)</g>', self.report):
            yield released, [int(count) for count in re.findall(r"<title>(\d+) rows", bars)]
        for levels in re.findall(r'data-of="Levels in use: ">(.*?)</td>', self.report):
            if counts := re.findall(r"\((\d+) rows\)", levels):
                yield released, list(map(int, counts))
        yield released, [int(count) for count in re.findall(r"<title>(\d+) rows in classes", self.report)]
        for row in re.findall(r"<td>[\d-]{10}</td><td>.*?</tr>", self.report):
            below, gone, new = re.findall(r'<td(?: class="n")?>([^<]*)</td>', row)[-3:]
            if new.isdigit():
                yield released, [int(new)]
            if below.isdigit() and gone.isdigit():
                yield released + int(gone), [int(below)]


def small_counts(told: Sequence[tuple[int, list[int]]], k: int) -> list[Any]:
    """Counts from 1 to k - 1 among parts, what remains beside one, two or all of them, and the parts' differences from
    a whole that has them both.
    """
    found = []
    for whole, counts in told:
        remains = [whole - count for count in counts]
        remains += [whole - one - other for one, other in itertools.combinations(counts, 2) if one + other <= whole]
        remains.append(whole - sum(counts))
        found += [(whole, counts, rest) for rest in (*counts, *remains) if 0 < rest < k]
    return found


def run(frame: pandas.DataFrame, job: dict[str, Any], place: Path, monkeypatch: pytest.MonkeyPatch) -> sc.Release:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("XDG_STATE_HOME", str(place / "state"))
    frame.to_csv("people.csv", index=False)
    (place / "job.yaml").write_text(yaml.safe_dump(job))
    return sc.run("job.yaml", lineage="event.json")


def with_another(frame: pandas.DataFrame, row: str, chance: random.Random) -> pandas.DataFrame:
    """The table with other values in a row."""
    changed = frame.copy()
    changed.loc[changed["row"] == row, ["age", "sex", "zip", "illness"]] = [
        str(chance.randint(20, 60)), chance.choice("fm"), chance.choice(["101", "210", "305"]), "gout"
    ]  # fmt: skip
    return changed


def held(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    frame, job = drawn(seed)
    k = job["requirement"]["k"]
    release = run(frame, job, folder / "a", monkeypatch)
    read = Read(release, folder / "a")
    assert not small_counts(list(read.populations), k), seed
    hashes = set(re.findall(r"\b[0-9a-f]{64}\b", read.lasting))
    told = release.result.hashes
    private = {told.source, told.statements, told.job, *told.hierarchies.values()}
    assert not hashes & private and hashes >= {told.program, told.release}
    if not release.result.suppressed_rows:
        return 0
    # Whoever knows all rows but one that was left out tries what it may be: no guess looks more like it than another.
    there, chance, same = (folder / "a" / "release.csv").read_bytes(), random.Random(seed), 0
    left = sorted(set(frame["row"]) - set(pandas.read_csv(folder / "a" / "release.csv")["row"]))
    for guess in range(3):
        other = run(with_another(frame, chance.choice(left), chance), job, folder / "b", monkeypatch)
        if (folder / "b" / "release.csv").read_bytes() == there:
            lasting = Read(other, folder / "b").lasting.replace(str(folder / "b"), str(folder / "a"))
            assert lasting == read.lasting, (seed, guess)
            same += other.result.hashes.source != told.source
    return same


@pytest.mark.parametrize("first", [0, pytest.param(5, marks=pytest.mark.long)])
def test_what_readers_have_tells_nothing_of_rows_that_were_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    assert sum(held(seed, tmp_path, monkeypatch) for seed in range(first, first + 5))


@pytest.mark.long
@pytest.mark.parametrize("first", range(10, 300, 10))
def test_what_readers_have_of_300_random_jobs_tells_nothing_of_rows_that_were_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    for seed in range(first, first + 10):
        held(seed, tmp_path, monkeypatch)


def test_every_field_of_a_result_is_told_or_withheld_on_purpose() -> None:
    fields = [*disclosure.AS_THEY_ARE, *disclosure.IN_PART, *disclosure.WITHHELD]
    assert sorted(fields) == sorted(Result.model_fields)


def test_parts_and_what_remains_of_a_whole_are_none_or_k_at_least() -> None:
    for seed in range(200):
        chance = random.Random(seed)
        k, counts = chance.randint(2, 9), [chance.randint(0, 20) for _ in range(chance.randint(1, 6))]
        whole = sum(counts) + chance.choice([0, 0, 1, 3, 12])
        told = parts(counts, k, whole=whole)
        assert all(count in (None, known) for count, known in zip(told, counts, strict=True)), seed
        assert not few_among([count for count in told if count is not None], k), seed
        assert whole < k or whole - sum(count or 0 for count in told) not in range(1, k), seed


def few_among(counts: Sequence[int], k: int) -> list[int]:
    return [count for count in counts if 0 < count < k]


def test_a_lone_row_is_not_the_difference_of_a_bar_and_the_total(tmp_path: Path) -> None:
    """Forty rows of one value and three of others, of which the release has one value alone."""
    frame = pandas.DataFrame({"age": ["20"] * 40 + ["31", "42", "53"], "sex": ["f", "m"] * 21 + ["f"]})
    job = {"quasi_identifiers": {"age": "suppress", "sex": "suppress"}, "requirement": {"k": 5}}
    release = sc.run(job, frame=frame)
    assert release.result.insight is not None and release.result.released_rows == 43
    assert release.result.insight.columns[0].frequent == [40]
    told = disclosure_of(release.result).result.insight
    assert told is not None and told.columns[0].frequent == []
    assert "40" not in re.findall(r"<title>(?:at least )?(\d+) rows<", release.report(tmp_path / "r.html").read_text())


def test_rows_of_a_raw_value_are_told_in_steps(tmp_path: Path) -> None:
    """Beside the 23 rows of the range that the release has, the 20 of a raw value in it would tell three others."""
    ages = ["20"] * 20 + ["21"] * 3 + ["60"] * 30 + ["61"] * 4
    job = {"quasi_identifiers": {"age": {"intervals": [10]}}, "requirement": {"k": 6}}
    release = sc.run(job, frame=pandas.DataFrame({"age": ages}))
    told = disclosure_of(release.result).result.insight
    assert told is not None
    (column,) = told.columns
    assert column.released_frequent == [34, 23] and column.frequent == [30, 18]


def test_what_earlier_releases_tell_has_no_small_count_by_difference() -> None:
    """Whoever has both releases knows how many rows either has."""
    frame = pandas.DataFrame({"a": ["x"] * 6})
    asked = {"quasi_identifiers": {"a": "suppress"}}
    made = {k: sc.run({**asked, "requirement": {"k": k}}, frame=frame).result for k in range(2, 7)}
    for seed in range(100):
        chance = random.Random(seed)
        k = chance.randint(2, 6)
        both, gone, new = chance.choice([0, 3, 30]), chance.randint(0, 9), chance.randint(0, 9)
        below = chance.randint(0, both + gone + new)
        joint = Joint(
            release="r", run="1" * 32, released_at="2020-01-01", exact=True, k=chance.randint(1, 9), groups=3,
            rows=both + gone + new, rows_below=below, rows_gone=gone, rows_new=new,
        )  # fmt: skip
        held = made[k].model_copy(update={"joint": [joint], "released_rows": both + new})
        (told,) = disclosure_of(held).result.joint
        assert told.rows is None and told.groups is None, seed
        assert (told.k is None) == (joint.k is not None and joint.k < k), seed
        known = [told.rows_gone, told.rows_new]
        assert known in ([None, None], [gone, new]), seed
        assert None in known or not few_among([gone, new, both], k), seed
        assert told.rows_below is None or not few_among([below, both + gone + new - below], k), seed


@pytest.mark.parametrize("persons", [1, 4, 5])
def test_rows_of_few_persons_who_left_are_not_counted_with_earlier_releases(persons: int) -> None:
    """Twelve persons have classes in both releases; the others, with eight rows each, left before the second one."""
    frame = pandas.DataFrame([(f"p{row % 12}", "AB"[row % 2]) for row in range(24)], columns=["who", "g"])
    job = {"person": "who", "quasi_identifiers": {"g": "suppress"}, "requirement": {"k": 5}}
    result = sc.run(job, frame=frame).result
    gone = 8 * persons
    joint = JointTogether(
        runs=["1" * 32], exact=True, k=min(persons, 6), groups=3,
        rows=24 + gone, rows_below=gone if persons < 5 else 0, rows_gone=gone, rows_new=0,
    )  # fmt: skip
    (told,) = disclosure_of(result.model_copy(update={"joint_together": [joint]})).result.joint_together
    assert (told.k, told.rows_below, told.rows_gone, told.rows_new) == (
        (5, 0, 40, 0) if persons == 5 else (None, None, None, None)
    )


@pytest.mark.parametrize("seed", range(12))
def test_shares_of_persons_reveal_no_small_number_of_persons(seed: int) -> None:
    """No reader can count persons in a release: a figure of few of them would be new."""
    chance = random.Random(seed)
    k = chance.randint(3, 6)
    rows = [(f"p{who}", town) for town in "ABC" for who in chance.sample(range(26), chance.randint(k, 24))]
    frame = pandas.DataFrame(rows, columns=["who", "town"])
    job = {"person": "who", "quasi_identifiers": {"town": "suppress"}, "requirement": {"k": k}}
    told = disclosure_of(sc.run(job, frame=frame).result).result
    assert told.insight is not None and told.persons is not None and told.insight.before is not None
    shares = [threshold.records_at_risk for threshold in told.insight.thresholds]
    counts = [0, *(round(share * told.persons.released) for share in shares if share is not None)]
    counts.append(told.persons.released)
    assert not small_differences(counts, k)
    assert told.insight.average_risk is None and told.insight.before.average is None


def test_no_share_of_persons_in_a_class_is_shown(tmp_path: Path) -> None:
    """Of five persons in a class three have the flu: no row of the release shows how many."""
    rows = [(f"p{who}", "flu" if who < 3 else "cold") for who in (0, 0, 0, 0, 0, 1, 2, 3, 4)]
    rows += [(f"p{who}", "xyzxy"[who]) for who in range(5)]
    job = {
        "person": "who",
        "quasi_identifiers": {"town": "suppress"},
        "sensitive": ["ill"],
        "requirement": {"k": 5, "alpha": [{"attribute": "ill", "alpha": "0.8"}]},
    }
    frame = pandas.DataFrame(rows, columns=["who", "ill"]).assign(town="A")
    release = sc.run(job, frame=frame)
    (owned,), (told,) = (
        result.requirement.qids[0].models for result in (release.result, disclosure_of(release.result).result)
    )
    assert (owned.achieved, told.achieved) == (0.6, None)
    assert "the worst class has a figure for the custodian only" in release.report(tmp_path / "r.html").read_text()


def small_differences(counts: list[int], k: int) -> list[tuple[int, int]]:
    """Pairs of counts with a difference from 1 to k - 1."""
    return [(one, other) for one, other in itertools.combinations(sorted(counts), 2) if 0 < other - one < k]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("alone", "told"), [(0, 0), (2, None), (5, 5)])
def test_a_ledger_has_the_rows_left_out_unless_they_are_few(alone: int, told: int | None, tmp_path: Path) -> None:
    cells = [str(20 + row % 4) for row in range(40)] + [str(70 + row) for row in range(alone)]
    pandas.DataFrame({"age": cells}).to_csv(tmp_path / "t.csv", index=False)
    job = {
        "source": {"path": str(tmp_path / "t.csv")},
        "quasi_identifiers": {"age": "suppress"},
        "requirement": {"k": 4, "suppression": "0.2"},
        "output": {"url": f"duckdb:///{tmp_path / 'r.duckdb'}", "table": "released"},
    }
    assert sc.run(job).result.suppressed_rows == alone
    with duckdb.connect(str(tmp_path / "r.duckdb")) as connection:
        assert connection.execute("select suppressed_rows from starcloak_releases").fetchall() == [(told,)]


def test_few_persons_are_few_however_many_rows_they_have(tmp_path: Path) -> None:
    rows = [(f"p{person}", str(20 + person % 2)) for person in range(20) for _ in range(3)]
    rows += [("q", "70")] * 9
    pandas.DataFrame(rows, columns=["who", "age"]).to_csv(tmp_path / "t.csv", index=False)
    release = sc.run(
        {
            "source": {"path": str(tmp_path / "t.csv")},
            "quasi_identifiers": {"age": {"tree": {"young": ["20", "21"], "old": ["70"]}}},
            "person": "who",
            "requirement": {"k": 4, "suppression": "0.2"},
            "objective": {"minimize": "height"},
            "output": {"url": f"duckdb:///{tmp_path / 'r.duckdb'}", "table": "released"},
        }
    )
    assert (release.result.suppressed_rows, release.result.released_rows) == (9, 60)
    text = release.report(tmp_path / "r.html").read_text()
    assert "fewer than 4" in text and "of 69" not in text + repr(release) + release._repr_html_()
    with duckdb.connect(str(tmp_path / "r.duckdb")) as connection:
        assert connection.execute("select suppressed_rows from starcloak_releases").fetchall() == [(None,)]


def test_few_persons_of_a_class_over_several_qids_together_are_not_counted(tmp_path: Path) -> None:
    """Each class of a quasi-identifier has six persons, one over both has a single person, with six rows."""
    persons = {("a", "c"): 5, ("a", "d"): 1, ("b", "c"): 1, ("b", "d"): 5}
    rows = [(f"{cells}{person}", *cells) for cells, many in persons.items() for person in range(many)
            for _ in range(6 if many == 1 else 2)]  # fmt: skip
    qids = [{"attributes": [name], "k": 3} for name in ("left", "right")]
    job = {"quasi_identifiers": {"left": "suppress", "right": "suppress"}, "person": "who",
           "requirement": {"qids": qids}, "output": {"path": str(tmp_path / "released.csv")}}  # fmt: skip
    release = sc.run(job, frame=pandas.DataFrame(rows, columns=["who", "left", "right"]))
    assert release.k == 1 and disclosure_of(release.result).result.k is None
    (entry,) = json.loads((tmp_path / "released.csv.starcloak.json").read_text())["releases"]
    assert entry["k"] is None
    for profile in (None, "hipaa"):
        text = unescape(release.report(tmp_path / "report.html", profile=profile).read_text())
        assert "fewer than 3 persons" in text and not re.search(
            r"k = 1\b|1\.0000|Some persons are unique|\b1 persons", text
        )
    assert "k = fewer than 3" in repr(release) and "k = 1" not in repr(release) + release._repr_html_()
    audit = sc.audit(tmp_path / "released.csv", ["left", "right"])
    assert audit.release_k == 0 and any("count persons" in note for note in audit.notes)
    assert sc.check(tmp_path / "released.csv", ["left"], k=2).release_k is None


def test_rows_of_a_person_with_other_rows_in_the_release_are_not_counted(tmp_path: Path) -> None:
    rows = [("p0", "q")] * 6 + [(f"p{person}", "a") for person in range(15)]
    release = sc.run(
        {
            "person": "who",
            "quasi_identifiers": {"g": "suppress"},
            "requirement": {"k": 5, "suppression": "0.4"},
            "output": {"url": f"duckdb:///{tmp_path / 'r.duckdb'}", "table": "released"},
        },
        frame=pandas.DataFrame(rows, columns=["who", "g"]),
    )
    assert (release.result.suppressed_rows, release.result.persons.released) == (6, 15)
    told = disclosure_of(release.result)
    assert (told.rows, told.left_out, told.result.suppressed_rows) == (None, "not shown", 0)
    assert "15 rows (suppressed: not shown) to" in repr(release)
    with duckdb.connect(str(tmp_path / "r.duckdb")) as connection:
        assert connection.execute("select suppressed_rows from starcloak_releases").fetchall() == [(None,)]


def test_changed_cells_are_not_counted_if_one_person_may_have_them() -> None:
    rows = [("p0", 999, "elsewhere")] * 6 + [(f"p{person}", 50, "near") for person in range(1, 12)]
    job = {
        "person": "who",
        "quasi_identifiers": {"town": {"tree": {"all": ["near"]}, "nonconforming": "suppress", "from": 1}},
        "keep": ["weight"],
        "clean": {"weight": {"valid": [0, 200], "missing": [-1]}},
        "requirement": {"k": 5},
    }
    result = sc.run(job, frame=pandas.DataFrame(rows, columns=["who", "weight", "town"])).result
    told = disclosure_of(result).result
    assert [part.cells for part in (*result.cleaned, *result.nonconforming)] == [0, 6, 6]
    assert [part.cells for part in (*told.cleaned, *told.nonconforming)] == [0, None, None]


NONCONFORMING = ({"nonconforming": "missing"}, {"nonconforming": "suppress"})


@pytest.mark.parametrize(("missing", "algorithm"), [(0, "witness"), (3, "witness"), (6, "witness"), (3, "sweep")])
def test_no_number_of_changed_cells_can_be_subtracted_from_the_release(missing: int, algorithm: str) -> None:
    """Some changed cells may be beneath a coarser label; other cells of the source may have the label of changed ones.

    A reader sees neither number. Owners see both.
    """
    cells = ["NA"] * 9 + [None] * missing + ["1"] * 20
    frame = pandas.DataFrame({"g": ["x"] * 20 + ["y"] * (9 + missing), "lab": cells})
    kept = {"quasi_identifiers": {"g": "suppress"}, "keep": ["lab"], "clean": {"lab": {"missing": ["NA"]}}}
    coded = {"g": "suppress", "lab": {"tree": {"all": ["1"]}, "nonconforming": "missing"}}
    mapped = {**kept, "clean": {"lab": {"map": {"NA": "1"}}}}
    for job in (kept, mapped, *({"quasi_identifiers": coded | {"lab": coded["lab"] | more}} for more in NONCONFORMING)):
        result = sc.run({**job, "algorithm": algorithm, "requirement": {"k": 5}}, frame=frame).result
        shown = disclosure_of(result).result
        (part,) = [*result.cleaned, *result.nonconforming]
        assert result.suppressed_rows == 0 and (part.cells, part.missing) == (9, missing)
        assert [(part.cells, part.missing) for part in (*shown.cleaned, *shown.nonconforming)] == [(None, None)]


def test_no_measure_counts_changed_cells_beneath_a_label(tmp_path: Path) -> None:
    """The label of 30 cells is the text of 29 of them: a share of changed cells would reveal the other one.

    Two sources with the same release and the same levels have the same measures for readers.
    """
    path = tmp_path / "towns.csv"
    path.write_text("Berlin;Berlin;*\nPotsdam;Berlin;*\nHamburg;Hamburg;*\n")
    told, owned = [], []
    for few in range(1, 5):
        frame = pandas.DataFrame({"town": ["Berlin"] * (30 - few) + ["Potsdam"] * few + ["Hamburg"] * 20})
        job = {"quasi_identifiers": {"town": {"csv": str(path)}}, "requirement": {"k": 5}}
        release = sc.run(job, frame=frame)
        told.append(disclosure_of(release.result).result.measures.model_dump())
        owned.append(release.result.measures.modification_rate)
        assert "modification rate" not in release.report(tmp_path / "r.html").read_text()
    assert told == [told[0]] * 4 and "loss" in told[0]
    assert owned == [0.02, 0.04, 0.06, 0.08]


PAY = [("a", pay) for pay in "1234"] + [("b", pay) for pay in "1134"]


def of_pay(left: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *, reference: str) -> Read:
    """What readers have of eight rows in two classes; the ninth is left out, and has the pay ``left``."""
    frame = pandas.DataFrame([*PAY, ("c", left)], columns=["zip", "pay"])
    close = {"attribute": "pay", "t": 0.5, "distance": "equal"}
    job = {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"zip": "suppress"},
        "sensitive": ["pay"],
        "requirement": {"k": 4, "suppression": "0.2", "t_closeness": [close], "reference": reference},
        "output": {"path": "release.csv"},
    }
    release = run(frame, job, folder, monkeypatch)
    assert release.result.suppressed_rows == 1
    return Read(release, folder)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("reference", ["release", "source"])
def test_what_classes_have_compared_with_all_rows_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str
) -> None:
    """How far a class is from the source tells what the row that was left out has."""
    told = {of_pay(left, tmp_path / "a", monkeypatch, reference=reference).lasting for left in ("1", "2")}
    assert len(told) == 1
    assert ("a figure for the custodian only" in min(told).partition("Search")[0]) == (reference == "source")


def test_whether_there_are_warnings_is_not_told_where_rows_were_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may be of the row that was left out."""
    told = []
    for left, warned in (("c", False), ("A ", True)):
        frame = pandas.DataFrame({"zip": ["a"] * 5 + ["b"] * 5 + [left]})
        job = {
            "source": {"path": "people.csv"},
            "quasi_identifiers": {"zip": {"tree": {"all": ["a", "b"]}, "nonconforming": "suppress"}},
            "requirement": {"k": 4, "suppression": "0.2"},
            "output": {"path": "release.csv"},
        }
        release = run(frame, job, tmp_path / "a", monkeypatch)
        assert (release.result.suppressed_rows, bool(release.result.warnings)) == (1, warned)
        told.append(Read(release, tmp_path / "a").lasting)
    assert told[0] == told[1]


def test_whether_an_identifier_repeats_in_a_row_that_was_left_out_is_not_told() -> None:
    """Whoever knows all other rows would know by it whether somebody has a second one."""
    told = []
    for name in ("Zoe", "Ann 7"):
        people = [*((f"Ann {row}", 30, "f", "flu") for row in range(20)), (name, 90, "m", "gout")]
        release = sc.anonymize(
            pandas.DataFrame(people, columns=["name", "age", "sex", "illness"]),
            identifiers=["name"],
            quasi_identifiers={"age": sc.numeric(), "sex": sc.suppress()},
            sensitive=["illness"],
            k=5,
            suppression="0.1",
        )
        assert (release.result.suppressed_rows, len(release.result.by_identifier)) == (1, int(name == "Ann 7"))
        told.append(disclosure_of(release.result).result.by_identifier)
    assert told == [[], []]


def test_a_report_does_not_depend_on_the_value_of_a_suppressed_row(tmp_path: Path) -> None:
    """Beside cells that are no leaf of the hierarchy, the suppressed row has one that is, or has not."""
    tree = {"tree": {"*": {"known": ["f", "m"], "else": ["d"]}}, "nonconforming": "suppress", "from": 1}
    job = {"quasi_identifiers": {"zip": "suppress", "sex": tree}, "requirement": {"k": 3, "suppression": "0.2"}}
    told = []
    for sex in "xf":
        rows = [("101", "x")] * 4 + [("102", "x")] * 4 + [("999", sex)]
        release = sc.run(job, frame=pandas.DataFrame(rows, columns=["zip", "sex"]))
        assert release.result.suppressed_rows == 1
        told.append(disclosure_of(release.result).result.recoding)
    assert told[0] == told[1]


def test_a_reader_does_not_learn_if_a_suppressed_row_changed(work: Path) -> None:
    """Joint k is exact if no row changed: with suppressed rows every figure is an estimate for a reader."""
    rows = [(name, "10") for name in "PQRS"] + [("P", "30"), ("Q", "30")]
    job = {"source": {"path": "v.csv"}, "person": "pid", "quasi_identifiers": {"zip": "suppress"},
           "objective": {"minimize": "loss"}}  # fmt: skip
    told = []
    for changed in ("30", "31"):
        pandas.DataFrame(rows, columns=["pid", "zip"]).to_csv("v.csv", index=False)
        sc.run({**job, "requirement": {"k": 2}, "output": {"path": f"a{changed}.csv"}})
        pandas.DataFrame([*rows[:4], ("P", changed), rows[5]], columns=["pid", "zip"]).to_csv("v.csv", index=False)
        harder = {"k": 3, "suppression": "0.4"}
        release = sc.run({**job, "requirement": harder, "output": {"path": f"b{changed}.csv"}})
        told.append([joint.exact for joint in disclosure_of(release.result).result.joint])
    assert told[0][-1:] == told[1][-1:] == [False]
