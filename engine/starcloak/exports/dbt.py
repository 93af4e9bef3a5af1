"""Export of a release as a dbt model: its SQL, CSV files of the tables read by it, and a test of the requirement.

The CSV files (files of values) contain values of the source. They are no seeds: dbt would load seeds into the database
file or the schema of the release.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from starcloak.base import installation
from starcloak.base.errors import JobError, OutputError
from starcloak.exports.script import changed, preamble, recounts
from starcloak.job import Job
from starcloak.privacy.model import DbtTest, Model
from starcloak.privacy.persons.model import DistinctPersons
from starcloak.releases.targets import registry
from starcloak.star.recoding.recoding import Recoding
from starcloak.statements.statement import (
    As,
    Joined,
    Literal,
    Name,
    ProjectFile,
    Reference,
    Statement,
    Template,
    columns,
    conditions,
    heading,
)
from starcloak.store import staging
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.store.staging import Written
from starcloak.store.tables import Table

_MARK = "Made by starcloak compile for"
_IGNORED = "# Made by starcloak: these files hold values of the source.\n*\n"
_FOLDER = "starcloak_values"
_PACKAGES = "# Made by starcloak: the package of the tests, in this project.\n"
_PACKAGE = "starcloak"
_NOT_PLAIN = re.compile(r"\{[{%#]|\r")


def output_name(job: Job) -> str:
    """Name of a job's output: its table, or its file without suffix; ``release`` for a job without an output."""
    output = job.output
    return "release" if output is None else output.table or (output.path.stem if output.path else "release")


def model_name(job: Job) -> str:
    """Name of a job's dbt model: the name of the output, reduced to letters, digits and underscores."""
    return re.sub(r"\W", "_", output_name(job).rpartition(".")[2], flags=re.ASCII).lower()


def write(job: Job, source: Source, recoding: Recoding, *, into: Path, upstream: str | None = None) -> list[Path]:
    """Write a model, its properties and its files of values into the dbt project ``into``; return the written files.

    A .gitignore excludes the files of values from version control. The dbt package with the model's test is copied into
    the project and named in packages.yml.

    By default the model reads the table of the job's source. With ``upstream`` the model reads a relation of the dbt
    project: another model, or a dbt source as ``name.table``.

    The files of values contain values of the source, and so may the model: only their owner has access. Raises
    :class:`OutputError` for a folder that is no dbt project, has another model of the same name or a packages.yml
    without the package, and :class:`JobError` for a name that dbt would read as a template.
    """
    if not (into / "dbt_project.yml").is_file():
        raise OutputError(
            f"{into} has no dbt_project.yml, so it is not the folder of a dbt project: give the folder of a project, "
            "or make one with dbt init"
        )
    for attribute in (name for demand in job.required.demands for name in demand.attributes):
        if _NOT_PLAIN.search(attribute):
            raise JobError(
                f"dbt would change the name of attribute {attribute!r}, for example as a template: rename the column "
                "in a query"
            )
    for column in source.released:
        if column.type != "TIMESTAMP WITH TIME ZONE" and column.holds(r"\bTIMESTAMP(TZ_NS| WITH TIME ZONE)\b"):
            raise JobError(
                f"column {column.name!r} has times with a zone, and the session of dbt may read their texts in another "
                "zone: leave the column out, or use run"
            )
    session, model = recoding.star.session, model_name(job)
    data_tests = _properties(model, job)
    source = _as_searched(source, None if upstream is None else _reference(upstream))
    tables = {_part(table, number): table for number, table in enumerate(recoding.tables(source), 1)}
    if model in set(map(str.lower, _reads(session, job, upstream))):
        raise JobError(
            f"the model would be named {model!r} like a table that it reads, and dbt would replace that table: give "
            "the output another name"
        )
    statement, properties = _files(job, into)
    values = {into / _value_file(model, name): table for name, table in tables.items()}
    before = _values_of(job, into)
    mine = [Written(file, "the values", "--into", is_own=before.__contains__, makes_folder=True) for file in values]
    files = {file.with_name(".gitignore"): _IGNORED for file in list(values)[:1]}
    files |= _packages(into)
    mine += [
        Written(path, path.name, "--into", is_own=_begins(content), makes_folder=True)
        for path, content in files.items()
    ]
    registry.refuse_conflicts(job, [*files_to_write(job, into), *mine])
    try:
        for path in (statement, *values):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
        with staging.lock(statement, str(statement), "check --into"):
            for path in (statement, properties, *values):
                staging.sweep(path)
            for path in before - set(values):
                path.unlink(missing_ok=True)
            # Before there are any values to be seen, or a test that nobody knows.
            for path, text in files.items():
                staging.write(path, text, session.run_id)
            # The properties first: they name the owner of the values.
            staging.write(properties, data_tests, session.run_id, private=True)
            for path, table in values.items():
                _write_values(session, table, path)
            staging.write(statement, _model(job, source, recoding, tables), session.run_id, private=True)
    except OSError as error:
        raise OutputError(f"{into} cannot be written ({type(error).__name__}): check space and permissions") from None
    return [*files, *values, statement, properties]


def _reads(session: Session, job: Job, upstream: str | None) -> Iterator[str]:
    """Yield the names, without schemas, of the tables read for a release: source, ``upstream`` and hierarchies."""
    place = job.source
    if upstream is not None:
        yield upstream.rpartition(".")[2]
    if place is not None and place.table is not None:
        yield place.table.rpartition(".")[2]
    if place is not None and place.query is not None:
        yield from session.connection.get_table_names(place.query)
    for hierarchy in job.quasi_identifiers.values():
        if hierarchy.table_read is not None:
            yield hierarchy.table_read.rpartition(".")[2]


def _begins(text: str) -> Callable[[Path], bool]:
    """Return a predicate for paths: true for a file with the same first line as ``text``."""
    return lambda path: path.read_text(encoding="utf-8", errors="replace").startswith(text.partition("\n")[0] + "\n")


def _packages(into: Path) -> dict[Path, str]:
    """Return the files, by path, of the dbt package with the model's test, and packages.yml unless it exists.

    The result is empty if the project has the package in another folder. The files contain no path of this machine.
    Raises :class:`OutputError` for another folder of the package's name, and for a packages.yml without the package.
    """
    package, own = installation.sql() / "dbt", into / _PACKAGE
    there = [path for name in ("packages.yml", "dependencies.yml") if (path := into / name).is_file()]
    named = [local for path in there for local in _local_packages(path)]
    if _PACKAGE not in named and any(_is_package(into / local) for local in named):
        return {}
    if own.exists() and not _is_package(own):
        raise OutputError(f"{own} is there already and is not the dbt package with the test of the model: move it")
    package_files = {
        own / path.relative_to(package): path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.*"))
    }
    if _PACKAGE in named:
        return package_files
    if not there or (there == [into / "packages.yml"] and _begins(_PACKAGES)(there[0])):
        return {into / "packages.yml": _PACKAGES + yaml.safe_dump({"packages": [{"local": _PACKAGE}]}), **package_files}
    raise OutputError(
        f"{there[0]} lacks the dbt package with the test of the model: add '- local: {_PACKAGE}' under packages, and "
        "compile again"
    )


def _local_packages(path: Path) -> list[str]:
    """Folders of the local packages named in packages.yml or dependencies.yml; none for an unreadable file."""
    try:
        listed = yaml.safe_load(path.read_text(encoding="utf-8"))["packages"]
        return [str(package["local"]).removesuffix("/") for package in listed if "local" in package]
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError):
        return []


def _is_package(folder: Path) -> bool:
    """True if a folder contains starcloak's dbt package of tests."""
    try:
        project = yaml.safe_load((folder / "dbt_project.yml").read_text(encoding="utf-8"))
        return bool(project["name"] == _PACKAGE)
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError):
        return False


def files_to_write(job: Job, into: Path) -> list[Written]:
    """Output files of a model known before the search: its SQL and properties, without the files of values."""
    named = _files(job, into)
    own = partial(_is_marked, mark=_mark(job))
    return [Written(path, "the dbt model", "--into", is_own=own, makes_folder=True) for path in named]


def _files(job: Job, into: Path) -> tuple[Path, Path]:
    """Paths of the model's SQL file and of its properties (a YAML file), in this order."""
    model = model_name(job)
    folder = into / "models" / model
    return folder / f"{model}.sql", folder / f"{model}.yml"


def _mark(job: Job) -> str:
    """Comment to recognize the files of a job's model. Jobs with different outputs have different comments."""
    return f"{_MARK} {output_name(job)!r}"


def _is_marked(path: Path, mark: str) -> bool:
    return (
        f"-- {_plain(mark)};" in (text := path.read_text(encoding="utf-8", errors="replace")) or f"# {mark}\n" in text
    )


def _value_file(model: str, name: str) -> str:
    """Path of the CSV file for the table ``name``, relative to the dbt project."""
    return f"{_FOLDER}/{model}/{name}.csv"


def _values_of(job: Job, into: Path) -> set[Path]:
    """Files of values of this job's existing model; empty without a model, or with the model of another job."""
    _, properties = _files(job, into)
    try:
        is_own = _is_marked(properties, _mark(job))
    except OSError:
        return set()
    return set((into / _FOLDER / model_name(job)).glob("*.csv")) if is_own else set()


def _part(table: Table, number: int) -> str:
    """Name of a table for its CSV file: ``number`` replaces an attribute's name, as file systems may not allow it."""
    kind, _, attribute = table.name.parts[0].partition("_")
    return f"{kind}_{number}" if attribute else kind


def _as_searched(source: Source, upstream: Reference | None) -> Source:
    """Return the source for the model's SQL: rows from ``upstream`` unless None, texts compared byte by byte."""
    columns_of = [
        As(Statement("hierarchy/cast", column=Name(column.name)), Name(column.name))
        if column.is_text
        else Name(column.name)
        for column in (*source.released, *source.persons)
    ]
    origin = source.portable.holes["origin"]
    if upstream is not None:
        origin = source.cleaning(Statement("store/relation", relation=upstream))
    portable = Statement("store/source", columns=columns(columns_of), origin=origin)
    return replace(source, portable=portable)


def _reference(upstream: str) -> Reference:
    """Return the dbt reference for ``upstream``: a model, or a source and its table.

    Raises JobError for other texts.
    """
    try:
        return Reference(tuple(upstream.split(".")))
    except ValueError:
        raise JobError(
            "the upstream must be a dbt model, or a dbt source and its table: give a name such as patients or "
            "clinic.patients"
        ) from None


def _model(job: Job, source: Source, recoding: Recoding, tables: Mapping[str, Table]) -> str:
    kept, release = Name("starcloak_source"), Name("starcloak_release")
    published = Name("starcloak_published") if source.persons else release
    names = {table.name: Name(f"starcloak_{table.name.parts[0]}") for table in tables.values()}
    values = (
        Statement(
            "exports/model#values",
            name=names[table.name],
            cells=columns(
                Statement("exports/model#cell", column=Name(column), type=kind) for column, kind in table.columns
            ),
            rows=_rows_of_file(job, name, table),
        )
        for name, table in tables.items()
    )
    builtins = Statement("exports/model#builtins", found=Statement("releases/script#builtins"))
    tied = [
        builtins,
        *_same_types(source, kept),
        *(_same_values(job, recoding, table, name) for name, table in tables.items()),
    ]
    counted = (
        Statement("exports/model#holds", recount=recount)
        for recount in recounts(job, source, recoding, release, source=kept, changed=changed(source, kept))
    )
    stages = {kept: source.portable, release: recoding.elsewhere(names).release(replace(source.private, relation=kept))}
    if source.persons:  # the released columns do not identify them
        stages[published] = recoding.project(source, release)
    staged = (Statement("exports/model#stage", name=name, rows=rows) for name, rows in stages.items())
    statement = Statement(
        "exports/model",
        tables=Joined((*values, *staged), ",\n"),
        release=published,
        conditions=conditions([*tied, *counted]),
    )
    lines = [*preamble(job, source, recoding), f"-- {_mark(job)}; compile again if the source has changed."]
    return "\n".join(["{{ config(materialized='table') }}", "", *map(_plain, lines), "", _template(statement), ""])


def _same_types(source: Source, relation: Name) -> Iterator[Statement]:
    """Yield a condition on ``relation``: columns other than texts have the same types as during the search."""
    not_texts = [column for column in (*source.released, *source.persons) if not column.is_text]
    if not_texts:
        types = (
            Statement("exports/model#typed", column=Name(column.name), type=Literal(column.type))
            for column in not_texts
        )
        yield Statement("exports/model#same_types", relation=relation, types=conditions(types))


def _rows_of_file(job: Job, name: str, table: Table) -> Statement:
    """SQL in the model to read the rows of a file of values."""
    named = Joined(tuple(Statement("exports/model#column", column=Name(column)) for column, _ in table.columns), ", ")
    return Statement("exports/model#file", path=ProjectFile(_value_file(model_name(job), name)), columns=named)


def _same_values(job: Job, recoding: Recoding, table: Table, name: str) -> Statement:
    """Condition in the model: the rows of a file of values are unchanged since the export, by their fingerprint."""
    ((fingerprint,),) = recoding.star.session.run(_fingerprint(table, _rows(table)))
    rows = Statement("store/relation", relation=_rows_of_file(job, name, table))
    return Statement("exports/model#same_values", found=_fingerprint(table, rows), made=Literal(fingerprint))


def _fingerprint(table: Table, rows: Statement) -> Statement:
    cells = (Statement("exports/value_file#text", column=Name(column)) for column, _ in table.columns)
    return Statement("exports/value_file#fingerprint", cells=Joined(tuple(cells), " || "), rows=rows)


def _template(statement: Statement) -> str:
    """Text of a statement for dbt: only the statement's own templates are active, all other Jinja syntax is escaped."""
    done, text = "", heading(statement)
    for piece in statement.compose():
        if isinstance(piece, Template):
            done, text = done + _plain(text) + piece.sql(), ""
        else:
            text += piece if isinstance(piece, str) else piece.sql()
    return done + _plain(text)


def _plain(text: str) -> str:
    """Escape Jinja syntax and carriage returns in a text, so that dbt does not change them."""
    return _NOT_PLAIN.sub(lambda match: f"{{{{ {match[0]!r} }}}}", text)


def _properties(model: str, job: Job) -> str:
    # Released columns do not identify persons: the model counts them. The test covers everything else.
    tests = [
        _data_test(model, demand.attributes)
        for demand in job.required.demands
        for model in demand.models
        if not job.persons or (model.superset_closed and model.key != DistinctPersons.key)
    ]
    described = {"version": 2, "models": [{"name": model, "data_tests": tests}]}
    return f"# {_mark(job)}\n" + yaml.safe_dump(described, sort_keys=False, allow_unicode=True)


def _data_test(model: Model, attributes: Sequence[str]) -> dict[str, Any]:
    if not isinstance(model, DbtTest):
        raise OutputError(
            f"requirement.{model.key}: a dbt model has no test for this privacy model: use run, or leave {model.key} "
            "out"
        )
    return model.dbt_test(attributes)


def _write_values(session: Session, table: Table, path: Path) -> None:
    import pyarrow.csv

    with staging.writing(path, session.run_id, private=True) as file:
        pyarrow.csv.write_csv(session.arrow(_rows(table)), file)


def _rows(table: Table) -> Statement:
    """Query for the rows of a table, with cells in the form of its file of values."""
    cells = columns(Statement("exports/value_file#cell", column=Name(column)) for column, _ in table.columns)
    return Statement("exports/value_file", cells=cells, rows=table.rows)
