"""Names of a run's tables in the working store, and of their columns."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.statements.statement import Name

BASE = Name("base")
STAR = Name("star")
GENERALIZATION = Name("generalization")
#: The tuples of the star in value groups satisfying the requirement at the highest levels, and the others.
WITHIN, BEYOND = Name("star_within"), Name("star_beyond")
#: The tuples of each person, for persons as sets: person, the level columns, frequency, checksum; and the cohort, as
#: only persons of one cohort may be alike.
VISITS = Name("visits")
CLASS = Name("class")
#: The people of the population by tuple: value_1, value_2, …, people.
POPULATION = Name("population")


def marginal(position: int) -> Name:
    """The frequency set of one attribute, by its values, if the base frequency set stays in its database."""
    return Name(f"marginal_{position}")


def leaves(position: int) -> Name:
    """The frequency set of one attribute by its levels."""
    return Name(f"leaves_{position}")


def sensitive_columns(read: Sequence[str], names: Sequence[str]) -> list[Name]:
    """The columns of the base frequency set for ``names`` of the attributes in ``read``."""
    return [sensitive_column(read.index(name) + 1) for name in names]


def sensitive_column(number: int) -> Name:
    """The column of the base frequency set with the values of sensitive attribute ``number``, from 1."""
    return Name(f"sensitive_{number}")
