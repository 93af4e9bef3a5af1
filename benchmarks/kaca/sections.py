"""The sections of the benchmark of local recoding."""

from __future__ import annotations

from benchmarks.kaca import growth, multi, rounds, sequential
from benchmarks.kaca import paper_2006 as kaca_2006
from benchmarks.kaca import paper_2008 as local_recoding_2008
from benchmarks.shared.sections import Measured

SECTIONS: dict[str, Measured] = {
    "2006": kaca_2006,
    "2008": local_recoding_2008,
    "multi": multi,
    "speed": rounds,
    "growth": growth,
    "sequential": sequential,
}
NAMES = tuple(SECTIONS)
# Only where asked for: one class per step takes its time, and so do all ways of one figure.
APART = ("sequential", "multi")
