"""The operators of mutation testing, on little samples and on the engine itself."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal

import pytest
from benchmarks.mutants import campaign, checkout, places, probes, python, sql
from benchmarks.mutants.mutant import Change, mutants
from benchmarks.shared.process import ROOT

STATEMENT = """
-- Not a conjunct: where a and b.
select distinct 1 as one, count(distinct a) as many
from {left}
left join {right} as other
    on other.a = {left}.a
    and other.b is not distinct from {left}.b
where a <= 3
    and (b is null or c between 1 and 2)
    and {condition}
union all
select min(a), 'where x and y' from t where not d
"""

MODULE = '''
"""A text, if x and y: not this."""

from typing import Annotated

LIMIT = 3


class Some:
    width: Annotated[int, "and"] = 1

    def of(self, a: int = 2, *, flag: bool = True) -> list[int]:
        """Not this one."""
        if a < LIMIT and not flag:
            raise ValueError(f"too few: {a == 1}")
        self._told = [a, *range(a), *zip(self.each, strict=True)]
        self._wide = range(1, 4096) if a else "1 column"
        return [each for each in self._told if each] or [min(a, LIMIT)]
'''


def becomes(text: str, changes: list[Change]) -> set[tuple[str, str]]:
    """Each operator with the line that it makes."""
    return {(mutant.change.operator, mutant.after) for mutant in mutants("rest", "x", text.encode(), changes)}


def test_changes_of_a_statement() -> None:
    found = becomes(STATEMENT, list(sql.changes(STATEMENT.encode())))
    assert found == {
        ("drop distinct", "select 1 as one, count(distinct a) as many"),
        ("drop distinct", "select distinct 1 as one, count(a) as many"),
        ("one more", "select distinct 2 as one, count(distinct a) as many"),
        ("inner, left", "join {right} as other"),
        ("drop a conjunct", "on (true or (other.a = {left}.a))"),
        ("=, <>", "on other.a <> {left}.a"),
        ("drop a conjunct", "and (true or (other.b is not distinct from {left}.b))"),
        ("is not distinct from, =", "and other.b = {left}.b"),
        ("drop a conjunct", "where true"),
        ("<, <=", "where a < 3"),
        ("one more", "where a <= 4"),
        ("drop a conjunct", "and true"),
        ("drop a disjunct", "and (false or c between 1 and 2)"),
        ("drop a disjunct", "and (b is null or false)"),
        ("negate", "and (b is not null or c between 1 and 2)"),
        ("one more", "and (b is null or c between 2 and 2)"),
        ("one more", "and (b is null or c between 1 and 3)"),
        ("drop a conjunct", "and (true or ({condition}))"),
        ("union, union all", "union"),
        ("min, max, all, any, first, last", "select max(a), 'where x and y' from t where not d"),
        ("negate", "select min(a), 'where x and y' from t where d"),
        ("drop a conjunct", "select min(a), 'where x and y' from t where true"),
    }


def test_a_word_of_a_command_is_no_condition() -> None:
    for text in ("create or replace table a as select b", "drop table if exists a", "comment on table a is 'b'"):
        assert list(sql.changes(text.encode())) == []


def test_changes_of_a_module() -> None:
    found = becomes(MODULE, list(python.changes(MODULE.encode())))
    kept = "return [each for each in self._told if each] or [min(a, LIMIT)]"
    assert found == {
        ("true, false", "def of(self, a: int = 2, *, flag: bool = False) -> list[int]:"),
        ("<, <=", "if a <= LIMIT and not flag:"),
        ("and, or", "if a < LIMIT or not flag:"),
        ("negate", "if a < LIMIT and flag:"),
        ("negate", "if (not (a < LIMIT and not flag)):"),
        ("drop a statement", "pass"),
        ("drop an element", "self._told = [*range(a), *zip(self.each, strict=True)]"),
        ("drop an element", "self._told = [a, *zip(self.each, strict=True)]"),
        ("drop an element", "self._told = [a, *range(a)]"),
        ("negate", 'self._wide = range(1, 4096) if (not (a)) else "1 column"'),
        ("one more", 'self._wide = range(2, 4096) if a else "1 column"'),
        ("one less", 'self._wide = range(0, 4096) if a else "1 column"'),
        ("negate", kept.replace("if each", "if (not (each))")),
        ("and, or", kept.replace("or [", "and [")),
        ("min, max, all, any, first, last", kept.replace("min", "max")),
    }


def test_a_change_knows_the_function_that_cpython_calls() -> None:
    text = dedent(
        """
        def one():
            def two():
                return 1
            class Three:
                def four(self): return 2
            return 3
        """
    )
    found = {change.text: change.function for change in python.changes(text.encode()) if change.operator == "one more"}
    assert found == {b"2": "one.<locals>.two", b"3": "one.<locals>.Three.four", b"4": "one"}


def test_every_mutant_of_the_engine_has_a_name_of_its_own_and_can_be_read() -> None:
    asked = campaign.Asked((*places.GROUPS, places.REST), (), (), 10**6, 1, 1, False, False, 1)
    listed = campaign.chosen(asked)
    assert len({mutant.id for mutant in listed}) == len(listed) > 5000
    assert {mutant.group for mutant in listed} == {*places.GROUPS, places.REST}
    for mutant in random.Random(1).sample([each for each in listed if each.file.endswith(".py")], 100):
        compile(mutant.apply((ROOT / mutant.file).read_bytes()), mutant.file, "exec")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine of one file."""
    monkeypatch.setattr(places, "files", lambda: {places.REST: ["engine/starcloak/commands/pipeline.py"]})


@pytest.mark.usefixtures("few")
def test_a_seed_decides_the_sample() -> None:
    def sample(seed: int) -> list[str]:
        asked = campaign.Asked((places.REST,), (), (), 50, seed, 1, False, False, 1)
        return [mutant.id for mutant in campaign.chosen(asked)]

    assert sample(1) == sample(1) != sample(2)
    assert len(sample(1)) == 50


ENGINE = """
import functools

SCALE = 2

@functools.cache
def held(value):
    return value == 1

class Some:
    def of(self, value):
        return [each for each in range(value) if each > 1]
"""
TEXTS = """
import functools, pathlib

@functools.cache
def text():
    return pathlib.Path("held.sql").read_text()
"""
FREEZES = """
import gc

def pytest_collection_finish():
    gc.freeze()
"""
TESTS = """
import os, module, starcloak_texts
assert starcloak_texts.text()
def test_one(): assert module.held(1)
def test_two():
    assert "SEEN" not in os.environ
    os.environ["SEEN"] = "x"
    assert module.Some().of(3) == [2] and module.SCALE == 2
def test_three(): assert starcloak_texts.text() == "select 1"
"""


def test_runs_of_tests_fork_and_find_what_was_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed function takes the place of the one that was imported, a text is read again; else all is imported anew.

    Also where what was imported is out of the garbage collector's sight.
    """
    monkeypatch.setattr(checkout, "PLACE", tmp_path / "place")
    monkeypatch.setattr(checkout, "_PARTS", [])
    copy = checkout.Checkout(1)
    files = {"module.py": ENGINE, "starcloak_texts.py": TEXTS, "held.sql": "select 1", "conftest.py": FREEZES}
    for name, text in {**files, "test_it.py": TESTS}.items():
        (copy.path / name).write_text(text)
    names = ("one", "two", "three")
    planned = [checkout.Planned(f"test_it.py::test_{name}", "test_it.py", 30, False) for name in names]
    copy.found(["test_it.py"], servers=False)
    ended = {
        "": ("passed", ""),
        "== 1|!= 1": ("failed", "test_it.py::test_one"),
        "> 1|>= 1": ("failed", "test_it.py::test_two"),
        "SCALE = 2|SCALE = 3": ("failed", "test_it.py::test_two"),
        "each > 1|each > 1 and True": ("passed", ""),
        "select 1|select 2": ("failed", "test_it.py::test_three"),
    }
    try:
        for change, told in ended.items():
            before, _, after = change.partition("|")
            file = "held.sql" if before.startswith("select") else "module.py"
            content = files[file].encode()
            with copy.changed(file, content.replace(before.encode(), after.encode(), 1)):
                ran = copy.test(planned, checkout.Changed(file, content) if before else None, limit=60)
            assert (ran.ended, ran.by) == told, change
    finally:
        copy.close()


def test_probes_tell_what_is_reached_and_change_nothing_else(tmp_path: Path) -> None:
    text = probes.with_probes("a.py", f'"""Says."""\nfrom __future__ import annotations\n{ENGINE}', lines=True)
    reached: list[str] = []
    monkeyed = type(sys)("starcloak_reach")
    monkeyed.at = reached.append  # type: ignore[attr-defined]
    sys.modules["starcloak_reach"] = monkeyed
    try:
        made: dict[str, Any] = {}
        exec(compile(text, "a.py", "exec"), made)
    finally:
        del sys.modules["starcloak_reach"]
    assert made["__doc__"] == "Says." and not reached
    assert made["Some"]().of(3) == [2]
    assert reached == ["a.py:Some.of", "a.py:14"]


@pytest.mark.usefixtures("few")
def test_what_was_not_tried_is_told_and_does_not_hold() -> None:
    asked = campaign.Asked((places.REST,), (), (), 4, 1, 1, False, False, 1, 0)
    listed = campaign.chosen(asked)
    ended: list[Literal["killed", "survived"]] = ["killed", "killed", "survived", "killed"]
    fates = {
        mutant.id: campaign.Fate(mutant.id, mutant.content, end, "", "", 1, 1.0)
        for mutant, end in zip(listed, ended, strict=True)
    }

    def document(tried: int) -> dict[str, Any]:
        some = {mutant.id: fates[mutant.id] for mutant in listed[:tried]}
        return {**campaign.document(asked, listed, some, {}), "command": "", "commit": ""}

    assert document(2)["groups"]["rest"] == {"mutants": 4, "tried": 2, "killed": 2, "explained": 0, "survived": 0}
    assert "* 2 of 4 of the sample of the rest tried: 2 killed\n" in campaign.markdown(document(2))
    assert not campaign.holds(document(2))
    assert not campaign.holds(document(4))  # three of four are less than nine of ten
    why = {listed[2].id: "no test can tell"}
    assert campaign.holds({**campaign.document(asked, listed, fates, why)})
