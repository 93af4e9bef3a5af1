"""The release of a tidy table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sources.tidy import TIDY, job, released


@pytest.fixture
def tidy(work: Path) -> list[str]:
    """The lines that the release of the tidy table has."""
    Path("tidy.csv").write_text(TIDY)
    return released(job("tidy.csv"))[0]
