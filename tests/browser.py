"""The browser that tests of pages need: without one they are skipped, or fail where they were asked for by name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

PYTHON = Path(__file__).parents[1] / ".venv" / "browser" / "bin" / "python"


def chromium() -> str:
    """The browser's program. Set STARCLOAK_BROWSER, as ``make test-browser`` does, and a missing one fails the test."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is not None and PYTHON.exists():
        return found
    said = "a browser is not installed: apt-get install chromium, make test-browser"
    if os.environ.get("STARCLOAK_BROWSER"):
        pytest.fail(said)
    pytest.skip(said)
