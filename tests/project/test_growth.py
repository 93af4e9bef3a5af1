"""Growth of whole runs with their rows, beside a release by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import growth
from benchmarks.shared.settings import Settings

from tests.project.test_figures import result, running


def test_growth_with_the_rows() -> None:
    *_, largest = result("memory-growth")["tables"]
    page = running("docs/explanation/speed.md")
    assert f"--only growth --largest {largest['rows']}`" in page
    (domain, swept), by_hand = ([largest[name] for name in ("full-domain", "sweep")], largest["by hand"].values())
    assert (
        f"of {largest['rows']:,} rows, a full-domain run takes {domain['cpu_seconds']:.1f} CPU seconds and "
        f"{domain['peak_memory'] / 1e9:.2f} GB, a sweep {swept['cpu_seconds']:.1f} CPU seconds and "
        f"{swept['peak_memory'] / 1e9:.2f} GB, and the same full-domain release by hand "
        f"{sum(step['cpu_seconds'] for step in by_hand):.1f} CPU seconds and "
        f"{max(step['peak_memory'] for step in by_hand) / 1e9:.2f} GB." in page
    )


@pytest.mark.long
def test_growth_has_both_recodings_beside_the_release_by_hand(tmp_path: Path) -> None:
    *_, body = growth.measure(tmp_path, Settings(runs=1, limit=0, quick=True))
    for each in body["tables"]:
        assert 0 < each["combinations"] <= each["rows"] and list(each["by hand"]) == list(growth.STEPS)
        assert all(each[name]["read_bytes"] > each["file_bytes"] for name in growth.RUNS)
    assert growth.table(body).count("times by hand") == 2
    assert not [*tmp_path.glob("*.parquet"), *tmp_path.glob("*.duckdb")]
