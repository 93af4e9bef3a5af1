"""A release as a dbt model: its statement, the tables that it needs as seeds, and the test that counts it again."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from starcloak import footprint, staging
from starcloak.errors import JobError, OutputError
from starcloak.footprint import Written
from starcloak.job import Job
from starcloak.recoding import Recoding, Table
from starcloak.script import heading, recounts
from starcloak.session import Session
from starcloak.source import Source
from starcloak.statement import Joined, Name, Statement, columns, conditions

_MARK = "Made by starcloak compile"
_UPSTREAM = "starcloak upstream"
_UPSTREAM_NAME = re.compile(r"\w+(\.\w+)?", re.ASCII)
_JINJA = re.compile(r"\{[{%#]")


def model_name(job: Job) -> str:
    """The name of a job's model: that of its output in letters, digits and underscores."""
    output = job.output
    name = "release" if output is None else output.table or (output.path.stem if output.path else "release")
    return re.sub(r"\W", "_", name.rpartition(".")[2], flags=re.ASCII).lower()


def write(job: Job, source: Source, recoding: Recoding, *, into: Path, upstream: str | None = None) -> list[Path]:
    """Write a model, its properties and its seeds into the folder of a dbt project; returns the files.

    The model reads the job's source where the job does or, with ``upstream``, by the name that the project has for it:
    a model, or a source as ``name.table``.

    Seeds hold values of the source. Raises :class:`OutputError` for a folder that is no dbt project or has another
    model of that name, :class:`JobError` for a name that dbt would take for a template.
    """
    if not (into / "dbt_project.yml").is_file():
        raise OutputError(f"{into} is not the folder of a dbt project: it has no dbt_project.yml")
    for attribute in (name for demand in job.required.demands for name in demand.attributes):
        if _JINJA.search(attribute):
            raise JobError(f"attribute {attribute!r} would be a template to dbt: rename it in a query")
    reference = None if upstream is None else _reference(upstream)
    if reference is not None:
        origin = Statement("source/relation", {"relation": Name(_UPSTREAM)})
        source = replace(source, portable=replace(source.portable, holes={**source.portable.holes, "origin": origin}))
    model = model_name(job)
    tables = {f"{model}_{_part(table, number)}": table for number, table in enumerate(recoding.tables(source), 1)}
    statement, properties = _files(job, into)
    seeds = {_seed_file(job, into, name): table for name, table in tables.items()}
    before = _seeded(job, into)
    mine = [Written(seed, "the seed", "--into", is_own=before.__contains__, makes_folder=True) for seed in seeds]
    footprint.refuse(job, [*written(job, into), *mine])
    session = recoding.star.session
    try:
        for path in (statement, *seeds):
            path.parent.mkdir(parents=True, exist_ok=True)
        with staging.lock(statement, str(statement), "check --into"):
            for path in (statement, properties, *seeds):
                staging.sweep(path)
            for path in before - set(seeds):
                path.unlink(missing_ok=True)
            # The properties first: they tell whose the seeds are.
            staging.write(properties, _properties(model, job, tables), session.run_id)
            for path, table in seeds.items():
                _seed(session, table, path)
            staging.write(statement, _model(job, source, recoding, tables, reference), session.run_id)
    except OSError as error:
        raise OutputError(f"{into} cannot be written ({type(error).__name__}): check space and permissions") from None
    return [*seeds, statement, properties]


def written(job: Job, into: Path) -> list[Written]:
    """The files of a model but for its seeds, whose names are known when it is made."""
    named = _files(job, into)
    return [Written(path, "the dbt model", "--into", is_own=_is_marked, makes_folder=True) for path in named]


def _files(job: Job, into: Path) -> tuple[Path, Path]:
    """The model and its properties."""
    model = model_name(job)
    folder = into / "models" / model
    return folder / f"{model}.sql", folder / f"{model}.yml"


def _is_marked(path: Path) -> bool:
    return _MARK in path.read_text(encoding="utf-8", errors="replace")


def _seed_file(job: Job, into: Path, name: str) -> Path:
    return into / "seeds" / model_name(job) / f"{name}.csv"


def _seeded(job: Job, into: Path) -> set[Path]:
    """The seeds of the model that is there, as its properties name them."""
    _, properties = _files(job, into)
    try:
        known = yaml.safe_load(properties.read_text(encoding="utf-8"))["seeds"] if _is_marked(properties) else []
        names = [str(seed["name"]) for seed in known]
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError):
        return set()
    return {_seed_file(job, into, name) for name in names if name == Path(name).name}


def _part(table: Table, number: int) -> str:
    """What a table is called in the names of seeds, where an attribute's own name may not be allowed."""
    kind, _, attribute = table.name.parts[0].partition("_")
    return f"{kind}_{number}" if attribute else kind


def _reference(upstream: str) -> str:
    """How a model names another one, or a table of a source."""
    if not _UPSTREAM_NAME.fullmatch(upstream):
        raise JobError("the upstream is a dbt model, or a dbt source and its table as in clinic.patients")
    name, _, table = upstream.partition(".")
    return f"source('{name}', '{table}')" if table else f"ref('{name}')"


def _model(job: Job, source: Source, recoding: Recoding, tables: Mapping[str, Table], reference: str | None) -> str:
    kept, release = Name("starcloak_source"), Name("starcloak_release")
    names = {table.name: Name(f"starcloak_{table.name.parts[0]}") for table in tables.values()}
    references = {f"starcloak reference {number}": f"ref('{name}')" for number, name in enumerate(tables)}
    seeds = (
        Statement(
            "release/seed",
            {
                "name": names[table.name],
                "cells": columns(
                    Statement("release/seed_cell", {"column": Name(column), "type": kind})
                    for column, kind in table.columns
                ),
                "seed": Name(reference),
            },
        )
        for reference, table in zip(references, tables.values(), strict=True)
    )
    statement = Statement(
        "release/model",
        {
            "tables": Joined(tuple(seeds), ",\n"),
            "source": kept,
            "origin": source.portable,
            "release": release,
            "rows": recoding.elsewhere(names).release(replace(source, relation=kept)),
            "counts": conditions(
                Statement("release/holds", {"recount": recount})
                for recount in recounts(job, recoding, release, source=kept)
            ),
        },
    )
    lines = [*heading(job, source, recoding), f"-- {_MARK}; compile again where the source has changed."]
    text = _JINJA.sub(lambda found: f"{{{{ '{found[0]}' }}}}", "\n".join([*lines, "", statement.sql(), ""]))
    if reference is not None:
        references[_UPSTREAM] = reference
    for name, meant in references.items():
        text = text.replace(Name(name).sql(), f"{{{{ {meant} }}}}")
    return "{{ config(materialized='table') }}\n\n" + text


def _properties(model: str, job: Job, tables: Mapping[str, Table]) -> str:
    tests = [model.dbt_test(demand.attributes) for demand in job.required.demands for model in demand.models]
    texts = {name: {column: "varchar" for column, _ in table.columns} for name, table in tables.items()}
    seeds = [{"name": name, "config": {"quote_columns": True, "column_types": types}} for name, types in texts.items()]
    described: dict[str, Any] = {"version": 2, "models": [{"name": model, "data_tests": tests}], "seeds": seeds}
    return f"# {_MARK} --format dbt.\n" + yaml.safe_dump(described, sort_keys=False, allow_unicode=True)


def _seed(session: Session, table: Table, path: Path) -> None:
    import pyarrow.csv

    cells = columns(Statement("release/seeded_cell", {"column": Name(column)}) for column, _ in table.columns)
    rows = session.arrow(Statement("release/seeded", {"cells": cells, "rows": table.rows}))
    staged = session.staging(path)
    try:
        pyarrow.csv.write_csv(rows, staged)
        os.replace(staged, path)
    finally:
        staged.unlink(missing_ok=True)
