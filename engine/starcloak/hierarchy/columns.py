"""A natural hierarchy: existing columns of the source, such as the ward and the clinic of a bed."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, ClassVar

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base import settings
from starcloak.base.errors import SourceError, StatementError
from starcloak.base.settings import Column
from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Declared
from starcloak.statements.statement import As, Hole, Name, Statement, columns

_GIVEN, _TOPPED = Name("given"), Statement("hierarchy/top")


@register
class Beside(Declared):
    """Columns of the source, each determined by the previous column: level 1, level 2, …; ``*`` goes on top.

    The columns are read for the hierarchy alone: a column without another role in the job is never released.
    """

    key: ClassVar[str] = "columns"
    form: ClassVar[str] = "`{columns: [ward, clinic]}`"
    levels_read: ClassVar[str] = (
        "the row's own cells of these columns of the source: bed → ward → clinic → \\*. They are read for the "
        "hierarchy alone: one that is named nowhere else is never released. Where a value stands beside "
        "several of the next column, an error names both columns"
    )

    columns: Annotated[list[Column], Field(min_length=1, max_length=settings.MOST_LEVELS - 1)]

    @property
    def level_labels(self) -> list[str]:
        return list(self.columns)

    @model_validator(mode="after")
    def _once_each(self) -> Beside:
        if len(set(self.columns)) < len(self.columns):
            raise PydanticCustomError("columns", "it names a column twice: name the column of each level once")
        return self

    @property
    def columns_read(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def declare(self, place: BuildPlace, into: Name) -> int:
        if place.rows is None:
            raise place.wrong(
                "columns: reads other columns of the source, so it is only for quasi_identifiers of a job: give a csv "
                "or a tree"
            )
        if place.column.name in self.columns:
            raise place.wrong("it lists the column itself, which is already level 0: leave the column out of the list")
        session, names = place.session, [place.column.name, *self.columns]
        try:
            place.rows.gather_distinct(session, names, into=_GIVEN)
        except (StatementError, SourceError) as error:
            kind = error.kind if isinstance(error, StatementError) else type(error).__name__
            raise place.wrong(f"its columns cannot be read ({kind}): check their names and types") from None
        cells: list[Hole] = [
            As(Statement("hierarchy/cast", column=Name(name)), Name(f"level_{level}"))
            for level, name in enumerate(names)
        ]
        cells.append(As(_TOPPED, Name(f"level_{len(names)}")))
        session.create(into, Statement("store/relation#columns", columns=columns(cells), relation=_GIVEN))
        session.drop(_GIVEN)
        for level, (below, above) in enumerate(pairwise(names)):
            (split,) = session.row(
                Statement(
                    "hierarchy/problems#two_parents",
                    below=Name(f"level_{level}"),
                    above=Name(f"level_{level + 1}"),
                    declared=into,
                )
            )
            if split:
                raise place.wrong(
                    f"{split:,} values of {below!r} occur with several values of {above!r}, so {above!r} is no level "
                    f"above it: leave {above!r} out, or correct the values in {place.rows.mended_in}"
                )
        return len(names)


def beside(*columns: str) -> Beside:
    """Columns of the table, each determined by the previous column: ``beside("ward", "clinic")`` for beds.

    Args:
        columns: Names of columns, from level 1 upward; at least one. The hierarchy has one level per column above the
            leaf, and the top.

    Raises:
        JobError: No column is named. A run raises :class:`~starcloak.base.errors.HierarchyError` if a column does not
            determine the next one.

    >>> import pandas, starcloak as sc
    >>> beds = {"bed": ["a1", "a2", "b1", "b2"], "ward": ["a", "a", "b", "b"], "clinic": ["east"] * 4}
    >>> release = sc.anonymize(pandas.DataFrame(beds), quasi_identifiers={"bed": sc.beside("ward", "clinic")}, k=2)
    >>> sorted(release.to_pandas()["bed"])
    ['a', 'a', 'b', 'b']
    """
    return build(Beside, columns=list(columns))
