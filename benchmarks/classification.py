"""The sections of the benchmark of releases for a classifier."""

from __future__ import annotations

from benchmarks import errors, refinements, several_qids
from benchmarks.sections import Measured

SECTIONS: dict[str, Measured] = {"errors": errors, "qids": several_qids, "scale": refinements}
NAMES = tuple(SECTIONS)
