"""The operators of mutation testing, on little samples and on the engine itself."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal

from benchmarks.mutants import campaign, checkout, places, python, sql
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
        ("one more", "LIMIT = 4"),
        ("one less", "LIMIT = 2"),
        ("one more", 'width: Annotated[int, "and"] = 2'),
        ("one less", 'width: Annotated[int, "and"] = 0'),
        ("one more", "def of(self, a: int = 3, *, flag: bool = True) -> list[int]:"),
        ("one less", "def of(self, a: int = 1, *, flag: bool = True) -> list[int]:"),
        ("true, false", "def of(self, a: int = 2, *, flag: bool = False) -> list[int]:"),
        ("<, <=", "if a <= LIMIT and not flag:"),
        ("and, or", "if a < LIMIT or not flag:"),
        ("negate", "if a < LIMIT and flag:"),
        ("negate", "if (not (a < LIMIT and not flag)):"),
        ("drop a statement", "pass"),
        ("drop an element", "self._told = [*range(a), *zip(self.each, strict=True)]"),
        ("drop an element", "self._told = [a, *zip(self.each, strict=True)]"),
        ("drop an element", "self._told = [a, *range(a)]"),
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


def test_a_seed_decides_the_sample() -> None:
    def sample(seed: int) -> list[str]:
        asked = campaign.Asked((places.REST,), (), (), 50, seed, 1, False, False, 1)
        return [mutant.id for mutant in campaign.chosen(asked)]

    assert sample(1) == sample(1) != sample(2)
    assert len(sample(1)) == 50


def test_runs_of_tests_fork_and_each_imports_what_it_finds(tmp_path: Path) -> None:
    """What a run changed, or imported, the next one knows nothing of; how each ended is told."""
    (tmp_path / "changing.py").write_text("VALUE = 1\n")
    (tmp_path / "test_it.py").write_text(
        "import os, changing\ndef test_it():\n    assert 'SEEN' not in os.environ\n    os.environ['SEEN'] = 'x'\n"
        "    assert changing.VALUE == int(os.environ['WANTED'])\n"
    )
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, str(checkout.INSIDE / "starcloak_forks.py")]
    with subprocess.Popen(command, cwd=tmp_path, stdin=-1, stdout=-1, env=environment, text=True, bufsize=1) as forks:
        assert forks.stdin is not None and forks.stdout is not None
        for value, wanted, code in ((1, "1", 0), (2, "2", 0), (2, "1", 1)):
            (tmp_path / "changing.py").write_text(f"VALUE = {value}\n")
            asked = {
                "arguments": ["-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path / "test_it.py")],
                "environment": {**environment, "WANTED": wanted},
                "output": str(tmp_path / "output"),
            }
            print(json.dumps(asked), file=forks.stdin)
            assert int(forks.stdout.readline()) != forks.pid
            assert int(forks.stdout.readline()) == code
            assert ("1 failed" if code else "1 passed") in (tmp_path / "output").read_text()


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
