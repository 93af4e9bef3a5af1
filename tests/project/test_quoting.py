"""What a user's own text becomes in a statement, and where what fills a hole comes to stand."""

from __future__ import annotations

import pyarrow
import pytest

from starcloak.statements.statement import (
    As,
    Bind,
    Constants,
    Hole,
    Joined,
    Literal,
    Name,
    Number,
    Query,
    Reference,
    Statement,
    Type,
    columns,
    conditions,
    heading,
    join,
    lines,
    path_of,
    union_all,
)
from starcloak.store.databases.registry import kinds

kinds()  # by which the dialects of all databases are known
NONE = lines(())
SEVERAL = Statement.of_text("own", "(\n    1\n)")  # of several lines


def own(text: str, **holes: Hole) -> Statement:
    """A statement that has no file."""
    return Statement.of_text("own", text, **holes)


@pytest.mark.parametrize("parts", [(), ("",), ("a", ""), ("", "a"), ("a", "b\0"), ("a\0", "b"), ("a", 1)])
def test_every_part_of_a_name_is_looked_at(parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="name"):
        Name(*parts)


@pytest.mark.parametrize(
    ("dialect", "literal", "constants"),
    [
        ("", "'a\\''b'", ["'a\\b'", "'it''s'", "'x\ry'", "'x\0y'", "null"]),
        ("postgresql", "'a\\''b'", ["'a\\b'", "'it''s'", "'x\ry'", "'x\0y'", "null"]),
        ("mariadb", "'a\\''b'", ["'a\\b'", "'it''s'", "_utf8mb4 x'780d79'", "_utf8mb4 x'780079'", "null"]),
        ("sqlite", "'a\\''b'", ["'a\\b'", "'it''s'", "cast(x'780d79' as text)", "cast(x'780079' as text)", "null"]),
        (
            "spark",
            "'a\\\\''b'",
            ["'a\\\\b'", "'it''s'", "cast(x'780d79' as string)", "cast(x'780079' as string)", "null"],
        ),
    ],
)
def test_a_text_in_each_dialect(dialect: str, literal: str, constants: list[str]) -> None:
    assert Literal("a\\'b").sql(dialect) == literal
    texts = pyarrow.table({"text": ["a\\b", "it's", "x\ry", "x\0y", None]})
    assert Constants(texts).sql(dialect) == "(" + "),\n    (".join(constants) + ")"


def test_a_name_in_each_dialect() -> None:
    assert Name('a"`', "b").sql() == '"a""`"."b"'
    assert Name('a"`', "b").sql("spark") == '`a"```.`b`'


@pytest.mark.parametrize(
    ("parts", "template"), [(("a",), "{{ ref('a') }}"), (("a", "b_1"), "{{ source('a', 'b_1') }}")]
)
def test_a_reference_is_of_one_or_two_names(parts: tuple[str, ...], template: str) -> None:
    assert Reference(parts).sql() == template


@pytest.mark.parametrize("parts", [(), ("a", "b", "c"), ("a'",), ("a", "b'"), ("a'", "b"), ("ä",), ("a}}", "b"), ("",)])
def test_a_reference_is_of_nothing_else(parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="one or two names"):
        Reference(parts)


def test_each_of_several_pieces_is_indented_as_its_own_line() -> None:
    for joined, text in (
        (columns([SEVERAL, SEVERAL]), "(\n    1\n  ),\n  (\n    1\n  )"),
        (conditions([SEVERAL, SEVERAL]), "(\n    1\n  )\n      and (\n          1\n      )"),
        (Joined((SEVERAL, SEVERAL), ", "), "(\n    1\n  ), (\n    1\n  )"),
    ):
        expected = text.replace("(\n    1", "(\n      1")
        assert own("a\n  {joined}", joined=joined).sql() == f"a\n  {expected}"
    assert conditions([SEVERAL, SEVERAL]).sql() == "(\n    1\n)\n    and (\n        1\n    )"
    assert Joined((SEVERAL, SEVERAL), ", ").sql() == "(\n    1\n), (\n    1\n)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select 1\n{none}{a}", 'select 1\n"a"'),
        ("select 1\n{a}{none}\nfrom t", 'select 1\n"a"\nfrom t'),
        ("select 1\n{none}{none}\nfrom {a}", 'select 1\n\nfrom "a"'),
        ("select 1\n{none}true, {a}", 'select 1\ntrue, "a"'),
        ("select {a}\n{none}true", 'select "a"\ntrue'),
        ("select {a}\nfrom {none}\nwhere true", 'select "a"\nfrom \nwhere true'),
        ("select {a}\n    {none}\nwhere true", 'select "a"\nwhere true'),
        ("select {a} {none}", 'select "a" '),
        ("select {a}\n{none}\n{none}", 'select "a"'),
        ("{none}\nselect {a}", 'select "a"'),
    ],
)
def test_a_line_is_left_out_where_nothing_else_is_in_it(text: str, expected: str) -> None:
    assert own(text, none=NONE, a=Name("a")).sql() == expected


def test_a_bind_stays_apart_and_goes_by_its_name() -> None:
    statement = own("select $k\n    $other_k\nfrom {a}", a=Name("$a"))
    assert statement.sql() == 'select $k\n    $other_k\nfrom "$a"'
    composed = statement.compose()
    assert [piece for piece in composed if isinstance(piece, Bind)] == [Bind("k"), Bind("other_k")]
    assert join(composed) == statement.sql()


def test_a_statement_opens_with_its_name_and_the_first_sentence_of_its_header() -> None:
    first, text = Statement("hierarchy/top"), "-- What */ is\n-- made. Not this.\nselect 1"
    assert heading(own(text)) == "-- own: What is made\n"
    assert heading(Joined((Name("a"), Statement.of_text("own", text), first), "")) == "-- own: What is made\n"
    assert heading(lines([Name("a")])) == ""
    assert heading(first).startswith("-- hierarchy/top: ")
    assert [path_of(each) for each in (first, lines([first]), lines([Name("a")]))] == ["hierarchy/top"] * 2 + ["query"]


@pytest.mark.parametrize(
    "name", ['a"b', "drop table x; --", "Ünïcode ☃", "select", " ", "a.b", "$k", "{hole}", "%s", ":k"]
)
def test_hostile_names_are_quoted(name: str) -> None:
    sql = Statement("hierarchy/domain", value=Name(name), base=Name("base")).sql()
    assert '"' + name.replace('"', '""') + '"' in sql


def test_a_hole_takes_no_string_and_no_hole_is_left_open() -> None:
    with pytest.raises(ValueError, match="holes"):
        Statement("hierarchy/domain", value=Name("v")).sql()
    with pytest.raises(ValueError, match="holes"):
        Statement("hierarchy/domain", value=Name("v"), base=Name("b"), more=Name("m")).sql()
    with pytest.raises(AttributeError):
        Statement("hierarchy/domain", value="v; drop", base=Name("b")).sql()  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        Number("1; drop")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="bind"):
        Bind("a b")


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
def test_a_line_break_of_the_users_own_stays_as_it_is(leaf: Hole) -> None:
    assert "a\nb" in own("select (\n    {leaf}\n)", leaf=own("(\n    {leaf}\n)", leaf=leaf)).sql()


def test_a_line_is_left_out_within_a_piece_of_several_lines() -> None:
    nested = own("(\n    {rows}\n)", rows=own("{one}\nselect 1\n    {other}\nfrom a", one=NONE, other=NONE))
    assert nested.sql() == "(\n    select 1\n    from a\n)"


def test_pieces() -> None:
    assert As(Name("a"), Name("b")).sql() == '"a" as "b"'
    assert columns([Name("a"), Name("b")]).sql() == '"a",\n"b"'
    assert Literal("it's").sql() == "'it''s'"
    rows = pyarrow.table({"text": ["a'b", None], "number": [3, None], "truth": [True, None]})
    assert Constants(rows).sql() == "('a''b', 3, true),\n    (null, null, null)"
    assert "union all" in union_all([Statement("hierarchy/top"), Statement("hierarchy/top")]).sql()
