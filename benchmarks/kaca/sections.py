"""The sections of the benchmark of local recoding."""

from __future__ import annotations

from benchmarks.kaca import executions, growth, height, multi
from benchmarks.kaca import paper_2006 as kaca_2006
from benchmarks.kaca import paper_2008 as local_recoding_2008
from benchmarks.kaca import paper_2014 as han_2014
from benchmarks.shared.sections import Measured

SECTIONS: dict[str, Measured] = {
    "2006": kaca_2006,
    "height": height,
    "2008": local_recoding_2008,
    "2014": han_2014,
    "multi": multi,
    "speed": executions,
    "growth": growth,
}
NAMES = tuple(SECTIONS)
# Only where asked for: all ways of one figure take their time.
APART = ("multi",)
