"""Releases that stay in their database: the whole run against what the database itself needs."""

from __future__ import annotations

from benchmarks.databases import in_postgresql
from benchmarks.shared.sections import Measured

SECTIONS: dict[str, Measured] = {"postgresql": in_postgresql}
NAMES = tuple(SECTIONS)
