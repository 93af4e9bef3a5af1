"""check as a gate of a pipeline: its exit code, its JSON, and a text that somebody can act on."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pandas
import pytest
from click.testing import CliRunner, Result

import starcloak as sc
from starcloak.base import installation
from starcloak.base.errors import SourceError, VerificationError
from starcloak.commands.cli import cli
from starcloak.job.check_result import QidVerdict
from starcloak.store.databases.host import ClassTotals
from starcloak.store.session import Session

pytestmark = pytest.mark.usefixtures("work")


def gate(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments])


def drawn(seed: int) -> pandas.DataFrame:
    """A random table of 60 rows, with missing cells in every column."""
    chance = random.Random(seed)
    shape = {"age": "1223", "zip": "12", "disease": "abbcc"}
    return pandas.DataFrame(
        {name: [chance.choice([*values, None]) for _ in range(60)] for name, values in shape.items()}
    )


def smallest(frame: pandas.DataFrame, names: list[str], what: str | None = None) -> list[int]:
    """The size, or the number of values, of every class, by pandas."""
    grouped = frame.groupby(names, dropna=False)
    return list(grouped.size() if what is None else grouped[what].nunique())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_distinct_l_diversity_is_that_of_brute_force(seed: int) -> None:
    """Also over several QIDs: a class of each has so many values, missing ones aside."""
    frame, k, least = drawn(seed), 2 + seed % 3, 2 + seed % 2
    qids: list[dict[str, Any]] = [{"attributes": ["age", "zip"], "k": k}, {"attributes": ["zip"], "k": 1}]
    verdict = sc.check(frame, qids=qids, l_diversity=[{"attribute": "disease", "l": least}])
    for asked, qid in zip(qids, verdict.qids, strict=True):
        names = asked["attributes"]
        sizes, values = smallest(frame, names), smallest(frame, names, "disease")
        (found,) = qid.models
        assert found.holds == (min(values) >= least)
        assert found.achieved == (min(values) if found.holds else None)
        assert qid.holds == (found.holds and min(sizes) >= asked["k"])
        few = [size for size, count in zip(sizes, values, strict=True) if count < least]
        for told, count in ((found.violating_classes, len(few)), (found.violating_rows, sum(few))):
            assert told == count
    assert verdict.holds == all(qid.holds for qid in verdict.qids)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_attributes_of_which_one_is_too_much_are_named(seed: int) -> None:
    frame = drawn(seed)
    names, k = ["age", "zip", "disease"], 3 + seed
    (qid,) = sc.check(frame, names, k).qids
    enough = [name for name in names if min(smallest(frame, [other for other in names if other != name])) >= k]
    assert qid.holds_without == ([] if qid.holds else enough)


def test_the_gate_closes_where_a_class_has_too_few_values() -> None:
    Path("t.csv").write_text("zip,disease\n" + "1,flu\n" * 5 + "1,cold\n" + "2,flu\n" * 4 + "2,\n")
    closed = gate("t.csv", "--qi", "zip", "--k", "2", "--l", "disease:2")
    assert closed.exit_code == 1
    assert closed.output.splitlines() == [
        "holds: t.csv is 5-anonymous over (zip): 2 classes",
        "does not hold: 1 of 2 classes of t.csv over (zip), 5 of 11 rows in all, have not 2 values of disease",
        "next: generalize further with a job of a larger k, or leave the violating rows out in a query",
    ]
    Path("t.csv").write_text(Path("t.csv").read_text() + "2,rash\n")
    assert gate("t.csv", "--qi", "zip", "--k", "2", "--l", "disease:2").exit_code == 0
    assert gate("t.csv", "--qi", "zip", "--k", "2", "--l", "disease:3").exit_code == 1


def test_the_text_tells_what_fails_how_much_and_what_to_do() -> None:
    rows = "".join(f"{age},{zip_}\n" for age in range(6) for zip_ in (1, 2))
    Path("t.csv").write_text("age,zip\n" + rows)
    text = gate("t.csv", "--qid", "age,zip:2", "--qid", "zip:6").output.splitlines()
    assert text[0].startswith("does not hold: 12 of 12 classes of t.csv over (age, zip), 12 of 12 rows in all")
    assert text[1] == "holds: t.csv is 6-anonymous over (zip): 2 classes"
    assert text[2] == (
        "next: the requirement over (age, zip) would hold without age or zip: drop this column, or generalize it to *"
    )
    query = text[4].removeprefix("next: list the small classes: ").replace("…", "'t.csv'")
    assert len(duckdb.sql(query).fetchall()) == 12


@pytest.mark.parametrize(("person", "small"), [("pid", [1, 2]), ("clinic,pid", [1])])
def test_the_query_of_small_classes_counts_persons_as_the_check_does(person: str, small: list[int]) -> None:
    Path("t.csv").write_text("zip,clinic,pid\n1,a,1\n1,a,1\n2,a,1\n2,b,1\n3,a,1\n3,a,2\n")
    text = gate("t.csv", "--qi", "zip", "--k", "2", "--person", person).output.splitlines()
    query = text[-1].removeprefix("next: list the small classes: ").replace("…", "'t.csv'")
    assert text[0].startswith(f"does not hold: {len(small)} of 3 classes")
    assert sorted(duckdb.sql(query).fetchall()) == [(zip_, 1) for zip_ in small]


def test_the_json_of_the_gate_is_valid() -> None:
    drawn(1).to_csv("t.csv", index=False)
    done = gate("t.csv", "--qi", "age,zip", "--k", "3", "--l", "disease:2", "--json")
    verdict = json.loads(done.output)
    jsonschema.validate(verdict, json.loads((installation.schemas() / "verdict.json").read_text()))
    assert done.exit_code == (0 if verdict["holds"] else 1)
    assert [each["required"]["attribute"] for each in verdict["qids"][0]["models"]] == ["disease"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(6))
def test_no_count_from_1_to_k_less_1_of_a_release_is_told(seed: int) -> None:
    frame, k = drawn(seed), 9
    kinds = {name: {"suppress": True, "to": 0} for name in ("age", "zip")}
    job = {"quasi_identifiers": kinds, "sensitive": ["disease"], "requirement": {"k": 1}, "output": {"path": "t.csv"}}
    sc.run({**job, "others": "identifiers"}, frame=frame)
    arguments = ("t.csv", "--qi", "age,zip", "--k", str(k), "--l", "disease:3")
    (qid,) = json.loads(gate(*arguments, "--json").output)["qids"]
    for counted in (qid, *qid["models"]):
        for key in ("violating_classes", "violating_rows"):
            assert not 0 < (counted[key] or 0) < k
    told = re.findall(r"([\d,]+) (?:of \d+ rows|of \d+ classes)", gate(*arguments).output)
    assert not [count for count in told if 0 < int(count) < k and int(count) != k]


@pytest.mark.parametrize("where", ["table", "query"])
def test_a_table_and_a_query_are_gated_as_a_file_is(where: str) -> None:
    drawn(2).to_csv("t.csv", index=False)
    with duckdb.connect("t.duckdb") as connection:
        connection.execute("create table t as from read_csv('t.csv', all_varchar = true)")
    asked = ("--qi", "zip", "--k", "4", "--l", "disease:2", "--json")
    named = ("--table", "t") if where == "table" else ("--query", "select zip, disease from t")
    found, file = (json.loads(gate(*place, *asked).output) for place in (("duckdb:///t.duckdb", *named), ("t.csv",)))
    assert found["qids"] == file["qids"]


def test_values_of_a_collation_that_merges_them_are_different() -> None:
    """And those of a type with several texts for one value are the same: fewer values, not more."""
    with duckdb.connect("t.duckdb") as connection:
        connection.execute("create table t (zip int, s varchar collate nocase, x double)")
        connection.execute("insert into t values (1, 'a', 0.0), (1, 'A', -0.0)")
    source = {"url": "duckdb:///t.duckdb", "table": "t"}
    assert sc.check(source, ["zip"], 2, l_diversity=[{"attribute": "s", "l": 2}]).holds
    assert not sc.check(source, ["zip"], 2, l_diversity=[{"attribute": "x", "l": 2}]).holds


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--l", "disease"), "such as disease:3"),
        (("--l", "disease:1"), "must be greater than or equal to 2"),
        (("--l", "disease:x"), "such as disease:3"),
        (("--l", "diseas:2"), "Did you mean 'disease'?"),
        (("--l", "zip:2"), "'zip' is named as sensitive and as a quasi-identifier"),
        (("--l", "disease:2", "--l", "disease:3"), "twice"),
    ],
)
def test_an_l_that_cannot_be_used_is_refused(more: tuple[str, ...], says: str) -> None:
    drawn(1).to_csv("t.csv", index=False)
    done = gate("t.csv", "--qi", "zip", "--k", "2", *more)
    assert done.exit_code == 2 or isinstance(done.exception, sc.InputError)
    assert says in done.output + str(done.exception)


@pytest.mark.parametrize(
    "lossy",
    [
        "select * replace (size + 1 as size) from checked_classes where value_2 <> '1'",
        "select * replace (case when value_1 = '1' then '2' else value_1 end as value_1) from checked_classes",
        "select * exclude (size), 1 as size from checked_classes",
    ],
    ids=["one is lost", "two become alike", "rows are lost"],
)
def test_there_is_no_verdict_on_classes_that_changed_on_their_way_home(
    lossy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Session.gather_classes

    def gather_classes(self: Session, *arguments: Any, **named: Any) -> ClassTotals:
        told = honest(self, *arguments, **named)
        self.connection.execute(f"create or replace temporary table checked_classes as {lossy}")
        return told

    frame = drawn(1)
    monkeypatch.setattr(Session, "gather_classes", gather_classes)
    with pytest.raises(VerificationError, match="no verdict"):
        sc.check(frame, qids=[{"attributes": ["age", "zip"], "k": 2}, {"attributes": ["age"], "k": 2}])


def test_a_source_that_fails_while_it_is_read_is_told() -> None:
    with duckdb.connect("t.duckdb") as connection:
        connection.execute("create table raw as select unnest(['1', '2', 'x']) as a")
        connection.execute("create view people as select cast(a as integer) as a from raw")
    with pytest.raises(SourceError, match=r"people in t.duckdb cannot be read \(Conversion.*\): check that its rows"):
        sc.check({"url": "duckdb:///t.duckdb", "table": "people"}, ["a"], 2)


def test_a_k_that_no_number_of_the_database_holds_is_larger_than_any_class() -> None:
    (verdict,) = sc.check(drawn(1), ["zip"], 10**60).qids
    assert not verdict.holds
    assert verdict.violating_classes == verdict.classes and verdict.violating_rows == len(drawn(1))


def test_counts_of_a_release_are_hidden_by_its_own_k() -> None:
    def released(name: str, rows: list[tuple[str, str]]) -> list[QidVerdict]:
        frame = pandas.DataFrame(rows + [("b", "z")] * 8, columns=["g", "w"])
        kept = {"quasi_identifiers": {"g": "suppress"}, "keep": ["w"], "requirement": {"k": 5}}
        sc.run({**kept, "output": {"path": name}}, frame=frame)
        return [sc.check(name, ["g", "w"], k=k).qids[0] for k in (1, 2, 7)]

    one, two, seven = released("three.csv", [*(("a", f"w{at}") for at in range(3)), *[("a", "w9")] * 6])
    assert [verdict.holds for verdict in (one, two, seven)] == [True, False, False]
    hidden = [(verdict.k, verdict.classes, verdict.violating_classes, verdict.violating_rows) for verdict in (one, two)]
    assert hidden == [(None, None, 0, 0), (None,) * 4]
    done = [gate("three.csv", "--qi", "g,w", "--k", k).output for k in "12"]
    assert "holds: three.csv is at least 1-anonymous over (g, w)" in done[0]
    assert "does not hold: some classes of three.csv over (g, w) have fewer than 2 rows" in done[1]
    # Seven rows in six classes are five alone, and two together.
    *_, seven = released("pair.csv", [*(("a", f"w{at}") for at in range(5)), *[("a", "w9")] * 2])
    assert (seven.classes, seven.violating_classes, seven.violating_rows) == (None, None, 7)


@pytest.mark.parametrize("small", [3, 8])
def test_figures_of_a_model_over_classes_smaller_than_k_are_hidden(small: int) -> None:
    """The share is one of few rows, and all rows less the violating ones are few rows."""
    parts = {"a": ["flu", "rash", *["flu"] * (small - 2)], "b": ["flu"] * 8, "c": ["flu"] * 8}
    rows = [("x", w, s) for w, values in parts.items() for s in values]
    frame = pandas.DataFrame(rows + [("y", "d", s) for s in ("flu", "rash") * 3][:-1], columns=["g", "w", "s"])
    kept = {"quasi_identifiers": {"g": "suppress"}, "keep": ["w"], "sensitive": ["s"], "requirement": {"k": 5}}
    sc.run({**kept, "output": {"path": "out.csv"}}, frame=frame)
    models = {"alpha": [{"attribute": "s", "alpha": "1"}], "l_diversity": [{"attribute": "s", "l": 2}]}
    (qid,) = sc.check("out.csv", ["g", "w"], k=5, **models).qids
    alpha, l_diversity = sorted(qid.models, key=lambda model: model.model)
    assert alpha.holds and not l_diversity.holds
    if small < 5:
        assert (alpha.achieved, l_diversity.violating_classes, l_diversity.violating_rows) == (None,) * 3
    else:
        assert (alpha.achieved, l_diversity.violating_classes, l_diversity.violating_rows) == (1, None, 16)


@pytest.mark.parametrize("seed", range(30))
def test_counts_over_nested_columns_do_not_differ_by_a_small_count(seed: int) -> None:
    """Rows that violate k over some columns violate it over more columns: the difference is rows of further classes."""
    chance = random.Random(seed)
    k = chance.randint(3, 8)
    rows = [("x" * chance.choice([1, 1, 1, 2]), chance.choice("aaaaabbc"), chance.choice("uuuuv")) for _ in range(90)]
    frame = pandas.DataFrame([(*row, str(n)) for n, row in enumerate(rows)], columns=["g", "v", "w", "who"])
    nested = [["g"], ["g", "v"], ["v", "g", "w"], ["g", "w"], ["g", "v"]]
    qids = [{"attributes": names, "k": chance.choice([k, k, k + 2])} for names in nested]
    shown = sc.check(frame, qids=qids, person=chance.choice([(), ("who",)])).disclosed(k).qids
    assert [qid.attributes for qid in shown] == nested
    for more in shown:
        for fewer in (qid for qid in shown if set(qid.attributes) <= set(more.attributes)):
            for name in ("violating_rows", "violating_classes", "violating_persons"):
                one, other = getattr(more, name), getattr(fewer, name)
                assert one is None or other is None or not 0 < abs(one - other) < k, (more, fewer)


def test_rows_of_a_small_class_are_not_the_difference_of_two_quasi_identifiers() -> None:
    rows = [("A", "1", "u")] * 3 + [("A", "2", "u")] * 3 + [("A", "9", "u")] * 20 + [("A", "9", "v")] * 2
    rows += [(f"B{at}", "9", "u") for at in range(9) for _ in range(5)]
    frame = pandas.DataFrame(rows, columns=["g", "v", "w"])
    sc.run({"quasi_identifiers": {"g": "suppress"}, "keep": ["v", "w"], "requirement": {"k": 5},
            "output": {"path": "out.csv"}}, frame=frame)  # fmt: skip
    names = (["g", "v", "w"], ["g", "v"])
    verdict = sc.check("out.csv", qids=[{"attributes": attributes, "k": 5} for attributes in names])
    assert verdict.release_k == 5
    assert [(qid.violating_rows, qid.violating_classes, qid.classes) for qid in verdict.qids] == [
        (None, None, None), (6, None, None)
    ]  # fmt: skip


def test_how_many_rows_a_release_has_is_told_where_they_are_as_many_as_the_largest_k() -> None:
    frame = drawn(3).head(6)
    for k, told in ((6, 6), (7, None)):
        raw = sc.check(frame, qids=[{"attributes": ["age"], "k": 2}, {"attributes": ["zip"], "k": k}])
        assert raw.rows == 6 and raw.qids[1].classes
        verdict = raw.disclosed()
        assert verdict.rows == told
        assert verdict.qids[0].classes is not None
        assert verdict.qids[1].classes is None  # all of them violate it, and they are fewer than k


def test_there_is_nothing_to_check_of_a_table_without_rows() -> None:
    with pytest.raises(SourceError, match="has no rows, so there is nothing to check"):
        sc.check(drawn(1).head(0), ["age"], 2)


def test_paths_in_a_file_of_a_requirement_go_by_the_file(work: Path) -> None:
    Path("asked").mkdir()
    Path("asked/tree.csv").write_text("flu;*\ncold;*\n")
    tree = "{attribute: disease, t: 1, distance: hierarchical, hierarchy: {csv: tree.csv}}"
    Path("asked/asked.yaml").write_text(f"k: 2\nt_closeness: [{tree}]\n")
    Path("t.csv").write_text("age,disease\n1,flu\n1,cold\n")
    done = CliRunner().invoke(cli, ["check", "t.csv", "--qi", "age", "--requirement", "asked/asked.yaml"])
    assert (done.exit_code, done.exception) == (0, None)
