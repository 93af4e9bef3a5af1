"""A hierarchy from a ready-made classification, such as ICD-10-CM."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from starcloak.base.errors import hint
from starcloak.base.settings import JobPath
from starcloak.hierarchy.builder import TOP, BuildPlace, build, register
from starcloak.hierarchy.classifications import registry
from starcloak.hierarchy.members import Declared, lines_of_texts, receive
from starcloak.statements.statement import Name


@register
class Classified(Declared):
    """A ready-made classification, such as ICD-10-CM, chosen by name; ``*`` goes on top.

    Only values of the source are leaves, so measures of loss ignore all other codes. The missing value stays missing
    until the top. ``file`` is the path of the data, for a classification without a Python package.
    """

    key: ClassVar[str] = "classification"
    apart: ClassVar[tuple[str, ...]] = ("file",)
    form: ClassVar[str] = "`{classification: icd10cm}`"
    also_called: ClassVar[tuple[str, ...]] = ("icd", "icd10", "icd10cm", "naics", "nace", "countries", "cities")
    levels_read: ClassVar[str] = (
        "I21.01 → I21 Acute myocardial infarction → I20-I25 Ischemic heart diseases → I00-I99 Diseases of the "
        "circulatory system → \\*"
    )
    top_label: ClassVar[str] = TOP

    classification: str
    file: JobPath | None = None

    @model_validator(mode="after")
    def _known(self) -> Classified:
        kind = registry.named(self.classification)
        if kind is None:
            known = registry.classifications()
            raise PydanticCustomError(
                "classification",
                "unknown classification {name}: give one of {known}.{hint}",
                {
                    "name": repr(self.classification),
                    "known": ", ".join(known),
                    "hint": hint(self.classification, known),
                },
            )
        if kind.needs_file and self.file is None:
            raise PydanticCustomError(
                "classification",
                "classification {name} needs {source}: give its path as file",
                {"name": kind.key, "source": kind.source.partition(":")[0].removeprefix("a file of yours with ")},
            )
        if self.file is not None and not kind.needs_file:
            raise PydanticCustomError(
                "classification", "classification {name} needs no file: leave file out", {"name": kind.key}
            )
        return self

    @property
    def classified(self) -> registry.Classification:
        """The classification of this name. Its data are read at the first look-up."""
        kind = registry.named(self.classification)
        assert kind is not None, "checked on the way in"
        return kind(self.file)

    @property
    def files(self) -> tuple[Path, ...]:
        return () if self.file is None else (self.file,)

    @property
    def content(self) -> Any:
        return self.edition

    @property
    def edition(self) -> str:
        return f"{self.classification}: {self.classified.described}"

    @property
    def level_labels(self) -> list[str]:
        return list(self.classified.levels)

    @property
    def remedy(self) -> str:
        return f"they are not in {self.classified.edition}, or were retired from it: correct them"

    def declare(self, place: BuildPlace, into: Name) -> int:
        return receive(place, self._lines(place), into)

    def _lines(self, place: BuildPlace) -> Generator[Sequence[str | None]]:
        known = self.classified
        if known.only_texts and not place.column.is_text:
            raise place.wrong(
                f"classification {known.key} needs texts, and the column is of type {place.column.kind}: cast it to "
                "text"
            )
        cased = spelled = ambiguous = 0

        def labels(text: str) -> Sequence[str] | None:
            nonlocal cased, spelled, ambiguous
            entry = known.find(text)
            if entry is None:
                return None
            ambiguous += entry.is_ambiguous
            if text != entry.code:
                cased += text.casefold() == entry.code.casefold()
                spelled += text.casefold() != entry.code.casefold()
            return entry.labels

        none = f"is in {known.edition}: take another hierarchy"
        unknown = yield from lines_of_texts(place, labels, levels=len(known.levels), none=none)
        _warn(place, known, unknown=unknown, cased=cased, spelled=spelled, ambiguous=ambiguous)


def _warn(
    place: BuildPlace, known: registry.Classification, *, unknown: int, cased: int, spelled: int, ambiguous: int
) -> None:
    """Warn of unknown, misspelled and ambiguous codes in the source. The numbers count distinct values."""
    remarks = (
        (
            unknown,
            "is",
            "are",
            f"not in {known.edition}, or retired from it: they become what nonconforming in the hierarchy says",
        ),
        (
            cased,
            "is",
            "are",
            "in other letter case than the classification: level 0 shows this spelling, and from: 1 hides it",
        ),
        (
            spelled,
            "is",
            "are",
            "spelled differently from the classification, such as without a dot: level 0 shows this spelling",
        ),
        (ambiguous, "names", "name", f"several entries of {known.edition}: the largest entry is taken"),
    )
    for values, one, several, remark in remarks:
        if values:
            count = f"{values:,} {f'value {one}' if values == 1 else f'values {several}'}"
            place.host.warnings.append(f"hierarchy of {place.column.name!r}: {count} {remark}")


def classification(name: str, *, file: str | Path | None = None) -> Classified:
    """A ready-made classification: ``classification("icd10cm")`` for diagnoses.

    Args:
        name: Name of the classification, such as icd10cm, naics, nace, countries, cities, ages or us_zip.
        file: Path of the data, for a classification without a Python package.

    Raises:
        JobError: The name is unknown, or a file is missing. A run raises
            :class:`~starcloak.base.errors.HierarchyError` if the package with the data is not installed, and for values
            unknown to the classification.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"age": [31, 34, 91, 97]})
    >>> release = sc.anonymize(frame, quasi_identifiers={"age": sc.classification("ages")}, k=2)
    >>> sorted(release.to_pandas()["age"])
    ['30-34', '30-34', '90 and over', '90 and over']
    """
    given = {} if file is None else {"file": file}
    return build(Classified, classification=name, **given)
