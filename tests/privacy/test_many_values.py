"""Sensitive columns with more values than frequency sets have columns for: a tuple carries its values in one text."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.commands import pipeline
from starcloak.privacy import aggregates
from tests.privacy.histograms import MODELS, PAIRS, ROWS, Row, frame, job


def outcome(asked: dict[str, Any], rows: list[Row]) -> list[tuple[Any, ...]] | str:
    """The released rows, or the refusal."""
    try:
        return sorted(pipeline.run(asked, frame=frame(rows)).to_pandas().itertuples(index=False), key=repr)
    except sc.StarcloakError as error:
        return str(error)


@pytest.mark.sampled(20)
@pytest.mark.parametrize(("name", "algorithm"), PAIRS)
@given(rows=ROWS, k=st.integers(1, 3))
@settings(max_examples=2)
def test_a_text_of_values_gives_the_release_of_a_column_per_value(
    name: str, algorithm: str, rows: list[Row], k: int
) -> None:
    described = {"name": algorithm, **({"class": "disease"} if algorithm == "tdr" else {})}
    asked = job(k, MODELS[name][0], described)
    expected = outcome(asked, rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(aggregates, "LARGEST_COUNTED", 1)
        assert repr(outcome(asked, rows)) == repr(expected)


@pytest.mark.parametrize("algorithm", ["witness", "sweep", "mondrian"])
def test_every_class_of_many_values_is_close_to_the_table(algorithm: str) -> None:
    """Counted again here, in whole numbers; a missing value is a value."""
    random = np.random.default_rng(7)
    amounts = [None if amount > 700 else f"{amount:03}" for amount in random.integers(0, 720, 3000).tolist()]
    rows = pandas.DataFrame({"zip": [f"{zip:02}" for zip in random.integers(0, 30, 3000)], "amount": amounts})
    asked = {
        "quasi_identifiers": {"zip": {"digits": 2}},
        "sensitive": ["amount"],
        "requirement": {"k": 5, "t_closeness": [{"attribute": "amount", "t": "0.5"}]},
        "algorithm": {"name": algorithm},
    }
    release = pipeline.run(asked, frame=rows).to_pandas()
    table, classes = Counter(amounts), release.groupby("zip")["amount"].agg(list)
    assert len(table) > aggregates.LARGEST_COUNTED and len(classes) > 1 and len(release) == len(rows)
    for values in classes:
        counts = Counter(None if pandas.isna(value) else value for value in values)
        moved = sum(max(rows_of * 3000 - len(values) * table[value], 0) for value, rows_of in counts.items())
        assert moved <= 0.5 * 3000 * len(values)


def test_persons_with_hundreds_of_values_are_counted_once_per_value() -> None:
    """A distinct count of persons per value takes minutes to plan; the classes are counted again here."""
    random = np.random.default_rng(3)
    persons = random.integers(0, 300, 900)
    amounts = [f"{amount:03}" for amount in np.append(np.arange(300), random.integers(0, 300, 600)).tolist()]
    rows = pandas.DataFrame({"zip": [f"{zip % 9}" for zip in persons], "whose": persons, "amount": amounts})
    asked: dict[str, Any] = {
        "person": "whose",
        "quasi_identifiers": {"zip": {"digits": 1}},
        "sensitive": ["amount"],
        "requirement": {"k": 5, "l_diversity": [{"kind": "entropy", "attribute": "amount", "l": 60}]},
    }
    release = pipeline.run(asked, frame=rows).to_pandas()
    assert len(release) == len(rows) and release["zip"].nunique() == 9
    for at in range(9):
        pairs = {(whose, amount) for whose, amount in zip(persons.tolist(), amounts, strict=True) if whose % 9 == at}
        counts = np.array([*Counter(amount for _, amount in pairs).values()])
        assert np.exp(-np.sum(counts / counts.sum() * np.log(counts / counts.sum()))) >= 60


def test_too_many_values_are_refused_by_their_number() -> None:
    rows = pandas.DataFrame({"zip": ["1"] * 10_001, "amount": range(10_001)})
    asked: dict[str, Any] = {"quasi_identifiers": {"zip": "suppress"}, "sensitive": ["amount"]}
    with pytest.raises(
        sc.RequirementError, match=r"uses 'amount', which has 10,001 values in .*, more than the supported 10,000"
    ):
        pipeline.run(
            {**asked, "requirement": {"k": 2, "beta_likeness": [{"attribute": "amount", "beta": 3}]}}, frame=rows
        )
