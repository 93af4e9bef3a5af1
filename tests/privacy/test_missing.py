"""What a missing sensitive value is: none to models of diversity, a value to those of closeness, or as a job says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas
import pytest

import starcloak as sc
from starcloak.insight.risk.result import Sensitive
from tests.privacy.histograms import alpha, beta, entropy, equal, recursive
from tests.privacy.histograms import present as rows_with_a_value

HALF = pandas.DataFrame({"zip": list("aaaabbbb"), "disease": ["flu", "flu", None, None] * 2})
JOB: dict[str, Any] = {"quasi_identifiers": {"zip": "suppress"}, "sensitive": ["disease"]}
DIVERSE: dict[str, list[dict[str, Any]]] = {
    "distinct": [{"attribute": "disease", "l": 2}],
    "entropy": [{"attribute": "disease", "l": "1.9", "kind": "entropy"}],
    "recursive": [{"attribute": "disease", "l": 2, "c": 2, "kind": "recursive"}],
}
ASKED: dict[str, dict[str, Any]] = {
    **{name: {"l_diversity": asked} for name, asked in DIVERSE.items()},
    "p": {"p_sensitive": [{"attribute": "disease", "p": 2}]},
    "alpha": {"alpha": [{"attribute": "disease", "alpha": 0.5}]},
}


def with_missing(asked: dict[str, Any], missing: str) -> dict[str, Any]:
    return {key: [{**each, "missing": missing} for each in models] for key, models in asked.items()}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("algorithm", ["witness", "sweep", "kaca", "mondrian"])
def test_two_of_one_value_and_two_without_are_not_diverse(name: str, algorithm: str) -> None:
    run = {**JOB, "algorithm": {"name": algorithm}}
    with pytest.raises(sc.RequirementError):
        sc.run({**run, "requirement": {"k": 2, **ASKED[name]}}, frame=HALF)
    assert not sc.check(HALF, ["zip"], 2, **ASKED[name]).holds
    other = with_missing(ASKED[name], "value")
    assert sc.run({**run, "requirement": {"k": 2, **other}}, frame=HALF).result.released_rows == 8
    assert sc.check(HALF, ["zip"], 2, **other).holds


@pytest.mark.parametrize(
    "asked",
    [
        {"beta_likeness": [{"attribute": "disease", "beta": 9}]},
        {"delta_disclosure": [{"attribute": "disease", "delta": 9}]},
        {"t_closeness": [{"attribute": "disease", "t": 1}]},
        {"alpha": [{"attribute": "disease", "alpha": 1}]},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_a_class_without_a_value_violates_what_looks_at_rows_that_have_one(asked: dict[str, Any]) -> None:
    rows = pandas.DataFrame({"zip": list("aaabb"), "disease": ["flu", None, "flu", None, None]})
    of_present = with_missing(asked, "none")
    assert not sc.check(rows, ["zip"], 2, **of_present).holds
    release = sc.run({**JOB, "requirement": {"k": 2, **of_present}}, frame=rows)
    assert release.result.recoding.levels == {"zip": 1}
    nowhere = rows.assign(disease=pandas.Series([None] * 5, dtype=object))
    with pytest.raises(sc.StarcloakError):
        sc.run({**JOB, "requirement": {"k": 2, **of_present}}, frame=nowhere)


def test_audit_tells_one_l_of_rows_that_have_a_value() -> None:
    (found,) = sc.audit(HALF, ["zip"], sensitive=["disease"]).sensitive
    assert (found.values, found.l, found.entropy_l, found.recursive, found.alpha) == (1, 1, 1, [], 1)


def tables(seed: int) -> pandas.DataFrame:
    random = np.random.default_rng(seed)
    rows = int(random.integers(4, 30))
    values = np.array(["flu", "cold", "ache", None, None], dtype=object)
    return pandas.DataFrame({"zip": random.choice(list("abc"), rows), "disease": random.choice(values, rows)})


@pytest.mark.parametrize("seed", range(40))
def test_figures_agree_with_each_other_and_with_the_gate(seed: int) -> None:
    """Entropy l is never above distinct l, recursive l exists as far as distinct l, and alpha is at least 1 / l."""
    rows = tables(seed)
    (found,) = sc.audit(rows, ["zip"], sensitive=["disease"]).sensitive
    counts = [
        {value: int(count) for value, count in group["disease"].value_counts(dropna=False).items()}
        for _, group in rows.groupby("zip")
    ]
    counts = [{None if pandas.isna(value) else value: count for value, count in each.items()} for each in counts]
    assert found.l == min(len(rows_with_a_value(each)) for each in counts)
    assert found.entropy_l <= found.l * (1 + 1e-12)
    assert [each.l for each in found.recursive] == list(range(2, found.l + 1))
    assert found.l == 0 or found.alpha >= 1 / found.l - 1e-12
    _the_gate_agrees(rows, counts, found)


def _the_gate_agrees(rows: pandas.DataFrame, counts: list[dict[Any, int]], found: Sensitive) -> None:
    table = {value: sum(each.get(value, 0) for each in counts) for each in counts for value in each}
    asked = {
        ("l_diversity", "kind", "entropy", "l"): entropy,
        ("alpha", "attribute", "disease", "alpha"): alpha,
        ("beta_likeness", "attribute", "disease", "beta"): beta,
        ("t_closeness", "attribute", "disease", "t"): equal,
    }
    for (key, name, value, parameter), oracle in asked.items():
        for bound in ("1.5", "2", "0.5", "0.75"):
            if (parameter == "l") != (Fraction(bound) > 1):
                continue
            model = {key: [{"attribute": "disease", name: value, parameter: bound}]}
            expected = all(oracle(bound)(each, table) for each in counts)
            assert sc.check(rows, ["zip"], 1, **model).holds == expected, model
    for least in (2, 3):
        holds = all(len(rows_with_a_value(each)) >= least for each in counts)
        assert sc.check(rows, ["zip"], 1, l_diversity=[{"attribute": "disease", "l": least}]).holds == holds
        assert (found.l >= least) == holds
        for c in ("1", "2"):
            model = {"l_diversity": [{"attribute": "disease", "kind": "recursive", "l": least, "c": c}]}
            expected = all(recursive(c, least)(each, table) for each in counts)
            assert sc.check(rows, ["zip"], 1, **model).holds == expected
            assert holds or not expected


@pytest.mark.parametrize("missing", ["none", "value"])
@pytest.mark.parametrize("name", ASKED)
def test_a_script_counts_as_the_verifier_does(name: str, missing: str, tmp_path: Any) -> None:
    place = tmp_path / "clinic.duckdb"
    good = pandas.DataFrame({"zip": list("aaaabbbb"), "disease": ["flu", "cold", None, None] * 2})
    with duckdb.connect(str(place)) as connection:
        connection.register("good", good)
        connection.execute("create table people as from good")
    source = {"source": {"url": f"duckdb:///{place}", "table": "people"}, "output": {"table": "cohort"}}
    asked = {"k": 2, **with_missing(ASKED[name], missing)}
    script = sc.compile({**JOB, **source, "requirement": asked})
    with duckdb.connect(str(place)) as connection:
        connection.execute(script)
        assert connection.execute("select count(*) from cohort").fetchone() == (8,)
        connection.execute("drop table cohort")
        # As many rows in each class, of which two have one value and two none.
        connection.execute("update people set disease = null where disease = 'cold'")
    says = "not the source that this script was made for"
    with duckdb.connect(str(place)) as connection:
        if missing == "value" and name in ("distinct", "p"):  # one value, and the missing one
            connection.execute(script)
            return
        with pytest.raises(duckdb.Error, match=says):
            connection.execute(script)
