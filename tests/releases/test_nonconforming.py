"""Cells without a leaf that nonconforming makes missing or the top are counted, named and warned of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from starcloak.releases.disclosure import disclosure_of

RULES = ["suppress", "missing"]


def released(heights: list[str | None], *, rule: str, **requirement: Any) -> sc.Release:
    frame = pandas.DataFrame({"height": heights, "sex": ["fm"[row % 2] for row in range(len(heights))]})
    hierarchy = {"intervals": [5, 10], "nonconforming": rule, "from": 1}
    job = {
        "quasi_identifiers": {"height": hierarchy, "sex": "suppress"},
        "requirement": {"k": 3, **requirement},
    }
    return sc.run(job, frame=frame)


@pytest.mark.parametrize("rule", RULES)
def test_a_column_that_is_lost_is_counted_and_warned_of(rule: str) -> None:
    result = released([f"{row % 9 + 150} cm" for row in range(60)], rule=rule).result
    assert [(part.column, part.become, part.cells) for part in result.nonconforming] == [("height", rule, 60)]
    reads = "*" if rule == "suppress" else "missing"
    (warning,) = [text for text in result.warnings if "height" in text]
    assert "60 of 60 cells fit no value of its hierarchy" in warning and f"become {reads}" in warning
    assert result.recoding.label("height", result.recoding.levels["height"]) == reads
    assert result.insight is not None
    assert any("'height'" in line and "became * in every row" in line for line in result.insight.otherwise) == (
        rule == "suppress"
    )


@pytest.mark.parametrize("rule", RULES)
def test_a_few_cells_are_counted_and_no_reader_sees_how_many(rule: str) -> None:
    heights = ["?", "?", *(str(row % 9 + 150) for row in range(58))]
    result = released(heights, rule=rule, suppression=0.5).result
    assert [part.cells for part in result.nonconforming] == [2]
    assert [part.cells for part in disclosure_of(result).result.nonconforming] == [None]
    assert not [text for text in result.warnings if "height" in text]
    assert result.recoding.labels["height"][1] == "ranges of 5"


def test_missing_cells_are_no_lost_ones_and_cells_as_they_are_neither() -> None:
    result = released([*["150", None, "155"] * 20], rule="suppress").result
    assert [part.cells for part in result.nonconforming] == [0]
    assert not [text for text in result.warnings if "height" in text]
    frame = pandas.DataFrame({"height": ["tall", "small"] * 6})
    job = {"quasi_identifiers": {"height": {"intervals": [5], "nonconforming": "suppress"}}, "requirement": {"k": 3}}
    result = sc.run(job, frame=frame).result
    assert result.recoding.levels == {"height": 0} and not result.warnings
    assert [part.cells for part in result.nonconforming] == [12]


def test_a_run_prints_what_is_lost(work: Path) -> None:
    rows = [{"height": f"{row % 9 + 150} cm", "sex": "fm"[row % 2]} for row in range(60)]
    pandas.DataFrame(rows).to_csv("t.csv", index=False)
    Path("job.yaml").write_text(
        "source: {path: t.csv}\n"
        "quasi_identifiers: {height: {intervals: [5], from: 1, nonconforming: suppress}, sex: suppress}\n"
        "requirement: {k: 4}\noutput: {path: out.csv}\n"
    )
    done = CliRunner().invoke(cli, ["run", "job.yaml"])
    assert done.exit_code == 0, done.output
    assert "height: 60 cells, nonconforming: suppress" in done.output and "ranges of 5" not in done.output
    assert "warning: column 'height': 60 of 60 cells" in done.output


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "algorithm", ["sweep", "mondrian", "kaca", "incognito", {"name": "tdr", "class": "drug"}, {"name": "full-subtree"}]
)
def test_other_searches_count_them_too(algorithm: Any) -> None:
    frame = pandas.DataFrame({"code": ["a1", "b2", "?", "?"] * 6, "sex": ["f", "m"] * 12, "drug": ["x", "y", "z"] * 8})
    levels = {"levels": {"a1": ["a", "*"], "b2": ["b", "*"]}, "nonconforming": "suppress"}
    roles = {"quasi_identifiers": {"code": levels, "sex": "suppress"}, "keep": ["drug"]}
    result = sc.run({**roles, "requirement": {"k": 2}, "algorithm": algorithm}, frame=frame).result
    assert [part.cells for part in result.nonconforming] == [12]
