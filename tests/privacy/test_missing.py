"""What a missing sensitive value is: none to models of diversity, a value to those of closeness, or as a job says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas
import pytest

import starcloak as sc
from starcloak.exports import script
from tests.daily import some_daily
from tests.privacy.histograms import Histogram, alpha, beta, entropy, equal, recursive
from tests.privacy.histograms import present as rows_with_a_value

HALF = pandas.DataFrame({"zip": list("aaaabbbb"), "disease": ["flu", "flu", None, None] * 2})
Holds = Callable[[Histogram, Histogram], bool]
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


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "algorithm"), some_daily(ASKED, ["witness", "sweep", "kaca", "mondrian"], each=3))
def test_two_of_one_value_and_two_without_are_not_diverse(name: str, algorithm: str) -> None:
    run = {**JOB, "algorithm": {"name": algorithm}}
    with pytest.raises(sc.RequirementError):
        sc.run({**run, "requirement": {"k": 2, **ASKED[name]}}, frame=HALF)
    assert not sc.check(HALF, ["zip"], 2, **ASKED[name]).holds
    other = with_missing(ASKED[name], "value")
    assert sc.run({**run, "requirement": {"k": 2, **other}}, frame=HALF).result.released_rows == 8
    assert sc.check(HALF, ["zip"], 2, **other).holds


@pytest.mark.sampled(3)
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


def distinct(least: int) -> Holds:
    return lambda counts, table: len(rows_with_a_value(counts)) >= least


# By the model's key, of each what is asked and what holds then.
BOUNDS: dict[str, list[tuple[dict[str, Any], Holds]]] = {
    "l_diversity": [
        *(({"l": least}, distinct(least)) for least in (2, 3)),
        *(({"kind": "entropy", "l": least}, entropy(least)) for least in ("1.5", "2")),
        *(({"kind": "recursive", "l": least, "c": c}, recursive(c, least)) for least in (2, 3) for c in ("1", "2")),
    ],
    "alpha": [({"alpha": share}, alpha(share)) for share in ("0.5", "0.75")],
    "beta_likeness": [({"beta": gain}, beta(gain)) for gain in ("0.5", "0.75")],
    "t_closeness": [({"t": distance}, equal(distance)) for distance in ("0.5", "0.75")],
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(20))
def test_figures_agree_with_each_other_and_with_the_gate(seed: int) -> None:
    """Entropy l is never above distinct l, recursive l exists as far as distinct l, and alpha is at least 1 / l."""
    rows = tables(seed)
    (found,) = sc.audit(rows, ["zip"], sensitive=["disease"]).sensitive
    texts = rows["disease"].astype(object).where(rows["disease"].notna(), None)
    counts = [Counter(texts[group.index]) for _, group in rows.groupby("zip")]
    assert found.l == min(len(rows_with_a_value(each)) for each in counts)
    assert found.entropy_l <= found.l * (1 + 1e-12)
    assert [each.l for each in found.recursive] == list(range(2, found.l + 1))
    assert found.l == 0 or found.alpha >= 1 / found.l - 1e-12
    models = {key: [{"attribute": "disease", **asked} for asked, _ in bounds] for key, bounds in BOUNDS.items()}
    judged = sc.check(rows, ["zip"], 1, **models).qids[0].models
    expected = [
        all(holds(each, Counter(texts)) for each in counts) for bounds in BOUNDS.values() for _, holds in bounds
    ]
    assert [model.holds for model in judged] == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize("missing", ["none", "value"])
@pytest.mark.parametrize("name", ASKED)
def test_a_script_counts_as_the_verifier_does(
    name: str, missing: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "changed", lambda *_: None)  # which would refuse any change of the rows first
    place = tmp_path / "clinic.duckdb"
    good = pandas.DataFrame({"zip": list("aaaabbbb"), "disease": ["flu", "cold", None, None] * 2})
    with duckdb.connect(str(place)) as connection:
        connection.register("good", good)
        connection.execute("create table people as from good")
    source = {"source": {"url": f"duckdb:///{place}", "table": "people"}, "output": {"table": "cohort"}}
    asked = {"k": 2, **with_missing(ASKED[name], missing)}
    text = sc.compile({**JOB, **source, "requirement": asked})
    with duckdb.connect(str(place)) as connection:
        connection.execute(text)
        assert connection.execute("select count(*) from cohort").fetchone() == (8,)
        connection.execute("drop table cohort")
        # As many rows in each class, of which two have one value and two none.
        connection.execute("update people set disease = null where disease = 'cold'")
    says = "not the source that this script was made for"
    with duckdb.connect(str(place)) as connection:
        if missing == "value" and name in ("distinct", "p"):  # one value, and the missing one
            connection.execute(text)
            return
        with pytest.raises(duckdb.Error, match=says):
            connection.execute(text)
