"""The verifier's decision on a privacy model: counted by separate SQL statements, and decided in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Judged:
    """Verdict of a model on all classes.

    ``achieved`` is the figure of the worst class, None for a table without rows. ``violating_classes`` and
    ``violating_rows`` count the classes in violation and their rows. ``violating_persons``, for models of persons,
    counts the persons with rows in these classes, once per class.
    """

    holds: bool
    achieved: float | None
    violating_classes: int
    violating_rows: int
    violating_persons: int | None = None

    def beside(self, classes: int, rows: int) -> Judged:
        """The verdict with ``classes`` more violating classes of ``rows`` rows in total; ``achieved`` is then None."""
        return replace(
            self,
            holds=False,
            achieved=None,
            violating_classes=self.violating_classes + classes,
            violating_rows=self.violating_rows + rows,
        )
