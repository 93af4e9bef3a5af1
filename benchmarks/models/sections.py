"""The sections of the benchmark of privacy models."""

from __future__ import annotations

from benchmarks.models import monotone, on_adult, verdicts
from benchmarks.shared.sections import Measured

SECTIONS: dict[str, Measured] = {"verdicts": verdicts, "monotone": monotone, "adult": on_adult}
NAMES = tuple(SECTIONS)
