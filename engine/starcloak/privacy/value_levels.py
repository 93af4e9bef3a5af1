"""Texts of the values of a sensitive attribute at the levels of a hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starcloak.hierarchy.members import members_of
from starcloak.statements.statement import Name, Statement, columns

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.hierarchy.builder import Builder
    from starcloak.store.session import Session

_DOMAIN, _MEMBERS = Name("sensitive_domain"), Name("sensitive_members")


def lines(
    session: Session, hierarchy: Builder, column: Column, *, value: Name, rows: Name
) -> dict[str | None, tuple[str | None, ...]]:
    """Mapping from the text of each value to its texts at all levels of the hierarchy, from the leaf to the top.

    The values are those of the column ``value`` in the relation ``rows``; ``column`` describes their type.

    Raises :class:`~starcloak.base.errors.HierarchyError` if a value has no leaf in the hierarchy.
    """
    session.create(_DOMAIN, Statement("hierarchy/domain", value=value, base=rows))
    released = members_of(session, hierarchy, column, host=session, domain=_DOMAIN, into=_MEMBERS)
    levels = columns(Name(f"level_{level}") for level in range(released.height + 1))
    read = session.run(Statement("privacy/t_closeness/recount#lines", levels=levels, members=_MEMBERS))
    session.drop(_DOMAIN, _MEMBERS)
    return {text: tuple(line) for text, *line in read}
