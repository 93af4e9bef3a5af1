"""Names of a run's tables in the working store, and of their columns."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.statements.statement import Name

BASE = Name("base")
STAR = Name("star")
GENERALIZATION = Name("generalization")
#: The star's tuples whose value groups at the job's highest levels satisfy the requirement; all other tuples.
WITHIN, BEYOND = Name("star_within"), Name("star_beyond")
#: The tuples of each person, for persons compared as sets of rows: person, the level columns, frequency, checksum, and
#: cohort; only persons of the same cohort may become equal.
VISITS = Name("visits")
CLASS = Name("class")
#: The people of the population by tuple: value_1, value_2, …, people.
POPULATION = Name("population")


def marginal(position: int) -> Name:
    """Name of the table with one attribute's frequency set, by its values; ``position`` counts from 1.

    The table exists if the base frequency set is too large for the working store.
    """
    return Name(f"marginal_{position}")


def leaves(position: int) -> Name:
    """Name of the table with one attribute's frequency set, by its codes at every level; ``position`` counts from 1."""
    return Name(f"leaves_{position}")


def sensitive_columns(read: Sequence[str], names: Sequence[str]) -> list[Name]:
    """Columns of the base frequency set with the values of the attributes ``names``.

    ``read`` lists all attributes in the order of their columns in the base frequency set.
    """
    return [sensitive_column(read.index(name) + 1) for name in names]


def sensitive_column(number: int) -> Name:
    """The column of the base frequency set with the values of sensitive attribute ``number``, from 1."""
    return Name(f"sensitive_{number}")
