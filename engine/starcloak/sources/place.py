"""The files of a place, by what a job says of it."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from starcloak.job import Place
from starcloak.sources import dataset


def files_of(place: Place | None) -> list[Path]:
    """The data files that opening a place reads."""
    if place is None:
        return []
    if place.path is not None:
        return paths_of(place.path)
    if place.dataset is not None:
        return dataset.files(place.dataset)
    return []


def databases_of(place: Place | None) -> list[Path]:
    """The database files that opening a place attaches."""
    file = None if place is None or place.url is None else place.url.embedded_file
    return [] if file is None else [file]


def database_files_of(place: Place | None) -> list[Path]:
    """The files of databases that are files, whoever opens them."""
    file = None if place is None or place.url is None else place.url.file
    return [] if file is None else [file]


def paths_of(path: Path) -> list[Path]:
    """The files of a path: its own, or those that a pattern such as ``visits/*.parquet`` means, in order.

    What is there by that very name is no pattern. Hidden files are meant only by a pattern that begins with a point.
    """
    absolute = path.absolute()
    if not is_pattern(absolute):
        return [absolute]
    return sorted({file for file in _matches(absolute) if file.is_file()})


def is_pattern(path: Path) -> bool:
    """Whether a path is a pattern of files, unless a file is called so."""
    return any(sign in part for part in path.parts for sign in "*?[") and not path.exists()


def takes(place: Place | None, path: Path) -> bool:
    """Whether a file of that path would be one of a place's, if it were there."""
    if place is None or place.path is None or not is_pattern(place.path.absolute()):
        return False
    pattern = place.path.absolute()
    folders = {folder.resolve() for folder in _matches(pattern.parent)}
    return path.resolve().parent in folders and _is_like(path.name, pattern.name)


def _matches(path: Path) -> Iterator[Path]:
    """What is there of a pattern. Each part of it stands for itself where that is there."""
    folders = [Path(path.anchor)]
    for part in path.parts[1:]:
        folders = [inner for folder in folders for inner in _inner(folder, part)]
    yield from folders


def _inner(folder: Path, part: str) -> list[Path]:
    if (folder / part).exists():
        return [folder / part]
    if not any(sign in part for sign in "*?[") or not folder.is_dir():
        return []
    return [inner for inner in folder.glob(part) if part == "**" or _is_like(inner.name, part)]


def _is_like(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) and (not name.startswith(".") or pattern.startswith("."))
