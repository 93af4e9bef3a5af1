"""Every statement file: its header names each hole and bind, its lines are short, and Python uses it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from starcloak.base import installation
from starcloak.statements import statement, statement_docs, statement_file
from starcloak.statements.statement import Statement
from tests.layers import layers

FILES = list(statement_file.files())
NAMES = list(statement_file.names())
SQL, MODULES = installation.sql(), Path(statement.__file__).parents[1]
ENGINE = "\n".join(path.read_text() for path in MODULES.rglob("*.py"))


def piece_of(name: str) -> statement_file.Piece:
    """A statement or a section as the file of a name has it."""
    file, _, section = name.partition("#")
    return statement_file.pieces(file)[section]


def test_a_header_says_what_is_yielded_and_names_every_hole_and_bind_and_nothing_else() -> None:
    for name in NAMES:
        piece = piece_of(name)
        holes = set(re.findall(r"\{(\w+)\}", piece.body))
        assert piece.headline, name
        assert holes <= set(re.findall(r"^(\w+) ", piece.header, re.MULTILINE)), name
        assert set(re.findall(r"^([a-z_]\w*)  +\S", piece.header, re.MULTILINE)) <= holes, name
        assert set(re.findall(r"\$(\w+)", piece.body)) <= set(re.findall(r"\$(\w+)", piece.header)), name


def test_lines_are_short_and_have_no_tab() -> None:
    for file in FILES:
        text = (installation.sql() / f"{file}.sql").read_text()
        assert "\t" not in text and max(map(len, text.splitlines())) <= 120, file


def test_text_is_plain() -> None:
    for name in NAMES:
        body = piece_of(name).body
        assert not body.endswith(";"), name
        # Keywords are lower case; a format string or a value in quotes may hold capitals.
        assert not re.search(r"\b(SELECT|FROM|WHERE|GROUP|JOIN)\b", re.sub(r"'[^']*'", "''", body)), name
        # What fills a hole is indented, and so would be the rest of a text in quotes.
        assert all(line.count("'") % 2 == 0 for line in body.splitlines()), name


# Named by a hierarchy's kind or a file's format.
CHOSEN = {"hierarchy/intervals", "hierarchy/digits", "hierarchy/dates", "hierarchy/suppress", "hierarchy/numeric"}
# By whether all values are counted, and where.
CHOSEN |= {"companions/insight/kept#of_part", "companions/insight/kept#estimate", "companions/insight/kept#values"}
CHOSEN |= {f"sources/clean#{way}" for way in ("upper", "lower", "least", "most")}  # by what a job says of its cells
CHOSEN |= {"store/text#whole"}  # by a column that a database reads as another type


def test_python_names_every_statement_and_no_other() -> None:
    there = {statement_file.split(name)[0] for name in NAMES}
    assert {path for path in there if f'"{path}"' not in ENGINE} <= CHOSEN <= there
    assert set(re.findall(r'Statement\(\s*"([\w/#]+)"', ENGINE)) <= there


def test_a_layer_names_no_statement_of_a_higher_one() -> None:
    place = {layer: at for at, layer in enumerate(layers())} | {"dbt": 1, "sqlmesh": 1}  # models of exports
    names = sorted({statement_file.split(name)[0].partition("#")[0] for name in NAMES}, key=len, reverse=True)
    named = re.compile(rf"""(?<![\w/`])({"|".join(names)})(?![\w/])""")
    higher = []
    for file in (path for folder in (SQL, MODULES) for path in folder.rglob("*") if path.suffix in (".sql", ".py")):
        folder = SQL if file.is_relative_to(SQL) else MODULES
        own, *rest = file.relative_to(folder).parts
        layer = rest[1] if own == "databases" else own
        # In SQL the headers name statements, in Python the texts, but for examples in docstrings.
        lines = re.findall(r"^--.*" if folder == SQL else r"^(?! *>>>).*\"[\w/#]+\"", file.read_text(), re.MULTILINE)
        found = {name for line in lines for name in named.findall(line)}
        higher += [f"{file.name}: {name}" for name in found if place[name.partition("/")[0]] < place.get(layer, 0)]
    assert higher == []


def test_a_dialects_own_text_differs_and_takes_no_other_holes() -> None:
    for name in NAMES:
        path, dialect = statement_file.split(name)
        assert dialect in ("", "postgresql", "mariadb", "spark", "sqlite"), name
        if dialect and path in NAMES:
            own, common = piece_of(name).body, piece_of(path).body
            assert own != common, name
            assert set(re.findall(r"\{(\w+)\}", own)) <= set(re.findall(r"\{(\w+)\}", common)), name


def test_the_table_lists_every_statement_in_flow_order() -> None:
    listed = re.findall(r"^\| `([\w/.#]+)` ", statement_docs.table(), re.MULTILINE)
    assert sorted(listed) == sorted(NAMES)
    order = [
        statement_docs.FLOW.index(folder)
        for file in listed
        if (folder := file.partition("/")[0]) in statement_docs.FLOW
    ]
    assert order == sorted(order)


def test_a_section_is_a_piece_of_its_statements_file_and_a_dialect_has_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "sql", lambda: tmp_path)
    statement_file.piece.cache_clear()
    (tmp_path / "made.sql").write_text(
        "-- What is made.\nselect {all}\n\n-- section: all\n-- All.\ncount(*)\n\n-- section: one\n-- One.\n1\n"
    )
    for dialect, own in {
        "mariadb": "-- section: one\n-- One.\n'one'\n",
        "sqlite": "-- All that is.\nselect 2\n",
    }.items():
        (tmp_path / "databases" / dialect).mkdir(parents=True)
        (tmp_path / "databases" / dialect / "made.sql").write_text(own)
    try:
        of_all = Statement("made", all=Statement("made#all"))
        assert [of_all.sql(dialect) for dialect in ("mariadb", "sqlite")] == ["select count(*)", "select 2"]
        assert [Statement("made#one").sql(dialect) for dialect in ("", "mariadb", "sqlite")] == ["1", "'one'", "1"]
        assert list(statement_file.names()) == [
            "databases/mariadb/made#one", "databases/sqlite/made", "made", "made#all", "made#one"
        ]  # fmt: skip
        with pytest.raises(ValueError, match="made#two"):
            Statement("made#two").sql()
        (tmp_path / "twice.sql").write_text("-- section: one\n1\n-- section: one\n2\n")
        with pytest.raises(ValueError, match="two sections"):
            statement_file.pieces("twice")
    finally:
        statement_file.piece.cache_clear()
