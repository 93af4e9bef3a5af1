"""Every node of the lattice by one GROUP BY of its own, to hold the searches against.

``python -m benchmarks.incognito.lattice JOB SHARE…`` prints as JSON the seconds, the nodes, and how many of them are
k-anonymous where each share of the rows may be left out.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.shared.built import built
from benchmarks.shared.statement import statement
from starcloak.job import load
from starcloak.privacy.requirement import Requirement
from starcloak.star import working_tables
from starcloak.statements.statement import columns


def check_all(path: Path, shares: Sequence[str]) -> dict[str, Any]:
    """Count every node. Only the statements of the nodes are timed: the star is there, as when a search begins."""
    job = load(path)
    with built(job) as at_hand:
        binds = {"k": job.k}
        outliers = []
        started = time.perf_counter()
        for levels in itertools.product(*(range(height + 1) for height in at_hand.heights)):
            named = (each.column(level) for each, level in zip(at_hand.dimensions, levels, strict=True))
            outliers.append(
                at_hand.session.row(statement("outliers", star=working_tables.STAR, levels=columns(named)), binds)[0]
            )
        seconds = time.perf_counter() - started
    allowed = {share: Requirement((), suppression=Decimal(share)).allowance(at_hand.rows) for share in shares}
    anonymous = {share: sum(count <= most for count in outliers) for share, most in allowed.items()}
    return {"seconds": seconds, "nodes": len(outliers), "anonymous": anonymous}


if __name__ == "__main__":
    path, *shares = sys.argv[1:]
    print(json.dumps(check_all(Path(path), shares)))
