"""Checks of values named in a job against their columns: a value with a different spelling protects nobody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from starcloak.base.errors import JobError
from starcloak.statements.statement import Statement, Type

if TYPE_CHECKING:
    from starcloak.privacy.model import Model
    from starcloak.store.session import Session
    from starcloak.store.source import Source


def refuse_misread(session: Session, source: Source, models: Iterable[Model]) -> None:
    """Refuse named values impossible for the type of their column, such as 5 in a column of numbers read as 5.0."""
    kinds = {column.name: column for column in source.released}
    for model in models:
        for name in model.reads if model.names else ():
            column = kinds[name]
            if column.is_text or column.is_enumeration:
                continue
            statement = Statement("privacy/alpha/model#misread", type=Type(column.type))
            for text, reads in session.run(statement, {"texts": list(model.names)}):
                mend = "no value of it reads so" if reads is None else f"name it {reads!r}, as it reads there"
                raise JobError(f"{model.key} of {name!r}: {text!r} is named, in a column of type {column.kind}: {mend}")


def warn_absent(source: Source, models: Iterable[Model], texts: dict[str, set[str | None]]) -> None:
    """Warn of named values without a row: a misspelt value protects nobody. ``texts`` has the values of each column."""
    for model in models:
        for name in model.reads if model.names else ():
            absent = sum(text not in texts[name] for text in model.names)
            if absent:
                source.host.warnings.append(
                    f"{model.key} of {name!r}: {absent} of its {len(model.names)} named values are of no row: see that "
                    "they are spelt as the column has them"
                )
