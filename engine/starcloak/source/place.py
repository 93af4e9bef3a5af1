"""The files of a place, by what a job says of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.hosts.url import database_file, database_path, is_remote
from starcloak.job import Source as Place
from starcloak.source import dataset

if TYPE_CHECKING:
    pass


def files_of(place: Place | None) -> list[Path]:
    """The data files that opening a place reads."""
    if place is None:
        return []
    if place.path is not None:
        return [place.path.absolute()]
    if place.dataset is not None:
        return dataset.files(place.dataset)
    return []


def databases_of(place: Place | None) -> list[Path]:
    """The database files that opening a place attaches."""
    if place is None or place.url is None or is_remote(place.url):
        return []
    return [database_path(place.url)]


def database_files_of(place: Place | None) -> list[Path]:
    """The files of databases that are files, whoever opens them: of DuckDB and of SQLite."""
    if place is None or place.url is None:
        return []
    file = database_file(place.url)
    return [] if file is None else [file]
