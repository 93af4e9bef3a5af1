"""The names of what a run keeps in the working store, and of its columns."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.statements.statement import Name

BASE = Name("base")
STAR = Name("star")
GENERALIZATION = Name("generalization")
#: The tuples of the star whose value group satisfies the requirement at the highest levels, and the others.
WITHIN, BEYOND = Name("star_within"), Name("star_beyond")
#: The tuples of each person, where the rows of a person are one set: person, the level columns, frequency, checksum;
#: and the cohort, as only persons of one may be alike.
VISITS = Name("visits")
CLASS = Name("class")
#: The people of the population by tuple: value_1, value_2, …, people.
POPULATION = Name("population")


def marginal(position: int) -> Name:
    """The frequency set of an attribute alone, by its values, where the base frequency set stays where it is."""
    return Name(f"marginal_{position}")


def leaves(position: int) -> Name:
    """The same by its levels."""
    return Name(f"leaves_{position}")


def sensitive_columns(read: Sequence[str], some: Sequence[str]) -> list[Name]:
    """The columns of the base frequency set that have some of the attributes that are ``read``."""
    return [sensitive_column(read.index(name) + 1) for name in some]


def sensitive_column(number: int) -> Name:
    """The column of the base frequency set that has a sensitive attribute's values, from 1."""
    return Name(f"sensitive_{number}")
