"""The sections of the benchmark of Spark."""

from __future__ import annotations

from benchmarks.shared.sections import Measured
from benchmarks.spark import growth

SECTIONS: dict[str, Measured] = {name: growth.Growth(name) for name in growth.TABLES}
NAMES = tuple(SECTIONS)
