"""The strictest parameters of privacy models satisfied by all equivalence classes, for one sensitive attribute.

Machanavajjhala and others 2007 (l-diversity), Li, Li, Venkatasubramanian 2007 (t-closeness), Wong and others 2006
(alpha), Cao and Karras 2012 (beta). The statements count in whole numbers and divide last.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from starcloak.base.column import Column
from starcloak.commands.audit.result import Closeness, Recursive, Sensitive
from starcloak.privacy.t_closeness.model import TCloseness
from starcloak.privacy.t_closeness.recount import recount
from starcloak.statements.statement import Hole, Joined, Name, Statement
from starcloak.store.session import Session
from starcloak.verify.classes import learned

_HELD, _HELD_BY_ALL, _COUNTED = (Name(f"audit_{name}") for name in ("held", "held_by_all", "persons_counted"))
_WITH_ROWS = Name("audit_class_rows")
_COUNT, _LEARN = (f"privacy/persons/recount#{section}" for section in ("counted", "learned"))
_RECURSIVE = 20  # more are of no use: the largest l with a c


def sensitive_risk(
    session: Session,
    classes: Name,
    values: Joined,
    place: Name,
    column: Column,
    *,
    rows: int,
    distances_asked: Sequence[TCloseness] = (),
    persons: Joined | None = None,
) -> Sensitive:
    """Figures of a sensitive attribute for the equivalence classes over the quasi-identifier columns ``values``.

    ``classes`` is a relation of finer classes: its column ``place`` has the sensitive attribute. ``rows`` is the number
    of rows of the table. ``distances_asked`` are models of t-closeness with an order or a hierarchy. ``persons`` are
    columns that identify persons: a value that all persons of a class have replaces their other values in the class,
    and shares are shares of the class's persons with a value.
    """
    distances = {}
    if distances_asked:
        rows_of_classes = Statement("privacy/class_rows", classes=classes, values=values)
        counted = session.keep(_WITH_ROWS, rows_of_classes)
        distances = {
            model.distance: recount(session, counted, values, [place], model).achieved for model in distances_asked
        }
        session.drop(counted)
    session.create(_HELD, Statement("commands/audit/held", sensitive=place, classes=classes, values=values))
    distinct, present, entropy, most, gain, separate_rows = session.row(
        Statement("commands/audit/satisfied", held=_HELD, values=values), {"rows": rows}
    )
    holder = _HELD
    if persons is not None:
        most, entropy, present = _of_persons(session, classes, values, place, persons)
        holder = _HELD_BY_ALL
    recursive = session.run(Statement("commands/audit/recursive", held=holder, values=values))
    satisfies = Sensitive(
        attribute=column.name,
        values=distinct,
        l=present,
        entropy_l=exp(entropy),
        recursive=[Recursive(l=least, c=c) for least, c in recursive[: _RECURSIVE - 1]],
        t=Closeness(
            equal=separate_rows,
            ordered=distances.get("ordered", _ordered_distance(session, values, column, rows)),
            hierarchical=distances.get("hierarchical"),
        ),
        alpha=most,
        beta=gain,
    )
    session.drop(_HELD, _HELD_BY_ALL, _COUNTED)
    return satisfies


def _of_persons(
    session: Session, classes: Name, values: Joined, place: Name, persons: Joined
) -> tuple[float, float, int]:
    """Counted by persons: the largest share of a value in a class, the smallest entropy, the fewest values of a class.

    Creates the relation of the classes' values (``audit_held_by_all``). A value that all persons of a class have
    replaces their other values in it.
    """
    session.create(_COUNTED, learned(_COUNT, classes, place, persons, values, of_present=True))
    (most,) = session.row(Statement("commands/audit/held#share", sensitive=place, classes=_COUNTED, values=values))
    session.create(_COUNTED, learned(_LEARN, classes, place, persons, values, of_present=True))
    session.create(_HELD_BY_ALL, Statement("commands/audit/held", sensitive=place, classes=_COUNTED, values=values))
    _, present, entropy, *_ = session.row(
        Statement("commands/audit/satisfied", held=_HELD_BY_ALL, values=values), {"rows": 1}
    )
    return most, entropy, present


def _ordered_distance(session: Session, values: Joined, column: Column, rows: int) -> float | None:
    """The t of t-closeness with ordered distance, for values ordered as numbers.

    None if some values are missing or are no numbers, because they have no position in the order.
    """
    if not (column.is_text or column.is_whole or column.is_float or column.type.startswith("DECIMAL")):
        return None
    number: Hole = Statement("commands/audit/ordered#number") if column.is_text else Name("sensitive")
    (are_numbers,) = session.row(Statement("commands/audit/ordered#numbers", number=number, held=_HELD))
    if not are_numbers:
        return None
    (ordered,) = session.row(
        Statement("commands/audit/ordered", held=_HELD, number=number, values=values), {"rows": rows}
    )
    return float(ordered)
