"""PostgreSQL's binary COPY as Arrow: many rows at a time, column by column, no value by way of a text.

A row is the number of its fields and, for each, its length, -1 where it is missing, and so many bytes; all numbers
have their highest byte first (PostgreSQL's documentation, COPY, Binary Format). The server sends each row as a message
of its own, so that all rows' first fields are found at once, then all second ones, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starcloak.base.column import Column
from starcloak.store.hosts.batches import arrow_type, unreadable

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import NDArray

_SIGNATURE = b"PGCOPY\n\xff\r\n\0"
_HEADER = len(_SIGNATURE) + 8  # the signature, flags, and the length of what else there is
_END = b"\xff\xff"  # in the place of a number of fields
_BYTES = 1 << 24  # of rows that are read together
_LARGEST = 1 << 30  # bytes that offsets of 32 bits still reach, with a whole field more


@dataclass(frozen=True)
class _Fixed:
    """A type whose values have one width: as the database sends it, and what its zero is in Arrow."""

    sent: str
    epoch: int = 0
    least: int | None = None
    most: int | None = None


# Dates and times count from 2000, those of Arrow from 1970; Python knows the years 1 to 9999, and no 24:00.
_DAY = 86_400_000_000
_FIRST, _LAST, _EPOCH = -719_162, 2_932_896, 10_957
_MOMENT = _Fixed(">i8", _EPOCH * _DAY, _FIRST * _DAY, (_LAST + 1) * _DAY - 1)
_FIXED = {
    "BOOLEAN": _Fixed("u1"),
    "SMALLINT": _Fixed(">i2"),
    "INTEGER": _Fixed(">i4"),
    "BIGINT": _Fixed(">i8"),
    "FLOAT": _Fixed(">f4"),
    "DOUBLE": _Fixed(">f8"),
    "DATE": _Fixed(">i4", _EPOCH, _FIRST, _LAST),
    "TIME": _Fixed(">i8", 0, 0, _DAY - 1),
    "TIMESTAMP": _MOMENT,
    "TIMESTAMP WITH TIME ZONE": _MOMENT,
}


def is_sent_as_it_is(column: Column) -> bool:
    """Whether a column's own type is read here; others have to be sent as texts."""
    return column.is_text or column.type in _FIXED


def batches(messages: Iterator[bytes], columns: Sequence[Column]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of a binary COPY of these columns, from its messages.

    Raises :class:`~starcloak.base.errors.SourceError` for a value that Arrow or Python cannot hold, :class:`ValueError`
    for what is no such COPY, or ends too early.
    """
    import pyarrow

    schema = pyarrow.schema([(column.name, arrow_type(column.type)) for column in columns])
    for rows in _together(messages):
        yield pyarrow.record_batch(list(_arrays(rows, columns)), schema=schema)


def _together(messages: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Rows of some megabytes each."""
    first = bytes(next(messages, b""))
    more = int.from_bytes(first[_HEADER - 4 : _HEADER])
    if not first.startswith(_SIGNATURE) or len(first) < _HEADER + more:
        raise ValueError("no binary COPY")
    rows, size = [first[_HEADER + more :]], 0
    if not rows[0]:
        rows.clear()
    for message in messages:
        if size > _BYTES:
            yield rows
            rows, size = [], 0
        rows.append(message)
        size += len(message)
    if not rows or rows.pop() != _END:
        raise ValueError("a binary COPY without an end")
    if rows:
        yield rows


def _arrays(rows: Sequence[bytes], columns: Sequence[Column]) -> Iterator[pyarrow.Array]:
    import numpy
    import pyarrow

    lengths = numpy.fromiter(map(len, rows), numpy.int64, len(rows))
    content = b"".join((*rows, bytes(8)))  # any field can be read as a number, the last one, too
    if len(content) > _LARGEST:
        raise ValueError("rows that are too long")
    ends = numpy.cumsum(lengths)
    place = ends - lengths
    if (_read(content, place, ">i2", ends) != len(columns)).any():
        raise ValueError("a row of other columns")
    place += 2
    sizes = numpy.empty((len(columns), len(rows)), numpy.int32)
    # Where each field begins and ends, row by row: what lies between them are the lengths.
    bounds = numpy.empty((len(rows), 2 * len(columns)), numpy.int32)
    for position in range(len(columns)):
        sizes[position] = _read(content, place, ">i4", ends)
        place += 4
        bounds[:, 2 * position] = place
        place += numpy.maximum(sizes[position], 0)
        bounds[:, 2 * position + 1] = place
    if (place != ends).any():
        raise ValueError("a row that does not end where it should")
    pieces = pyarrow.Array.from_buffers(
        pyarrow.binary(), bounds.size - 1, [None, pyarrow.py_buffer(bounds), pyarrow.py_buffer(content)]
    )
    fields = numpy.arange(len(rows)) * (2 * len(columns))
    for position, column in enumerate(columns):
        missing = sizes[position] < 0
        if fixed := _FIXED.get(column.type):
            places = numpy.where(missing, 0, bounds[:, 2 * position])
            yield _values(content, places, sizes[position], missing, fixed, column)
        else:
            yield _texts(pieces.take(pyarrow.array(fields + 2 * position, mask=missing)), column)


def _values(
    content: bytes, places: NDArray[Any], sizes: NDArray[Any], missing: NDArray[Any], fixed: _Fixed, column: Column
) -> pyarrow.Array:
    """A column of values of one width."""
    import numpy
    import pyarrow

    if (~missing & (sizes != numpy.dtype(fixed.sent).itemsize)).any():
        raise ValueError("a value of another width")
    sent = _read(content, places, fixed.sent)
    kind = arrow_type(column.type)
    if fixed.least is None:
        return pyarrow.array(sent.astype(kind.to_pandas_dtype()), kind, mask=missing, from_pandas=False)
    # Infinities are the smallest and the largest number, so that nothing is added before they are known to be none.
    least, most = fixed.least - fixed.epoch, (fixed.most or 0) - fixed.epoch
    if (~missing & ((sent < least) | (sent > most))).any():
        raise unreadable(column)
    counted = sent.astype(f"=i{sent.dtype.itemsize}")
    counted[missing] = 0
    return pyarrow.array(counted + counted.dtype.type(fixed.epoch), mask=missing).view(kind)


def _texts(pieces: pyarrow.Array, column: Column) -> pyarrow.Array:
    """A column of texts, some of which stand for values of a type that is read from its text."""
    import pyarrow

    try:
        return pieces.cast(pyarrow.string()).cast(arrow_type(column.type))
    except pyarrow.ArrowInvalid:
        raise unreadable(column) from None


def _read(content: bytes, places: NDArray[Any], kind: str, ends: NDArray[Any] | None = None) -> NDArray[Any]:
    """The numbers that begin at some places, wherever these are; with ``ends``, none may reach over its end."""
    import numpy

    width = numpy.dtype(kind).itemsize
    if ends is not None and (places + width > ends).any():
        raise ValueError("a row that ends too early")
    numbers: NDArray[Any] = numpy.ndarray((len(content) - width + 1,), kind, content, strides=(1,))[places]
    return numbers
