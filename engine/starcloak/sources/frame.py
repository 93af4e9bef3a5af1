"""A data frame as a source: its columns in a form read exactly by the working store, and its original rows.

Kept columns of a release for a data frame never come back from the working store: the release has the row numbers of
the frame, and the cells are taken from the frame. Their types stay the same in all cases.

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
    """A data frame of one kind: ``labels`` are the names of its columns, ``rows`` is its number of rows.

    Columns read as ``kept`` are copies without memory shared with the caller.
    """

    labels: list[Any]
    rows: int

    def cells(self, number: int, *, kept: bool) -> tuple[pyarrow.Array, bool]:
        """A column read exactly for the working store, and true if only a data frame holds its cells unchanged.

        Raises :class:`~starcloak.sources.exactness.Inexact`.
        """

    def type_of(self, number: int, cells: pyarrow.Array) -> str:
        """Name of the type of a column read as ``cells``."""

    def release(self, chosen: Sequence[tuple[Any, Any]], positions: Any) -> Any:
        """A frame of the same kind: columns by label, with the given cells or, for None, the cells at the positions.

        Cells at positions belong to columns read as kept. The frame has no data of any other row. A column with given
        cells may be absent from the original.
        """

    def reread(self, number: int, at: Any) -> pyarrow.Array:
        """Cells of a released column at some positions, read as by the working store."""

    def forget(self) -> None:
        """Release the memory of the copies."""


class FrameSource:
    """A data frame as a source.

    ``names`` are its column names as texts, ``position`` is the name of a further column with row numbers from 0.
    Columns made by cleaning may have ``more_names``. Raises :class:`SourceError` for an object other than a data frame,
    and for columns without names.
    """

    def __init__(self, frame: Any, more_names: Sequence[str] = ()) -> None:
        self._given = _kind_of(frame)
        self.names = [str(label) for label in self._given.labels]
        if not self.names or not all(self.names):
            raise SourceError(f"{LABEL} has no columns, or one without a name: name them")
        position = "position"
        while position in {name.casefold() for name in (*self.names, *more_names)}:
            position += "_"
        self.position = Name(position)
        self._problems: dict[str, str] = {}
        self._foreign: dict[str, str] = {}
        self._nanoseconds: set[str] = set()
        self._read: dict[str, pyarrow.Array] = {}

    def table(self, roles: Mapping[str, Sequence[str]], extra_names: Sequence[str] = ()) -> pyarrow.Table:
        """The frame as read by the working store.

        Three kinds of columns have their cells: released ones, columns needed for decisions, and identifiers with a
        possible use for persons. Columns in ``extra_names`` are read for a hierarchy.
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
        """Reason for an inexact reading of a column; None for an exact one."""
        if column.name in self._nanoseconds and "_NS" not in column.type:
            return "has nanoseconds, which this version of DuckDB does not read: convert it"
        return self._problems.get(column.name)

    def refuse_elsewhere(self, released: Sequence[Column], label: str) -> None:
        """Refuse columns with types specific to data frames."""
        for column in released:
            if column.name in self._foreign:
                raise OutputError(
                    f"column {column.name!r} is of type {self._foreign[column.name]}, which {label} does not keep as "
                    "it is: convert the column"
                )

    def release(self, staged: pyarrow.Table, columns: Sequence[Column]) -> Any:
        """The release: columns of ``staged`` if it has them; the others from the frame, by the positions in ``staged``.

        Its columns have the frame's labels; its rows are numbered anew. Raises :class:`VerificationError` if its kept
        cells differ from the cells read before.
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
        """Release the memory of the read cells."""
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
                raise VerificationError(f"column {name!r} would not leave as it was verified: report it", clause="kept")

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
    """The wrapper for a data frame's kind; its module is imported only for a frame of this kind."""
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
            f"the data is of type {type(frame).__name__} and cannot be read ({type(error).__name__}): collect it first"
        ) from None
    raise SourceError(
        f"the data is of type {type(frame).__name__}: give a data frame of pandas or polars, an Arrow table, a "
        "relation of DuckDB, or a source such as {'path': 'table.csv'}"
    )
