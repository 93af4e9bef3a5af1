"""The verifier's own count of t-closeness: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING

from starcloak.base.errors import SourceError
from starcloak.privacy.value_levels import lines
from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.t_closeness.model import TCloseness
    from starcloak.store.session import Session

_COUNTED, _PLACES, _TREE = (Name(f"recounted_{name}") for name in ("t", "t_places", "t_tree"))


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: TCloseness) -> Judged:
    """Verdict on t-closeness, with the largest earth mover's distance (0 … 1) of a class from the table.

    ``classes`` is a relation of classes over ``values`` and more columns, with the rows of each as ``size``. ``read``
    has its sensitive column. For a model compared with the source, ``classes`` also has the source's values, with their
    number of rows as ``everywhere`` and ``size`` 0. The comparison with the bound is exact, in whole numbers.
    """
    (sensitive,) = read
    everywhere = Name("everywhere" if model.of_source else "size")
    session.create(
        _COUNTED,
        Statement("privacy/class_values", sensitive=sensitive, classes=classes, values=values, everywhere=everywhere),
    )
    scale, moved = 1, Statement("privacy/t_closeness/recount#moved_anywhere", counted=_COUNTED)
    if model.distance == "ordered":
        totals = Statement("privacy/t_closeness/recount#totals", counted=_COUNTED)
        texts = [text for text, _ in session.run(totals)]
        scale = max(len(texts) - 1, 1)
        placed = Statement("privacy/t_closeness/recount#places", totals=totals)
        session.create(_PLACES, placed, {"texts": _in_order(texts, model)})
        moved = Statement("privacy/t_closeness/recount#moved_along", counted=_COUNTED, places=_PLACES)
    elif model.distance == "hierarchical":
        scale = _grow(session, classes, sensitive, model)
        nodes = Statement("privacy/t_closeness/recount#nodes", counted=_COUNTED, tree=_TREE)
        moved = Statement("privacy/t_closeness/recount#moved_anywhere", counted=nodes)
    most = Fraction(model.t) * scale
    binds = {"most": most.numerator, "parts": most.denominator, "scale": scale}
    largest, violating, rows = session.row(Statement("privacy/t_closeness/recount#judged", moved=moved), binds)
    session.drop(_COUNTED, _PLACES, _TREE)
    return Judged(not violating, largest, violating, rows)


def _in_order(texts: list[str | None], model: TCloseness) -> list[str | None]:
    """The texts in the order of the model, or as numbers. Raises :class:`SourceError` for a text without a place."""
    if model.order is not None:
        present = set(texts)
        if not present <= set(model.order):
            raise SourceError(
                f"t_closeness of {model.attribute!r}: some of its values are not in the order: name every value"
            )
        return [text for text in model.order if text in present]
    numbers = {}
    for text in texts:
        try:
            number = Decimal(text or "")
        except InvalidOperation:
            number = Decimal("nan")
        if not number.is_finite():
            raise SourceError(
                f"t_closeness of {model.attribute!r}: distance: ordered needs an order, as some values are not "
                "numbers: give order, a list of all values"
            )
        numbers[number] = text
    if len(numbers) < len(texts):
        raise SourceError(
            f"t_closeness of {model.attribute!r}: different texts stand for the same number, such as 1 and 1.0: give "
            "order, a list of all values"
        )
    return [numbers[number] for number in sorted(numbers)]


def _grow(session: Session, classes: Name, sensitive: Name, model: TCloseness) -> int:
    """Create the relation of each sensitive value with its ancestor nodes; return the height of the hierarchy."""
    assert model.hierarchy is not None
    described = session.describe(Statement("store/relation", relation=classes))
    (column,) = (column for column in described if column.name == sensitive.parts[0])
    ancestors = lines(session, model.hierarchy, column.under(model.attribute), value=sensitive, rows=classes)
    height = max((len(line) for line in ancestors.values()), default=1) - 1  # of no rows there is no value
    if ancestors and not height:
        raise SourceError(
            f"t_closeness of {model.attribute!r}: its hierarchy has only the values: add levels above the values"
        )
    nodes: dict[tuple[int | str | None, ...], int] = {}
    rows = [
        (text, nodes.setdefault((level, *line[level:]), len(nodes)))
        for text, line in ancestors.items()
        for level in range(height)
    ]
    binds = {"leaves": [text for text, _ in rows], "nodes": [node for _, node in rows]}
    totals = Statement("privacy/t_closeness/recount#totals", counted=_COUNTED)
    session.create(_TREE, Statement("privacy/t_closeness/recount#tree", totals=totals), binds)
    return max(height, 1)
