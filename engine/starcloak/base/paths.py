"""Where the files that are not Python lie: beside the package in a wheel, at the top of a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def _root(name: str) -> Path:
    package = Path(__file__).resolve().parents[1]
    for candidate in (package / name, package.parents[1] / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the installation is incomplete: it has no folder {name}")


def sql() -> Path:
    """The folder of the statement files."""
    return _root("sql")


def schemas() -> Path:
    """The folder of the JSON Schemas and of the ready-made schemas."""
    return _root("schemas")
