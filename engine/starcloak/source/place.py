"""The files of a place, by what a job says of it."""

from __future__ import annotations

from pathlib import Path

from starcloak.hosts.registry import embedded_file, file_of
from starcloak.job import Source as Place
from starcloak.source import dataset


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
    file = None if place is None else embedded_file(place.url)
    return [] if file is None else [file]


def database_files_of(place: Place | None) -> list[Path]:
    """The files of databases that are files, whoever opens them."""
    file = None if place is None or place.url is None else file_of(place.url)
    return [] if file is None else [file]
