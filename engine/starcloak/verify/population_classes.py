"""Equivalence classes of a staged release, each with the number of people in the population covered by its cells."""

from __future__ import annotations

from typing import Any

from starcloak.base.errors import VerificationError
from starcloak.privacy.requirement import Demand, covers_absent
from starcloak.star.star import Dimension
from starcloak.star.working_tables import POPULATION
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, conditions, lines
from starcloak.store.session import Session
from starcloak.verify import classes
from starcloak.verify.claim import Claim

_PEOPLED = Name("peopled_classes")


def classes_of(session: Session, claim: Claim, demand: Demand) -> Name:
    """Create the relation of the classes over a demand's quasi-identifier, with columns ``size`` (rows) and ``people``.

    A full-domain release also gets the classes that only the population has. In a release with cells at several levels,
    the people of a class are all people covered by the class's cells. Returns the name of the relation.

    Raises :class:`~starcloak.base.errors.VerificationError` for delta-presence of a release with cells at several
    levels: its classes without rows are not counted.
    """
    if not claim.full_domain and any(map(covers_absent, demand.models)):
        raise VerificationError(
            "delta_presence cannot be verified for cells at several levels, as classes of people without rows are not "
            "counted: take a full-domain algorithm such as witness"
        )
    dimensions = [dimension for dimension in claim.dimensions if dimension.attribute in demand.attributes]
    names = [column.name for column in claim.source.quasi_identifiers]
    cells = [Name(f"cell_{dimension.position}") for dimension in dimensions]
    staged = columns(
        As(Statement("verify/recount#cell", column=classes.value(names.index(dimension.attribute))), cell)
        for dimension, cell in zip(dimensions, cells, strict=True)
    )
    members = lines(
        Statement("verify/population_classes#member", table=dimension.table, value=dimension.value)
        for dimension in dimensions
    )
    holes: dict[str, Hole] = {
        "texts": staged,
        "staged": classes.STAGED,
        "members": members,
        "population": POPULATION,
        "cells": Joined(tuple(cells), ", "),
    }
    if claim.full_domain:
        generalized = columns(
            As(Name(*dimension.table.parts, f"level_{level}"), cell)
            for dimension, cell in zip(dimensions, cells, strict=True)
            for level in claim.levels[dimension.attribute]
        )
        return session.keep(_PEOPLED, Statement("verify/population_classes", **holes, generalized=generalized))
    shapes = [_shape(dimension, claim) for dimension in dimensions]
    return session.keep(
        _PEOPLED,
        Statement(
            "verify/covered",
            **holes,
            levels=columns(As(_piece("verify/covered#level", shape, "known"), shape["at"]) for shape in shapes),
            known=lines(
                _piece("verify/covered#known", shape, "known", "levels", "texts", "table", "cell") for shape in shapes
            ),
            at=Joined(tuple(shape["at"] for shape in shapes), ", "),
            generalized=columns(
                As(_piece("verify/covered#generalized", shape, "levels", "texts", "at"), shape["cell"])
                for shape in shapes
            ),
            match=conditions(_piece("verify/covered#same", shape, "at", "cell") for shape in shapes),
        ),
    )


def _shape(dimension: Dimension, claim: Claim) -> dict[str, Any]:
    """Names and levels of one attribute's cells, as values for the holes of a statement."""
    at, cell, known_cell = (Name(f"{kind}_{dimension.position}") for kind in ("at", "cell", "known"))
    used = claim.levels[dimension.attribute]
    return {
        "at": at,
        "cell": cell,
        "known": known_cell,
        "table": dimension.table,
        "levels": Joined(tuple(Number(level) for level in used), ", "),
        "texts": Joined(tuple(Name(*dimension.table.parts, f"level_{level}") for level in used), ", "),
    }


def _piece(path: str, shape: dict[str, Any], *holes: str) -> Statement:
    return Statement(path, **{hole: shape[hole] for hole in holes})
