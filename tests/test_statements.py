"""Every statement file: its header names each hole and bind, its lines are short, and Python uses it."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow
import pytest

from starcloak import catalogue, paths, statement
from starcloak.statement import As, Bind, Constants, Literal, Name, Number, Statement, columns, union_all

FILES = list(statement.files())
ENGINE = "\n".join(path.read_text() for path in Path(statement.__file__).parent.rglob("*.py"))


def text_of(file: str) -> tuple[str, str]:
    lines = (paths.sql() / f"{file}.sql").read_text().splitlines()
    header = [line for line in lines if line.startswith("--")]
    return "\n".join(header), "\n".join(line for line in lines if not line.startswith("--"))


@pytest.mark.parametrize("file", FILES)
def test_header_says_what_it_yields_and_names_every_hole_and_bind(file: str) -> None:
    header, body = text_of(file)
    assert header.splitlines()[0].endswith((".", ":", ",")) or len(header.splitlines()) > 1
    for hole in set(re.findall(r"\{(\w+)\}", body)):
        assert re.search(rf"^-- {hole} ", header, re.MULTILINE), f"hole {hole} is not in the header"
    for bind in set(re.findall(r"\$(\w+)", body)):
        assert re.search(rf"\${bind}\b", header), f"bind {bind} is not in the header"


@pytest.mark.parametrize("file", FILES)
def test_header_names_nothing_else(file: str) -> None:
    header, body = text_of(file)
    named = re.findall(r"^-- ([a-z_]\w*)  +\S", header, re.MULTILINE)
    assert set(named) <= set(re.findall(r"\{(\w+)\}", body))


@pytest.mark.parametrize("file", FILES)
def test_text_is_plain(file: str) -> None:
    header, body = text_of(file)
    assert all(len(line) <= 120 for line in (header + "\n" + body).splitlines())
    assert "\t" not in body
    assert not body.rstrip().endswith(";")
    # Keywords are lower case; a format string or a value in quotes may hold capitals.
    assert not re.search(r"\b(SELECT|FROM|WHERE|GROUP|JOIN)\b", re.sub(r"'[^']*'", "''", body))


# Named by a hierarchy's kind, an objective or a file's format.
CHOSEN = {"hierarchy/intervals", "hierarchy/digits", "hierarchy/dates", "hierarchy/suppress", "hierarchy/numeric"}
CHOSEN |= {"search/objective/precision", "search/objective/discernibility", "search/objective/average_class_size"}


@pytest.mark.parametrize("file", FILES)
def test_file_is_used(file: str) -> None:
    path = file.partition(".")[0]
    assert f'"{path}"' in ENGINE or path in CHOSEN


@pytest.mark.parametrize("file", [file for file in FILES if "." in file])
def test_a_dialects_own_text_differs_and_takes_no_other_holes(file: str) -> None:
    path, _, dialect = file.partition(".")
    assert dialect in ("postgresql", "mariadb", "sqlite")
    if path in FILES:
        own, common = (re.findall(r"\{(\w+)\}", text_of(each)[1]) for each in (file, path))
        assert set(own) <= set(common)
        assert text_of(file)[1] != text_of(path)[1]


@pytest.mark.parametrize("file", [file for file in re.findall(r'Statement\(\s*"([\w/]+)"', ENGINE)])
def test_python_names_only_files_that_are_there(file: str) -> None:
    assert file in {each.partition(".")[0] for each in FILES}


def test_readme_lists_every_statement_in_flow_order() -> None:
    text = (paths.sql() / "README.md").read_text()
    assert text == catalogue.catalogue(), "run make schemas"
    listed = re.findall(r"^\| `([\w/.]+)` ", text, re.MULTILINE)
    assert sorted(listed) == sorted(FILES)
    order = [catalogue.FLOW.index(folder) for file in listed if (folder := file.partition("/")[0]) in catalogue.FLOW]
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
    from starcloak import frequency
    from starcloak.frequency import Node
    from starcloak.star import Star

    star = Star(None, (), 0, 0)  # type: ignore[arg-type]
    node, beneath = Node(7, (1, 3), (2, 1)), Node(3, (1, 3), (1, 1))
    assert frequency.rollup(star, node, beneath=beneath, below=Name("frequency_below")).sql() == (
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


def test_pieces() -> None:
    assert As(Name("a"), Name("b")).sql() == '"a" as "b"'
    assert columns([Name("a"), Name("b")]).sql() == '"a",\n    "b"'
    assert Literal("it's").sql() == "'it''s'"
    rows = pyarrow.table({"text": ["a'b", None], "number": [3, None], "truth": [True, None]})
    assert Constants(rows).sql() == "('a''b', 3, true),\n    (null, null, null)"
    assert "union all" in union_all([Statement("hierarchy/top"), Statement("hierarchy/top")]).sql()
