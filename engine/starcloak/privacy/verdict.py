"""The verifier's decision on a privacy model: counted by statements of its own, decided in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Judged:
    """Whether every class satisfies a model.

    ``achieved`` is what the worst of them has, None for a table without rows; ``violating_classes`` and
    ``violating_rows`` count the classes that violate it, and their rows; ``violating_persons``, where the model is
    about persons, those who have rows in them, once for each class.
    """

    holds: bool
    achieved: float | None
    violating_classes: int
    violating_rows: int
    violating_persons: int | None = None

    def beside(self, classes: int, rows: int) -> Judged:
        """The verdict where so many more classes, of so many rows, violate the model and have no figure."""
        return replace(
            self,
            holds=False,
            achieved=None,
            violating_classes=self.violating_classes + classes,
            violating_rows=self.violating_rows + rows,
        )
