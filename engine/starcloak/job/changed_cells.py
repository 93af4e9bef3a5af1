"""Cells in the result of a run: those changed by cleaning, and those without a leaf in their hierarchy."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from starcloak.job.result_part import Part


class CellsCleaned(Part):
    """Effect of one cleaning rule on a column."""

    column: str
    rule: Literal["trim", "missing", "case", "map", "pad", "unit", "number", "valid"]
    cells: int | None = Field(description="cells of the source changed by the rule; null for readers, but for 0")
    missing: int | None = Field(
        default=None, description="missing cells of the column before the rule; null if not published"
    )


class CellsNonconforming(Part):
    """Cells of a quasi-identifier without a leaf in its hierarchy: a loss of information not shown by any level."""

    column: str
    become: Literal["missing", "suppress"] = Field(
        description="treatment by nonconforming in the hierarchy: missing from level 1 on, or the top at once"
    )
    cells: int | None = Field(description="cells of the source; null for readers, but for 0")
    missing: int | None = Field(
        default=None, description="missing cells of the column, after cleaning; null if not published"
    )
