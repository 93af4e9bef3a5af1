"""The sections of the benchmark of the Incognito paper."""

from __future__ import annotations

from benchmarks import counts, figures, large, ratios, scale
from benchmarks.sections import Measured

SECTIONS: dict[str, Measured] = {"counts": counts, "figures": figures, "ratios": ratios, "large": large, "scale": scale}
NAMES = tuple(SECTIONS)
# Only where asked for: 100 million rows take their time.
APART = ("scale",)
