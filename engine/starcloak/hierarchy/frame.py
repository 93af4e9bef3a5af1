"""A hierarchy in a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import ConfigDict, field_validator, model_serializer

from starcloak.base import settings
from starcloak.base.frames import as_arrow, copied, is_frame
from starcloak.hierarchy.builder import BuildPlace, register
from starcloak.hierarchy.members import Declared
from starcloak.statements.statement import As, Name, Statement, columns

if TYPE_CHECKING:
    import pyarrow

_GIVEN, _COUNTED = Name("given"), Name("counted")


@register
class FrameHierarchy(Declared):
    """A data frame of any kind with a row per leaf; the columns, of any name, are leaf, level 1, …, top.

    ``*`` goes on top unless all rows already end in one value. A missing leaf declares the missing value.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    key: ClassVar[str] = "frame"
    apart: ClassVar[tuple[str, ...]] = ("frame",)
    form: ClassVar[str] = "`{frame: …}`, or a data frame in its stead (Python)"
    levels_read: ClassVar[str] = "its columns are leaf, level 1, …; `*` goes on top unless all end in one value"
    in_python: ClassVar[bool] = True

    frame: Any

    @field_validator("frame")
    @classmethod
    def _own_rows(cls, value: Any) -> Any:
        """Copy the rows, so that later changes of the frame have no effect. Objects unknown to Arrow stay unchanged."""
        import pyarrow

        try:
            table = as_arrow(value)
            return pyarrow.table(list(map(copied, table.columns)), names=table.column_names)
        except (pyarrow.ArrowException, TypeError, ValueError):
            return value

    @classmethod
    def takes(cls, value: Any) -> bool:
        return is_frame(value) or super().takes(value)

    @classmethod
    def of(cls, value: Any, context: Any) -> FrameHierarchy:
        return cls(frame=value) if is_frame(value) else cls.model_validate(value, context=context)

    @model_serializer
    def _describe(self) -> dict[str, str]:
        return {"frame": type(self.frame).__name__}

    @property
    def content(self) -> Any:
        return {"frame": str(as_arrow(self.frame).to_pylist())}

    def declare(self, place: BuildPlace, into: Name) -> int:
        import pyarrow

        try:
            table = as_arrow(self.frame)
        except (pyarrow.ArrowException, TypeError, ValueError) as error:
            raise place.wrong(
                f"its data frame cannot be read ({type(error).__name__}): convert its cells to texts"
            ) from None
        if not table.num_rows or not table.num_columns:
            raise place.wrong("its data frame has no leaf: give a row for each value")
        if table.num_rows > settings.MOST_LEAVES:
            raise place.wrong(
                f"more than {settings.MOST_LEAVES:,} leaves: give the hierarchy as a table of the source's database"
            )
        if table.num_columns > settings.MOST_LEVELS:
            raise place.too_high()
        return self._receive(place, table, into)

    def _receive(self, place: BuildPlace, table: pyarrow.Table, into: Name) -> int:
        named = table.rename_columns([f"level_{level}" for level in range(table.num_columns)])
        names = [Name(name) for name in named.column_names]
        session = place.session
        cells = columns(As(Statement("hierarchy/cast", column=name), name) for name in names)
        read = Statement("store/relation#columns", columns=cells, relation=_GIVEN)
        session.receive(_COUNTED, _GIVEN, named.to_reader(), read)
        tops = 0
        if len(names) > 1:
            (tops,) = session.row(Statement("hierarchy/problems#tops", top=names[-1], declared=_COUNTED))
        top = [] if tops == 1 else [As(Statement("hierarchy/top"), Name(f"level_{len(names)}"))]
        session.create(into, Statement("store/relation#columns", columns=columns([*names, *top]), relation=_COUNTED))
        session.drop(_COUNTED)
        return len(names) + len(top) - 1
