"""A mutant: one small change of one file."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from starcloak.statements import statement_file

_BEGINS = re.compile(rb"^-- section: (\w+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Change:
    """Bytes of a file from ``start`` to ``end`` that become others; ``function`` is the one around it, if any.

    ``within`` are the first and the last line of the statement of Python around it.
    """

    operator: str
    start: int
    end: int
    text: bytes
    function: str | None = None
    within: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Mutant:
    """A change of a file of a group.

    Its ``id`` stays when lines are added elsewhere: it is of its lines before and after, and of its number where other
    changes come to the same. ``content`` tells the file from what it was or will be.
    """

    id: str
    group: str
    file: str
    content: str
    change: Change
    line: int
    before: str
    after: str
    section: str | None = None

    def is_of_statement(self, path: str, dialect: str) -> bool:
        """True if the change is in the text of a statement or a section in a dialect. False for a test's own path."""
        _, _, name = path.partition("#")
        try:
            return self.section == name and self.file == f"sql/{statement_file.file_of(path, dialect)}.sql"
        except ValueError:
            return False

    def has_own(self, tests: str) -> bool:
        """True for a file of tests with the name of the changed file."""
        return PurePath(tests).name == f"test_{PurePath(self.file).stem}.py"

    def apply(self, content: bytes) -> bytes:
        """The file with the change."""
        return _changed(content, self.change)

    @property
    def told(self) -> str:
        """The change in one line."""
        return f"{self.file}:{self.line} {self.change.operator}: {_part(self.before, self.after)}"


def mutants(group: str, file: str, content: bytes, changes: Iterable[Change]) -> list[Mutant]:
    """The mutants of a file; changes that come to the same are one."""
    found: dict[bytes, Mutant] = {}
    alike: Counter[str] = Counter()
    whole = digest(content)
    for change in sorted(changes, key=lambda change: (change.start, change.end, change.operator, change.text)):
        after = _changed(content, change)
        if after == content or after in found:
            continue
        lines, mutated = _lines(content, change.start, change.end), _lines(after, change.start, _end(change))
        told = "\n".join([file, change.function or "", change.operator, lines, mutated])
        alike[told] += 1
        name = hashlib.sha256(f"{told}\n{alike[told]}".encode()).hexdigest()[:10]
        line = content.count(b"\n", 0, change.start) + 1
        found[after] = Mutant(name, group, file, whole, change, line, lines, mutated, _section(file, content, change))
    return list(found.values())


def digest(content: bytes) -> str:
    """What tells a file from what it was or will be."""
    return hashlib.sha256(content).hexdigest()[:16]


def _section(file: str, content: bytes, change: Change) -> str | None:
    """The name of the section of a statement's file that a change is in; empty for the statement itself."""
    if not file.endswith(".sql"):
        return None
    begun = _BEGINS.findall(content[: change.start])
    return begun[-1].decode() if begun else ""


def _changed(content: bytes, change: Change) -> bytes:
    return content[: change.start] + change.text + content[change.end :]


def _end(change: Change) -> int:
    return change.start + len(change.text)


def _lines(content: bytes, start: int, end: int) -> str:
    """The lines of some bytes, each without the spaces around it."""
    first = content.rfind(b"\n", 0, start) + 1
    last = content.find(b"\n", end)
    text = content[first : last if last >= 0 else len(content)].decode()
    return " ".join(" ".join(line.split()) for line in text.splitlines())


def _part(before: str, after: str) -> str:
    """What becomes what, with some of what is around it."""
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    same = next((block.size for block in blocks if block.a == block.b == 0), 0)
    left = max(0, same - 30)
    most = 110
    return f"`{before[left : left + most]}` → `{after[left : left + most]}`"
