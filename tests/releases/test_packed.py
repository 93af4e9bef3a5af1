"""A large release, whose texts are packed while the working store sorts it, is the one that it would be else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest

import starcloak as sc
from starcloak.base.errors import StarcloakError
from starcloak.star.recoding import recoding
from starcloak.star.recoding.recoding import Recoding

AGES = {"intervals": [5, 10]}


def released(folder: Path, rows: int, output: dict[str, Any], algorithm: str = "witness") -> tuple[bytes, list[str]]:
    folder.mkdir()
    source = folder / "people.parquet"
    duckdb.sql(
        "select 20 + number % 40 as age, number % 3 as ward, case number when 7 then 'Xanten' "
        "else ['it''s', 'ä', '', null, 'NULL'][1 + number % 5] end as town, "
        f"chr(97 + (number % 7)::integer) as illness from range({rows}) numbers(number)"
    ).write_parquet(str(source))
    said: list[str] = []
    job = {
        "source": {"path": str(source)},
        "quasi_identifiers": {"age": AGES, "town": "suppress", "ward": "suppress"},
        "sensitive": ["illness"],
        "requirement": {"k": 9, "suppression": "0.3"},
        "algorithm": algorithm,
        "output": {key: value.format(folder=folder) for key, value in output.items()},
    }
    sc.run(job, resources=sc.Resources(trace=said.append))
    if "table" in output:
        with duckdb.connect(str(folder / "out.duckdb")) as connection:
            told = connection.sql("from cohort"), connection.sql("describe cohort").fetchall()
            return repr((told[0].fetchall(), told[1])).encode(), said
    file = Path(job["output"]["path"])
    if file.suffix == ".csv":
        return file.read_bytes(), said
    told = pyarrow.parquet.read_table(file, read_dictionary=["age", "town"])
    for name in ("age", "town"):
        for chunk in told[name].chunks:  # the file's dictionary has what its rows have
            assert set(chunk.dictionary.to_pylist()) == set(chunk.to_pylist()) - {None}
    return repr((told.to_pydict(), told.schema.names, told.schema.types)).encode(), said


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["witness", "sweep"])
@pytest.mark.parametrize(
    "output",
    [
        {"path": "{folder}/out.csv"},
        {"path": "{folder}/out.parquet"},
        {"url": "duckdb:///{folder}/out.duckdb", "table": "cohort"},
    ],
    ids=["csv", "parquet", "duckdb"],
)
def test_a_packed_release_is_the_same(
    output: dict[str, Any], algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, said = released(tmp_path / "plain", 701, output, algorithm)
    assert not any("as enum" in each for each in said)
    assert b"Xanten" not in plain and plain.count("ä".encode()) > 50
    monkeypatch.setattr(recoding, "_PACKED_ROWS", 1)
    small, said = released(tmp_path / "packed", 701, output, algorithm)
    assert sum("as enum" in each for each in said) == 2  # town as it is, and age in intervals
    assert small == plain
    # More texts than a type takes are not packed.
    monkeypatch.setattr(recoding, "_PACKED_TEXTS", 4)
    assert released(tmp_path / "few", 701, output, algorithm)[0] == plain


def test_a_text_that_no_type_has_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recoding, "_PACKED_ROWS", 1)
    source = tmp_path / "people.csv"
    source.write_text("town,illness\n" + "ulm,flu\n" * 4 + "bonn,flu\n" * 4)
    create = recoding._enum_types

    def changed(*given: Any) -> Any:
        types = create(*given)
        assert types
        source.write_text("town,illness\n" + "ulm,flu\n" * 4 + "köln,flu\n" * 4)
        return types

    monkeypatch.setattr(recoding, "_enum_types", changed)
    out = tmp_path / "out.csv"
    with pytest.raises(StarcloakError) as refused:
        sc.anonymize(
            source, quasi_identifiers={"town": "suppress"}, sensitive=["illness"], k=2, output={"path": str(out)}
        )
    assert refused.value.exit_code == 3 and "köln" not in str(refused.value) and not out.exists()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["witness", "kaca", "sweep", "full-subtree"])
@pytest.mark.parametrize("packed_from", [1, 100_000])
@pytest.mark.parametrize(("kind", "counted"), [("smallint", True), ("double", False)])
def test_where_nothing_else_leaves_rows_are_those_that_were_counted(
    packed_from: int, kind: str, counted: bool, algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = tmp_path / "people.parquet", tmp_path / "out.csv"
    duckdb.sql(
        f"select 20 + number % 40 as place, (number % 3)::{kind} as copy, "
        "case number when 7 then 'Xanten' else ['it''s', 'ä', '', null, 'NULL', 'a,b'][1 + number % 6] end as size "
        "from range(701) numbers(number)"
    ).write_parquet(str(source))
    job = {
        "source": {"path": str(source)},
        "quasi_identifiers": {"size": "suppress", "copy": "suppress", "place": AGES},
        "requirement": {"k": 9, "suppression": "0.3"},
        "algorithm": algorithm,
        "output": {"path": str(out)},
    }
    monkeypatch.setattr(recoding, "_PACKED_ROWS", packed_from)
    said: list[str] = []
    told = sc.run(job, resources=sc.Resources(trace=said.append)).result
    assert any("unnest(repeat" in each for each in said) is counted
    assert (told.suppressed_rows or algorithm != "witness") and told.released_rows + told.suppressed_rows == 701
    rows = out.read_bytes()
    monkeypatch.setattr(Recoding, "pack", lambda self, source: self)
    sc.run(job, force=True, resources=sc.Resources(trace=said.append))
    assert out.read_bytes() == rows


def test_many_distinct_rows_leave_in_the_order_of_a_sort_of_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More distinct rows than a thread takes from a sort at once, each several times, by two threads."""
    source, out = tmp_path / "people.parquet", tmp_path / "out.parquet"
    people = duckdb.sql("select number % 130000 as place, number % 130000 % 7 as ward from range(260000) many(number)")
    people.write_parquet(str(source))
    job = {
        "source": {"path": str(source)},
        "quasi_identifiers": {"place": "suppress", "ward": "suppress"},
        "requirement": {"k": 2},
        "output": {"path": str(out)},
    }
    orders = []
    for is_counted in (True, False):
        if not is_counted:
            monkeypatch.setattr(Recoding, "_is_countable", lambda self, source: False)
        sc.run(job, force=True, resources=sc.Resources(threads=2))
        orders.append(pyarrow.parquet.read_table(out)["place"].to_pylist())
    assert orders[0] == orders[1]
    assert orders[0][::2] == orders[0][1::2] and orders[0] != sorted(orders[0])
