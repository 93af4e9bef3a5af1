"""Checks of values named in a job against their columns: a value with a different spelling protects nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from starcloak.base.errors import JobError
from starcloak.privacy.model import NamedValues
from starcloak.statements.statement import Name, Statement, Type

if TYPE_CHECKING:
    from starcloak.privacy.model import Model
    from starcloak.statements.statement import Hole
    from starcloak.store.session import Session
    from starcloak.store.source import Source


def refuse_misread(session: Session, source: Source, models: Iterable[Model]) -> None:
    """Raise :class:`JobError` for a named value that its column's type cannot have, such as 5 if numbers read 5.0."""
    kinds = {column.name: column for column in source.released}
    for key, name, named in _named_values(models):
        column = kinds[name]
        if column.is_text or column.is_enumeration:
            continue
        for text, reads in session.run(
            Statement("privacy/alpha/model#misread", type=Type(column.type)), {"texts": list(named)}
        ):
            mend = "no value of it reads so" if reads is None else f"write {reads!r}, as the column has it"
            raise JobError(
                f"{key} of {name!r}: {text!r} is not how a column of type {column.kind} writes this value: {mend}"
            )


def warn_absent(source: Source, models: Iterable[Model], texts: dict[str, set[str | None]]) -> None:
    """Add a warning for named values without a row, which protect nobody; ``texts`` has the values by column."""
    for key, name, named in _named_values(models):
        if absent := sum(text not in texts[name] for text in {*named}):
            source.host.warnings.append(_absent(key, name, named, absent))


def absent_values(session: Session, classes: Name, names: Sequence[str], models: Iterable[Model]) -> Iterator[str]:
    """Notes on named values without a row; ``classes`` is a relation of the classes of a table over ``names``."""
    for key, name, named in _named_values(models):
        holes: dict[str, Hole] = {"sensitive": Name(f"value_{names.index(name) + 1}"), "classes": classes}
        (absent,) = session.row(Statement("privacy/alpha/model#absent", **holes), {"texts": list(named)})
        if absent:
            yield _absent(key, name, named, absent)


def _absent(key: str, name: str, named: Sequence[str], absent: int) -> str:
    return (
        f"{key} of {name!r}: {absent} of its {len({*named})} named values occur in no row: spell them as in the column"
    )


def _named_values(models: Iterable[Model]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The key, the attribute and the named values of each model that covers named values alone."""
    for model in models:
        if isinstance(model, NamedValues) and model.named_values:
            yield from ((model.key, attribute, model.named_values) for attribute in model.reads)
