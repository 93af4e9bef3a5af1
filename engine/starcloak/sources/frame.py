"""A data frame as a source: conversion of its columns for the working store, and assembly of a released frame.

Kept (not generalized) cells of a released frame are taken from the original frame by row numbers, not from the working
store, so the types of kept columns never change.

The frame belongs to the caller and may change at any time. Each column in use is therefore copied once, and no later
step accesses the frame itself. The released cells are read again and compared with the cells of the working store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from starcloak.base.column import Column
from starcloak.base.errors import OutputError, SourceError, VerificationError
from starcloak.base.frames import as_arrow, is_frame, is_lazy, is_pandas, is_polars, is_relation
from starcloak.sources.exactness import Inexact, same
from starcloak.sources.roles import candidates
from starcloak.statements.statement import Name

if TYPE_CHECKING:
    import pyarrow

LABEL = "the data frame"


class Given(Protocol):
    """Interface to a data frame of one library (pandas, polars, Arrow).

    ``labels`` are the column names, ``rows`` is the number of rows.
    """

    labels: list[Any]
    rows: int

    def cells(self, number: int, *, kept: bool) -> tuple[pyarrow.Array, bool]:
        """Cells of a column for the working store, and true if only a data frame can hold them unchanged.

        ``number`` is the column's index. With ``kept``, the column is copied, to be released later.

        Raises :class:`~starcloak.sources.exactness.Inexact`.
        """

    def type_of(self, number: int, cells: pyarrow.Array) -> str:
        """Name of the type of a column read as ``cells``."""

    def release(self, chosen: Sequence[tuple[Any, Any]], positions: Any) -> Any:
        """Make a frame of the same library from ``chosen`` pairs of a column label and the column's new cells, or None.

        With None, the cells are those of the original column at ``positions`` (row numbers); the column must have been
        read as kept. The new frame has no data of other rows. A column with new cells may be absent from the original.
        """

    def reread(self, number: int, at: Any) -> pyarrow.Array:
        """Cells of a released column at the row numbers ``at``, in the form read by the working store."""

    def forget(self) -> None:
        """Free the memory of the copied columns."""


class FrameSource:
    """A data frame as a source.

    ``names`` are the column names as texts. ``position`` is the unused name given to a further column, with row numbers
    from 0. ``more_names`` are names of columns made by cleaning.

    Raises :class:`SourceError` for an object other than a data frame, and for columns without names.
    """

    def __init__(self, frame: Any, more_names: Sequence[str] = ()) -> None:
        self._given = _kind_of(frame)
        self.names = [str(label) for label in self._given.labels]
        if not self.names or not all(self.names):
            raise SourceError(f"{LABEL} has no columns, or a column without a name: name every column")
        position = "position"
        while position in {name.casefold() for name in (*self.names, *more_names)}:
            position += "_"
        self.position = Name(position)
        self._problems: dict[str, str] = {}
        self._foreign: dict[str, str] = {}
        self._nanoseconds: set[str] = set()
        self._read: dict[str, pyarrow.Array] = {}

    def table(self, roles: Mapping[str, Sequence[str]], extra_names: Sequence[str] = ()) -> pyarrow.Table:
        """The frame as an Arrow table for the working store.

        Only three kinds of columns have cells: released columns, columns ``extra_names`` read by hierarchies or
        cleaning, and identifiers that may identify persons. Other columns are empty.
        """
        import numpy
        import pyarrow

        generalized = {*roles["quasi_identifiers"], *extra_names}
        kept = {name for role, names in roles.items() if role != "identifiers" for name in names} - generalized
        counted = {column.name for column in candidates(roles, [Column(name, "VARCHAR") for name in self.names])}
        columns = {}
        for number, name in enumerate(self.names):
            columns[name] = pyarrow.nulls(self._given.rows, pyarrow.string())
            if name in generalized | kept | counted:
                try:
                    columns[name] = self._cells(name, number, kept=name in kept)
                except Inexact as problem:
                    self._problems[name] = str(problem)
        columns[self.position.parts[0]] = pyarrow.array(numpy.arange(self._given.rows))
        return pyarrow.table(columns)

    def problem(self, column: Column) -> str | None:
        """Reason in words why a column cannot be read exactly, or None if it can."""
        if column.name in self._nanoseconds and "_NS" not in column.type:
            return "has nanoseconds, which this version of DuckDB cannot read: convert the column to microseconds"
        return self._problems.get(column.name)

    def refuse_elsewhere(self, released: Sequence[Column], label: str) -> None:
        """Refuse released columns with types that the output ``label``, a file or database, cannot hold."""
        for column in released:
            if column.name in self._foreign:
                raise OutputError(
                    f"{label} cannot keep column {column.name!r} of type {self._foreign[column.name]} unchanged: "
                    "convert the column"
                )

    def release(self, staged: pyarrow.Table, columns: Sequence[Column]) -> Any:
        """Assemble the released frame with the given ``columns``.

        Columns in ``staged`` are taken from there; others from the original frame, by the row numbers in ``staged``.
        Columns have the frame's labels, and rows are numbered anew. Raises :class:`VerificationError` if kept cells
        differ from the cells read before.
        """
        there, labels = set(staged.column_names), dict(zip(self.names, self._given.labels, strict=True))
        chosen = [
            (labels.get(column.name, column.name), staged.column(column.name) if column.name in there else None)
            for column in columns
        ]
        positions = staged.column(self.position.parts[0]).to_numpy()
        released = self._given.release(chosen, positions)
        self._refuse_other_cells(released, [column.name for column in columns if column.name not in there], positions)
        return released

    def forget(self) -> None:
        """Free the memory of all copied cells."""
        self._read.clear()
        self._given.forget()

    def _refuse_other_cells(self, released: Any, kept: Sequence[str], positions: Any) -> None:
        """Refuse a release with kept cells different from those of the working store, as read by the verifier."""
        import numpy

        kind = _kind_of(released)
        names = [str(label) for label in kind.labels]
        order = numpy.argsort(positions)  # cells read one after the other lie side by side
        for name in kept:
            expected = self._read[name].take(positions[order])
            cells = kind.reread(names.index(name), order)
            if cells.type != expected.type:  # numbers or texts of fewer digits, or all of them missing
                cells = cells.cast(expected.type)
            if not same(cells, expected):
                raise VerificationError(
                    f"column {name!r} would differ from the verified release, so nothing was returned: report this "
                    "defect of starcloak",
                    clause="kept",
                )

    def _cells(self, name: str, number: int, *, kept: bool) -> pyarrow.Array:
        cells, foreign = self._given.cells(number, kept=kept)
        if kept:
            self._read[name] = cells
        if foreign:
            self._foreign[name] = self._given.type_of(number, cells)
        elif "[ns" in str(cells.type):
            self._nanoseconds.add(name)
        return cells


def _kind_of(frame: Any) -> Given:
    """Wrap a data frame in the interface for its library. Raises :class:`SourceError` for an unsupported object."""
    if is_pandas(frame):
        from starcloak.sources.in_pandas import PandasFrame

        return PandasFrame(frame, LABEL)
    try:
        if is_lazy(frame):
            frame = frame.collect()
        if is_polars(frame):
            from starcloak.sources.in_polars import PolarsFrame

            return PolarsFrame(frame)
        if is_frame(frame):
            from starcloak.sources.in_arrow import ArrowFrame

            if is_relation(frame):
                return ArrowFrame(as_arrow(frame), [str(kind) for kind in frame.types], own=True)
            return ArrowFrame(as_arrow(frame))
    except Exception as error:  # of the library with the rows; its text may show some
        raise SourceError(
            f"the data of type {type(frame).__name__} cannot be read ({type(error).__name__}): collect or fetch it "
            "first"
        ) from None
    raise SourceError(
        f"the data is of type {type(frame).__name__}, which is not supported: give a data frame of pandas or polars, "
        "an Arrow table, a relation of DuckDB, or a source such as {'path': 'table.csv'}"
    )
