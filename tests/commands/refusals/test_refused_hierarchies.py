"""A hierarchy that cannot be used is refused in one line on standard error: nothing written, no row's value told."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base import settings
from starcloak.base.errors import HierarchyError
from starcloak.commands import cli
from starcloak.job.document import parse
from tests.commands.refusals.refusing import CANARY, PEOPLE, Refused, database, job, write

# -------------------------------------------------------------------------------------------------------- hierarchies

LEAVES = f"{CANARY} 1;north;*\n{CANARY} 2;south;*\n"


def zip_by(**hierarchy: object) -> dict[str, Any]:
    return job(quasi_identifiers={"zip": hierarchy, "sex": "suppress"})


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (f"{CANARY} 1;north;*\n", ("1 value",)),
        ("51;north;*\n52;south;*\n", ("2 values",)),
        (f"{CANARY.lower()} 1;north;*\n{CANARY} 2;south;*\n", ("1 value",)),
        (LEAVES + f"{CANARY} 1;south;*\n", ("two parents", "zip.csv, lines 1 and 3")),
        (f"{CANARY} 1;north;*\n{CANARY} 2;south;+\n", ("last level has 2 values",)),
        (f"{CANARY} 1;north\n{CANARY} 2;south\n", ("last level has 2 values",)),
        (f"{CANARY} 1;a;north;*\n{CANARY} 2;a;south;*\n", ("level 1", "two parents")),
        (f"{CANARY} 1;a;north;*\n{CANARY} 2;b;north;+\n", ("two parents",)),
        (f"zip;area;all\n{LEAVES}", ("zip.csv, line 1 ends in another value than the other 2, as a header does",)),
        (f"zip;area;all\n\n{LEAVES}{CANARY} 3;south;*\n", ("line 1 ends in another value than the other 3",)),
        (f"{CANARY} 1\n{CANARY} 2\n", ("line 1: only one cell: write the levels beside the value",)),
        (f"north\n@{CANARY} 1\n@{CANARY} 2\n", ("line 1: only one cell", "another tool with @ for levels")),
        (f"{CANARY} 1,north,*\n", ("line 1: only one cell: give delimiter: ','",)),
        (f"{CANARY} 1\tnorth\t*\n", ("line 1: only one cell: give delimiter: '\\t'",)),
        (f'"{CANARY} 1;north;*"\n', ("line 1: only one cell: remove the quotes around the whole line",)),
        (f"{CANARY} 1;north;*\n{CANARY} 2;*\n", ("line 2: 2 cells, and line 1 has 3: give every line the same",)),
        (f"{CANARY} 1;north;*\n{CANARY} 2;a;south;*\n", ("line 2",)),
        (f'{CANARY} 1;north;*\n"{CANARY} 2;south;*\n', ("zip.csv",)),
        ("", ("no leaf",)),
        ("\n\n", ("no leaf",)),
    ],
    ids=lambda value: repr(value).replace(CANARY, "")[:50],
)
def test_a_hierarchy_file_that_is_no_hierarchy_is_refused(
    refused: Refused, content: str, says: tuple[str, ...]
) -> None:
    Path("zip.csv").write_text(content)
    refused("run", write(zip_by(csv="zip.csv")), says=("'zip'", *says))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("content", "warned"),
    [
        (LEAVES, ()),
        (LEAVES.replace(";", " ; "), ("blanks around cells of 2 lines were removed",)),
        (f"\t{CANARY} 1\xa0;north;*\n{CANARY} 2;south;*\n", ("blanks around cells of 1 line were removed",)),
        (f"{CANARY} 1;north;*\n{CANARY} 2;North;*\n", ("1 label has several spellings",)),
        (f"{CANARY} 1;far  north;*\n{CANARY} 2;far north;*\n", ("1 label has several spellings",)),
        (f"{CANARY} 1;north ;*\n{CANARY} 2;North;* \n", ("cells of 2 lines", "1 label has several spellings")),
    ],
    ids=lambda value: repr(value).replace(CANARY, "")[:50],
)
def test_blanks_around_cells_are_left_out_and_labels_of_several_spellings_named(
    content: str, warned: tuple[str, ...]
) -> None:
    Path("zip.csv").write_text(content)
    warnings = [warning for warning in sc.run(zip_by(csv="zip.csv")).result.warnings if "hierarchy of" in warning]
    assert len(warnings) == len(warned) and CANARY not in "".join(warnings)
    for warning, phrase in zip(warnings, warned, strict=True):
        assert warning.startswith("hierarchy of 'zip': zip.csv: ") and phrase in warning


def test_a_hierarchy_with_no_text_at_the_top_is_refused(refused: Refused) -> None:
    """Suppressed cells would be missing, and max_suppressed would not count them."""
    lines = {f"{CANARY} 1": ["north", None], f"{CANARY} 2": ["south", None]}
    refused("run", write(zip_by(levels=lines)), says=("'zip'", "its last level is missing", "suppressed: null"))


def test_a_hierarchy_file_that_cannot_be_read_is_refused(refused: Refused) -> None:
    Path("zip.csv").write_bytes(f"{CANARY} 1;café;*\n".encode("latin-1"))
    refused(
        "run", write(zip_by(csv="nowhere.csv")), says=("'zip'", "nowhere.csv is not there: give the path relative to")
    )
    for path, problem in ((".", "is a folder or a device"), ("zip.csv", "cannot be read")):
        refused("run", write(zip_by(csv=path)), says=("'zip'", problem))


@pytest.mark.parametrize("delimiter", ["\n", "\r", "\0", '"', "é"], ids=repr)
def test_a_hierarchy_file_with_a_delimiter_that_cannot_delimit_is_refused(refused: Refused, delimiter: str) -> None:
    Path("zip.csv").write_text(LEAVES)
    refused("run", write(zip_by(csv="zip.csv", delimiter=delimiter)), says=("zip",))


def test_a_hierarchy_of_too_many_levels_is_refused(refused: Refused) -> None:
    names = [f"name {level}" for level in range(65)]
    tree: Any = [f"{CANARY} 1", f"{CANARY} 2"]
    for name in names[1:]:
        tree = {name: tree}
    refused("run", write(zip_by(tree=tree)), says=("'zip'", "more than 64 levels above its leaves"))
    Path("zip.csv").write_text("".join(";".join([f"{CANARY} {leaf}", *names]) + "\n" for leaf in (1, 2)))
    refused("run", write(zip_by(csv="zip.csv")), says=("'zip'", "more than 64 levels above its leaves"))
    levels = ", ".join(f"'{name}' as \"{name}\"" for name in names)
    url = database(f"create table dim as select distinct zip, {levels} from people")
    described = zip_by(table="dim") | {"source": {"url": url, "table": "people"}}
    refused("run", write(described), says=("'zip'", "more than 64 levels above its leaves"))


def test_a_hierarchy_of_64_levels_is_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"name {level}" for level in range(64)]
    Path("zip.csv").write_text("".join(";".join([f"{CANARY} {leaf}", *names]) + "\n" for leaf in (1, 2)))
    monkeypatch.setattr(sys, "argv", ["starcloak", "run", write(zip_by(csv="zip.csv"))])
    cli.main()
    assert Path("release.csv").exists()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bound", ["MOST_LEAVES", "MOST_CHARACTERS"])
def test_a_hierarchy_that_builds_too_much_is_refused(
    refused: Refused, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long name is written out for every leaf under it, and a leaf near the top at every level."""
    Path("zip.csv").write_text(LEAVES)
    tree = {"north": [f"{CANARY} 1"], "south": [f"{CANARY} 2"]}
    built = {"MOST_LEAVES": 2, "MOST_CHARACTERS": len(LEAVES.replace(";", "").replace("\n", ""))}[bound]
    monkeypatch.setattr(settings, bound, built - 1)
    for described in (zip_by(csv="zip.csv"), zip_by(tree=tree)):
        refused("run", write(described), says=("'zip'", "more than", "leaves, or", "characters over all levels"))
    monkeypatch.setattr(settings, bound, built)
    for described in (zip_by(csv="zip.csv"), zip_by(tree=tree)):
        monkeypatch.setattr(sys, "argv", ["starcloak", "run", write(described), "--force"])
        cli.main()


def test_a_data_frame_of_too_many_leaves_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MOST_LEAVES", 2)
    people = pandas.DataFrame({"zip": ["11", "12"] * 2})
    for leaves, is_taken in ((["11", "12"], True), (["11", "12", "13"], False)):
        hierarchy = pandas.DataFrame({"zip": leaves, "top": "*"})
        with nullcontext() if is_taken else pytest.raises(HierarchyError, match="more than 2 leaves: give"):
            sc.anonymize(people, quasi_identifiers={"zip": hierarchy}, k=2)


@pytest.mark.usefixtures("in_time")
def test_a_hierarchy_file_without_an_end_is_refused(refused: Refused) -> None:
    refused("run", write(zip_by(csv="/dev/zero")), says=("'zip'", "/dev/zero is a folder or a device, not a file"))


@pytest.mark.parametrize(
    ("tree", "says"),
    [
        ({"north": [f"{CANARY} 1"]}, ("1 value",)),
        ({"north": [f"{CANARY} 1"], "south": [f"{CANARY} 1", f"{CANARY} 2"]}, ("two parents",)),
        ({"north": {"a": [f"{CANARY} 1"]}, "south": {"a": [f"{CANARY} 2"]}}, ("level 1", "two parents")),
    ],
    ids=["no leaf", "two parents", "level with two parents"],
)
def test_a_tree_that_is_no_hierarchy_is_refused(refused: Refused, tree: object, says: tuple[str, ...]) -> None:
    refused("run", write(zip_by(tree=tree)), says=("'zip'", *says))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("create table dim as select zip, '*' as top from people limit 1", ("1 value",)),
        ("create table dim as select zip, sex as up, '*' as top from people", ("two parents",)),
        ("create table dim as select distinct zip, sex from people", ("two parents",)),
        ("create table dim as select distinct zip, zip as top from people", ("last level has 2 values",)),
        ("create table dim as select distinct zip from people", ("only the column of leaves",)),
        ("create table dim as select distinct zip, '*' as top from people limit 0", ("2 values",)),
        ("create table dimm as select distinct zip, '*' as top from people", ("'dim'", "not in")),
        ("create view dim as select distinct zip, error(zip) as top from people", ("'dim'",)),
    ],
)
def test_a_dimension_table_that_is_no_hierarchy_is_refused(
    refused: Refused, statement: str, says: tuple[str, ...]
) -> None:
    place = {"url": database(statement), "table": "people"}
    refused("run", write(zip_by(table="dim") | {"source": place}), says=("'zip'", *says))


def test_a_dimension_table_of_a_source_without_a_database_is_refused(refused: Refused) -> None:
    refused("run", write(zip_by(table="dim")), says=("'zip'", "'dim'"))


@pytest.mark.parametrize("kind", ["csv", "tree", "table"])
def test_a_missing_value_without_a_declared_member_is_refused(refused: Refused, kind: str) -> None:
    url = database(
        "insert into people (sex) values ('f')",
        "create table dim as select distinct zip, '*' as top from people where zip is not null",
    )
    Path("zip.csv").write_text(LEAVES)
    hierarchies: dict[str, object] = {"csv": "zip.csv", "tree": {"all": [f"{CANARY} 1", f"{CANARY} 2"]}, "table": "dim"}
    place = {"url": url, "table": "people"}
    refused("run", write(zip_by(**{kind: hierarchies[kind]}) | {"source": place}), says=("'zip'", "missing values"))


def test_a_missing_value_declared_twice_is_refused(refused: Refused) -> None:
    Path("zip.csv").write_text(LEAVES + ";north;*\n;south;*\n")
    refused("run", write(zip_by(csv="zip.csv")), says=("'zip'", "two parents"))
    refused("run", write(zip_by(tree={"a": [None, f"{CANARY} 1"], "b": [None, f"{CANARY} 2"]})), says=("'zip'",))


def test_an_empty_text_is_not_the_missing_value(refused: Refused) -> None:
    Path("people.csv").write_text(PEOPLE + f'{CANARY},"",{CANARY},{CANARY}\n')
    Path("zip.csv").write_text(LEAVES + ";north;*\n")
    refused("run", write(zip_by(csv="zip.csv")), says=("'zip'", "1 value"))


@pytest.mark.parametrize("rule", [{"digits": 5}, {"dates": ["month"]}, {"intervals": [5, 10]}], ids=repr)
def test_values_that_do_not_fit_a_rule_are_refused(refused: Refused, rule: dict[str, object]) -> None:
    refused("run", write(zip_by(**rule)), says=("'zip'", "2 values"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ({"digits": 3}, "'1234'"),
        ({"digits": 3}, "'12'"),
        ({"digits": 3}, "''"),
        ({"digits": 3}, "1234"),
        ({"digits": 3}, "-12"),
        ({"digits": 3}, "1.5::double"),
        ({"digits": 3}, "12.5::decimal(3, 1)"),
        ({"digits": 3}, "true"),
        ({"digits": 3}, "date '2001-01-01'"),
        ({"dates": ["year"]}, "'2001-02-30'"),
        ({"dates": ["year"]}, "'31.12.2001'"),
        ({"dates": ["year"]}, "''"),
        ({"dates": ["year"]}, "'infinity'::date"),
        ({"dates": ["year"]}, "'infinity'::timestamp"),
        ({"dates": ["year"]}, "5"),
        ({"dates": ["year"]}, "true"),
        ({"dates": ["year"]}, "time '12:00'"),
        ({"intervals": [5]}, "'five'"),
        ({"intervals": [5]}, "'NaN'"),
        ({"intervals": [5]}, "'Infinity'"),
        ({"intervals": [5]}, "''"),
        ({"intervals": [5]}, "1e300"),
        ({"intervals": [5]}, "date '2001-01-01'"),
    ],
    ids=repr,
)
def test_a_value_that_does_not_fit_a_rule_is_refused(refused: Refused, rule: dict[str, object], values: str) -> None:
    url = database(f"create table patients as select * replace ({values} as zip) from people")
    refused("run", write(zip_by(**rule) | {"source": {"url": url, "table": "patients"}}), says=("'zip'",))


@pytest.mark.parametrize(
    "rule",
    [{"intervals": [10, 15]}, {"intervals": [10, 5]}, {"dates": ["year", "month"]}, {"dates": ["week", "month"]}],
)
def test_levels_that_do_not_nest_are_refused(refused: Refused, rule: dict[str, object]) -> None:
    says = "a multiple of the previous width" if "intervals" in rule else "name finer units first"
    refused("run", write(zip_by(**rule)), says=("zip", says))


def test_a_leaf_keeps_the_blanks_of_a_value_of_the_source() -> None:
    frame = pandas.DataFrame({"zip": [" 1", "1", " ", " 1", "1", " "]})
    Path("zip.csv").write_text(" 1;a;*\n 1 ;b;*\n ;c;*\n")
    asked = {"quasi_identifiers": {"zip": {"csv": "zip.csv", "from": 1}}, "requirement": {"k": 2}}
    assert sorted(sc.run(asked, frame=frame).to_pandas()["zip"]) == ["a", "a", "b", "b", "c", "c"]


def test_a_null_key_declares_the_missing_value_and_words_in_lists_are_texts() -> None:
    frame = pandas.DataFrame({"zip": ["no", "no", "SE", "SE", None, None]})
    text = "quasi_identifiers:\n  zip: {from: 1, levels: {no: [north], SE: [no], null: [off]}}\nrequirement: {k: 2}\n"
    released = sc.run(parse(text, where="job.yaml"), frame=frame).to_pandas()["zip"]
    assert sorted(released) == ["no", "no", "north", "north", "off", "off"]
