"""Arrow tables as a source, and objects convertible to Arrow, such as relations of DuckDB."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyarrow
from pyarrow import types

from starcloak.base.frames import copied, without_hidden
from starcloak.sources.exactness import Inexact, exact

# Of DuckDB's: as Arrow they lose their zone, their type or their sign.
_CHANGED = r"\b(TIME WITH TIME ZONE|TIMETZ|BIT|U?HUGEINT)\b"


class ArrowFrame:
    """An Arrow table; see :class:`~starcloak.sources.frame.Given`. ``kinds`` are the DuckDB types of a relation.

    ``own`` is true if the caller keeps no reference to the table, so its cells need no copy.
    """

    def __init__(self, table: pyarrow.Table, kinds: Sequence[str] = (), *, own: bool = False) -> None:
        self._table = table
        self._kinds = kinds
        self._own = own
        self._kept: dict[int, pyarrow.Array] = {}
        self.labels: list[Any] = table.column_names
        self.rows = table.num_rows

    def cells(self, number: int, *, kept: bool) -> tuple[pyarrow.Array, bool]:
        kind = self._table.schema.field(number).type
        if self._kinds and re.search(_CHANGED, self._kinds[number]):
            raise Inexact(f"of type {self._kinds[number]} cannot be read exactly: convert the column, such as to text")
        try:
            cells = self._one_piece(number)
            cells = cells if self._own else copied(cells)
            cells.validate(full=True)
            if kept:
                self._kept[number] = cells = without_hidden(cells)
                self._take(number, pyarrow.array([], pyarrow.int64()))
            return exact(cells, kept=kept)
        except (pyarrow.ArrowException, ArithmeticError, NotImplementedError, TypeError, ValueError):
            raise Inexact(f"of type {kind} cannot be read exactly: convert the column, such as to text") from None

    def type_of(self, number: int, cells: pyarrow.Array) -> str:
        return str(self._table.schema.field(number).type)

    def release(self, chosen: Sequence[tuple[Any, Any]], positions: Any) -> pyarrow.Table:
        """Make a released table, without the metadata of the original: metadata may contain other rows."""
        at = pyarrow.array(positions)
        cells = [self._take(self.labels.index(label), at) if cells is None else cells for label, cells in chosen]
        return pyarrow.table(cells, names=[label for label, _ in chosen])

    def reread(self, number: int, at: Any) -> pyarrow.Array:
        return exact(self._one_piece(number).take(at), kept=True)[0]

    def forget(self) -> None:
        self._kept.clear()

    def _one_piece(self, number: int) -> pyarrow.Array:
        """A column as a single array.

        String views are converted to plain strings, as not all functions support views.
        """
        column = self._table.column(number)
        kind = column.type
        if types.is_string_view(kind) or types.is_binary_view(kind):
            column = column.cast(pyarrow.large_string() if types.is_string_view(kind) else pyarrow.large_binary())
        cells = column.combine_chunks()
        return cells if isinstance(cells, pyarrow.Array) else pyarrow.concat_arrays(cells.chunks)

    def _take(self, number: int, at: pyarrow.Array) -> pyarrow.Array:
        kind = self._table.schema.field(number).type
        taken = self._kept[number].take(at)
        if types.is_dictionary(kind):  # only its occurring values are released
            return taken.cast(kind.value_type).dictionary_encode().cast(kind)
        return taken if taken.type == kind else taken.cast(kind)
