"""What the sections of a benchmark are told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """``runs`` of each figure; ``limit`` in seconds of a process of the compared algorithms; ``quick``: tiny sizes.

    ``weka`` is Weka's JAR file, for C4.5; ``tables`` is how many random tables, where that is not said otherwise.
    ``largest`` is of how many rows the largest table is that a growth is measured on.
    ``resume`` is the folder of the result that a section goes on with, and after ``minutes`` it begins nothing more.
    """

    runs: int
    limit: float
    quick: bool
    weka: Path | None = None
    tables: int | None = None
    largest: int | None = None
    resume: Path | None = None
    minutes: float | None = None
