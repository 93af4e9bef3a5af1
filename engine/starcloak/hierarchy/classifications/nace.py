"""Economic activities by NACE."""

from __future__ import annotations

import csv
import re
from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar

from starcloak.hierarchy.classifications.registry import Classification, CodeEntry, labels_above, register

_CODE = re.compile(r"([A-V]?)\.?([0-9]{2})(?:\.?([0-9]{1,2}))?")
_CLASS = "4"  # the last level of NACE: further digits are national


@register
class Nace(Classification):
    """Sections, divisions, groups and classes of NACE; a code may have its section in front, or no dot."""

    key: ClassVar[str] = "nace"
    title: ClassVar[str] = "economic activities of Europe (NACE)"
    source: ClassVar[str] = (
        "Eurostat's NACE Rev. 2.1, in the package naceconverter, whose data also has national codes of five digits: "
        "these are not NACE, and are not used"
    )
    licence: ClassVar[str] = "MIT"
    levels: ClassVar[tuple[str, ...]] = ("group", "division", "section")
    package: ClassVar[str | None] = "naceconverter"
    only_texts: ClassVar[bool] = True
    proposed_for: ClassVar[frozenset[str]] = frozenset({"nace", "industry", "activity", "branch"})

    @property
    def edition(self) -> str:
        return "NACE Rev. 2.1"

    def find(self, value: str) -> CodeEntry | None:
        titles, parents = _lines(self._file)
        text = value.strip().upper()
        written = _CODE.fullmatch(text)
        if written is not None:
            section, division, further = written.groups()
            code = f"{division}.{further}" if further else division
        else:
            section, code = "", text
        if code not in titles:
            return None
        groups = [code]
        while parents[groups[-1]]:
            groups.append(parents[groups[-1]])
        if section not in ("", groups[-1]):
            return None
        labels = [f"{group} {titles[group]}" for group in groups]
        above = labels[1:] if len(labels) > len(self.levels) else labels
        return CodeEntry(code, labels_above(above, len(self.levels) - len(above)))

    @cached_property
    def _file(self) -> Path:
        return self.folder("naceconverter") / "nacecodes.csv"


@cache
def _lines(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Read the list of codes; return two maps: from a code to its title, and from a code to its parent's code."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = [line for line in csv.DictReader(file, delimiter=";") if line["level"] <= _CLASS]
    return {line["code"]: line["name"].strip() for line in lines}, {line["code"]: line["parentCode"] for line in lines}
