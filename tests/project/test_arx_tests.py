"""ARX's own test table: every case is a job, or is said not to be expressed; the counting is that of plain Python."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from benchmarks.arx_tests import cases, command
from benchmarks.arx_tests.jobs import NotExpressed, job_of
from benchmarks.arx_tests.nodes import Node
from benchmarks.arx_tests.tables import Table, drawn

from starcloak.base.errors import JobError
from starcloak.job import load

LEVELS = {"sex": "f;*\nm;*\n", "age": "1;low;*\n2;low;*\n3;high;*\n", "occupation": "a;*\nb;*\n"}
ROWS = [("f", "1", "a"), ("f", "2", "a"), ("m", "1", "b"), ("m", "3", "a"), ("m", "3", "b"), ("f", "3", "b")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in LEVELS.items():
        (tmp_path / f"adult_hierarchy_{name}.csv").write_text(lines)
    for name in ("adult.csv", "adult_subset.csv"):
        (tmp_path / name).write_text(";".join(cases.COLUMNS) + "\n" + ";".join("v" * 9) + "\n")
    return tmp_path


def test_every_case_is_a_job_or_said_not_to_be_expressed(folder: Path) -> None:
    every, missing = cases.every(), Counter[str]()
    assert len(every) == command.AGREE + command.NOT_EXPRESSED == 204
    for case in every:
        if cases.drawn_rows(case) is not None:
            continue
        try:
            load(job_of(case, folder, folder))
        except NotExpressed as reason:
            missing[str(reason)] += 1
        except JobError as refusal:
            assert "the release then has none of their people" in str(refusal)
            missing["refused"] += 1
    assert missing["refused"] == 13 and missing["the entropy is estimated by Grassberger"] == 4
    assert sum(missing.values()) == 13 + 4 + 6  # and uniqueness or an average risk


def test_a_node_is_counted_as_in_plain_python(folder: Path) -> None:
    rows = [["f" if name == "sex" else "" for name in cases.COLUMNS] for _ in ROWS]
    for row, (sex, age, told) in zip(rows, ROWS, strict=True):
        for name, cell in (("sex", sex), ("age", age), ("occupation", told)):
            row[cases.COLUMNS.index(name)] = cell
    table = Table(folder, rows, ["sex", "age"])
    assert len(table.nodes) == 6
    for levels in table.nodes:
        climbed = [
            tuple(
                next(line.split(";") for line in LEVELS[name].splitlines() if line.startswith(cell))[level]
                for name, cell, level in zip(("sex", "age"), row, levels, strict=False)
            )
            for row in ROWS
        ]
        sizes = Counter(climbed)
        rare = sum(size for size in sizes.values() if size < 2)
        verdict = Node(table, levels).verdict([{"model": "k", "k": 2}], 3)
        assert (verdict is None) == (rare > 3)
        if verdict is not None:
            assert verdict[0] == rare


def test_rows_are_drawn_as_java_draws_them() -> None:
    places = drawn(1000)
    assert places == sorted(set(places)) and places[0] >= 0 and places[-1] < 1000 and len(places) < 1000


def test_none_may_differ_and_as_many_as_ever_agree() -> None:
    found = [{"verdict": "agree"}] * command.AGREE + [{"verdict": "not expressed"}] * command.NOT_EXPRESSED
    assert command.holds(found, whole=True) and command.totals(found)["differ"] == 0
    assert not command.holds(found[1:], whole=True) and command.holds(found[1:], whole=False)
    assert not command.holds([*found, {"verdict": "differ"}], whole=False)
