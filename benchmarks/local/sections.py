"""The sections of the benchmark of recodings side by side."""

from __future__ import annotations

from benchmarks.local import bound, distances, improve, wide
from benchmarks.local import growth as swept
from benchmarks.local.recodings import Recodings
from benchmarks.shared.sections import Measured

SECTIONS: dict[str, Measured] = {
    "arx-adult": Recodings(of_arx=True),
    "adult": Recodings(of_arx=False),
    "distances": distances,
    "improve": improve,
    "bound": bound,
    "growth": swept,
    "wide": wide,
}
NAMES = tuple(SECTIONS)
