"""Growth of whole runs with their rows, beside a release by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import growth
from benchmarks.shared.settings import Settings

from tests.project.test_figures import result, running


def test_growth_with_the_rows() -> None:
    page, tables = (
        running("docs/explanation/speed.md"),
        {each["rows"]: each for each in result("memory-growth")["tables"]},
    )
    assert f"--only growth --largest {max(tables)}`" in page
    for rows in {max(tables), growth.BY_HAND}:
        domain, swept = (tables[rows][name] for name in ("full-domain", "sweep"))
        assert (
            f"of {rows:,} rows, a full-domain run takes {domain['cpu_seconds']:,.0f} CPU seconds and "
            f"{domain['peak_memory'] / 1e9:.2f} GB, a sweep {swept['cpu_seconds']:,.0f} CPU seconds and "
            f"{swept['peak_memory'] / 1e9:.2f} GB" in page
        )
    by_hand = tables[growth.BY_HAND]["by hand"].values()
    seconds = sum(step["cpu_seconds"] for step in by_hand)
    assert (
        f"the same full-domain release by hand takes {seconds:,.0f} CPU seconds and "
        f"{max(step['peak_memory'] for step in by_hand) / 1e9:.2f} GB" in page
    )


@pytest.mark.long
def test_growth_has_both_recodings_beside_the_release_by_hand(tmp_path: Path) -> None:
    *_, body = growth.measure(tmp_path, Settings(runs=1, limit=0, quick=True))
    for each in body["tables"]:
        assert 0 < each["combinations"] <= each["rows"] and list(each["by hand"]) == list(growth.STEPS)
        assert all(each[name]["read_bytes"] > each["file_bytes"] for name in growth.RUNS)
    assert growth.table(body).count("times by hand") == 2
    assert not [*tmp_path.glob("*.parquet"), *tmp_path.glob("*.duckdb")]
