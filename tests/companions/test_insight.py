"""What a run says at once of its release: columns that single rows out, classes that share a value, columns lost."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from starcloak.companions.insight import alternatives, kept_columns
from starcloak.releases.disclosure import next_step
from starcloak.star.star import Star
from tests import weighed
from tests.people import Server

ROWS = 40


def table() -> pandas.DataFrame:
    """Rows with a serial number, and four classes: one of them has one disease, in another it is always missing."""
    classes = [row % 4 for row in range(ROWS)]
    diseases: list[Any] = [["flu", None, f"d{row % 3}", "flu" if row % 8 < 4 else None][row % 4] for row in range(ROWS)]
    return pandas.DataFrame(
        {
            "zip": [f"1{each}" for each in classes],
            "age": [str(20 + row) for row in range(ROWS)],
            "serial": [f"S{row:03d}" for row in range(ROWS)],
            "disease": diseases,
            "ward": [f"w{row % 2}" for row in range(ROWS)],
        }
    )


JOB: dict[str, Any] = {
    "quasi_identifiers": {"zip": {"digits": 2}, "age": "suppress"},
    "sensitive": ["disease"],
    "keep": ["serial", "ward"],
    "requirement": {"k": 5},
}


def told(**more: Any) -> list[str]:
    insight = sc.run({**JOB, **more}, frame=table()).result.insight
    assert insight is not None
    return insight.remarks


def test_columns_that_became_one_value_are_one_remark() -> None:
    frame = pandas.DataFrame([(f"{row % 7}", f"{row // 7}", "x") for row in range(49)], columns=list("abc"))
    job = {"quasi_identifiers": dict.fromkeys("abc", "suppress"), "requirement": {"k": 10}}
    insight = sc.run(job, frame=frame).result.insight
    assert insight is not None
    assert insight.otherwise[:1] == [
        "columns 'a', 'b' became * in every row: leave them out, or give them an importance of 2 or more so that the "
        "search spares them"
    ]


def test_a_column_that_may_go_no_higher_is_not_said_to_be_lost() -> None:
    frame = pandas.DataFrame({"zip": [f"1{row % 10}" for row in range(40)], "sex": ["f", "m"] * 20})
    job = {"quasi_identifiers": {"zip": {"digits": 2, "to": 1}, "sex": "suppress"}, "requirement": {"k": 10}}
    release = sc.run({**job, "objective": {"minimize": "height"}}, frame=frame)
    assert release.result.insight is not None and release.result.recoding.levels == {"zip": 1, "sex": 0}
    assert release.result.insight.remarks == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("values", "k", "more", "says"),
    [
        (120, 4, {}, True),
        (90, 4, {}, False),  # so many that others share them
        (120, 5, {}, False),  # no longer as they are
        (120, 4, {"from": 1}, False),
    ],
)
def test_whole_dates_and_codes_are_told_where_they_are_shown(
    values: int, k: int, more: dict[str, Any], says: bool
) -> None:
    days = pandas.date_range("1990-01-01", periods=values).strftime("%Y-%m-%d")
    frame = pandas.DataFrame({"born": [*days] * 4, "zip": [f"{row:03}" for row in range(values)] * 4, "age": "30"})
    kinds = {"born": {"dates": ["month"], **more}, "zip": {"digits": 3, **more}, "age": {"intervals": [5]}}
    insight = sc.run({"quasi_identifiers": kinds, "requirement": {"k": k}}, frame=frame).result.insight
    assert insight is not None
    fine = [line.partition(":")[0] for line in insight.remarks if "find people in other registers" in line]
    told = [
        f"column 'born' shows whole dates, with {values} values",
        f"column 'zip' shows all digits of a code, with {values} values",
    ]
    assert fine == told * says


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("more", "left_out"),
    [
        ({}, 0),
        ({"requirement": {"k": 3, "l_diversity": [{"attribute": "disease", "l": 2}]}}, 0),
        ({"algorithm": {"name": "tdr", "class": "disease"}, "requirement": {"k": 3}}, 0),
        ({"requirement": {"k": 3, "suppression": "0.015"}}, 3),
    ],
    ids=["k alone", "values read", "classified", "rows left out"],
)
def test_the_risk_before_is_that_of_the_rows_as_they_were(more: dict[str, Any], left_out: int) -> None:
    """Of the combinations of quasi-identifiers alone, whatever columns else the run reads."""
    frame = pandas.DataFrame({"zip": [f"{row % 4}{row % 20 // 4}" for row in range(200)]})
    frame["sex"] = [f"{'fm'[row % 40 // 20]}" for row in range(200)]
    frame["disease"] = [f"d{row % 7}" for row in range(200)]
    if left_out:
        frame.loc[:2, "zip"] = ["70", "80", "90"]
    job = {"quasi_identifiers": {"zip": {"digits": 2}, "sex": "suppress"}, "sensitive": ["disease"], **more}
    result = sc.run({"requirement": {"k": 5}, **job}, frame=frame).result
    assert result.insight is not None and result.insight.before is not None and result.suppressed_rows == left_out
    sizes, before = frame.iloc[left_out:].groupby(["zip", "sex"]).size(), result.insight.before
    assert (before.highest, before.average) == (1 / sizes.min(), pytest.approx(len(sizes) / sizes.sum()))


def test_a_run_says_what_is_to_be_looked_at() -> None:
    unique, shared = told()
    assert unique.startswith("column 'serial' is released unchanged, and nearly every row has a different value")
    assert shared.startswith("column 'disease': fewer than 5 classes, 20 rows in all, have a single value")


def test_rows_that_are_alone_by_several_columns_come_before_classes_with_one_value() -> None:
    """Nobody is taken to know a sensitive value: rows that are alone by these, too, are no remark."""
    frame = table().assign(serial=[f"s{row % 10}" for row in range(ROWS)], ward=[f"w{row // 4}" for row in range(ROWS)])
    insight = sc.run(JOB, frame=frame).result.insight
    assert insight is not None and insight.alone is not None
    alone, shared = insight.remarks
    assert alone.startswith(
        "40 of 40 rows are unique by quasi-identifiers and kept columns together, nearly all of them by"
    )
    assert shared.startswith("column 'disease'")
    assert not [name for names in insight.alone.sets for name in names if name == "disease"]
    assert insight.lines[2].startswith("column 'age' became *")  # the use comes after the harm


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    frame = table().assign(serial="x", disease=[f"d{row // 4 % 2}" for row in range(ROWS)], ward="w", age="30")
    insight = sc.run(weighed.by_height(JOB, {"age": 9}), frame=frame).result.insight
    assert insight is not None and (insight.remarks, insight.left_out) == ([], [])


def test_a_count_of_k_or_more_is_told() -> None:
    frame = table().assign(zip=[f"{row % 8}1" for row in range(ROWS)], disease="flu")
    insight = sc.run({**JOB, "requirement": {"k": 2}}, frame=frame).result.insight
    assert insight is not None and "column 'disease': 8 classes, 40 rows in all" in insight.remarks[-1]


@pytest.mark.any_database
def test_every_host_says_the_same_but_for_sets_of_columns(server: Server) -> None:
    """Those are looked for where the rows are in the working store."""
    server.fill("people", table(), dict.fromkeys(table(), "varchar(20)"))
    source = {"url": server.url, "table": "people"}
    release = sc.run({**JOB, "source": source, "output": {"table": "cohort"}})
    assert release.result.insight
    assert release.result.insight.remarks == [re.sub(r", nearly all by [^:]*", "", line) for line in told()]


def test_what_is_not_looked_at_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_columns, "MOST_ROWS", ROWS - 1)
    insight = sc.run(JOB, frame=table()).result.insight
    assert insight is not None
    assert insight.left_out == [f"kept columns were not examined, as the release has more than {ROWS - 1} rows"]
    assert insight.remarks == [] and insight.lines[0] == insight.left_out[0]


def test_it_goes_by_the_rows_that_are_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_columns, "MOST_ROWS", ROWS)
    rows = pandas.concat([table(), table()[:2].assign(zip=["71", "82"])])
    asked = {"suppression": "0.05", "k": 5}
    result = sc.run({**weighed.by_height(JOB, {"zip": 9}), "requirement": asked}, frame=rows).result
    assert result.suppressed_rows == 2 and result.insight is not None
    assert any(line.startswith("column 'disease': fewer than 5 classes") for line in result.insight.remarks)


def test_it_can_be_turned_off_and_the_summary_has_it(work: Path) -> None:
    table().to_csv("t.csv", index=False)
    rest = "{source: {path: t.csv}, quasi_identifiers: {zip: {digits: 2}, age: suppress}, sensitive: [disease], "
    rest += "keep: [serial, ward], requirement: {k: 5}, output: {path: out.csv}"
    Path("job.yaml").write_text(rest + "}")
    done = CliRunner().invoke(cli, ["run", "job.yaml"])
    assert len([line for line in done.output.splitlines() if line.startswith("insight     column ")]) == 3
    Path("job.yaml").write_text(rest + ", insight: off}")
    silent = CliRunner().invoke(cli, ["run", "job.yaml", "--force"])
    assert silent.exit_code == 0 and "insight" not in silent.output
    assert sc.run("job.yaml", force=True).result.insight is None


def test_a_run_of_a_large_table_with_few_combinations_tells_what_a_sweep_would_lose() -> None:
    """As a run with the sweep finds; not where the table is small beside its combinations, nor where it is off."""
    values = [(row % 7, (row * row) % 11) for row in range(300)]
    rows = pandas.DataFrame([(f"1{a}{b % 2}", str(20 + b)) for a, b in values] * 500, columns=["zip", "age"])
    job = {"quasi_identifiers": {"zip": {"digits": 3}, "age": {"intervals": [5]}}, "requirement": {"k": 3000}}
    result = sc.run(job, frame=rows).result
    swept = sc.run({**job, "algorithm": {"name": "sweep"}}, frame=rows).result
    assert result.insight is not None and swept.insight is not None
    (line,) = [each for each in result.insight.otherwise if "local recoding" in each]
    assert f"loss {swept.measures.loss:.4f}," in line and swept.measures.loss < result.measures.loss
    assert not [each for each in swept.insight.otherwise if "local recoding" in each]
    few = sc.run({**job, "requirement": {"k": 5}}, frame=rows[:300]).result.insight
    assert few is not None and not [each for each in few.otherwise if "local recoding" in each]
    assert sc.run({**job, "insight": "off"}, frame=rows).result.insight is None


def test_an_objective_that_costs_twice_the_least_loss_is_told() -> None:
    """By height sex goes, one level; by loss ages are put together in pairs, two levels."""
    rows = [(str(3 * age), sex) for age in range(40) for sex in "fm"]
    frame = pandas.DataFrame(rows, columns=["age", "sex"])
    job = {"quasi_identifiers": {"age": {"intervals": [2, 6]}, "sex": "suppress"},
           "requirement": {"k": 2}}  # fmt: skip
    by = {name: sc.run({**job, "objective": {"minimize": name}}, frame=frame).result for name in ("height", "loss")}
    assert by["height"].insight is not None and by["loss"].insight is not None
    assert by["height"].recoding.levels == {"age": 0, "sex": 1} and by["loss"].recoding.levels == {"age": 2, "sex": 0}
    (line,) = [each for each in by["height"].insight.otherwise if "objective height" in each]
    assert f"a loss of {by['height'].measures.loss:.4f}, and {by['loss'].measures.loss:.4f} or less" in line
    assert not [each for each in by["loss"].insight.otherwise if "objective" in each]


def test_what_was_left_out_is_not_the_difference_of_before_and_after(tmp_path: Path) -> None:
    """Two rows: of which value they were, and that they were two, would be told by what is told beside."""
    frame = pandas.DataFrame({"sex": ["f"] * 10 + ["m"] * 10, "age": ["30"] * 18 + ["40"] * 2})
    release = sc.anonymize(frame, quasi_identifiers={"sex": "suppress", "age": "suppress"}, k=5, suppression="0.1")
    assert release.result.suppressed_rows == 2 and release.result.insight is not None
    for column in release.result.insight.columns:
        assert column.frequent == column.released_frequent
    page = release.report(tmp_path / "report.html").read_text()
    assert "fewer than 5</b>rows left out" in page and "rows released</div>" in page


@pytest.mark.parametrize("algorithm", ["bottom-up", "sweep"])
def test_values_before_are_those_of_released_persons_alone(algorithm: str) -> None:
    """The suppressed person has a row with the same values as five released persons, and another row of its own."""
    told = [(f"p{number}", "111") for number in range(5)] + [(f"q{number}", "222") for number in range(5)]
    frame = pandas.DataFrame([*told, ("alone", "111"), ("alone", "999")], columns=["pid", "zip"])
    job = {"quasi_identifiers": {"zip": {"digits": 3, "from": 1, "to": 1}}, "algorithm": {"name": algorithm},
           "person": {"column": "pid", "as": "set"}, "requirement": {"k": 5, "suppression": "0.3"}}  # fmt: skip
    result = sc.run(job, frame=frame).result
    assert result.suppressed_rows == 2 and result.insight is not None
    (column,) = result.insight.columns
    assert column.frequent == [5, 5] and column.released_frequent == [5, 5]


@pytest.mark.sampled(3, among="promises")
@pytest.mark.parametrize("tables", [8, pytest.param(60, marks=pytest.mark.long)])
def test_what_is_said_to_be_had_without_a_column_is_what_a_run_without_it_has(tables: int) -> None:
    """Random tables and hierarchies; the objective may be another one."""
    said = 0
    for seed in range(tables):
        chance = random.Random(seed)
        names = "abcd"[: chance.randint(2, 4)]
        many = {name: chance.choice([2, 5, 30]) for name in names}
        frame = pandas.DataFrame([{n: str(10 + chance.randrange(many[n])) for n in names} for _ in range(30)])
        kinds = {name: chance.choice(["suppress", {"digits": 2}, {"intervals": [2, 4, 20]}]) for name in names}
        job = {
            "requirement": {"k": chance.choice([2, 3, 5])},
            "objective": {"minimize": chance.choice(["loss", "height"])},
        }
        result = sc.run({**job, "quasi_identifiers": kinds}, frame=frame).result
        assert result.insight is not None
        for line in result.insight.otherwise:
            if found := re.match(
                r"without column '(\w)', the loss of the other columns would fall from [\d.]+ to ([\d.]+) or less", line
            ):
                others = {name: kind for name, kind in kinds.items() if name != found[1]}
                fewer = {"quasi_identifiers": others, "objective": {"minimize": "loss"}}
                least = sc.run({**job, **fewer}, frame=frame[[*others]]).result.measures.loss
                assert found[2] == f"{least:.4f}" and least <= 0.75 * result.measures.loss, seed
                said += 1
    assert said >= tables / 8


@pytest.mark.sampled(3, among="promises")
@pytest.mark.parametrize("tables", [8, pytest.param(30, marks=pytest.mark.long)])
def test_what_a_hundredth_more_left_out_brings_is_what_a_run_has_at_most(tables: int) -> None:
    """Also where some may be left out already; by the levels of the node that is told of, and by a run."""
    said = 0
    for seed in range(tables):
        chance = random.Random(seed)
        many = {name: chance.choice([3, 20, 40]) for name in "abcd"[: chance.randint(2, 4)]}
        rows = [{n: str(10 + int(many[n] * chance.random() ** 3)) for n in many} for _ in range(400)]
        kinds = {name: chance.choice([{"digits": 2}, {"intervals": [2, 4, 20]}]) for name in many}
        suppression = chance.choice(["0", "0", "0.004"])
        job = {"quasi_identifiers": kinds, "objective": {"minimize": "loss"}}
        asked = {"k": chance.choice([2, 3, 5]), "suppression": suppression}
        frame = pandas.DataFrame(rows)
        result = sc.run({**job, "requirement": asked}, frame=frame).result
        assert result.insight is not None
        for line in result.insight.otherwise:
            if found := re.match(
                r"with 1 % more of the rows suppressed, the loss would fall from [\d.]+ to ([\d.]+) or less", line
            ):
                (share,) = re.findall(r"suppression: ([\d.]+)}", line)
                assert float(share) == pytest.approx(float(suppression) + 0.01) and not result.suppressed_rows
                least = sc.run(
                    {**job, "requirement": {**asked, "suppression": share}}, frame=frame
                ).result.measures.loss
                assert least <= float(found[1]) + 1e-4 and float(found[1]) <= 0.75 * result.measures.loss + 1e-4, seed
                said += 1
    assert said >= tables / 8


@pytest.mark.sampled(3, among="promises")
@pytest.mark.parametrize(("first", "each"), [(28, 1), pytest.param(0, 2, marks=pytest.mark.long)])
def test_what_a_larger_k_costs_is_what_a_run_has_at_most(first: int, each: int) -> None:
    """Also what costs nothing, by full-domain and by local recodings; whether or not some may be left out."""
    said = {"nothing": 0, "little": 0, "more": 0}
    for seed in range(first, 40):
        chance = random.Random(seed)
        many = {name: chance.choice([3, 20, 40]) for name in "abc"[: chance.randint(1, 3)]}
        rows = [{n: str(10 + int(many[n] * chance.random() ** 2)) for n in many} for _ in range(200)]
        kinds = {name: chance.choice([{"digits": 2}, {"intervals": [2, 4, 20]}, "suppress"]) for name in many}
        job = {"quasi_identifiers": kinds, "algorithm": chance.choice(["witness", "witness", "samarati", "sweep"])}
        asked = {"k": chance.choice([2, 3, 7]), "suppression": chance.choice(["0", "0.02"])}
        frame = pandas.DataFrame(rows)
        result = sc.run({**job, "requirement": asked}, frame=frame).result
        assert result.insight is not None
        if (line := result.insight.larger_k) is None:
            continue
        assert line not in result.insight.otherwise and result.insight.lines.count(line) == 1
        (k,) = map(int, re.findall(r"write requirement: {k: (\d+)}", line))
        again = sc.run({**job, "requirement": {**asked, "k": k}, "algorithm": "witness"}, frame=frame).result
        if " has the same release, " in line:
            assert k == result.k and (job["algorithm"] == "sweep" or again.measures.loss <= result.measures.loss + 1e-9)
            said["nothing"] += 1
            continue
        loss, taken = map(float, re.findall(r"loss of ([\d.]+) or less, instead of ([\d.]+) with", line)[0])
        assert k > asked["k"] and taken == pytest.approx(result.measures.loss, abs=6e-5), seed
        assert again.measures.loss <= loss + 6e-5, seed
        said["little" if loss <= 1.1 * taken else "more"] += 1
    assert min(said.values()) >= each, said


def test_a_wide_table_has_few_nodes_counted_for_a_larger_k(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a statement takes for each pair of columns counts, too, not its tuples alone."""
    counted = []
    largest_k = alternatives._largest_k

    def told(star: Star, nodes: Sequence[tuple[int, ...]], allowed: int) -> list[tuple[int, int, int]]:
        counted.append((len(star.dimensions), len(nodes)))
        return largest_k(star, nodes, allowed)

    monkeypatch.setattr(alternatives, "_largest_k", told)
    monkeypatch.setattr(alternatives, "_PER_PAIR", 1e-3)
    for columns in (2, 5):
        rows = pandas.DataFrame({f"c{at}": [str(10 + row % 2) for row in range(40)] for at in range(columns)})
        kinds = {name: {"digits": 2} for name in rows}
        sc.run({"quasi_identifiers": kinds, "requirement": {"k": 20}}, frame=rows)
    assert counted == [(2, 2), (5, 1)]  # of 2 and 5 that are a level higher


def test_a_run_ends_with_the_next_step(work: Path) -> None:
    table().to_csv("t.csv", index=False)
    Path("job.yaml").write_text(json.dumps({**JOB, "source": {"path": "t.csv"}, "output": {"path": "o.csv"}}))
    *_, last = CliRunner().invoke(cli, ["run", "job.yaml"]).output.strip().splitlines()
    assert last.startswith("next        ")


def test_the_next_step_names_what_is_released_as_it_is_and_no_quasi_identifier(work: Path) -> None:
    """The columns by which rows are alone are those of both kinds; only of the former is there something to decide."""
    rows = pandas.DataFrame({"zip": [str(10 + row % 2) for row in range(40)], "note": [f"n{row}" for row in range(40)]})
    job = {"quasi_identifiers": {"zip": {"digits": 2}}, "keep": ["note"], "requirement": {"k": 20}}
    released = sc.run(job, frame=rows).result
    assert released.insight is not None and released.insight.alone is not None
    assert next_step(released).startswith("Decide if a reader may know note of a person: ")
