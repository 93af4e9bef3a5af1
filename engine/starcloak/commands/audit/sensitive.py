"""Models satisfied by the classes of a table, by sensitive attribute: the strictest parameters of each privacy model.

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
    """Figures of a sensitive attribute, at a ``place`` of finer classes, for the classes over ``values``.

    ``distances_asked`` are distances of its values that need an order or a hierarchy. With ``persons``, a value of all
    persons of a class replaces their other values there, and a share is one of the persons with a value.
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
    """The largest share of the persons of a class, the smallest entropy and the fewest values of one, by its persons.

    Creates the values of classes, with a value shared by all persons of a class in place of their other values.
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
    """Distance by the order of numbers; None if the values are no numbers, or some are missing: no order has a place
    for them.
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
