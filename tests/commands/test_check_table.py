"""A check refuses columns it cannot count, combines its verdicts, and hides figures of small classes of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import JobError, SourceError
from starcloak.commands import pipeline
from starcloak.job import Place, Qid
from starcloak.privacy.k_map.model import KMap


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    return work


def parquet(rows: str) -> str:
    duckdb.sql(f"select * from {rows}").write_parquet("people.parquet")
    return "people.parquet"


def test_not_a_number_is_not_counted_as_a_value() -> None:
    people = parquet("(values ('f', 'nan'::double), ('f', 1), ('m', 2), ('m', 3)) as people(sex, score)")
    with pytest.raises(SourceError, match="column 'score' has 1 NaN values"):
        sc.check(people, "sex", k=2, l_diversity=[{"attribute": "score", "l": 2}])


def test_equal_values_with_different_texts_are_not_counted() -> None:
    people = parquet("(values ('f', interval '1 month'), ('f', interval '30 days')) as people(sex, stay)")
    with pytest.raises(SourceError, match="column 'stay' has equal values with different texts"):
        sc.check(people, "sex", k=1, l_diversity=[{"attribute": "stay", "l": 2}])


@pytest.mark.parametrize(("text", "is_refused"), [("1", True), ("1.0", False)])
def test_a_named_value_is_written_as_its_column_has_it(text: str, is_refused: bool) -> None:
    people = parquet("(values ('f', 1::double), ('f', 2), ('m', 3), ('m', 4)) as people(sex, score)")
    named: dict[str, Any] = {"alpha": [{"attribute": "score", "alpha": 0.5, "values": [text]}]}
    if not is_refused:
        assert sc.check(people, "sex", k=2, **named).holds
        return
    with pytest.raises(JobError, match=r"write '1\.0', as the column has it"):
        sc.check(people, "sex", k=2, **named)


def test_a_row_without_a_person_is_refused() -> None:
    people = pandas.DataFrame({"sex": ["f", "f", "m", "m"], "name": ["Ann", "Eve", "Bob", None]})
    with pytest.raises(SourceError, match="rows without a value in the person column 'name'"):
        sc.check(people, "sex", k=1, person="name")


def test_a_model_of_the_population_is_no_model_of_a_check() -> None:
    place = Place(path=parquet("(values ('f'), ('f')) as people(sex)"))
    with pytest.raises(JobError, match="give the options --population and --k-map"):
        pipeline.check(place, [Qid(attributes=["sex"], k=2)], models=[KMap(k=2)])


def test_a_small_class_of_one_quasi_identifier_hides_figures_of_all() -> None:
    """The note on spellings names the number of values in the smallest class: it is a figure of a small class."""
    people = pandas.DataFrame({"sex": ["f", "f", "f", "f", "m", "m", "m", "m"], "ward": list("aabbccdd")})
    people["disease"] = ["flu", "Flu", "cough", "flu", "flu", "cold", "cough", "Cold"]
    job = {
        "quasi_identifiers": {"sex": "suppress"},
        "sensitive": ["disease"],
        "keep": ["ward"],
        "requirement": {"k": 4},
        "output": {"path": "out.csv"},
    }
    sc.run(job, frame=people)

    def notes(*qids: list[str]) -> list[str]:
        asked = [{"attributes": qid, "k": 2} for qid in qids]
        verdict = sc.check("out.csv", qids=asked, l_diversity=[{"attribute": "disease", "l": 2}])
        return [note for note in verdict.notes if "distinct l = " in note]

    assert notes(["sex"])
    assert not notes(["sex", "ward"])
    assert not notes(["sex"], ["sex", "ward"])


PEOPLE = pandas.DataFrame({"sex": ["f"] * 3 + ["m"] * 4, "age": [20, 20, 30, 40, 40, 40, 40]})


@pytest.mark.parametrize(
    ("k_map", "k", "holds", "holds_without"),
    [(3, 2, False, ["age"]), (4, 2, False, []), (3, 1, True, [])],
)
def test_the_verdict_has_the_requirements_within_the_population(
    k_map: int, k: int, holds: bool, holds_without: list[str]
) -> None:
    """The class of one row fails k = 2 and has three people; dropping an attribute cannot mend a failing k-map."""
    release = pandas.DataFrame({"sex": ["f", "f", "f", "m", "m"], "age": [20, 20, 30, 40, 40], "ward": "A"})
    population = pandas.concat([PEOPLE, pandas.DataFrame({"sex": ["f"] * 3, "age": [30, 30, 20]})])
    verdict = sc.check(
        release,
        ["sex", "age"],
        k=k,
        population=population,
        k_map=k_map,
        delta_presence=(0, 1),
        t_closeness=[{"attribute": "ward", "t": 1}],
    )
    assert verdict.holds == holds and verdict.qids[0].holds_without == holds_without
    assert [model.model for model in verdict.qids[0].models] == ["t_closeness", "k_map", "delta_presence"]


def test_a_check_notes_the_spellings_of_sensitive_texts_alone() -> None:
    """Other columns have spellings, too: a class of ``f`` and one of ``F`` are two, whoever reads them."""
    people = pandas.DataFrame({"sex": ["f", "f", "f", "F", "F", "F"], "age": [1, 2, 3, 4, 5, 6]})
    people["disease"] = ["flu", "Flu", "cough", "flu", "Flu", "cough"]
    models = [{"attribute": "disease", "l": 2}, {"attribute": "age", "l": 2}]
    notes = sc.check(people, "sex", k=2, l_diversity=models).notes
    assert len(notes) == 1 and "'disease'" in notes[0]
