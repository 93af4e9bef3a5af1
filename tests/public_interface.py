"""The public interface for Python: ``python -m tests.public_interface`` writes its listing.

The listing has a line for each name of ``starcloak.__all__`` with its signature, and for each public part of a class.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import starcloak

FILE = Path(__file__).parent / "project" / "public_interface.txt"


def listing() -> str:
    """The lines of the interface as it is."""
    return "".join(f"{line}\n" for name in sorted(starcloak.__all__) for line in _lines(name))


def _lines(name: str) -> Iterator[str]:
    of = getattr(starcloak, name)
    if not inspect.isclass(of):
        yield f"{name}{_signature(of)}"
        return
    bases = ", ".join(base.__name__ for base in of.__bases__ if base.__module__.startswith("starcloak"))
    yield f"class {name}({bases})"
    fields = getattr(of, "model_fields", None) or {}
    for field in sorted(fields):
        yield f"{name}.{field}"
    for part, value in sorted(vars(of).items()):
        if part.startswith("_") or part in fields or part.startswith("model_"):
            continue
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        yield f"{name}.{part}{_signature(function) if inspect.isfunction(function) else ''}"


def _signature(of: Any) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(of)))


if __name__ == "__main__":
    FILE.write_text(listing(), encoding="utf-8")
