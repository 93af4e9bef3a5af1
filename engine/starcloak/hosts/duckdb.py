"""DuckDB files, which the working store attaches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.errors import SourceError, StatementError
from starcloak.session import Session
from starcloak.statement import Literal, Name

if TYPE_CHECKING:
    pass


def attach(session: Session, path: Path, name: str, *, read_only: bool) -> None:
    """Attach a DuckDB file under a name."""
    try:
        session.command(f"attach {Literal(str(path)).sql()} as {Name(name).sql()}{' (read_only)' if read_only else ''}")
    except StatementError as error:
        raise SourceError(
            f"{path} cannot be opened as a DuckDB database ({error.kind}): check the file, "
            "and that no other program has it open for writing"
        ) from None
