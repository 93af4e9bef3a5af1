"""Full-domain searches as tests call them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pandas

from starcloak.job import Job, load
from starcloak.search.lattice.lattice import Found
from starcloak.sources.file_formats import databases_of, files_of
from starcloak.sources.open_source import open_source
from starcloak.star import frequency_sets, star_builder
from starcloak.star.star import Star
from starcloak.store.session import Session

COMPLETE: list[dict[str, Any]] = [
    {"name": "witness"},
    {"name": "incognito", "variant": "basic"},
    {"name": "incognito", "variant": "super-roots"},
    {"name": "incognito", "variant": "cube"},
    {"name": "bottom-up", "rollup": True},
    {"name": "bottom-up", "rollup": False},
]


SINGLE: list[dict[str, Any]] = [{"name": "samarati"}, {"name": "datafly"}]


EVERY = [*COMPLETE, *SINGLE]


Levels = tuple[int, ...]


def label(algorithm: dict[str, Any]) -> str:
    return " ".join(str(value) for value in algorithm.values())


@contextmanager
def opened(
    job: Job | dict[str, Any], rows: pandas.DataFrame | None = None, *, threads: int | None = None
) -> Iterator[Star]:
    loaded = load(job)
    source = loaded.source
    with Session(files=files_of(source), databases=databases_of(source), threads=threads) as session:
        read = open_source(session, source, loaded.roles, frame=rows, beside=loaded.columns_beside)
        frequency_sets.compress(session, read, classes=loaded.class_column, sensitive=loaded.required.reads)
        yield star_builder.build(session, read, loaded)


def levels_of(star: Star, found: Found) -> list[Levels]:
    rows = star.session.connection.execute(f"select id, levels, height from {found.anonymous.sql()}").fetchall()
    assert all(found.lattice.number(levels) == id and sum(levels) == height for id, levels, height in rows)
    assert len(rows) == found.count
    return [tuple(levels) for _, levels, _ in rows]
