"""The sections of the benchmark of releases for a classifier."""

from __future__ import annotations

from benchmarks.classification import between, errors, families, ranking, refinements, several_qids, ten_fold
from benchmarks.shared.sections import Measured

SECTIONS: dict[str, Measured] = {
    "errors": errors,
    "between": between,
    "ranking": ranking,
    "families": families,
    "qids": several_qids,
    "folds": ten_fold,
    "scale": refinements,
}
NAMES = tuple(SECTIONS)
