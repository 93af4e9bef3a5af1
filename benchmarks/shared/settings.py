"""What the sections of a benchmark are told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """``runs`` of each figure; ``limit`` in seconds of a process of the compared algorithms; ``quick``: tiny sizes.

    ``weka`` is Weka's JAR file, for C4.5; ``tables`` is how many random tables, where that is not said otherwise.
    """

    runs: int
    limit: float
    quick: bool
    weka: Path | None = None
    tables: int | None = None
