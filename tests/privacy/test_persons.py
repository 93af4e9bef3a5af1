"""Several rows may be one person's: classes count persons, in every search, in the verifier, in every database."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import InputError, RequirementError, VerificationError
from starcloak.commands import pipeline
from starcloak.job import load
from starcloak.job.algorithms import algorithms
from starcloak.releases import state
from tests.daily import some_daily
from tests.oracle import HIERARCHIES, TREES, Oracle
from tests.people import TYPES, Server, people, run
from tests.privacy.histograms import MODELS, VALUES, persons_satisfy, some_models

Row = tuple[Any, ...]
Node = tuple[int, ...]

# The cells of TREES, and whose the row is.
CELLS = [st.sampled_from(sorted(tree)) for tree in TREES]
ROWS = st.lists(st.tuples(*CELLS, st.integers(0, 6)), min_size=1, max_size=25)


def job(k: int, algorithm: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    suppression = more.pop("suppression", "0")
    return {
        "quasi_identifiers": HIERARCHIES,
        "person": "whose",
        "keep": ["note"],
        "requirement": {"k": k, "suppression": suppression, **more.pop("requirement", {})},
        **({"algorithm": algorithm} if algorithm else {}),
        **more,
    }


def frame(rows: Sequence[Row]) -> pandas.DataFrame:
    """The rows, each with a note of its own that tells in the release whose it is."""
    columns = [*HIERARCHIES, "whose"]
    made = pandas.DataFrame(list(rows), columns=columns)
    return made.assign(note=[f"{row[-1]}/{place}" for place, row in enumerate(rows)])


def classes_of(release: sc.Release) -> dict[Row, set[str]]:
    """The persons of each class of a release."""
    classes: dict[Row, set[str]] = defaultdict(set)
    for *cells, note in release.to_pandas()[[*HIERARCHIES, "note"]].itertuples(index=False):
        classes[tuple(cells)].add(note.partition("/")[0])
    return classes


def nodes() -> Iterator[Node]:
    return product(*(range(len(next(iter(tree.values())))) for tree in TREES))


def outliers(rows: Sequence[Row], node: Node, k: int) -> int:
    """The rows in classes of fewer than k persons."""
    oracle = Oracle([row[:-1] for row in rows], TREES)
    groups: dict[Row, list[Any]] = defaultdict(list)
    for row in rows:
        groups[oracle.generalize(row[:-1], node)].append(row[-1])
    return sum(len(persons) for persons in groups.values() if len(set(persons)) < k)


def satisfying(rows: Sequence[Row], k: int, share: str) -> set[Node]:
    allowed = int(Fraction(share) * len(rows))
    return {node for node in nodes() if outliers(rows, node, k) <= allowed}


def lowest(found: set[Node]) -> set[Node]:
    return Oracle.minimal(found)  # type: ignore[return-value]


COMPLETE: list[dict[str, Any]] = [
    {"name": "witness"},
    {"name": "bottom-up"},
    {"name": "bottom-up", "rollup": False},
    {"name": "incognito", "variant": "basic"},
    {"name": "incognito", "variant": "super-roots"},
    {"name": "incognito", "variant": "cube"},
]
OTHERS = [name for name in algorithms() if name not in ("witness", "bottom-up", "incognito")]


def agrees(rows: Sequence[Row], k: int, share: str, algorithm: dict[str, Any]) -> None:
    """The search finds what the oracle does, and releases classes of k persons."""
    expected = satisfying(rows, k, share)
    if len({row[-1] for row in rows}) < k:
        with pytest.raises(RequirementError):
            pipeline.run(job(k, algorithm, suppression=share), frame=frame(rows))
        return
    release = pipeline.run(job(k, algorithm, suppression=share), frame=frame(rows))
    found = release.result.search
    assert found.anonymous_nodes == len(expected), algorithm
    assert {tuple(node) for node in found.minimal} == lowest(expected), algorithm
    node = tuple(release.result.recoding.levels.values())
    assert node in expected
    assert release.result.suppressed_rows == outliers(rows, node, k)
    tells_the_truth(release, rows, k)


def tells_the_truth(release: sc.Release, rows: Sequence[Row], k: int) -> None:
    classes = classes_of(release)
    told = release.result.persons
    assert told is not None
    assert "whose" not in release.to_pandas().columns
    assert min(map(len, classes.values()), default=None) == release.k == release.result.requirement.qids[0].achieved_k
    assert release.k is None or release.k >= k
    assert told.persons == len({row[-1] for row in rows})
    assert told.released == len(set().union(*classes.values()))
    assert release.result.released_rows + release.result.suppressed_rows == len(rows)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("algorithm", COMPLETE, ids=lambda each: "-".join(map(str, each.values())))
@given(rows=ROWS, k=st.integers(1, 4), share=st.sampled_from(["0", "0.1", "0.3"]))
@settings(max_examples=3)
def test_complete_searches_find_what_an_oracle_of_persons_finds(
    algorithm: dict[str, Any], rows: list[Row], k: int, share: str
) -> None:
    agrees(rows, k, share, algorithm)


@pytest.mark.long
def test_ten_thousand_random_tables_are_searched_as_an_oracle_does() -> None:
    chance = random.Random(2026)
    for _ in range(10_000):
        persons = chance.choice([2, 4, 8])
        rows = [
            (*(chance.choice(sorted(tree)) for tree in TREES), chance.randrange(persons))
            for _ in range(chance.randrange(1, 20))
        ]
        agrees(rows, chance.randrange(1, 5), chance.choice(["0", "0.2"]), chance.choice(COMPLETE[:2]))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", OTHERS)
@given(rows=ROWS, k=st.integers(2, 3))
@settings(max_examples=2)
def test_every_other_search_releases_classes_of_k_persons(algorithm: str, rows: list[Row], k: int) -> None:
    asked = job(k, {"name": algorithm, **({"class": "note"} if algorithm == "tdr" else {})})
    if len({row[-1] for row in rows}) < k:
        with pytest.raises(RequirementError):
            pipeline.run(asked, frame=frame(rows))
        return
    tells_the_truth(pipeline.run(asked, frame=frame(rows)), rows, k)


@given(rows=ROWS, k=st.integers(1, 3))
@settings(max_examples=5)
def test_the_gate_counts_persons(rows: list[Row], k: int) -> None:
    left_out = outliers(rows, (0, 0, 0), k)
    verdict = sc.check(frame(rows), list(HIERARCHIES), k, person="whose")
    (found,) = verdict.qids
    assert verdict.holds == (left_out == 0) and found.of == "persons"
    assert found.violating_rows == left_out


@pytest.mark.parametrize("several", [False, True])
def test_persons_of_several_columns_are_told_apart_by_all_of_them(several: bool) -> None:
    rows = pandas.DataFrame(
        {"age": ["a"] * 4, "clinic": ["n", "n", "s", "s"], "number": [1, 1, 1, 2], "note": list("wxyz")}
    )
    person = ["clinic", "number"] if several else ["number"]
    assert sc.check(rows, "age", 3, person=person).holds == several
    others = [] if several else ["clinic"]
    release = sc.anonymize(
        rows, quasi_identifiers={"age": "suppress"}, keep=["note"], identifiers=others, person=person, k=2
    )
    assert release.result.persons is not None
    assert release.result.persons.persons == release.k == (3 if several else 2)
    assert list(release.to_pandas().columns) == ["age", "note"]


VISITS = pandas.DataFrame(
    {
        "whose": ["anna"] * 10 + ["ben", "cleo", "dora", "emil"],
        "age": ["30"] * 10 + ["41", "41", "52", "52"],
        "disease": ["hiv", "flu"] * 7,
    }
)


def visits(k: int = 2, **more: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": {"age": {"digits": 2}},
        "sensitive": ["disease"],
        "requirement": {"k": k, **more.pop("requirement", {})},
        **more,
    }


def test_ten_visits_of_one_person_hide_nobody() -> None:
    assert sc.check(VISITS, "age", 2).holds
    verdict = sc.check(VISITS, "age", 2, person="whose")
    assert not verdict.holds
    assert verdict.qids[0].violating_rows == 10 and verdict.qids[0].violating_persons == 1
    assert verdict.disclosed().qids[0].violating_persons is None
    by_rows = pipeline.run(visits(identifiers=["whose"]), frame=VISITS)
    assert by_rows.result.recoding.levels == {"age": 0} and by_rows.result.persons is None
    release = pipeline.run(visits(person="whose"), frame=VISITS)
    assert release.result.recoding.levels == {"age": 2} and release.k == 5
    left_out = pipeline.run(visits(person="whose", requirement={"suppression": "0.8"}), frame=VISITS)
    assert left_out.result.recoding.levels == {"age": 0} and left_out.result.suppressed_rows == 10
    assert left_out.result.persons is not None and left_out.result.persons.released == 4


def test_fewer_persons_over_fewer_columns_are_asked_for_already() -> None:
    qids = [
        {"attributes": ["one", "two", "three"], "k": 3},
        {"attributes": ["one"], "k": 2},
        {"attributes": ["two"], "k": 4},
    ]
    required = load({**job(2), "requirement": {"qids": qids}}).required
    assert [demand.attributes for demand in required.demands] == [("one", "two", "three"), ("two",)]
    assert [demand.attributes for demand in required.redundant] == [("one",)]


def test_what_blocks_a_lower_level_is_explained_of_persons() -> None:
    (below,) = sc.explain(visits(person="whose"), frame=VISITS).lower
    assert (below.attribute, below.level, below.holds) == ("age", 1, False)
    assert [violation.rows for violation in below.violations] == [10]
    # So it is of models that know a sensitive attribute's values.
    rows = VISITS.assign(disease=["flu", "hiv"] * 5 + ["flu", "flu", "hiv", "hiv"])
    model = {"requirement": {"alpha": [{"attribute": "disease", "alpha": "0.5"}]}}
    (below,) = sc.explain(visits(identifiers=["whose"], **model), frame=rows).lower
    assert not below.holds


def test_a_report_says_whether_rows_or_persons_are_counted(tmp_path: Path) -> None:
    for role, said in (("person", "Persons are counted"), ("identifiers", "the job names no column of persons")):
        release = pipeline.run(visits(**{role: ["whose"]}), frame=VISITS)
        release.report(tmp_path / f"{role}.html")
        assert said in (tmp_path / f"{role}.html").read_text(encoding="utf-8")


def test_distinct_values_and_persons_are_asked_together() -> None:
    more = {"requirement": {"l_diversity": [{"attribute": "disease", "l": 2}]}}
    assert pipeline.run(visits(person="whose", **more), frame=VISITS).k == 5


def test_what_counts_values_is_refused_where_persons_have_several_combinations() -> None:
    more = {"requirement": {"alpha": [{"attribute": "disease", "alpha": "0.5"}]}}
    moved = VISITS.assign(age=["30"] * 9 + ["41"] * 3 + ["52"] * 2)
    with pytest.raises(InputError, match="several combinations of the quasi-identifiers"):
        pipeline.run(visits(person="whose", **more), frame=moved)
    one = VISITS.assign(whose=range(len(VISITS)))
    assert pipeline.run(visits(person="whose", **more), frame=one).k == 2


@pytest.mark.sampled(3)
@pytest.mark.parametrize("other", ["ANNA", "anna ", "\u00e1nna", "a\u0301nna", "ben"])
def test_persons_who_may_be_one_are_told(other: str) -> None:
    """Nobody can tell whether they are: k counts them as two, and says so."""
    frame = VISITS[:2].assign(whose=["anna", other])
    release = pipeline.run(visits(person="whose"), frame=frame)
    assert release.k == 2
    verdict, audit = sc.check(frame, "age", 2, person="whose"), sc.audit(frame, "age", person="whose")
    assert verdict.holds and audit.persons == 2
    for notes in (release.result.warnings, verdict.notes, audit.notes):
        assert any("'whose' differ only in case" in note for note in notes) == (other != "ben")


@pytest.mark.parametrize(
    ("key", "of_person", "tuples", "warned"),
    [
        (["pid", "site"], True, 30, True),
        (["site", "pid"], True, 30, True),
        (["pid", "site"], False, 30, False),  # each site numbers its own patients
        (["pid", "site"], True, 2, False),  # the same tuple by chance
        (["code", "site"], True, 30, False),  # no name of a person
    ],
)
def test_a_column_that_may_identify_persons_alone_is_reported(
    key: list[str], of_person: bool, tuples: int, warned: bool
) -> None:
    chance = random.Random(2)
    ages = {n: str(chance.randrange(tuples)) for n in range(90)}
    rows = [
        (number, site, ages[number] if of_person else str(chance.randrange(tuples)))
        for number in range(90) for site in "abc" if number % 3 or site == "a"
    ]  # fmt: skip
    table = pandas.DataFrame(rows, columns=["pid", "site", "age"]).rename(columns={"pid": (set(key) - {"site"}).pop()})
    release = sc.run({"quasi_identifiers": {"age": "suppress"}, "person": key, "requirement": {"k": 2}}, frame=table)
    verdict, audit = sc.check(table, "age", 2, person=key), sc.audit(table, "age", person=key)
    for notes in (release.result.warnings, verdict.notes, audit.notes):
        warnings = [warning for warning in notes if "write person: pid" in warning]
        assert len(warnings) == warned
        if warned:
            assert warnings[0].startswith(
                "of 60 values of 'pid' with several values of 'site', 60 have one combination"
            )


ILL = (["flu"] * 9, ["hiv"]), (["flu"], ["hiv"] * 3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("key", "model"),
    [
        ("alpha", {"alpha": "0.5"}),
        ("l_diversity", {"kind": "entropy", "l": 2}),
        ("l_diversity", {"kind": "recursive", "l": 2, "c": "1.1"}),
        ("t_closeness", {"t": 0}),
        ("t_closeness", {"t": 0, "distance": "ordered", "order": ["flu", "hiv"]}),
        ("t_closeness", {"t": 0, "distance": "hierarchical", "hierarchy": {"tree": {"ill": ["flu", "hiv"]}}}),
        ("beta_likeness", {"beta": "0.01"}),
        ("delta_disclosure", {"delta": "0.01"}),
    ],
)
def test_nine_rows_of_one_value_are_one_of_a_person(key: str, model: dict[str, Any]) -> None:
    """Anna and ben have a value each, dora and emil, too: alike in both classes by persons, and not by rows."""
    rows = pandas.DataFrame(
        [
            (age, f"{whose}{age}", disease)
            for age, several in zip(("30", "41"), ILL, strict=True)
            for whose, diseases in enumerate(several)
            for disease in diseases
        ],
        columns=["age", "whose", "disease"],
    )
    asked = {"requirement": {key: [{"attribute": "disease", **model}]}}
    assert pipeline.run(visits(person="whose", **asked), frame=rows).result.recoding.levels == {"age": 0}
    with suppress(RequirementError):
        by_rows = pipeline.run(visits(identifiers=["whose"], **asked), frame=rows)
        assert by_rows.result.recoding.levels != {"age": 0}


@pytest.mark.sampled(4)
@some_models
@given(
    cells=st.lists(st.tuples(*CELLS), min_size=2, max_size=8),
    ill=st.lists(st.tuples(st.integers(0, 7), st.sampled_from(VALUES)), min_size=4, max_size=30),
    k=st.integers(1, 2),
    share=st.sampled_from(["0", "0.3"]),
    algorithm=st.sampled_from(["witness", "bottom-up", "sweep", "kaca", "mondrian"]),
)
@settings(max_examples=2)
def test_a_person_counts_once_for_each_value(
    name: str, cells: list[Row], ill: list[tuple[int, Any]], k: int, share: str, algorithm: str
) -> None:
    """Every person has the same cells in each row: classes are judged by distinct pairs of a person and a value."""
    model, _ = MODELS[name]
    rows = [(*cells[whose % len(cells)], whose, value) for whose, value in ill]
    made = pandas.DataFrame(rows, columns=[*HIERARCHIES, "whose", "disease"])
    made = made.assign(note=[f"{row[-2]}/{place}" for place, row in enumerate(rows)])
    asked = job(k, {"name": algorithm}, suppression=share, sensitive=["disease"], requirement=model)

    def persons_of(node: Node) -> dict[Row, tuple[set[Any], int]]:
        oracle, found = Oracle([row[:-2] for row in rows], TREES), dict[Row, tuple[set[Any], int]]()
        for *at, whose, value in rows:
            pairs, count = found.get(group := oracle.generalize(tuple(at), node), (set(), 0))
            found[group] = pairs | {(whose, value)}, count + 1
        return found

    def satisfied(groups: list[set[Any]]) -> list[bool]:
        table = Counter(value for pairs in groups for _, value in pairs)
        return [len({whose for whose, _ in pairs}) >= k and persons_satisfy(name, pairs, table) for pairs in groups]

    try:
        release = pipeline.run(asked, frame=made)
    except (RequirementError, InputError):
        if share == "0":
            assert not any(all(satisfied([pairs for pairs, _ in persons_of(node).values()])) for node in nodes())
        return
    classes: dict[Row, set[Any]] = defaultdict(set)
    for *at, disease, note in release.to_pandas()[[*HIERARCHIES, "disease", "note"]].itertuples(index=False):
        classes[tuple(at)].add((note.partition("/")[0], None if disease != disease else disease))
    assert all(satisfied(list(classes.values())))
    if share == "0" and algorithm in ("witness", "bottom-up"):
        expected = {node for node in nodes() if all(satisfied([pairs for pairs, _ in persons_of(node).values()]))}
        assert {tuple(node) for node in release.result.search.minimal} == lowest(expected)


def test_the_gate_counts_a_person_once_for_each_value() -> None:
    """Ten rows of anna's, all but one of flu: two values of hers, each counted once."""
    ill = ["flu"] * 9 + ["hiv", "cold"]
    rows = pandas.DataFrame({"age": ["3"] * 11, "whose": ["anna"] * 10 + ["ben"], "disease": ill})
    asked = {"alpha": [{"attribute": "disease", "alpha": "0.7"}]}
    assert not sc.check(rows, "age", 2, **asked).holds
    assert sc.check(rows, "age", 2, person="whose", **asked).holds


@pytest.mark.parametrize("missing", [None, ""])
def test_a_row_without_a_person_is_refused(missing: Any, tmp_path: Path) -> None:
    rows = VISITS.assign(whose=["anna"] * 13 + [missing])
    rows.to_csv(tmp_path / "visits.csv", index=False)
    place = {"source": {"path": str(tmp_path / "visits.csv")}}
    with pytest.raises(InputError, match="rows without a value in the person column 'whose'"):
        pipeline.run({**visits(person="whose"), **place})
    with pytest.raises(InputError, match="rows without a value in the person column 'whose'"):
        sc.check(tmp_path / "visits.csv", "age", 2, person="whose")


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"person": "disease"}, "'disease' is named under sensitive and under person"),
        ({"person": "age"}, "'age' is named under quasi_identifiers and under person"),
        ({"person": "whom", "identifiers": ["whose"]}, "person: column 'whom' is not in"),
        ({"person": []}, "person"),
        (
            {"person": "whose", "quasi_identifiers": {"age": {"columns": ["whose"]}}},
            "under person is never released: name another",
        ),
    ],
)
def test_a_person_is_a_column_of_its_own(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        pipeline.run(visits(**more), frame=VISITS)


def test_more_persons_than_there_are_cannot_be_asked_for() -> None:
    with pytest.raises(RequirementError, match="as a whole must have the rows of 6 persons"):
        pipeline.run(visits(k=6, person="whose"), frame=VISITS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("algorithm", "suffix"), some_daily(["witness", "sweep", "kaca"], ["csv", "parquet", "duckdb"], each=3)
)
def test_files_have_no_trace_of_persons(algorithm: str, suffix: str, tmp_path: Path) -> None:
    rows = VISITS.assign(whose="SECRETx7" + VISITS["whose"], note=[str(place) for place in range(len(VISITS))])
    rows.to_csv(tmp_path / "visits.csv", index=False)
    path = tmp_path / f"out.{suffix}"
    output = {"url": f"duckdb:///{path}", "table": "cohort"} if suffix == "duckdb" else {"path": str(path)}
    asked = visits(
        person="whose",
        keep=["note"],
        requirement={"l_diversity": [{"attribute": "disease", "l": 2}]},
        algorithm={"name": algorithm},
        source={"path": str(tmp_path / "visits.csv")},
        output=output,
    )
    release = pipeline.run(asked)
    assert release.k is not None and release.k >= 2
    assert list(release.to_pandas().columns) == ["age", "disease", "note"]
    assert sorted(release.to_pandas()["note"], key=int) == sorted(rows["note"], key=int)
    for file in tmp_path.iterdir():
        assert file.name == "visits.csv" or b"SECRETx7" not in file.read_bytes(), file
    kept = state.folder()
    assert kept is not None
    for file in kept.iterdir():
        assert b"SECRETx7" not in file.read_bytes(), file
    assert not release.result.unchanged
    assert pipeline.run(asked).result.unchanged
    # Other persons make another release, though nothing else of a row has changed.
    rows.assign(whose=[f"SECRETx7 {place}" for place in range(len(rows))]).to_csv(tmp_path / "visits.csv", index=False)
    assert not pipeline.run(asked).result.unchanged


def test_the_verifier_counts_persons_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever searched and counted rows alone would have released anna's ten visits."""
    asked = sc.job.load(visits(person="whose"))
    blind = asked.required
    without = replace(
        blind,
        demands=tuple(
            replace(demand, models=tuple(model for model in demand.models if model.key != "person"))
            for demand in blind.demands
        ),
    )
    monkeypatch.setattr("starcloak.releases.proposal.search", _searching(without))
    with pytest.raises(VerificationError, match="fewer than k = 2"):
        pipeline.run(asked, frame=VISITS)


def _searching(required: Any) -> Any:
    from starcloak.search.algorithm import search

    return lambda star, _, settings, run: search(star, required, settings, run)


@pytest.mark.parametrize("released", ["select * from {rows} limit 13", "select age, 'flu' as disease from {rows}"])
def test_what_is_published_is_what_was_counted(released: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row less, or another cell of one, than the rows whose persons were counted."""
    from starcloak.star.recoding.full_domain import FullDomain
    from starcloak.statements.statement import Query

    VISITS.to_csv(tmp_path / "visits.csv", index=False)
    asked = visits(
        person="whose", source={"path": str(tmp_path / "visits.csv")}, output={"path": str(tmp_path / "out.csv")}
    )
    monkeypatch.setattr(FullDomain, "project", lambda self, source, release: Query(released.format(rows=release.sql())))
    with pytest.raises(VerificationError):
        pipeline.run(asked)
    assert not (tmp_path / "out.csv").exists()


PEOPLE_TYPES = {**TYPES, "whose": "varchar(40)"}


# Each database has both searches, and each place.
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("algorithm", "where"), some_daily(["witness", "kaca"], ["beside", "elsewhere"], each=2))
def test_every_database_counts_persons(server: Server, where: str, algorithm: str, tmp_path: Path) -> None:
    rows = people(90)
    # Persons that differ in case or in a space at the end are others.
    rows["whose"] = [f"{'pP'[place % 2]}{place % 17}{' ' * (place % 3 == 0)}" for place in range(90)]
    rows["note"] = [f"{place}" for place in range(90)]
    server.fill("people", rows, {**PEOPLE_TYPES, "note": "varchar(9)"})
    asked: dict[str, Any] = {
        "source": {"url": server.url, "table": "people"},
        "identifiers": ["name"],
        "person": "whose",
        "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 5}, "sex": "suppress"},
        "sensitive": ["illness"],
        "keep": ["note"],
        "requirement": {"k": 4},
        "algorithm": {"name": algorithm},
        "output": {"table": "cohort"} if where == "beside" else {"path": str(tmp_path / "cohort.parquet")},
    }
    before = server.tables()
    release = run(asked)
    assert release.result.persons is not None
    assert release.result.persons.persons == rows["whose"].nunique()
    classes: dict[Row, set[str]] = defaultdict(set)
    whose = dict(zip(rows["note"], rows["whose"], strict=True))
    found = release.to_pandas()
    for age, zip_, sex, note in found[["age", "zip", "sex", "note"]].itertuples(index=False):
        classes[age, zip_, str(sex)].add(whose[note])
    assert min(map(len, classes.values())) == release.k and (release.k or 0) >= 4
    assert Counter(found["note"]) == Counter(rows["note"])
    assert set(found.columns) == {"age", "zip", "sex", "illness", "note"}
    assert server.tables() - before <= {"cohort", "starcloak_releases"}
    assert run(asked, force=False).result.unchanged


def test_a_database_of_duckdb_never_has_the_persons_beside_the_release(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "hospital.duckdb")) as connection:
        connection.register("visited", VISITS)
        connection.execute("create table visits as from visited")
    place = {"source": {"url": f"duckdb:///{tmp_path / 'hospital.duckdb'}", "table": "visits"}}
    release = pipeline.run({**visits(person="whose"), **place, "output": {"table": "released"}})
    assert release.k == 5 and release.result.released_rows == 14
    with duckdb.connect(str(tmp_path / "hospital.duckdb"), read_only=True) as connection:
        assert connection.execute("select k from starcloak_releases").fetchall() == [(5,)]
        (columns,) = zip(*connection.execute("select column_name from (describe released)").fetchall(), strict=True)
        assert columns == ("age", "disease")
        assert connection.execute(
            "select count(*) from duckdb_tables() where table_name like 'private%'"
        ).fetchone() == (0,)


def test_the_command_line_counts_persons(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from starcloak.commands.cli import cli

    VISITS.to_csv(tmp_path / "visits.csv", index=False)
    asked = ["check", str(tmp_path / "visits.csv"), "--qi", "age", "--k", "2"]
    assert CliRunner().invoke(cli, asked).exit_code == 0
    done = CliRunner().invoke(cli, [*asked, "--person", "whose"])
    assert done.exit_code == 1 and "fewer than 2 persons" in done.output
