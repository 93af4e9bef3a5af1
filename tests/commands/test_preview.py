"""preview: source and release side by side, as a run would have them, and nothing published."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
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
