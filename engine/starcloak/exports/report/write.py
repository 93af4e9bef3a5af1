"""Output of the report as a file; only an earlier report may be replaced."""

from __future__ import annotations

import uuid
from pathlib import Path

from starcloak.base.errors import OutputError
from starcloak.exports.report.page import MARK, page
from starcloak.job.attack_result import Attacks
from starcloak.job.result import Result
from starcloak.store import staging
from starcloak.store.staging import Written

_OTHER_KINDS = (".pdf", ".docx", ".md", ".txt", ".csv", ".parquet", ".xlsx", ".json", ".yaml", ".yml")
_START = 200  # bytes in which the mark is


def file_to_write(path: Path, key: str = "--into") -> Written:
    """Declare ``path`` as the output file of a report; ``key`` is the option named in errors."""
    return Written(path, "the report", key, is_own=_is_report)


def refuse(path: Path) -> None:
    """Raise :class:`OutputError` for a path not usable for a report."""
    try:
        path = path.expanduser()
        if path.suffix.lower() in _OTHER_KINDS:
            raise OutputError(f"{path}: a report is an HTML page: give it a name that ends in .html")
        if not path.absolute().parent.is_dir():
            raise OutputError(f"{path.absolute().parent} is not a folder: check the path of the report")
        if path.exists() and not (path.is_file() and _is_report(path)):
            raise OutputError(
                f"{path} is there already and is not a report of starcloak: move the file, or give another name"
            )
    except (OSError, ValueError, RuntimeError) as error:
        raise OutputError(f"the report cannot be written ({type(error).__name__}): check its path") from None


def write(
    result: Result, path: Path, *, published: bool = True, profile: str | None = None, attacks: Attacks | None = None
) -> Path:
    """Write the report on a release whole or not at all, with a ``profile``'s headings. Raises
    :class:`OutputError`.
    """
    refuse(path)
    text = page(result, published=published, profile=profile, attacks=attacks)
    try:
        staging.write(path.expanduser().resolve(), text, uuid.uuid4().hex)
    except OSError as error:
        raise OutputError(f"{path} cannot be written ({type(error).__name__}): check space and permissions") from None
    return path


def _is_report(path: Path) -> bool:
    with open(path, "rb") as content:
        return MARK.encode() in content.read(_START)
