"""The sections of the benchmark of recodings side by side."""

from __future__ import annotations

from benchmarks import swept
from benchmarks.recodings import Recodings
from benchmarks.sections import Measured

SECTIONS: dict[str, Measured] = {
    "arx-adult": Recodings(of_arx=True),
    "adult": Recodings(of_arx=False),
    "growth": swept,
}
NAMES = tuple(SECTIONS)
