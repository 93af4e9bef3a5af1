"""Files of fixed width: columns by place in the line, without a delimiter."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from starcloak.base.errors import SourceError

_LINES = 50
_FEWEST = 5  # lines of one width
_SHORTEST = 8  # characters of a line


def refuse(path: Path, delimiters: str, encoding: str | None) -> None:
    """Raise :class:`SourceError` for a text file of fixed width, by its first 50 lines."""
    lines: list[str] = []
    with suppress(OSError, UnicodeDecodeError), open(path, encoding=encoding or "utf-8-sig") as file:
        lines = [line.rstrip("\r\n") for line, _ in zip(file, range(_LINES), strict=False)]
    if len(lines) < _FEWEST or len({len(line) for line in lines}) > 1 or len(lines[0]) < _SHORTEST:
        return
    if any(mark in line for line in lines for mark in delimiters) or not _has_columns(lines):
        return
    raise SourceError(
        f"{path}: all lines have {len(lines[0])} characters and no delimiter, as in a file of fixed width, which "
        f'starcloak does not read: write it as CSV first, such as by pandas.read_fwf("{path.name}").to_csv('
        f'"{path.stem}-columns.csv", index=False), and give that file'
    )


def _has_columns(lines: list[str]) -> bool:
    """True if all lines have a blank at one position between texts, or if all but the first are letters with digits."""
    blank = [at for at in range(len(lines[0])) if all(line[at] == " " for line in lines)]
    inner = [at for at in blank if any(line[:at].strip() and line[at:].strip() for line in lines)]
    return bool(inner) or all(line.replace(" ", "").isalnum() and any(map(str.isdigit, line)) for line in lines[1:])
