"""The classes of a staged release, each with the people of the population that its cells cover."""

from __future__ import annotations

from starcloak.privacy.requirement import Demand
from starcloak.session import Session
from starcloak.star import POPULATION
from starcloak.statement import As, Hole, Joined, Name, Statement, columns, lines
from starcloak.verify import classes
from starcloak.verify.claim import Claim

_PEOPLED = Name("peopled_classes")


def classes_of(session: Session, claim: Claim, demand: Demand) -> Name:
    """Create the classes of a demand, with ``size`` and ``people``, and those that the population alone has."""
    dimensions = [dimension for dimension in claim.dimensions if dimension.attribute in demand.attributes]
    names = [column.name for column in claim.source.quasi_identifiers]
    cells = [Name(f"cell_{dimension.position}") for dimension in dimensions]
    staged = columns(
        As(Statement("verify/classes#cell", {"column": classes.value(names.index(dimension.attribute))}), cell)
        for dimension, cell in zip(dimensions, cells, strict=True)
    )
    generalized = columns(
        As(Name(*dimension.table.parts, f"level_{level}"), cell)
        for dimension, cell in zip(dimensions, cells, strict=True)
        for level in claim.levels[dimension.attribute]
    )
    members = lines(
        Statement("verify/peopled#member", {"table": dimension.table, "value": dimension.value})
        for dimension in dimensions
    )
    holes: dict[str, Hole] = {
        "texts": staged,
        "staged": classes.STAGED,
        "generalized": generalized,
        "members": members,
        "population": POPULATION,
        "cells": Joined(tuple(cells), ", "),
    }
    return session.keep(_PEOPLED, Statement("verify/peopled", holes))
