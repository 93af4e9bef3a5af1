"""The files of a comparison: CSV and a plot. They replace only files of their own kind."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

from starcloak.base.errors import OutputError
from starcloak.commands.comparison import plot, text
from starcloak.commands.comparison.result import Comparison
from starcloak.store import staging
from starcloak.store.staging import Written

_STARTS = {".csv": (text.HEAD.encode(),), ".svg": (b"<svg ",), ".png": (b"\x89PNG",)}


def files(table: Path | None, drawing: Path | None) -> list[Written]:
    """The files to be written. Raises :class:`OutputError` for a plot of another kind."""
    if drawing is not None and drawing.suffix.lower() not in (".svg", ".png"):
        raise OutputError(f"{drawing}: a plot must be an .svg or .png file: give a name that ends in .svg or .png")
    written = [] if table is None else [Written(table, "the table", "--csv", is_own=_is(".csv"))]
    return written + ([] if drawing is None else [Written(drawing, "the plot", "--plot", is_own=_is(_kind(drawing)))])


def write(comparison: Comparison, table: Path | None, drawing: Path | None) -> None:
    """Write the files, each whole or not at all. Raises :class:`OutputError`."""
    if table is not None:
        _write(table, text.as_csv(comparison).encode())
    if drawing is not None:
        is_svg = _kind(drawing) == ".svg"
        source, lines = comparison.source, comparison.lines
        _write(drawing, plot.as_svg(source, lines).encode() if is_svg else plot.as_png(source, lines))


def _kind(path: Path) -> str:
    return path.suffix.lower()


def _is(kind: str) -> Callable[[Path], bool]:
    def begins(path: Path) -> bool:
        with open(path, "rb") as content:
            return content.read(200).startswith(_STARTS[kind])

    return begins


def _write(path: Path, content: bytes) -> None:
    try:
        # It is of the source, which is the custodian's.
        with staging.writing(path.resolve(), uuid.uuid4().hex, private=True) as file:
            file.write(content)
    except OSError as error:
        raise OutputError(f"{path} cannot be written ({type(error).__name__}): check space and permissions") from None
