"""k-map as a requirement of a run: every class has k people in the population that the table is of."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pandas
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import InputError, RequirementError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from starcloak.job.algorithms import algorithms
from starcloak.privacy.k_map.model import KMap
from starcloak.statements.statement import Statement
from tests.full_domain import EVERY, SINGLE, label
from tests.oracle import HIERARCHIES, TREES, Oracle
from tests.people import Server

NAMES = list(HIERARCHIES)
Row = tuple[str, ...]
ROW = st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES))
#: Algorithms whose cells may be of several levels.
LOCAL = [name for name, kind in algorithms().items() if not kind.about.recoding_model.startswith("full-domain")]
LOCAL.remove("tdr")  # which tells a class apart
#: A sample, and who else there is.
SAMPLE, OTHERS = st.lists(ROW, min_size=1, max_size=10), st.lists(ROW, max_size=20)


def frame(rows: Sequence[Row], names: Sequence[str] = NAMES) -> pandas.DataFrame:
    return pandas.DataFrame(list(rows), columns=list(names), dtype=object)


def nodes() -> Iterator[tuple[int, ...]]:
    return product(*(range(len(next(iter(tree.values())))) for tree in TREES))


def classes(rows: Sequence[Row], node: tuple[int, ...]) -> Counter[Any]:
    return Oracle(rows, TREES).sizes(node)


def outliers(sample: Sequence[Row], everybody: Sequence[Row], node: tuple[int, ...], k: int, k_map: int) -> int:
    people = classes(everybody, node)
    return sum(size for cells, size in classes(sample, node).items() if size < k or people[cells] < k_map)


def run(sample: Sequence[Row], everybody: Sequence[Row], **requirement: Any) -> sc.Release:
    algorithm = requirement.pop("algorithm", {"name": "witness"})
    job = {"quasi_identifiers": HIERARCHIES, "requirement": requirement, "algorithm": algorithm}
    return pipeline.run(job, frame=frame(sample), population=frame(everybody))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", EVERY, ids=label)
@given(
    sample=SAMPLE,
    others=OTHERS,
    k=st.integers(1, 3),
    k_map=st.integers(1, 8),
    share=st.sampled_from(["0", "0.2", "0.4"]),
)
@settings(max_examples=2)
def test_full_domain_searches_find_the_classes_that_have_people_enough(
    algorithm: dict[str, Any], sample: list[Row], others: list[Row], k: int, k_map: int, share: str
) -> None:
    everybody, allowed = [*sample, *others], int(Fraction(share) * len(sample))
    expected = {node for node in nodes() if outliers(sample, everybody, node, k, k_map) <= allowed}
    asked = {"k": k, "k_map": k_map, "suppression": share, "algorithm": algorithm}
    if not expected:
        with pytest.raises(RequirementError):
            run(sample, everybody, **asked)
        return
    found = run(sample, everybody, **asked).result
    node = tuple(found.recoding.levels.values())
    assert node in expected and found.suppressed_rows == outliers(sample, everybody, node, k, k_map)
    if algorithm not in SINGLE:
        assert found.search.anonymous_nodes == len(expected)
        assert {tuple(levels) for levels in found.search.minimal} == Oracle.minimal(expected)
    people = classes(everybody, node)
    stay = [people[cells] for cells, size in classes(sample, node).items() if size >= k and people[cells] >= k_map]
    (model,) = found.requirement.qids[0].models
    assert model.required == {"k": k_map} and model.achieved == min(stay, default=None)
    assert found.population is not None and found.population.people == len(everybody)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", LOCAL)
def test_other_recodings_have_cells_that_cover_people_enough(name: str) -> None:
    rng, released = Random(name), 0
    for _ in range(2):
        everybody = [tuple(rng.choice(sorted(tree)) for tree in TREES) for _ in range(30)]
        k_map = rng.randint(2, 6)
        release = run(everybody[:14], everybody, k=rng.randint(1, 2), k_map=k_map, algorithm={"name": name})
        cells = set(release.to_pandas()[NAMES].itertuples(index=False, name=None))
        covered = [sum(all(map(covers, row, TREES, person)) for person in everybody) for row in cells]
        (model,) = release.result.requirement.qids[0].models
        assert min(covered) == model.achieved and model.achieved >= k_map
        released += len(cells) > 1
    assert released


def covers(cell: str, tree: dict[str, tuple[str, ...]], leaf: str) -> bool:
    return cell in tree[leaf]


@given(rows=st.lists(ROW, min_size=2, max_size=12), k=st.integers(2, 4))
@settings(max_examples=5)
def test_k_map_within_the_table_itself_is_k(rows: list[Row], k: int) -> None:
    if len(rows) < k:
        return
    found, plain = run(rows, rows, k=1, k_map=k).result, run(rows, rows, k=k, k_map=1).result
    assert found.search.minimal == plain.search.minimal and found.recoding == plain.recoding
    assert found.k == found.requirement.qids[0].models[0].achieved


@pytest.mark.any_database
def test_counts_stand_for_people_and_files_and_tables_are_populations(server: Server, tmp_path: Path) -> None:
    rows = frame([("m", "a", "000"), ("f", "b", "011")])
    register = frame([("m", "a", "000", 3), ("m", "b", "011", 1), ("f", "b", "011", 2)], [*NAMES, "people"])  # type: ignore[arg-type]
    kinds = dict.fromkeys(NAMES, "varchar(9)")
    server.fill("sample", rows, kinds)
    server.fill("register", register, {**kinds, "people": "bigint"})
    register.to_csv(tmp_path / "register.csv", index=False)
    rows.to_csv(tmp_path / "sample.csv", index=False)
    told = []
    for source in ({"url": server.url, "table": "sample"}, {"path": str(tmp_path / "sample.csv")}):
        for place in ({"url": server.url, "table": "register"}, {"path": str(tmp_path / "register.csv")}):
            requirement = {"k": 1, "k_map": 3, "population": {**place, "count": "people"}}
            output = {"table": "released"} if "url" in source else {"path": str(tmp_path / "released.csv")}
            job = {"source": source, "quasi_identifiers": HIERARCHIES, "requirement": requirement, "output": output}
            result = pipeline.run(job, force=True).result
            assert result.population is not None and result.population.people == 6
            told.append((result.search.minimal, result.requirement.qids[0].models, result.population.fingerprint))
    assert told[0] == told[1] == told[2] == told[3]
    assert told[0][0] == [[1, 0, 0]] and told[0][1][0].achieved == 3


def test_another_population_is_another_release(tmp_path: Path) -> None:
    sample, register, out = tmp_path / "sample.csv", tmp_path / "register.csv", tmp_path / "released.csv"
    frame([("m", "a", "000"), ("f", "b", "011")]).to_csv(sample, index=False)
    requirement = {"k": 1, "k_map": 2, "population": {"path": str(register)}}
    job = {"source": {"path": str(sample)}, "quasi_identifiers": HIERARCHIES, "requirement": requirement}
    (tmp_path / "job.yaml").write_text(json.dumps({**job, "output": {"path": str(out)}}))
    for other, unchanged in (("m", False), ("m", True), ("f", False)):
        frame([("m", "a", "000"), ("f", "b", "011"), (other, "a", "000")]).to_csv(register, index=False)
        result = pipeline.run({**job, "output": {"path": str(out)}}).result
        assert result.unchanged is unchanged
        assert json.loads(result.model_dump_json())["population"]["people"] == 3
    told = CliRunner().invoke(cli, ["run", str(tmp_path / "job.yaml"), "--force"]).output
    assert "k-map: k = 2; the release has" in told and "3 people of" in told


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("register", "problem"),
    [
        (frame([("m", "a", "000")]), "fewer people than"),
        (frame([("m", "a", "000"), ("m", "a", "011"), ("m", "z", "000")]), "'two'.*1 values.*population alone"),
        (frame([("m", "a")], NAMES[:2]), "column 'three' is not in"),
        (frame([]), "no people"),
        (None, "compares classes with a population, and the requirement has none"),
    ],
)
def test_what_is_no_population_of_the_table_is_refused(register: pandas.DataFrame | None, problem: str) -> None:
    job = {"quasi_identifiers": HIERARCHIES, "requirement": {"k": 1, "k_map": 2}}
    with pytest.raises(InputError, match=problem):
        pipeline.run(job, frame=frame([("m", "a", "000"), ("m", "a", "011")]), population=register)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"requirement": {"k": 1, "population": {"path": "register.csv"}}}, "no model uses it: add one of .*k_map"),
        ({"requirement": {"k": 1, "k_map": 0}}, "k_map.*greater than or equal to 1"),
        (
            {
                "requirement": {"k": 1, "k_map": 2},
                "quasi_identifiers": {**HIERARCHIES, "three": "numeric"},
                "algorithm": {"name": "mondrian"},
            },
            "mondrian makes ranges of 'three'",
        ),
        (
            {"requirement": {"k": 1, "k_map": 2}, "keep": ["n"], "algorithm": {"name": "tdr", "class": "n"}},
            "which the population does not have",
        ),
    ],
)  # fmt: skip
def test_what_a_job_cannot_ask_within_a_population_is_refused(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        pipeline.run({"quasi_identifiers": HIERARCHIES, **more}, frame=frame([("m", "a", "000")]))


def test_the_verifier_counts_the_people_again(monkeypatch: pytest.MonkeyPatch) -> None:
    everybody = [("m", "a", "000")] * 2 + [("f", "b", "011")]
    monkeypatch.setattr(KMap, "violates", lambda model, groups: groups.sizes < 0)
    monkeypatch.setattr(KMap, "violating", Statement("privacy/shares#never"))
    with pytest.raises(sc.VerificationError, match="a class over one, two, three does not have 2 people of the"):
        run(everybody[1:], everybody, k=1, k_map=2)


@pytest.mark.parametrize("strange", ["-0.0", "nan", "-inf"])
def test_numbers_that_are_not_told_apart_are_refused_in_a_population_of_texts(strange: str, tmp_path: Path) -> None:
    (tmp_path / "register.csv").write_text(f"one\n0.0\n0.0\n{strange}\n")
    job = {
        "quasi_identifiers": {"one": "suppress"},
        "requirement": {"k": 1, "k_map": 3, "population": {"path": str(tmp_path / "register.csv")}},
    }
    with pytest.raises(
        InputError, match=r"register.csv: 1 values of 'one' are NaN, infinite or negative zero: replace"
    ):
        pipeline.run(job, frame=pandas.DataFrame({"one": [0.0, 0.0]}))


def test_datafly_goes_by_the_values_of_the_table_alone() -> None:
    """Else what the population has besides would generalize an attribute of which the table has one value."""
    rows = pandas.DataFrame({"zip": ["11", "12"], "sex": ["f", "f"]})
    register = pandas.DataFrame({"zip": ["11", "12", "11"], "sex": ["f", "f", "m"]})
    register = pandas.concat([register, register.assign(sex="x"), register.assign(sex="y")])
    job = {
        "quasi_identifiers": {"zip": "suppress", "sex": "suppress"},
        "requirement": {"k": 2, "k_map": 2},
        "algorithm": {"name": "datafly"},
    }
    found = pipeline.run(job, frame=rows, population=register).result
    assert found.recoding.levels == {"zip": 1, "sex": 0}


def test_no_script_counts_a_population(tmp_path: Path) -> None:
    rows = frame([("m", "a", "000"), ("f", "b", "011")])
    rows.to_csv(tmp_path / "rows.csv", index=False)
    requirement = {"k": 1, "k_map": 2, "population": {"path": str(tmp_path / "rows.csv")}}
    job = {"source": {"path": str(tmp_path / "rows.csv")}, "quasi_identifiers": HIERARCHIES, "requirement": requirement}
    for made in (lambda: sc.compile(job), lambda: pipeline.compile_dbt(job, tmp_path), lambda: sc.run(job).sql()):
        with pytest.raises(InputError, match="cannot count the people of a population"):
            made()
