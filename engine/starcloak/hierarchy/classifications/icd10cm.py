"""Diagnoses by ICD-10-CM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from starcloak.hierarchy.classifications.registry import Classification, CodeEntry, labels_above, register

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_RANGE = re.compile(r" \([A-Z0-9]+(-[A-Z0-9]+)?\)$")
_EDITION = re.compile(r"code-list-(.+)\.txt")


@register
class Icd10cm(Classification):
    """Codes of ICD-10-CM with their category, block and chapter; the dot of a code may be missing."""

    key: ClassVar[str] = "icd10cm"
    title: ClassVar[str] = "diagnoses of ICD-10-CM"
    source: ClassVar[str] = "National Center for Health Statistics (public domain), in the package simple-icd-10-cm"
    licence: ClassVar[str] = "MIT"
    levels: ClassVar[tuple[str, ...]] = ("category", "block", "chapter")
    package: ClassVar[str | None] = "simple-icd-10-cm"
    only_texts: ClassVar[bool] = True
    distinct_form: ClassVar[re.Pattern[str] | None] = re.compile(r"[A-Za-z][0-9][0-9ABab](\.?[0-9A-Za-z]{1,4})?")

    @property
    def edition(self) -> str:
        code_list, _ = _files(self._data)
        named = _EDITION.fullmatch(code_list.name)
        return f"ICD-10-CM {named[1].replace('-', ' ')}" if named else "ICD-10-CM"

    def find(self, value: str) -> CodeEntry | None:
        text = value.strip().upper()
        entry = _entries(self._data).get(text.replace(".", ""))
        return None if entry is None or ("." in text and text != entry.code) else entry

    @cached_property
    def _data(self) -> Path:
        # The import of the package itself reads all notes of all codes, which takes seconds.
        folder = self.folder("simple_icd_10_cm") / "data"
        if len(_files(folder)) != 2:
            raise self.missing()
        return folder


def _files(folder: Path) -> list[Path]:
    return [*sorted(folder.glob("code-list-*.txt"))[-1:], *sorted(folder.glob("icd10c*.xml"))[-1:]]


@cache
def _entries(folder: Path) -> dict[str, CodeEntry]:
    """All entries of the ICD-10 classification in ``folder`` (XML), by their codes without a dot."""
    from xml.etree import ElementTree

    code_list, tabular = _files(folder)
    entries, categories = dict[str, CodeEntry](), dict[str, tuple[str, ...]]()
    for chapter in ElementTree.parse(tabular).getroot().iter("chapter"):
        above = [_label(chapter)]
        codes = above[0].partition(" ")[0]
        entries[codes] = CodeEntry(codes, labels_above(above, 2))
        for block in chapter.iter("section"):
            levels = [_label(block), *above]
            codes = levels[0].partition(" ")[0]
            entries[codes] = CodeEntry(codes, labels_above(levels, 1))
            for category in block.findall("diag"):
                code = category.findtext("name", "")
                categories[code] = (f"{code} {category.findtext('desc', '')}", *levels)
                for diagnosis in _codes(category):
                    entries[diagnosis.replace(".", "")] = CodeEntry(diagnosis, categories[code])
    # The tabular list leaves out the codes of a seventh character: the list of codes has them.
    with open(code_list, encoding="utf-8") as lines:
        for line in lines:
            listed = line.split(maxsplit=1)[0] if line.strip() else ""
            plain = listed.replace(".", "")
            if plain not in entries and plain[:3] in categories:
                dotted = f"{plain[:3]}.{plain[3:]}" if len(plain) > 3 else plain
                entries[plain] = CodeEntry(dotted, categories[plain[:3]])
    return entries


def _codes(category: Element) -> Iterator[str]:
    return (diagnosis.findtext("name", "") for diagnosis in category.iter("diag"))


def _label(group: Element) -> str:
    """Label of a chapter or a block: the range of its codes and its title, ``I20-I25 Ischemic heart diseases``."""
    title = group.findtext("desc", "")
    named = _RANGE.search(title)
    codes = str(group.get("id") or (named[0].strip(" ()") if named else group.findtext("name", "")))
    # A block of one category has the category's code: as a range it has a label of its own.
    return f"{codes if '-' in codes else f'{codes}-{codes}'} {_RANGE.sub('', title)}"
