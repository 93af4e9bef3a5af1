"""The sections of the benchmark of the Incognito paper."""

from __future__ import annotations

from benchmarks.incognito import counts, figures, large, ratios, rollups, scale, taxonomies
from benchmarks.shared.sections import Measured

SECTIONS: dict[str, Measured] = {
    "counts": counts,
    "figures": figures,
    "ratios": ratios,
    "rollups": rollups,
    "large": large,
    "scale": scale,
    "taxonomies": taxonomies,
}
NAMES = tuple(SECTIONS)
# Only where asked for: 100 million rows, and millions of groupings, take their time.
APART = ("scale", "taxonomies")
