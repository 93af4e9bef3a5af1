"""The sections of the benchmark of the Incognito paper."""

from __future__ import annotations

from benchmarks.incognito import checks, counts, figures, further, large, ratios, rollups, scale, taxonomies
from benchmarks.shared.sections import Measured

SECTIONS: dict[str, Measured] = {
    "checks": checks,
    "counts": counts,
    "figures": figures,
    "ratios": ratios,
    "rollups": rollups,
    "large": large,
    "scale": scale,
    "taxonomies": taxonomies,
    "further": further,
}
NAMES = tuple(SECTIONS)
# Only where asked for: 100 million rows, and millions of groupings, take their time.
APART = ("scale", "taxonomies", "further")
