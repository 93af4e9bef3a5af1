"""What frequency sets carry beside their counts, since a privacy model reads a column, and how that merges."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.statement import As, Hole, Name, Number, Statement

#: Values of one sensitive attribute, at most: every tuple and every value group carries a bit for each.
LARGEST = 10_000


@dataclass(frozen=True)
class Held:
    """Which values of a sensitive attribute the rows of a tuple, or of a value group, have: a bit for each value.

    A missing value is none. ``values`` is how many there are in the table.
    """

    attribute: str
    values: int = 0

    @property
    def column(self) -> Name:
        """Its column of the star and of frequency sets; a level's column ends in a digit."""
        return Name(f"{self.attribute}_held")

    @property
    def codes(self) -> Name:
        """The relation that numbers the values: ``value, code``."""
        return Name(f"sensitive_{self.attribute}")

    @property
    def started(self) -> Hole:
        """The bits of a tuple, from the codes of its rows' values."""
        holes: dict[str, Hole] = {
            "code": Name(*self.codes.parts, "code"),
            "last": Number(max(self.values, 1) - 1),
            "values": Number(max(self.values, 1)),
        }
        return As(Statement("privacy/held", holes), self.column)

    @property
    def merged(self) -> Hole:
        """The bits of a value group, from those of what it is made of."""
        return As(Statement("privacy/merged", {"held": self.column}), self.column)
