"""Check that a published table still has the classes and sensitive values of its saved recoding."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.job import Place
from starcloak.privacy.requirement import Demand
from starcloak.releases.recodings.recoded_tuples import Relations, values_held
from starcloak.releases.recodings.saved_recodings import Recoded
from starcloak.sources.open_source import open_source, open_store
from starcloak.statements.statement import As, Joined, Name, Number, Statement, columns, conditions
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.verify import classes

_THERE = Name("published_classes")


def is_published(recoded: Recoded, place: Place, resources: Resources) -> bool:
    """True if the table at ``place`` has the saved classes of a release, with equal row counts and sensitive values.

    Compared sensitive attributes are those read by the requirement of the release; other columns are ignored. Raises an
    :class:`~starcloak.base.errors.InputError` for a table that cannot be read or lacks a column.
    """
    about = recoded.about
    with open_store(place, resources) as store:
        roles = {"quasi_identifiers": [*about.attributes], "sensitive": [*about.sensitive]}
        opened = open_source(store, place, roles, closed=False)
        store.lock_down()
        names = [column.name for column in opened.released]
        counted, yielded = classes.of(opened.relation, opened.released)
        totals = opened.host.gather_classes(_THERE, counted, yielded, size=classes.SIZE)
        if not classes.have_arrived(store, _THERE, names, [Demand(tuple(names), ())], totals):
            return False
        relations = recoded.into(store, "earlier")
        _as_numbers(store, relations, [column.name for column in opened.released if column.is_whole])
        cells = [Name(f"cell_{number}") for number in range(1, len(about.attributes) + 1)]
        places = {name: classes.value(names.index(name)) for name in (*about.attributes, *about.sensitive)}
        texts = (
            As(Statement("store/text", column=Name("there", *places[name].parts)), cell)
            for name, cell in zip(about.attributes, cells, strict=True)
        )
        cells_released = [Name("released", *cell.parts) for cell in cells]
        cells_found = [Name("found", *cell.parts) for cell in cells]
        (different,) = store.row(
            Statement(
                "companions/joint_risk/published",
                cells=Joined(tuple(Name("classes", *cell.parts) for cell in cells), ", "),
                classes=relations.classes,
                tuples=relations.tuples,
                texts=columns(texts),
                there=_THERE,
                match=conditions(
                    Statement("store/same", one=a, other=b) for a, b in zip(cells_released, cells_found, strict=True)
                ),
                held=relations.held,
                values=Statement("store/relation#nested", rows=values_held(relations, _THERE, places)),
            )
        )
        return not different


def _as_numbers(store: Session, relations: Relations, whole: Sequence[str]) -> None:
    """Turn booleans into numbers in columns of whole numbers: the table's database has no booleans."""
    for name in whole:
        if name in relations.attributes:
            cell = Name(f"cell_{relations.attributes.index(name) + 1}")
            store.run(Statement("companions/joint_risk/published#numbers", relation=relations.classes, column=cell))
        if name in relations.sensitive:
            store.run(
                Statement(
                    "companions/joint_risk/published#numbers_held",
                    held=relations.held,
                    number=Number(relations.sensitive.index(name) + 1),
                )
            )
