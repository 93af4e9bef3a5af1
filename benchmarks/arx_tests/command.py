"""Every case of ARX's own tests on Adult, against own counts and starcloak."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.arx_tests import cases, counts
from benchmarks.arx_tests.judge import Judge
from benchmarks.shared.process import ROOT

MISSING = (
    "Adult of ARX is not at hand: put its adult.csv, adult_subset.csv and adult_hierarchy_….csv into the folder "
    "arx-adult of $STARCLOAK_DATA or of ../shared/data"
)
#: How many cases agree, and ask for what cannot be expressed.
AGREE, NOT_EXPRESSED = 178, 26


def folder() -> Path | None:
    """Folder of the tables and hierarchies of ARX; None if they are not at hand. Nothing is downloaded."""
    given = os.environ.get("STARCLOAK_DATA")
    places = [Path(given), Path(given) / "arx-adult"] if given else []
    places.append(ROOT.parent / "shared" / "data" / "arx-adult")
    return next((place for place in places if (place / "adult_subset.csv").is_file()), None)


def measure(prefixes: Sequence[str], report: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """Judge the cases whose names begin with one of the prefixes, or all; each as it comes."""
    place = folder()
    if place is None:
        yield {"skipped": MISSING}
        return
    some = cases.every(prefixes)
    with tempfile.TemporaryDirectory(prefix="arx-tests-") as work:
        judge = Judge(place, Path(work), counts.count(some, place, report))
        for case in some:
            verdict, why = judge.verdict(case)
            yield {"case": case["id"], "verdict": verdict, "why": why}


def totals(found: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Numbers of cases that agree, differ and cannot be expressed."""
    counted = Counter(each["verdict"] for each in found)
    return {verdict: counted[verdict] for verdict in ("agree", "differ", "not expressed")}


def holds(found: Sequence[dict[str, Any]], *, whole: bool) -> bool:
    """True if no case differs and, of all cases, the expected number agrees."""
    counted = totals(found)
    return not counted["differ"] and (not whole or counted["agree"] >= AGREE)
