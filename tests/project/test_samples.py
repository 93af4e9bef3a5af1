"""Every statement with its holes filled, as parsers read it."""

from __future__ import annotations

import re

import duckdb
import pytest
import sqlglot
from click.testing import CliRunner
from sqlglot import exp

from starcloak.base import installation
from starcloak.base.errors import InputError
from starcloak.commands.cli import cli
from starcloak.statements import statement_examples, statement_file
from starcloak.store.databases import registry

registry.kinds()  # each database registers its dialect
NAMES = list(statement_file.names())
READ = {"postgresql": "postgres", "mariadb": "mysql", "sqlite": "sqlite", "spark": "spark"}
# Where pieces of statements stand.
PLACES = [
    "{}", "select {}", "select * from {}", "select * from t {}", "select 1 where {}", "select case {} end",
    "with {} select 1", "select sum(x) over (order by a {})", "create table t ({})", "select a{} from t",
    "select cast(1 as bigint){}", "select struct_pack({})",
]  # fmt: skip
# A block, the renaming of tables, those that end with a transaction, what Spark shows: sqlglot does not know them.
# Tests of scripts and targets run them.
UNREAD = {
    "databases/mariadb/releases/recount",
    "databases/mariadb/releases/targets/swap",
    "releases/targets/swap#renamed",
    "databases/spark/store/shown#schemas",
    "databases/spark/store/shown#tables",
    "databases/spark/store/shown#views",
    "databases/spark/store/shown#noted",
    "databases/postgresql/store/session#hold",
    "databases/postgresql/releases/recount#recounted",
    "databases/postgresql/releases/script#create",
    "databases/postgresql/store/kept_rows",
    "databases/postgresql/releases/replace#ready",
    "databases/mariadb/releases/replace",
    "databases/sqlite/releases/replace#emptied",
    "databases/sqlite/releases/replace#written",
}


def rendered(name: str) -> str:
    path, dialect = statement_file.split(name)
    return statement_examples.sample(path, dialect).sql(dialect)


def is_read(text: str, dialect: str) -> bool:
    try:
        if dialect:
            (read,) = sqlglot.parse(text, read=READ[dialect])
            return not isinstance(read, exp.Command)
        return len(duckdb.extract_statements(text)) == 1
    except (sqlglot.errors.ParseError, duckdb.Error):
        return False


def test_a_statement_with_its_holes_filled_is_read_by_a_parser() -> None:
    for name in NAMES:
        path, dialect = statement_file.split(name)
        piece, text = statement_file.piece(path, dialect), rendered(name)
        if name in UNREAD:
            assert not is_read(text, dialect), name
        elif piece.grain and not piece.body.startswith("("):
            assert is_read(text, dialect), text
        else:
            assert any(is_read(place.format(text), dialect) for place in PLACES), text


def test_a_statement_with_its_holes_filled_reads_well() -> None:
    for text in map(rendered, NAMES):
        assert not re.search(r"\n\s*\n\s*\n|[ \t]+\n|\n\s*,|\{\w+\}", text), text
        assert text.strip("\n") == text
        unquoted = re.sub(r"'[^']*'", "", text)
        assert sum(map(unquoted.count, "([{")) == sum(map(unquoted.count, ")]}")), text


def test_a_header_names_only_statements_that_are_there() -> None:
    known = {statement_file.split(name)[0] for name in NAMES}
    folders = {path.name for path in installation.sql().rglob("*") if path.is_dir()}
    for name in NAMES:
        path, dialect = statement_file.split(name)
        header = statement_file.piece(path, dialect).header
        for named in re.findall(r"(?<![\w/#])([a-z_]+(?:/[a-z_]+)+(?:#\w+)?|#\w+)", header):
            if named[0] == "#" or named.partition("/")[0] in folders:
                assert (path.partition("#")[0] + named if named[0] == "#" else named) in known, (name, named)


def test_the_command_lists_and_prints() -> None:
    listed = CliRunner().invoke(cli, ["sql"])
    assert listed.exit_code == 0
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in listed.output.splitlines())
    assert list(lines) == sorted({statement_file.split(name)[0] for name in NAMES})
    assert lines["hierarchy/domain"] == "The values of one quasi-identifier"
    common, own = (CliRunner().invoke(cli, ["sql", "store/same", *more]) for more in ([], ["--dialect", "mariadb"]))
    assert '"one" is not distinct from "other"' in common.output and '"one" <=> "other"' in own.output
    assert CliRunner().invoke(cli, ["sql", "store/text"]).exit_code == 0


def test_what_only_some_databases_have_is_shown_without_a_dialect() -> None:
    for path, dialect in map(statement_file.split, NAMES):
        assert not dialect or statement_examples.text(path).startswith(f"-- {path}\n-- ")


def test_what_is_no_statement_is_said_with_what_is_near() -> None:
    for name, dialect, told in [
        ("star/sta", "", "Did you mean 'star/star'?"),
        (
            "star/star",
            "oracle",
            "no statement has a text of its own for oracle: give one of mariadb, postgresql, spark, sqlite, or leave",
        ),
        ("store/charsets", "sqlite", "there is no statement for sqlite of the name store/charsets"),
        ("star/star#none", "", "there is no statement of the name star/star#none"),
        ("../README", "", "there is no statement of the name ../README"),
    ]:
        with pytest.raises(InputError, match=re.escape(told)):
            statement_examples.text(name, dialect)
