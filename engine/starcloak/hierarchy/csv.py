"""A hierarchy from a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from starcloak.base.settings import JobPath
from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Declared, receive
from starcloak.statements.statement import Name


@register
class Csv(Declared):
    """A file with one line per leaf: leaf, level 1, …, top. An empty leaf declares the missing value."""

    key: ClassVar[str] = "csv"
    apart: ClassVar[tuple[str, ...]] = ("csv",)
    form: ClassVar[str] = "`{csv: country.csv}`"
    also_called: ClassVar[tuple[str, ...]] = ("file", "path", "hierarchy")
    levels_read: ClassVar[str] = "lines `leaf;level 1;…;top`; an empty leaf declares the missing value"

    csv: JobPath
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ";"

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.csv,)

    def declare(self, place: BuildPlace, into: Name) -> int:
        return receive(place, self._lines(place), into)

    def _lines(self, place: BuildPlace) -> Iterator[Sequence[str | None]]:
        path, cells = self.csv, 0
        if not path.exists():
            raise place.wrong(f"{path} is not there: give it relative to the job's file")
        if not path.is_file():
            raise place.wrong(f"{path} cannot be read: it is not a file")
        try:
            with open(path, encoding="utf-8-sig", newline="") as file:
                for number, row in enumerate(csv.reader(file, delimiter=self.delimiter, strict=True), 1):
                    if not row:
                        continue
                    cells = cells or len(row)
                    if len(row) < 2 or len(row) != cells:
                        raise place.wrong(f"{path}, line {number}: every line needs the same two or more cells")
                    yield [row[0] or None, *row[1:]]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise place.wrong(f"{path} cannot be read as CSV in UTF-8 ({type(error).__name__})") from None


def csv_file(path: str | Path, *, delimiter: str = ";") -> Csv:
    r"""A file with one line per leaf in the form of ARX: leaf, level 1, …, top.

    Args:
        path: The file, in UTF-8. All of its lines have the same number of cells.
        delimiter: The character between two cells.

    A run raises :class:`~starcloak.base.errors.HierarchyError` for a file in another form, and for values without a
    leaf.

    >>> import tempfile, pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"country": ["France", "Spain", "Kenya", "Ghana"]})
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("France;Europe;*\nSpain;Europe;*\nKenya;Africa;*\nGhana;Africa;*\n")
    ...     file.flush()
    ...     release = sc.anonymize(frame, quasi_identifiers={"country": sc.csv_file(file.name)}, k=2)
    >>> sorted(release.to_pandas()["country"])
    ['Africa', 'Africa', 'Europe', 'Europe']
    """
    return build(Csv, csv=path, delimiter=delimiter)
