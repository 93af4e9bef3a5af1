"""preview: source and release side by side, as a run would have them, and nothing published."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.commands.preview.result import Preview, TuplePreview
from tests.commands.test_lattice import job_on, people

ALGORITHMS = ["witness", "sweep", "mondrian", "datafly", "full-subtree", "kaca"]
NAMES = ["age", "zip", "sex"]


def job(algorithm: str, suppression: str = "0") -> dict[str, Any]:
    requirement = {"k": 6, "suppression": suppression}
    return job_on("loss", algorithm={"name": algorithm}, requirement=requirement, insight="off")


def counted(tuples: list[TuplePreview], side: str) -> Counter[tuple[str | None, ...]]:
    rows: Counter[tuple[str | None, ...]] = Counter()
    for tuple_ in tuples:
        rows[tuple(getattr(tuple_, side)[name] for name in NAMES)] += tuple_.rows
    return rows


def texts(frame: pandas.DataFrame) -> Counter[tuple[str | None, ...]]:
    rows = frame[NAMES].astype(object).where(frame[NAMES].notna(), None).itertuples(index=False)
    return Counter(tuple(None if cell is None else str(cell) for cell in row) for row in rows)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_preview_has_the_rows_of_the_source_and_of_the_release(algorithm: str) -> None:
    share = "0.1" if algorithm in ("witness", "datafly") else "0"
    frame = people(11)
    preview = sc.preview(job(algorithm, share), frame=frame, sample=1000, values=1000)
    release = sc.run(job(algorithm, share), frame=frame)
    assert counted([*preview.changes, *preview.left_out], "before") == texts(frame)
    assert counted(list(preview.changes), "after") == texts(release.to_pandas())
    assert (preview.k, preview.suppressed_rows) == (release.k, release.result.suppressed_rows)
    assert preview.loss == pytest.approx(release.result.measures.loss)
    assert sum(size * classes for size, classes in preview.class_sizes) == preview.released_rows
    for column in preview.columns:
        for side, rows in ((column.before, frame), (column.after, release.to_pandas())):
            cells = texts(rows.assign(**{name: "" for name in NAMES if name != column.attribute}))
            only = {row[NAMES.index(column.attribute)]: count for row, count in cells.items()}
            assert dict(side.frequent) == only and side.values == len(only)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_before_is_the_source_whatever_the_lowest_level_is(algorithm: str) -> None:
    """Several values are one at the lowest level: ages read [0, 50) before and after."""
    share = "0.1" if algorithm in ("witness", "datafly") else "0"
    given = {"age": {"intervals": [5, 50], "from": 2}, "zip": {"digits": 5, "from": 1}, "sex": "suppress"}
    asked, frame = {**job(algorithm, share), "quasi_identifiers": given}, people(11)
    preview, release = sc.preview(asked, frame=frame, sample=1000, values=1000), sc.run(asked, frame=frame)
    assert counted([*preview.changes, *preview.left_out], "before") == texts(frame)
    assert counted(list(preview.changes), "after") == texts(release.to_pandas())
    for column in preview.columns:
        assert dict(column.before.frequent) == dict(texts_of(frame, column.attribute))
    for pair in preview.correlations:
        assert pair.before == pytest.approx(cramers_v(frame, *pair.attributes), abs=1e-9)


@pytest.mark.parametrize("persons", [None, "whole", "set"])
def test_rows_above_a_lowest_level_are_those_of_the_release(persons: str | None) -> None:
    """Rows of one tuple are in several classes, or left out: by the order of the release, or by their persons."""
    split = left_out = 0
    as_set: dict[str, Any] = {"person": {"column": "pid", "as": "set"}}
    more = {"identifiers": ["pid"]} if persons is None else as_set
    algorithm = {None: "kaca", "whole": "bottom-up", "set": "sweep"}[persons]
    for seed in range(6):
        chance = Random(seed)
        rows = [
            (str(n), str(n // 2), chance.choice(["10", "11", "12", "20"]), chance.choice("1123")) for n in range(24)
        ]
        job = {
            "quasi_identifiers": {
                "zip": {"digits": 2, "from": 1}, "age": {"tree": {"*": {"a": ["1", "2"], "b": ["3"]}}},
            },
            "keep": ["id"], "requirement": {"k": 2, "suppression": "0.4" if persons else "0"},
            "algorithm": {"name": algorithm}, **more,
        }  # fmt: skip
        frame = pandas.DataFrame(rows, columns=["id", "pid", "zip", "age"])
        out = sc.run(job, frame=frame).to_pandas().set_index("id")
        preview = sc.preview(job, frame=frame, sample=1000, values=1000)
        released = Counter((z, a, out.zip[n], out.age[n]) for n, _, z, a in rows if n in out.index)
        assert released == Counter(
            {(*row.before.values(), *(row.after or {}).values()): row.rows for row in preview.changes}
        )
        suppressed = Counter((z, a) for n, _, z, a in rows if n not in out.index)
        assert suppressed == Counter({tuple(row.before.values()): row.rows for row in preview.left_out})
        split += len(released) > len({(z, a) for z, a, *_ in released})
        left_out += bool(suppressed)
    assert split or persons == "whole"
    assert left_out or persons is None


def texts_of(frame: pandas.DataFrame, name: str) -> Counter[str | None]:
    return Counter(None if pandas.isna(cell) else str(cell) for cell in frame[name])


def test_the_largest_changes_come_first_and_samples_are_no_larger(tmp_path: Path) -> None:
    frame = people(12)
    small: Preview = sc.preview(job("sweep"), frame=frame, sample=3, values=2)
    large = sc.preview(job("sweep"), frame=frame, sample=1000)
    assert len(small.changes) == 3 and small.changes == large.changes[:3]
    assert all(len(column.before.frequent) == 2 for column in small.columns)
    first, last = large.changes[0], large.changes[-1]
    assert first.after is not None and last.after is not None
    changed = [sum(row.before[name] != row.after[name] for name in NAMES) for row in (first, last)]
    assert changed[0] >= changed[1]


def test_nothing_is_published(work: Path) -> None:
    people(13).to_csv("t.csv", index=False)
    before = sorted(work.rglob("*"))
    sc.preview({**job("witness"), "source": {"path": "t.csv"}, "output": {"path": "out.csv"}})
    assert sorted(work.rglob("*")) == before


def cramers_v(frame: pandas.DataFrame, one: str, other: str) -> float | None:
    """Bergsma's Cramér's V, from the table of both columns."""
    table = pandas.crosstab(
        *(frame[name].astype(object).where(frame[name].notna(), "missing") for name in (one, other))
    )
    rows, (r, c) = table.to_numpy().sum(), table.shape
    expected = table.sum(axis=1).to_numpy()[:, None] * table.sum(axis=0).to_numpy()[None, :] / rows
    phi = ((table.to_numpy() - expected) ** 2 / expected).sum() / rows - (r - 1) * (c - 1) / (rows - 1)
    least = min(r - (r - 1) ** 2 / (rows - 1), c - (c - 1) ** 2 / (rows - 1)) - 1
    return math.sqrt(max(0, phi) / least) if least > 1e-12 else None


@pytest.mark.parametrize("algorithm", ["witness", "full-subtree"])
def test_correlations_are_those_of_the_source_and_of_the_release(algorithm: str) -> None:
    frame = people(14)
    frame["zip"] = frame["zip"].where(frame["age"] > 40, "53710")
    frame["sex"] = frame["sex"].where(frame["zip"] != "53710", "f")
    asked = job(algorithm, "0.1" if algorithm == "witness" else "0")
    preview, release = sc.preview(asked, frame=frame), sc.run(asked, frame=frame).to_pandas()
    assert [pair.attributes for pair in preview.correlations] == [("age", "zip"), ("age", "sex"), ("zip", "sex")]
    for pair in preview.correlations:
        assert pair.before == pytest.approx(cramers_v(frame, *pair.attributes), abs=1e-9)
        assert pair.after == pytest.approx(cramers_v(release, *pair.attributes), abs=1e-9)
    assert any(pair.before and pair.before > 0.3 for pair in preview.correlations)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["sweep", "mondrian", "kaca"])
def test_where_a_value_becomes_several_there_is_no_correlation(algorithm: str) -> None:
    """Columns that have nothing to do with each other would have 0.3 and more."""
    frame = people(16)
    release = sc.run(job(algorithm), frame=frame).to_pandas()
    assert (cramers_v(frame, "age", "zip") or 0) < 0.1 and (cramers_v(release, "age", "zip") or 0) > 0.3
    assert sc.preview(job(algorithm), frame=frame).correlations == []


def test_one_value_alone_has_no_correlation() -> None:
    frame = people(15).assign(sex="f")
    preview = sc.preview(job("witness"), frame=frame)
    assert [pair.before is None for pair in preview.correlations] == [False, True, True]
    equal = frame.assign(zip=frame["age"].map(lambda age: f"53{age:03d}"), sex="m")
    assert sc.preview(job("witness"), frame=equal).correlations[0].before == 1


@pytest.mark.parametrize(
    "more", [{}, {"person": {"column": "id", "as": "set"}}, {"departures": "hold"}], ids=["rows", "persons", "held"]
)
def test_a_preview_and_an_explanation_of_a_refresh_are_of_the_release_that_a_run_makes(
    work: Path, more: dict[str, Any]
) -> None:
    rows = people(13).assign(id=[f"r{row}" for row in range(len(people(13)))])
    again = people(14).assign(id=[f"s{row}" for row in range(len(people(14)))])
    refreshed = {**job("sweep"), "source": {"path": "t.csv"}, "output": {"path": "out.csv"}, "refresh": True, **more}
    refreshed |= {} if "person" in more else {"keep": ["id"]}
    rows.to_csv("t.csv", index=False)
    sc.run(refreshed)
    pandas.concat([rows[5:], again[:5]]).to_csv("t.csv", index=False)

    def shown() -> tuple[Any, ...]:
        preview, explanation = sc.preview(refreshed), sc.explain(refreshed)
        assert (preview.loss, preview.suppressed_rows) == (explanation.loss, explanation.suppressed_rows)
        assert explanation.weaker == []
        cells = {tuple(cell or "" for cell in (row.after or {}).values()) for row in preview.changes}
        return preview.rows, preview.released_rows, preview.suppressed_rows, preview.loss, cells

    before = sorted(work.rglob("*")), Path("out.csv").read_bytes()
    promised = shown()
    assert (sorted(work.rglob("*")), Path("out.csv").read_bytes()) == before
    result = sc.run(refreshed).result
    released = pandas.read_csv("out.csv", dtype=str, keep_default_na=False)[NAMES]
    made = result.rows, result.released_rows, result.suppressed_rows, result.measures.loss
    assert promised[:4] == made and promised[4] <= set(released.itertuples(index=False, name=None))
    afresh = sc.preview({**refreshed, "refresh": False, "departures": "tell"})
    assert afresh.loss != result.measures.loss
    assert shown()[:4] == made


def test_a_preview_and_an_explanation_of_a_refreshed_data_frame_are_of_its_release(work: Path) -> None:
    frame = people(13).assign(id=[f"r{row}" for row in range(len(people(13)))])
    refreshed = {**job("sweep"), "keep": ["id"], "output": {"path": "out.csv"}, "refresh": True}
    sc.run(refreshed, frame=frame)
    later = frame[5:]
    loss = sc.preview(refreshed, frame=later).loss, sc.explain(refreshed, frame=later).loss
    assert loss == (sc.run(refreshed, frame=later).result.measures.loss,) * 2
