"""A data frame as a source: its columns as the working store reads them exactly; and its rows as they are.

Kept columns of a release for a data frame never come back from the working store: the release tells which row of the
frame has the cells of each of its own, and these are taken from the frame. Whatever its types, they stay the same.

The frame is the caller's, who may change it at any time: each column that is read is copied once, and nothing asks the
frame itself afterwards. What leaves is read again, and is what the working store had of it.
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
    """A data frame of one kind: ``labels`` are what its columns are called, ``rows`` how many it has.

    Columns that were read as ``kept`` are copies that share no memory with the caller's.
    """

    labels: list[Any]
    rows: int

    def cells(self, number: int, *, kept: bool) -> tuple[pyarrow.Array, bool]:
        """A column as the working store reads it exactly, and whether only a data frame holds it as it is.

        Raises :class:`~starcloak.sources.exactness.Inexact`.
        """

    def type_of(self, number: int, cells: pyarrow.Array) -> str:
        """What the type of a column, read as ``cells``, is called."""

    def release(self, chosen: Sequence[tuple[int, Any]], positions: Any) -> Any:
        """A frame of the same kind: of columns by number, the cells given or, for None, those at the positions.

        The latter are of columns that were read as kept. Nothing of any other row is in it.
        """

    def reread(self, number: int, at: Any) -> pyarrow.Array:
        """Cells of a column of a release as the working store would read them, of the rows at some positions."""

    def forget(self) -> None:
        """Let the copies go."""


class FrameSource:
    """A data frame as a source.

    ``names`` are its columns as texts, ``position`` that of a further one, which numbers its rows from 0. Raises
    :class:`SourceError` for what is no data frame or has columns without names.
    """

    def __init__(self, frame: Any) -> None:
        self._given = _kind_of(frame)
        self.names = [str(label) for label in self._given.labels]
        if not self.names or not all(self.names):
            raise SourceError(f"{LABEL} has no columns, or one without a name: name them")
        position = "position"
        while position in {name.casefold() for name in self.names}:
            position += "_"
        self.position = Name(position)
        self._problems: dict[str, str] = {}
        self._foreign: dict[str, str] = {}
        self._nanoseconds: set[str] = set()
        self._read: dict[str, pyarrow.Array] = {}

    def table(self, roles: Mapping[str, Sequence[str]], beside: Sequence[str] = ()) -> pyarrow.Table:
        """The frame as the working store reads it. Only columns that may leave or that decide have their cells, and
        identifiers that may tell persons apart.

        Those ``beside`` are read for a hierarchy.
        """
        import numpy
        import pyarrow

        generalized = {*roles["quasi_identifiers"], *beside}
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
        """Why a column is not read exactly; None where it is."""
        if column.name in self._nanoseconds and "_NS" not in column.type:
            return "has nanoseconds, which this version of DuckDB does not read: convert it"
        return self._problems.get(column.name)

    def refuse_elsewhere(self, released: Sequence[Column], label: str) -> None:
        """Refuse columns that nothing but a data frame holds as they are."""
        for column in released:
            if column.name in self._foreign:
                raise OutputError(
                    f"{label}: column {column.name!r} is of type {self._foreign[column.name]}, which it does not keep "
                    "as it is: convert it"
                )

    def release(self, staged: pyarrow.Table, columns: Sequence[Column]) -> Any:
        """The release: columns of ``staged`` where it has them; the others from the frame, by the positions there.

        Its columns are called as the frame's are; its rows are numbered anew. Raises :class:`VerificationError` where
        its kept cells are not those that were read.
        """
        there = set(staged.column_names)
        chosen = [
            (self.names.index(column.name), staged.column(column.name) if column.name in there else None)
            for column in columns
        ]
        positions = staged.column(self.position.parts[0]).to_numpy()
        released = self._given.release(chosen, positions)
        self._refuse_other_cells(released, [column.name for column in columns if column.name not in there], positions)
        return released

    def forget(self) -> None:
        """Let what was read go."""
        self._read.clear()
        self._given.forget()

    def _refuse_other_cells(self, released: Any, kept: Sequence[str], positions: Any) -> None:
        """Refuse to hand out kept cells that are not those that the working store had, and the verifier read."""
        import numpy

        given = _kind_of(released)
        names = [str(label) for label in given.labels]
        order = numpy.argsort(positions)  # cells that were read one after the other lie beside each other
        for name in kept:
            expected = self._read[name].take(positions[order])
            cells = given.reread(names.index(name), order)
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
    """A data frame by its kind, whose module is read only where there is one."""
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
    except Exception as error:  # of whoever has the rows, and its text may show some
        raise SourceError(
            f"the data is of type {type(frame).__name__} and cannot be read ({type(error).__name__}): collect it first"
        ) from None
    raise SourceError(
        f"the data is of type {type(frame).__name__}: give a data frame of pandas or polars, an Arrow table, a "
        "relation of DuckDB, or a source such as {'path': 'table.csv'}"
    )
