"""US ZIP codes, generalized as permitted by HIPAA's Safe Harbor."""

from __future__ import annotations

import csv
import hashlib
import re
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from starcloak.base.errors import HierarchyError
from starcloak.hierarchy.classifications.registry import Classification, CodeEntry, register

_CODE = re.compile(r"([0-9]{5})(?:-?[0-9]{4})?")
_LINE = re.compile(r"[0-9]{3}")
_FEWEST = 20_000  # an area of so many persons or fewer has no digits of its own: 45 CFR 164.514(b)(2)(i)(B)
_MERGED = "000"


@register
class UsZip(Classification):
    """ZIP codes of five or nine digits; level 1 is the first three digits, or *000* for areas of few inhabitants."""

    key: ClassVar[str] = "us_zip"
    title: ClassVar[str] = "US ZIP codes of HIPAA's safe harbor"
    source: ClassVar[str] = (
        "a file of yours with the lines `first three digits;persons`, from the current census: no package has the "
        "populations. Areas of 20,000 persons or fewer become 000 (45 CFR 164.514(b)(2)(i)(B))"
    )
    licence: ClassVar[str] = "that of your file"
    levels: ClassVar[tuple[str, ...]] = ("three digits",)
    needs_file: ClassVar[bool] = True
    only_texts: ClassVar[bool] = True

    @property
    def edition(self) -> str:
        return f"populations of the file with SHA-256 {self._populations[1][:12]}"

    def find(self, value: str) -> CodeEntry | None:
        text = value.strip()
        written = _CODE.fullmatch(text)
        persons = self._populations[0].get(text[:3]) if written else None
        if persons is None:
            return None
        code = text if len(text) != 9 else f"{text[:5]}-{text[5:]}"
        return CodeEntry(code, (text[:3] if persons > _FEWEST else _MERGED,))

    @cached_property
    def _populations(self) -> tuple[dict[str, int], str]:
        assert self.file is not None, "the builder requires a file"
        return _read(self.file)


def _read(path: Path) -> tuple[dict[str, int], str]:
    """Number of inhabitants of each area (first three digits), and the hash of the file."""
    try:
        content = path.read_bytes()
        lines = [line for line in csv.reader(content.decode("utf-8-sig").splitlines(), delimiter=";") if line]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise HierarchyError(f"{path} cannot be read as CSV in UTF-8 ({type(error).__name__}): check file") from None
    persons = dict[str, int]()
    for number, cells in enumerate(lines, 1):
        digits, *counts = (cell.strip() for cell in cells)
        if len(counts) != 1 or not _LINE.fullmatch(digits) or not (counts[0].isascii() and counts[0].isdigit()):
            raise HierarchyError(
                f"{path}, line {number}: write the first three digits of a ZIP code and a number of persons, such as "
                "036;12345"
            )
        if digits in persons:
            raise HierarchyError(
                f"{path}, line {number}: an earlier line has the same three digits: keep one of the two lines"
            )
        persons[digits] = int(counts[0])
    if not persons:
        raise HierarchyError(
            f"{path} is empty: write a line per area, with the first three digits of its ZIP code and its inhabitants"
        )
    return persons, hashlib.sha256(content).hexdigest()
