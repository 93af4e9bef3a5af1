"""The statement files of the benchmarks, beside those of starcloak."""

from __future__ import annotations

from pathlib import Path

from starcloak.statements.statement import Hole, Statement

_SQL = Path(__file__).resolve().parent / "sql"


def statement(name: str, **holes: Hole) -> Statement:
    """A statement file of the benchmarks, its holes filled."""
    return Statement(str(_SQL / name), **holes)
