"""The base frequency set: the one GROUP BY over the rows of a source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from starcloak.base.column import Column
from starcloak.base.errors import StatementError, VerificationError, unread
from starcloak.statements.statement import (
    As,
    Hole,
    Joined,
    Name,
    Statement,
    columns,
)
from starcloak.store.hosts.host import ClassTotals
from starcloak.store.relations import (
    BASE,
    CLASS,
    sensitive_column,
)
from starcloak.store.session import Session
from starcloak.store.source import Source


@contextmanager
def reading(source: Source) -> Iterator[None]:
    """What fails while all rows of a source are read is for the user to mend."""
    try:
        yield
    except StatementError as error:
        raise unread(source.label, error.kind) from None


def compress(session: Session, source: Source, *, classes: str | None = None, sensitive: Sequence[str] = ()) -> None:
    """Create the base frequency set: one GROUP BY over the source.

    Section 1.1, Frequency Set. Its ``checksum`` tells the kept cells of each tuple's rows from others. ``classes`` is a
    column whose values are to be told apart, too, as ``class``; so are the ``sensitive`` ones, as ``sensitive_1`` and
    so on. Raises :class:`SourceError` where the rows cannot be read, :class:`VerificationError` where they are not
    what the database counted.
    """
    source = source.private
    source.refuse_unlike(sensitive)
    read = [(f"value_{position}", column) for position, column in enumerate(source.quasi_identifiers, 1)]
    kept = {column.name: column for column in source.kept}
    read += [(CLASS.parts[0], kept[classes])] if classes is not None else []
    read += [(sensitive_column(number).parts[0], kept[name]) for number, name in enumerate(sensitive, 1)]
    values = (As(Name("source", column.name), Name(name)) for name, column in read)
    grouped = Joined(tuple(Name("source", column.name) for _, column in read), ", ")
    holes: dict[str, Hole] = {
        "values": columns(values),
        "checksum": source.checksum,
        "source": source.relation,
        "columns": grouped,
    }
    sums = (Column(name, "BIGINT") for name in ("checksum", "frequency"))
    yielded = [*(column.under(name) for name, column in read), *sums]
    with reading(source):
        totals = source.host.gather_classes(
            BASE, Statement("star/frequency/base", **holes), yielded, size=Name("frequency")
        )
    rows, combinations, smallest = session.row(Statement("star/frequency/size", frequency=BASE))
    if totals != ClassTotals(combinations, smallest, rows):
        raise VerificationError(f"the combinations of {source.label} are not those that its database sent")
