"""What comes after cleaning sees clean cells: of files and data frames, of a release and of what is made of that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest

import starcloak as sc
from starcloak.base.errors import SourceError
from starcloak.commands import pipeline
from starcloak.releases.disclosure import disclosure_of

CLEAN = {
    "sex": {"trim": True, "case": "lower", "map": {"m": "male"}},
    "weight": {"thousands": ".", "decimal": ","},
    "age": {"valid": [0, 120]},
    "code": {"missing": ["NA", "?"]},
}
ROWS = {
    "sex": ["m", " M", "male", "f"] * 3,
    "weight": ["1.200,5", "80", "3,25", None] * 3,
    "age": [30, 999, 40, -1] * 3,
    "code": ["a", "NA", "?", "b"] * 3,
    "id": range(12),
}
AFTER = {
    "sex": ["male", "male", "male", "f"] * 3,
    "weight": ["1200.5", "80", "3.25", None] * 3,
    "age": [30, None, 40, None] * 3,
    "code": ["a", None, None, "b"] * 3,
}


def job(**more: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": {"sex": "suppress"},
        "keep": ["weight", "age", "id"],
        "sensitive": ["code"],
        "clean": CLEAN,
        "requirement": {"k": 3},
        **more,
    }


def cells(frame: Any) -> dict[str, list[Any]]:
    """The cells of a release by the order of its rows before."""
    rows = frame.to_pandas() if not isinstance(frame, pandas.DataFrame) else frame
    rows = rows.astype(object).where(rows.notna(), None).sort_values("id")
    return {name: rows[name].tolist() for name in AFTER}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_data_frame_comes_back_clean_and_the_callers_stays(kind: Any) -> None:
    frame = kind({name: list(column) for name, column in ROWS.items()})
    assert cells(sc.run(job(), frame=frame).to_native()) == AFTER
    assert [str(cell) for cell in frame["sex"]] == ROWS["sex"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [*CLEAN])
def test_a_clean_column_is_one_of_the_release_whatever_its_role(name: str) -> None:
    rest = [column for column in ROWS if column != name]
    described = job(quasi_identifiers={name: "suppress"}, keep=rest, sensitive=[], requirement={"k": 1})
    assert cells(sc.run(described, frame=pandas.DataFrame(ROWS)).to_native())[name] == AFTER[name]


def test_files_are_cleaned_and_cells_are_counted_by_rule(tmp_path: Path) -> None:
    pandas.DataFrame(ROWS).to_csv(tmp_path / "t.csv", index=False)
    described = job(source={"path": str(tmp_path / "t.csv")}, output={"path": str(tmp_path / "out.csv")})
    release = sc.run(described)
    assert cells(pandas.read_csv(tmp_path / "out.csv"))["sex"] == AFTER["sex"]
    counted = [(part.column, part.rule, part.cells) for part in release.result.cleaned]
    assert counted == [
        ("sex", "trim", 3), ("sex", "case", 3), ("sex", "map", 6), ("weight", "number", 6), ("age", "valid", 6),
        ("code", "missing", 6),
    ]  # fmt: skip
    assert {part.cells for part in disclosure_of(release.result).result.cleaned} == {None}


@pytest.mark.parametrize(
    ("cells_given", "are_doubted"),
    [(["57,200", "96800"], True), (["57,200", "1.200,500"], False), (["57,2", "57,200"], False), (["5", "6"], False)],
)
def test_a_mark_of_thousands_that_is_probably_the_other_one_is_warned_of(
    cells_given: list[str], are_doubted: bool
) -> None:
    frame = pandas.DataFrame({"sex": ["m"] * 4, "pay": cells_given * 2})
    described = {"quasi_identifiers": {"sex": "suppress"}, "keep": ["pay"], "requirement": {"k": 2}, "insight": "off"}
    warnings = sc.run({**described, "clean": {"pay": {"thousands": "."}}}, frame=frame).result.warnings
    assert any("2 cells with ',' before three digits" in warning for warning in warnings) == are_doubted


def test_few_changed_cells_and_those_of_rows_left_out_are_for_the_custodian(tmp_path: Path) -> None:
    result = sc.run(
        job(requirement={"k": 4}, quasi_identifiers={"sex": "suppress"}), frame=_frame(["M"] * 2 + ["m"] * 8)
    ).result
    assert [part.cells for part in result.cleaned] == [0, 2, 10, 0, 0, 0]
    # Two are few, and a reader could subtract the ten from the cells of the release.
    assert [part.cells for part in disclosure_of(result).result.cleaned] == [0, None, None, 0, 0, 0]
    left_out = sc.run(job(requirement={"k": 4, "suppression": 0.5}), frame=_frame([*["m"] * 8, "F", "x"])).result
    assert left_out.suppressed_rows == 2
    assert {part.cells for part in disclosure_of(left_out).result.cleaned} == {None}


def _frame(sex: list[str]) -> pandas.DataFrame:
    rows = len(sex)
    return pandas.DataFrame(
        {"sex": sex, "weight": ["1"] * rows, "age": [1] * rows, "code": ["a"] * rows, "id": range(rows)}
    )


def test_what_is_cleaned_otherwise_is_another_job_and_run_again(tmp_path: Path) -> None:
    pandas.DataFrame(ROWS).to_csv(tmp_path / "t.csv", index=False)
    described = job(source={"path": str(tmp_path / "t.csv")}, output={"path": str(tmp_path / "out.csv")})
    first, again = (sc.run(described).result for _ in range(2))
    assert again.unchanged and again.cleaned == first.cleaned
    other = sc.run({**described, "clean": {**CLEAN, "code": {"missing": ["NA"]}}}).result
    assert not other.unchanged
    assert other.hashes.job != first.hashes.job and other.hashes.source != first.hashes.source


def test_a_release_is_applied_to_cells_that_are_cleaned_first() -> None:
    release = sc.run(job(), frame=pandas.DataFrame(ROWS))
    assert cells(release.apply(pandas.DataFrame(ROWS), k=1)) == AFTER


def test_a_refinement_is_applied_to_cells_that_are_cleaned_first() -> None:
    described = job(algorithm={"name": "tdr", "class": "code"}, sensitive=["code"])
    release = sc.run(described, frame=pandas.DataFrame(ROWS))
    assert cells(release.apply(pandas.DataFrame(ROWS), k=1)) == AFTER


def test_persons_are_told_apart_by_clean_cells() -> None:
    frame = pandas.DataFrame({"who": ["a", "A ", "b", "B"], "sex": ["f"] * 4})
    described = {
        "person": "who", "quasi_identifiers": {"sex": "suppress"}, "requirement": {"k": 2},
        "clean": {"who": {"trim": True, "case": "lower"}},
    }  # fmt: skip
    persons = sc.run(described, frame=frame).result.persons
    assert persons is not None and persons.persons == 2


def test_an_identifier_is_not_read_to_be_cleaned() -> None:
    described = job(identifiers=["weight"], keep=["age", "id"])
    frame = pandas.DataFrame({**ROWS, "weight": ["no number"] * 12})
    assert {part.column for part in sc.run(described, frame=frame).result.cleaned} == {"sex", "age", "code"}


def test_what_a_hierarchy_reads_beside_its_column_is_clean() -> None:
    frame = pandas.DataFrame({"ward": ["a1", "a1 ", "a2", "a2"], "clinic": ["A", "a", "a", "A "]})
    described = {
        "quasi_identifiers": {"ward": {"columns": ["clinic"]}}, "identifiers": ["clinic"], "requirement": {"k": 4},
        "clean": {"ward": {"trim": True}, "clinic": {"trim": True, "case": "lower"}},
    }  # fmt: skip
    assert set(sc.run(described, frame=frame).to_native()["ward"]) == {"a"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["sweep", "kaca", "mondrian", "cell-suppression"])
def test_local_recodings_release_clean_cells(algorithm: str) -> None:
    frame = pandas.DataFrame(ROWS)
    released = sc.run(job(algorithm={"name": algorithm}), frame=frame).to_native()
    assert {name: column for name, column in cells(released).items() if name != "sex"} == {
        name: column for name, column in AFTER.items() if name != "sex"
    }


def test_an_unknown_column_is_refused_with_a_hint() -> None:
    with pytest.raises(
        SourceError, match=r"clean: column 'sexx' is not among the 5 columns of the data frame.*Did you mean 'sex'"
    ):
        sc.run(job(clean={"sexx": {"trim": True}}), frame=pandas.DataFrame(ROWS))


def test_a_model_of_dbt_cleans_what_is_upstream(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as database:
        database.execute("create table people as select unnest(['M', ' m', 'm ', 'm']) as sex, 1 as id")
    (tmp_path / "dbt_project.yml").write_text("name: clinic\nversion: '1'\nprofile: clinic\n")
    described = {
        "source": {"url": f"duckdb:///{tmp_path}/clinic.duckdb", "table": "people"}, "keep": ["id"],
        "quasi_identifiers": {"sex": "suppress"}, "clean": {"sex": {"trim": True, "case": "lower"}},
        "requirement": {"k": 4}, "output": {"table": "cohort"},
    }  # fmt: skip
    pipeline.compile_dbt(described, tmp_path, upstream="stg_people")
    model = (tmp_path / "models" / "cohort" / "cohort.sql").read_text()
    rows = model[model.index('"starcloak_source" as') : model.index('"starcloak_release" as')]
    assert rows.index("translate(") < rows.index("trim(") < rows.index("{{ ref('stg_people') }}")
