"""Ready-made classifications of the program: diagnoses of ICD-10, countries, states, ZIP codes."""

from __future__ import annotations

import csv
import re
from functools import cache

from starcloak.base import installation

_CHAPTERS, _BLOCKS = "icd-10", "icd-10-blocks"
_DIAGNOSIS = re.compile(r"[A-Z][0-9][0-9AB](\.?[0-9A-Z]{1,4})?")


@cache
def ranges(name: str) -> list[list[str]]:
    """The lines of a ready-made CSV file of the program, without comments."""
    with open(installation.schemas() / "ready" / f"{name}.csv", encoding="utf-8", newline="") as file:
        return [line for line in csv.reader(file, delimiter=";") if line and not line[0].startswith("#")]


@cache
def ready(name: str) -> dict[str, list[str]]:
    """A ready-made hierarchy: the texts above a leaf from level 1 to the top, by the leaf's aliases in lower case."""
    return {alias.casefold(): line[1:] for line in ranges(name) for alias in line[0].split("|")}


def height(name: str) -> int:
    """The number of levels of a ready-made hierarchy above its leaves."""
    return len(next(iter(ready(name).values())))


def range_of(name: str, code: str) -> str | None:
    """The name of the first range in a ready-made file that contains a code."""
    return next((kind for first, last, kind, *_ in ranges(name) if first <= code <= last), None)


def chapter(text: str) -> str | None:
    """The chapter of ICD-10 of a diagnosis code; None for other texts, and for codes outside all chapters.

    >>> chapter("E11.9"), chapter("E97")
    ('endocrine, nutritional and metabolic diseases', None)
    """
    code = text.strip().upper()
    return range_of(_CHAPTERS, code[:3]) if _DIAGNOSIS.fullmatch(code) else None


def diagnosis(text: str) -> tuple[str, str, str]:
    """The category, the block and the chapter of a diagnosis code in ICD-10; an unknown chapter is ``*``."""
    category, chapter_name = text.strip().upper()[:3], chapter(text) or "*"
    return category, range_of(_BLOCKS, category) or chapter_name, chapter_name
