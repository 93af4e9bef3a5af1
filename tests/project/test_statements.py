"""Every statement file: its header names each hole and bind, its lines are short, and Python uses it."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow
import pytest

from starcloak.base import paths
from starcloak.statements import statement, statement_docs, statement_file
from starcloak.statements.statement import (
    As,
    Bind,
    Constants,
    Literal,
    Name,
    Number,
    Query,
    Statement,
    Type,
    columns,
    union_all,
)

FILES = list(statement_file.files())
NAMES = list(statement_file.names())
ENGINE = "\n".join(path.read_text() for path in Path(statement.__file__).parents[1].rglob("*.py"))


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
        text = (paths.sql() / f"{file}.sql").read_text()
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
CHOSEN |= {"insight/kept#of_part", "insight/kept#estimate", "insight/kept#values", "insight/shared#values"}
CHOSEN |= {"store/text#whole"}  # by a column that a database reads as another type


def test_python_names_every_statement_and_no_other() -> None:
    there = {statement_file.split(name)[0] for name in NAMES}
    assert {path for path in there if f'"{path}"' not in ENGINE} <= CHOSEN <= there
    assert set(re.findall(r'Statement\(\s*"([\w/#]+)"', ENGINE)) <= there


def test_a_dialects_own_text_differs_and_takes_no_other_holes() -> None:
    for name in NAMES:
        path, dialect = statement_file.split(name)
        assert dialect in ("", "postgresql", "mariadb", "spark", "sqlite"), name
        if dialect and path in NAMES:
            own, common = piece_of(name).body, piece_of(path).body
            assert own != common, name
            assert set(re.findall(r"\{(\w+)\}", own)) <= set(re.findall(r"\{(\w+)\}", common)), name


def test_readme_lists_every_statement_in_flow_order() -> None:
    text = (paths.sql() / "README.md").read_text()
    assert text == statement_docs.catalogue(), "run make schemas"
    listed = re.findall(r"^\| `([\w/.#]+)` ", text, re.MULTILINE)
    assert sorted(listed) == sorted(NAMES)
    order = [
        statement_docs.FLOW.index(folder)
        for file in listed
        if (folder := file.partition("/")[0]) in statement_docs.FLOW
    ]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "name", ['a"b', "drop table x; --", "Ünïcode ☃", "select", " ", "a.b", "$k", "{hole}", "%s", ":k"]
)
def test_hostile_names_are_quoted(name: str) -> None:
    sql = Statement("hierarchy/domain", {"value": Name(name), "base": Name("base")}).sql()
    assert '"' + name.replace('"', '""') + '"' in sql


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_impossible_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        Name(name)


def test_a_hole_takes_no_string_and_no_hole_is_left_open() -> None:
    with pytest.raises(ValueError, match="holes"):
        Statement("hierarchy/domain", {"value": Name("v")}).sql()
    with pytest.raises(ValueError, match="holes"):
        Statement("hierarchy/domain", {"value": Name("v"), "base": Name("b"), "more": Name("m")}).sql()
    with pytest.raises(AttributeError):
        Statement("hierarchy/domain", {"value": "v; drop", "base": Name("b")}).sql()  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        Number("1; drop")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="bind"):
        Bind("a b")


def test_golden_rollup() -> None:
    from starcloak.star import frequency_sets
    from starcloak.star.star import Node, Star

    star = Star(None, (), 0, 0)  # type: ignore[arg-type]
    node, beneath = Node(7, (1, 3), (2, 1)), Node(3, (1, 3), (1, 1))
    assert frequency_sets.rollup(star, node, beneath=beneath, below=Name("frequency_below")).sql() == (
        "select\n"
        "    7 as node,\n"
        '    "climb_1"."ancestor" as "value_1",\n'
        '    "below"."value_2" as "value_2",\n'
        "    cast(sum(frequency) as bigint) as frequency\n"
        'from "frequency_below" as below\n'
        'join "generalization" as "climb_1"\n'
        '    on "climb_1".dimension = 1\n'
        '    and "climb_1".level = 2\n'
        '    and "climb_1".code = below."value_1"\n'
        "where below.node = 3\n"
        "group by all"
    )


def own(text: str, **holes: statement.Hole) -> Statement:
    """A statement that has no file."""
    return Statement("own", holes, text)


def test_what_fills_a_hole_is_indented_as_the_line_of_the_hole() -> None:
    inner = own("select\n    {columns}\nfrom {rows}", columns=columns([Name("a"), Name("b")]), rows=Name("rows"))
    case = own("case\n    when true then 1\nend")
    outer = own("select {one} as one\nfrom (\n    {rows}\n) as rows", one=case, rows=inner)
    assert outer.sql() == (
        "select case\n    when true then 1\nend as one\n"
        'from (\n    select\n        "a",\n        "b"\n    from "rows"\n) as rows'
    )
    assert own("(\n    {rows}\n)", rows=union_all([outer, outer])).sql().count('\n            "b"') == 2


@pytest.mark.parametrize("leaf", [Name("a\nb"), Literal("a\nb"), Query("select 'a\nb'"), Type("enum('a\nb')")])
def test_a_line_break_of_the_users_own_stays_as_it_is(leaf: statement.Hole) -> None:
    assert "a\nb" in own("select (\n    {leaf}\n)", leaf=own("(\n    {leaf}\n)", leaf=leaf)).sql()


def test_a_line_of_which_nothing_is_left_is_left_out() -> None:
    none = statement.lines(())
    assert own("select 1\nfrom a\n{joins}\nwhere {more}true", joins=none, more=none).sql() == (
        "select 1\nfrom a\nwhere true"
    )
    assert own("select 1\n{one}\n{other}", one=none, other=none).sql() == "select 1"
    assert own("{one}\nselect 1", one=none).sql() == "select 1"
    nested = own("(\n    {rows}\n)", rows=own("{one}\nselect 1\n    {other}\nfrom a", one=none, other=none))
    assert nested.sql() == "(\n    select 1\n    from a\n)"


def test_a_section_is_a_piece_of_its_statements_file_and_a_dialect_has_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "sql", lambda: tmp_path)
    statement_file.piece.cache_clear()
    (tmp_path / "made.sql").write_text(
        "-- What is made.\nselect {all}\n\n-- section: all\n-- All.\ncount(*)\n\n-- section: one\n-- One.\n1\n\n"
        "-- section: one, dialect: mariadb\n-- One.\n'one'\n\n-- dialect: sqlite\n-- All that is.\nselect 2\n"
    )
    try:
        of_all = Statement("made", {"all": Statement("made#all")})
        assert [of_all.sql(dialect) for dialect in ("mariadb", "sqlite")] == ["select count(*)", "select 2"]
        assert [Statement("made#one").sql(dialect) for dialect in ("", "mariadb", "sqlite")] == ["1", "'one'", "1"]
        assert list(statement_file.names()) == ["made", "made#all", "made#one", "made.mariadb#one", "made.sqlite"]
        with pytest.raises(ValueError, match="made#two"):
            Statement("made#two").sql()
        (tmp_path / "twice.sql").write_text("-- section: one\n1\n-- section: one\n2\n")
        with pytest.raises(ValueError, match="two sections"):
            statement_file.pieces("twice")
    finally:
        statement_file.piece.cache_clear()


def test_pieces() -> None:
    assert As(Name("a"), Name("b")).sql() == '"a" as "b"'
    assert columns([Name("a"), Name("b")]).sql() == '"a",\n"b"'
    assert Literal("it's").sql() == "'it''s'"
    rows = pyarrow.table({"text": ["a'b", None], "number": [3, None], "truth": [True, None]})
    assert Constants(rows).sql() == "('a''b', 3, true),\n    (null, null, null)"
    assert "union all" in union_all([Statement("hierarchy/top"), Statement("hierarchy/top")]).sql()
