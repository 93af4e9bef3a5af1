"""What the sections of a benchmark are told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """``runs`` of each figure; ``limit`` in seconds of a process of the compared algorithms; ``quick``: tiny sizes."""

    runs: int
    limit: float
    quick: bool
