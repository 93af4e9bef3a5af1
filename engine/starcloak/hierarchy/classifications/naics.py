"""Industries by NAICS."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from starcloak.hierarchy.classifications.registry import Classification, CodeEntry, labels_above, register

_SECTORS = {"31": "31-33", "32": "31-33", "33": "31-33", "44": "44-45", "45": "44-45", "48": "48-49", "49": "48-49"}
_LONGEST = 6  # digits


@register
class Naics(Classification):
    """Codes of NAICS of two to six digits with their industry, industry group, subsector and sector."""

    key: ClassVar[str] = "naics"
    title: ClassVar[str] = "industries of North America (NAICS)"
    source: ClassVar[str] = "United States Census Bureau (public domain), in the package naics"
    licence: ClassVar[str] = "MIT"
    levels: ClassVar[tuple[str, ...]] = ("industry", "industry group", "subsector", "sector")
    package: ClassVar[str | None] = "naics"
    proposed_for: ClassVar[frozenset[str]] = frozenset({"naics", "industry", "sector"})

    @property
    def edition(self) -> str:
        return "NAICS 2022"

    def find(self, value: str) -> CodeEntry | None:
        titles = _titles(self.module("naics"))
        code = value.strip().removesuffix(".0")
        sector = _SECTORS.get(code[:2], code[:2])
        if code == sector:
            groups = [sector]
        elif code.isascii() and code.isdigit() and 2 <= len(code) <= _LONGEST:
            groups = [*(code[:digits] for digits in range(min(len(code), 5), 2, -1)), sector]
        else:
            return None
        if any(group not in titles for group in groups) or (len(code) == _LONGEST and code not in titles):
            return None
        labels = [f"{group} {titles[group]}" for group in groups]
        return CodeEntry(code, labels_above(labels, len(self.levels) - len(labels)))


@cache
def _titles(package: Any) -> dict[str, str]:
    return {str(code): str(title).strip() for code, title in package.NAICS_CODES.items()}
