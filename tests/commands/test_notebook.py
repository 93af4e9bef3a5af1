"""Results as a notebook and an interpreter show them."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pandas
import pytest

import starcloak as sc

FRAME = pandas.DataFrame(
    {
        "zip": ["53715", "53715", "53703", "53703", "<b>xy", "<b>xy"],
        "sex": list("ffmmfm"),
        "disease": ["flu", "FLU", "cold", "cough", "flu", "cold"],
    }
)
JOB: dict[str, Any] = {
    "quasi_identifiers": {"zip": {"digits": 5}, "sex": "suppress"},
    "sensitive": ["disease"],
    "requirement": {"k": 2},
}
SHOWN = {
    "Release": lambda: sc.run(JOB, frame=FRAME),
    "Audit": lambda: sc.audit(FRAME, ["zip", "sex"], "disease"),
    "Verdict": lambda: sc.check(FRAME, ["zip", "sex"], k=2, l_diversity=[{"attribute": "disease", "l": 2}]),
    "Comparison": lambda: sc.compare(JOB, frame=FRAME, ks=[2, 9]),
    "Explanation": lambda: sc.explain(JOB, frame=FRAME),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SHOWN)
def test_a_result_is_three_lines_and_a_table(name: str) -> None:
    result = SHOWN[name]()
    text = repr(result)
    assert text.startswith(f"<{name} o") and len(text.splitlines()) <= 3 and text.endswith(">")
    page = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    (table,) = page.iter("table")
    head, *rows = table.iter("tr")
    assert rows and {len(row) for row in rows} == {len(head)}
    assert not list(page.iter("script")) and not re.search(r"(src|href|style|on\w+)=", result._repr_html_())


def test_what_is_to_be_heeded_stands_beneath() -> None:
    audit = SHOWN["Audit"]()
    assert audit.notes and all(note.replace("'", "&#39;") in audit._repr_html_() for note in audit.notes)


def test_bars_show_shares() -> None:
    comparison = SHOWN["Comparison"]()
    page = ElementTree.fromstring(f"<div>{comparison._repr_html_()}</div>")
    losses = [point.released.loss for point in comparison.points if point.released is not None]
    assert [float(bar.attrib["width"]) for bar in page.iter("rect")] == [round(240 * loss, 1) for loss in losses]
    assert [item.text for item in page.iter("li")]


def test_no_count_below_k_is_told_of_a_verdict() -> None:
    verdict = sc.check(FRAME.iloc[:5], ["zip", "sex"], k=2)
    assert "fewer than 2" in verdict._repr_html_() and "k = fewer than 2" in repr(verdict)
