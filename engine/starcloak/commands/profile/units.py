"""Cells that are numbers with a unit behind them, such as 165 cm."""

from __future__ import annotations

from collections.abc import Mapping

from starcloak.base.column import Column
from starcloak.job.cleaning import SPACES
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session


def unit_of(store: Session, rows: Name, column: Column, missing: list[str]) -> Mapping[str, str]:
    """The cleaning rules that remove the unit from a column's cells and set the decimal comma; empty without a unit.

    A column has a unit if every cell, except the texts ``missing``, is a number with or without the unit, and at least
    half of the cells have it.
    """
    text = Statement("store/text", column=Name(column.name))
    asked = Statement("commands/profile/units", text=text, rows=rows)
    row = store.row(asked, {"missing": missing, "spaces": SPACES})
    units, with_unit, present, points, commas, longest_decimals = row
    if len(units) != 1 or with_unit * 2 < present:
        return {}
    if not commas:
        return {"unit": units[0]}
    is_decimal = not points and longest_decimals != 3  # 1,234 may be 1234 or 1.234
    return {"unit": units[0], "decimal": ","} if is_decimal else {}
