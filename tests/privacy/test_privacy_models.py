"""Every privacy model beside distinct l-diversity: an oracle in plain Python, every search, every verifier."""

from __future__ import annotations

import ast
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import JobError, RequirementError, VerificationError
from starcloak.commands import pipeline
from starcloak.job import load_requirement
from starcloak.privacy import aggregates
from starcloak.privacy.aggregates import Domain
from starcloak.privacy.groups import Grouped, Pairs
from starcloak.privacy.model import Model, ValueHierarchies, every
from starcloak.statements.statement import Statement
from tests.daily import drawn_today
from tests.oracle import HIERARCHIES, TREES, Oracle
from tests.people import TYPES, Server, client, released, run, scripted
from tests.people import job as people_job
from tests.people import people as everybody
from tests.privacy.histograms import (
    FEWER_PAIRS,
    HALVES,
    LINES,
    MODELS,
    ON_SERVERS,
    PAIRS,
    ROWS,
    VALUES,
    Histogram,
    Row,
    alpha,
    classes_of,
    entropy,
    equal,
    frame,
    hierarchical,
    histograms,
    job,
    left_out,
    of,
    of_present,
    ordered,
    p_sensitive,
    some_models,
)


def nodes() -> list[tuple[int, ...]]:
    heights = [len(next(iter(tree.values()))) - 1 for tree in TREES]
    return list(product(*(range(height + 1) for height in heights)))


def lowest(satisfying: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """Those beneath which no other satisfies at all."""
    return {
        node
        for node in satisfying
        if not any(other != node and all(map(int.__le__, other, node)) for other in satisfying)
    }


COMPLETE: list[dict[str, Any]] = [
    {"name": "witness"},
    {"name": "bottom-up"},
    {"name": "incognito", "variant": "basic"},
    {"name": "incognito", "variant": "cube"},
]


# Each of the models with two of the searches, and each of these with half of the models; the others are long.
@pytest.mark.sampled(4)
@pytest.mark.parametrize(("halved", "name"), HALVES)
@given(rows=ROWS, k=st.integers(1, 3), share=st.sampled_from(["0", "0.1", "0.3"]))
@settings(max_examples=2)
def test_complete_searches_find_all_that_satisfy(halved: int, name: str, rows: list[Row], k: int, share: str) -> None:
    model, holds = MODELS[name]
    allowed = int(Fraction(share) * len(rows))
    expected = {node for node in nodes() if left_out(histograms(rows, node), k, holds)[0] <= allowed}
    for algorithm in COMPLETE[halved::2]:
        asked = job(k, model, algorithm, suppression=share)
        if not expected or len(rows) < k:
            with pytest.raises((RequirementError, sc.InputError)):
                pipeline.run(asked, frame=frame(rows))
            continue
        release = pipeline.run(asked, frame=frame(rows))
        found = release.result.search
        assert found.anonymous_nodes == len(expected), algorithm
        assert {tuple(node) for node in found.minimal} == lowest(expected), algorithm
        node = tuple(release.result.recoding.levels.values())
        assert node in expected
        _, kept = left_out(histograms(rows, node), k, holds)
        assert Counter(
            {tuple(map(str, key)): tuple(sorted(map(str, c.items()))) for key, c in kept.items()}
        ) == Counter({key: tuple(sorted(map(str, c.items()))) for key, c in classes_of(release).items()})


def cost(minimized: str, node: tuple[int, ...], kept: dict[Row, Histogram], rows: int, k: int) -> float:
    """What a node costs that releases these classes: a row that is left out counts as one of * cells."""
    sizes = [sum(counts.values()) for counts in kept.values()]
    out = rows - sum(sizes)
    match minimized:
        case "discernibility":
            return sum(size * size for size in sizes) + out * rows
        case "average_class_size":
            return sum(sizes) / len(sizes) / k if sizes else float("inf")
    share = sum(level / height for level, height in zip(node, nodes()[-1], strict=True)) / len(node)
    return (sum(sizes) * share + out) / rows


@pytest.mark.sampled(2)
@some_models
@given(
    rows=ROWS,
    k=st.integers(1, 3),
    share=st.sampled_from(["0.1", "0.3"]),
    minimized=st.sampled_from(["precision", "discernibility", "average_class_size"]),
)
@settings(max_examples=3)
def test_the_best_of_all_nodes_is_chosen_also_where_what_is_left_out_moves_the_rest(
    name: str, rows: list[Row], k: int, share: str, minimized: str
) -> None:
    model, holds = MODELS[name]
    if left_out(histograms(rows, nodes()[-1]), k, holds)[0]:
        return
    costs, classes = {}, {}
    for node in nodes():
        out, kept = left_out(histograms(rows, node), k, holds)
        if out <= int(Fraction(share) * len(rows)):
            classes[node] = len(kept)
            costs[node] = cost(minimized, node, kept, len(rows), k)
    asked = job(k, model, {"name": "witness"}, suppression=share)
    release = pipeline.run({**asked, "objective": {"minimize": minimized}}, frame=frame(rows))
    least = min(costs.values())
    by_name = sorted(range(len(HIERARCHIES)), key=lambda at: [*HIERARCHIES][at])
    equal = [node for node in costs if costs[node] <= least + 1e-12]
    best = min(equal, key=lambda node: (-classes[node], sum(node), [node[at] for at in by_name]))
    assert tuple(release.result.recoding.levels.values()) == best


@pytest.mark.sampled(2)
@some_models
def test_a_release_into_a_database_of_duckdb_is_counted_in_its_transaction(name: str, tmp_path: Path) -> None:
    """There the verifier may write to temporary tables alone."""
    leaves = [sorted(tree, key=str)[0] for tree in TREES]
    rows = frame([(*leaves, value) for value in ("flu", "cough", "ache", "cough", "ache")])
    with duckdb.connect(str(tmp_path / "hospital.duckdb")) as connection:
        connection.execute("create table people as from rows")
    place = {"source": {"url": f"duckdb:///{tmp_path / 'hospital.duckdb'}", "table": "people"}}
    asked = {**job(1, MODELS[name][0], {"name": "witness"}), **place, "output": {"table": "released"}}
    assert pipeline.run(asked).result.released_rows == len(rows)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", [*COMPLETE, {"name": "samarati"}, {"name": "datafly"}], ids=str)
def test_rows_left_out_help_where_all_rows_together_violate_a_model(algorithm: dict[str, Any]) -> None:
    rows = pandas.DataFrame({"sex": ["f", "f", "f", "m", "m"], "disease": ["flu", "flu", "flu", "flu", "cough"]})
    asked = {
        "quasi_identifiers": {"sex": "suppress"},
        "sensitive": ["disease"],
        "requirement": {"k": 2, "suppression": "0.6", "alpha": [{"attribute": "disease", "alpha": "0.5"}]},
    }
    release = pipeline.run({**asked, "algorithm": algorithm}, frame=rows)
    assert sorted(release.to_pandas().values.tolist()) == [["m", "cough"], ["m", "flu"]]
    with pytest.raises(RequirementError, match="kaca starts from one class of all rows"):
        pipeline.run({**asked, "algorithm": {"name": "kaca"}}, frame=rows)
    with pytest.raises(RequirementError, match="and it does not: no generalization can help"):
        asked["requirement"]["suppression"] = "0"  # type: ignore[index]
        pipeline.run({**asked, "algorithm": algorithm}, frame=rows)


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("name", "algorithm"), PAIRS)
@given(rows=ROWS, k=st.integers(1, 3), share=st.sampled_from(["0", "0.2"]))
@settings(max_examples=2)
def test_every_search_satisfies(algorithm: str, name: str, rows: list[Row], k: int, share: str) -> None:
    model, holds = MODELS[name]
    described: dict[str, Any] = {"name": algorithm, **({"class": "disease"} if algorithm == "tdr" else {})}
    moving = name.startswith(("beta", "enhanced", "delta", "equal", "ordered", "hierarchical"))
    more = {} if algorithm == "tdr" or (moving and algorithm in ("datafly", "samarati")) else {"suppression": share}
    if left_out(histograms(rows, nodes()[-1]), k, holds)[0]:
        with pytest.raises((RequirementError, sc.InputError)):
            pipeline.run(job(k, model, described, **more), frame=frame(rows))
        return
    release = pipeline.run(job(k, model, described, **more), frame=frame(rows))
    classes = classes_of(release)
    out, _ = left_out(classes, k, holds)
    assert not out
    assert sum(sum(each.values()) for each in classes.values()) == len(rows) - release.result.suppressed_rows


@pytest.mark.sampled(4)
@some_models
@given(rows=ROWS, k=st.integers(1, 3))
@settings(max_examples=5)
def test_the_gate_says_what_the_oracle_says(name: str, rows: list[Row], k: int) -> None:
    model, holds = MODELS[name]
    verdict = sc.check(frame(rows), ["one", "three"], k, **model)
    classes: dict[Row, Histogram] = defaultdict(Counter)
    for one, _, three, value in rows:
        classes[one, three][value] += 1
    table = Counter(value for *_, value in rows)
    violating = [counts for counts in classes.values() if not holds(counts, table)]
    (told,) = verdict.qids[0].models
    assert told.holds == (not violating)
    for found, count in (
        (told.violating_classes, len(violating)),
        (told.violating_rows, sum(sum(each.values()) for each in violating)),
    ):
        assert found == count


def bound(model: dict[str, Any], table: list[int]) -> Model:
    (found,) = load_requirement({"k": 1, **model}).models
    texts = ("flu", "cough", "ache")
    names = found.hierarchies if isinstance(found, ValueHierarchies) else ()
    trees = {name: tuple((text, *LINES[text]) for text in texts) for name in names}
    return found.over(Domain("disease", tuple(table), texts=texts, trees=trees).with_layout())


def character(code: int) -> str:
    """The character of a value in a text of values."""
    return chr(0x4E00 + code)


def grouped(groups: list[list[int]]) -> Grouped:
    counts = np.array(groups)
    of, value = np.nonzero(counts)
    return Grouped(counts.sum(axis=1), {"disease": Pairs(of, value, counts.shape[1], counts[of, value])})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("limit", [500, 2])
@pytest.mark.parametrize("name", MODELS)
def test_arrays_sql_and_the_verifier_give_the_same_verdict_as_fractions(
    name: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over random histograms, ties among them; the SQL is that of the searches. Above the limit, it reads texts."""
    monkeypatch.setattr(aggregates, "LARGEST_COUNTED", limit)
    model, holds = MODELS[name]
    random = np.random.default_rng(sum(map(ord, name)))
    groups = random.integers(0, 4, (2000, 3)) * random.choice([1, 1, 3], (2000, 1))
    groups = groups[groups.sum(axis=1) > 0]
    table = groups.sum(axis=0)
    known = bound(model, table.tolist())
    expected = [
        not holds(
            {value: int(count) for value, count in zip(VALUES, group, strict=False) if count},
            dict(zip(VALUES, table.tolist(), strict=False)),
        )
        for group in groups
    ]
    assert known.violates(grouped(groups.tolist())).tolist() == expected
    if known.superset_closed:  # tests/privacy/test_privacy.py has it
        return
    shape = {f"disease_{code}_rows": groups[:, code] for code in range(3)}
    shape["disease_values"] = ["".join(map(character, np.repeat(range(3), group))) for group in groups]
    rows = pandas.DataFrame({"place": range(len(groups)), "frequency": groups.sum(axis=1), **shape})
    with duckdb.connect() as connection:
        connection.register("rows", rows)
        told = connection.execute(f"select {known.violating.sql()} from rows order by place").fetchall()
    assert [bool(violated) for (violated,) in told] == expected


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MODELS)
def test_what_is_declared_monotone_is(name: str) -> None:
    """Two groups that satisfy it are one that does; and where a superset need not, there is one that does not."""
    model, _ = MODELS[name]
    random = np.random.default_rng(len(name))
    parts = random.integers(0, 4, (2, 20_000, 3)) * random.integers(0, 9, (2, 20_000, 3))
    parts = parts[:, (parts.sum(axis=2) > 0).all(axis=0)]
    known = bound(model, parts.sum(axis=(0, 1)).tolist())
    one, other, both = (known.violates(grouped(each.tolist())) for each in (parts[0], parts[1], parts[0] + parts[1]))
    assert known.monotone and not (both & ~one & ~other).any()
    assert (both & (~one | ~other)).any() != known.superset_closed


FORGED = [("m", "a", "000", "flu")] * 8 + [("f", "b", "111", "ache")] * 8


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("name", "algorithm"), FEWER_PAIRS)
def test_a_release_that_violates_is_refused_by_the_verifier(
    name: str, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search is made to look at k alone: the verifier counts by itself."""
    model, _ = MODELS[name]
    (kind,) = {type(each) for each in load_requirement({"k": 2, **model}).models}
    monkeypatch.setattr(kind, "violating", property(lambda self: Statement("star/recoding/full_domain#none_rare")))
    monkeypatch.setattr(kind, "violates", lambda self, groups: groups.sizes < 0)
    described = {"name": algorithm, **({"class": "disease"} if algorithm == "tdr" else {})}
    with pytest.raises(VerificationError, match="a class over one, two, three does not have"):
        pipeline.run(job(2, model, described), frame=frame(FORGED))


def test_no_decision_of_the_verifier_imports_arrays_or_a_search() -> None:
    for model in every():
        beside = Path(__import__(model.__module__, fromlist=["x"]).__file__ or "").with_name("recount.py")
        if not beside.exists():
            assert model.key == "k"
            continue
        for node in ast.walk(ast.parse(beside.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] not in ("numpy", "pyarrow", "pandas"), beside
                assert not name.startswith(("starcloak.search", "starcloak.privacy.groups")), beside
        # Of the model it takes the parameters, and nothing else.
        assert "violat" not in "".join(
            each.attr for each in ast.walk(ast.parse(beside.read_text())) if isinstance(each, ast.Attribute)
        )


def test_oracle_of_the_lattice_is_the_same() -> None:
    assert Oracle.minimal({(0, 0, 1), (1, 0, 1)}) == {(0, 0, 1)} == lowest({(0, 0, 1), (1, 0, 1)})


# ------------------------------------------------------------------------------------------- databases, scripts and dbt


ALL = ["flu", "Flu", "flu ", "cold", "grippé"]


PEOPLE: dict[str, tuple[dict[str, Any], Callable[[Histogram, Histogram], bool]]] = {
    **MODELS,
    "ordered": (of("t_closeness", t="0.25", distance="ordered", order=ALL), ordered("0.25", ALL)),
    "ordered of present": (
        of("t_closeness", t="0.25", distance="ordered", order=ALL, missing="none"),
        of_present(ordered("0.25", ALL)),
    ),
    "hierarchical": (
        of("t_closeness", t="0.2", distance="hierarchical", hierarchy={"tree": {"a": ALL[:3], "b": ALL[3:]}}),
        hierarchical("0.2", {value: ("a" if place < 3 else "b", "*") for place, value in enumerate(ALL)}),
    ),
}


def of_people(name: str) -> dict[str, Any]:
    """The model of the people's illness."""
    model, _ = PEOPLE[name]
    described: dict[str, Any] = json.loads(json.dumps(model).replace("disease", "illness"))
    return described


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("server", "name"), ON_SERVERS, indirect=["server"])
def test_every_database_releases_what_satisfies_it_and_so_does_its_script(server: Server, name: str) -> None:
    server.fill("people", everybody(120), TYPES)
    _, holds = PEOPLE[name]
    described = people_job(server, requirement={"k": 4, **of_people(name)}, objective={"minimize": "height"})
    script = sc.compile(described)
    run(described)
    found = released(server)
    assert found is not None
    classes: dict[Row, Histogram] = defaultdict(Counter)
    for (*cells, illness), rows in found.items():
        classes[tuple(cells)][illness] += rows
    assert not left_out(classes, 4, holds)[0]
    server.execute("drop table cohort", "drop table starcloak_releases")
    assert scripted(client(server), script).returncode == 0
    assert released(server) == found
    # As many rows in each class as before, and other illnesses.
    server.execute("drop table cohort", "update people set illness = 'flu' where sex = 'f' or age > 40")
    done = scripted(client(server), script)
    assert done.returncode != 0 and "not the source that this script was made for" in done.stderr
    assert "cohort" not in server.tables()


@pytest.mark.sampled(2)
@some_models
def test_a_script_counts_again(name: str, tmp_path: Path) -> None:
    """In DuckDB, for a source that has other illnesses than the one that was searched."""
    place = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(place)) as connection:
        frame_ = everybody(120)
        connection.register("rows", frame_)
        connection.execute("create table people as from rows")
    described = people_job(
        Server("duckdb", f"duckdb:///{place}"),
        requirement={"k": 4, **of_people(name)},
        objective={"minimize": "height"},
    )
    script = sc.compile(described)
    with duckdb.connect(str(place)) as connection:
        connection.execute(script)
        connection.execute("drop table cohort")
        connection.execute("update people set illness = 'flu' where sex = 'f' or age > 40")
    says = "not the source that this script was made for"
    with duckdb.connect(str(place)) as connection, pytest.raises(duckdb.Error, match=says):
        connection.execute(script)


def test_a_script_takes_a_tie_as_the_verifier_does(tmp_path: Path) -> None:
    """A third of all and half of a class: a relative gain of exactly a half."""
    place = f"duckdb:///{tmp_path / 'clinic.duckdb'}"
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as connection:
        connection.execute("create table people as from (values ('a', 'x'), ('a', 'y'), ('b', 'x')) t (g, illness)")
        described = {"quasi_identifiers": {"g": "suppress"}, "sensitive": ["illness"], "output": {"table": "cohort"}}
    half = {"k": 1, "beta_likeness": [{"attribute": "illness", "beta": "0.5"}]}
    script = sc.compile({**described, "source": {"url": place, "table": "people"}, "requirement": half})
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as connection:
        connection.execute(script)


@pytest.mark.sampled(2)
@some_models
def test_a_script_counts_again_whatever_the_columns_are_called(name: str, tmp_path: Path) -> None:
    """Quasi-identifiers have the names of what it counts; then one class has one illness."""
    place, names = tmp_path / "clinic.duckdb", ("size", "value_rows", "total", "whole", "place", "asked", "class")
    called = ", ".join(f"1000 as {each}" for each in names)
    illnesses = f"{ALL}[1 + n % 5]"
    with duckdb.connect(str(place)) as connection:
        connection.execute(
            f"create table people as select {called}, n // 25 as g, {illnesses} as illness from range(100) t (n)"
        )
    described = {
        "source": {"url": f"duckdb:///{place}", "table": "people"},
        "quasi_identifiers": dict.fromkeys(("g", *names), "suppress"),
        "sensitive": ["illness"],
        "requirement": {"k": 4, **of_people(name)},
        "output": {"table": "cohort"},
    }
    script = sc.compile(described)
    with duckdb.connect(str(place)) as connection:
        connection.execute(script)
        connection.execute("drop table cohort")
        connection.execute("update people set illness = 'flu' where g = 0")
    says = "not the source that this script was made for"
    with duckdb.connect(str(place)) as connection, pytest.raises(duckdb.Error, match=says):
        connection.execute(script)


# ------------------------------------------------------------------------------------------------- several, and corners


@given(rows=ROWS, k=st.integers(1, 2), name=st.sampled_from(["witness", "kaca", "mondrian", "full-subtree", "sweep"]))
@settings(max_examples=6)
def test_several_models_of_several_attributes_hold_in_the_groups_of_every_qid(
    rows: list[Row], k: int, name: str
) -> None:
    drugs = ["a", "b", "c"]
    table = frame(rows).assign(drug=[drugs[len(set(row)) % 3 if place % 2 else 0] for place, row in enumerate(rows)])
    asked: dict[str, Any] = {
        "l_diversity": [
            {"kind": "entropy", "attribute": "disease", "l": "1.3"},
            {"attribute": "drug", "l": 2},
        ],
        "alpha": [{"attribute": "drug", "alpha": "0.9"}],
        "t_closeness": [{"attribute": "disease", "t": "0.5"}],
    }
    qids = [{"attributes": ["one", "two"], "k": k}, {"attributes": ["two", "three"], "k": k + 1}]
    single = name in ("kaca", "sweep")
    requirement = {**asked, **({"k": k} if single else {"qids": qids})}
    described = {
        "quasi_identifiers": HIERARCHIES,
        "sensitive": ["disease", "drug"],
        "requirement": requirement,
        "algorithm": {"name": name},
    }
    tests = [
        ("disease", entropy("1.3")),
        ("drug", p_sensitive(2)),
        ("drug", alpha("0.9")),
        ("disease", equal("0.5")),
    ]
    whole = {column: Counter(None if pandas.isna(v) else v for v in table[column]) for column in ("disease", "drug")}
    possible = len(rows) >= k + (not single) and all(holds(whole[column], whole[column]) for column, holds in tests)
    if not possible:
        with pytest.raises(RequirementError):
            pipeline.run(described, frame=table)
        return
    release = pipeline.run(described, frame=table).to_pandas()
    for qid in [{"attributes": ["one", "two", "three"], "k": k}] if single else qids:
        for _, group in release.astype(object).groupby(qid["attributes"], dropna=False):
            assert len(group) >= qid["k"]
            for column, holds in tests:
                counts = Counter(None if pandas.isna(v) else v for v in group[column])
                assert holds(counts, whole[column]), (column, counts, whole[column])


@pytest.mark.parametrize(
    "model",
    [
        of("l_diversity", kind="entropy", l="3.5"),
        of("l_diversity", kind="recursive", l=4, c="100"),
        of("p_sensitive", p=4),
        of("alpha", alpha="0.3"),
    ],
)
def test_what_the_whole_table_has_not_is_refused_before_the_search(model: dict[str, Any]) -> None:
    with pytest.raises(RequirementError, match=r"fewer than 4 rows|and it does not: no generalization can help"):
        pipeline.run(job(1, model, {"name": "witness"}), frame=frame(FORGED[:7] + FORGED[-7:]))


def test_a_t_of_0_leaves_what_is_distributed_as_the_table() -> None:
    rows = [(one, "a", zip_, value) for one in "mf" for zip_ in ("000", "001") for value in ("flu", "ache")]
    rows += [("m", "b", "000", "flu")] * 2 + [("f", "b", "001", "ache")] * 2
    release = pipeline.run(job(1, of("t_closeness", t=0), {"name": "witness"}, suppression="0"), frame=frame(rows))
    (told,) = release.result.requirement.qids[0].models
    assert told.achieved == 0


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["equal", "beta", "delta"])
def test_one_sensitive_value_is_as_in_the_table_everywhere(name: str) -> None:
    model, _ = MODELS[name]
    rows = [(one, two, "000", "flu") for one in "mf" for two in "ab"]
    release = pipeline.run(job(1, model, {"name": "witness"}), frame=frame(rows))
    assert tuple(release.result.recoding.levels.values()) == (0, 0, 0)


def test_an_empty_release_satisfies_every_model() -> None:
    rows = [("m", "a", "000", "flu"), ("f", "b", "111", "ache")]
    for name in drawn_today(MODELS, every=4):
        if name in ("p-sensitive", "alpha of one", "hierarchical", "ordered"):
            continue
        model, _ = MODELS[name]
        described = job(2, model, {"name": "witness"}, suppression="1")
        described["objective"] = {"minimize": "height"}
        release = pipeline.run(described, frame=frame(rows))
        assert release.result.suppressed_rows in (0, 2)


@pytest.mark.parametrize("name", ["distinct", "alpha"])
def test_cells_are_suppressed_as_far_as_a_model_asks(name: str) -> None:
    """The groups that are cut further know what their tuples hold."""
    model = {"distinct": of("l_diversity", l=2), "alpha": of("alpha", alpha="0.5")}[name]
    rows = [(one, two, "000", value) for one in "mf" for two in "ab" for value in ("flu", "ache")]
    release = pipeline.run(job(2, model, {"name": "cell-suppression"}), frame=frame(rows))
    assert set(release.to_pandas()["one"]) == {"m", "f"} and set(release.to_pandas()["two"]) == {"a", "b"}


# ------------------------------------------------------------------------------------------ values that a job names


@pytest.mark.parametrize(
    ("named", "problem"), [("5", "write '5.0', as the column has it"), ("five", "no value of it reads so")]
)
def test_a_named_value_that_its_column_reads_otherwise_is_refused(named: str, problem: str) -> None:
    """It would be of no row: nobody would be protected, and the certificate would say so of all."""
    rows = pandas.DataFrame({"sex": ["f", "f", "m", "m"], "dose": [5.0, 5.0, 5.0, 1.0]})
    models = {"alpha": [{"attribute": "dose", "alpha": "0.5", "values": [named]}]}
    with pytest.raises(JobError, match=problem):
        sc.anonymize(rows, quasi_identifiers={"sex": "suppress"}, sensitive=["dose"], k=2, **models)
    with pytest.raises(JobError, match=problem):
        sc.check(rows, "sex", k=2, **models)


def test_a_named_value_that_no_row_has_is_told() -> None:
    rows = pandas.DataFrame({"sex": ["f", "f", "m", "m"], "illness": ["HIV", "HIV", "HIV", "flu"]})
    models = {"alpha": [{"attribute": "illness", "alpha": "0.5", "values": ["hiv", "flu"]}]}
    release = sc.anonymize(rows, quasi_identifiers={"sex": "suppress"}, sensitive=["illness"], k=2, **models)
    (warning,) = (each for each in release.result.warnings if "named values" in each)
    assert warning.startswith("alpha of 'illness': 1 of its 2 named values occur in no row")
    verdict = sc.check(rows, "sex", k=2, **models)
    assert (verdict.holds, verdict.notes) == (True, [warning])
