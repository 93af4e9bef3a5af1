"""A job in a file, edited: comments and order stay, and what changed on disk meanwhile is not overwritten."""

from __future__ import annotations

import difflib
import io
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starcloak.base.column_names import ROLES
from starcloak.base.errors import JobError, OutputError
from starcloak.job import document, load
from starcloak.job.algorithms import default
from starcloak.store import staging


class JobFile:
    """The job of a file, with changes that are not saved yet.

    Raises :class:`~starcloak.base.errors.JobError` for a file that is no job, and for a change that makes it none: then
    it is as it was.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reload()

    def reload(self) -> None:
        """Take the job as it is on disk, without what was changed here."""
        self.job = load(self.path)
        self.saved = self._on_disk()
        self.text = self.saved
        self._document = _yaml().load(self.text)

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to save."""
        return self.text != self.saved

    @property
    def is_changed_on_disk(self) -> bool:
        """Whether somebody else has written the file, or removed it."""
        try:
            return self._on_disk() != self.saved
        except JobError:
            return True

    @property
    def diff(self) -> str:
        """What a save would change, as a unified diff."""
        before, after = self.saved.splitlines(keepends=True), self.text.splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, after, self.path.name, self.path.name))

    def set_requirement(self, k: int, suppression: str) -> None:
        """Ask for another k and suppression."""
        self._change(lambda job: job["requirement"].update(k=k, suppression=_number(suppression)))

    def set_hierarchy(self, column: str, text: str) -> None:
        """Give a quasi-identifier the hierarchy that a text says, as YAML."""
        given = document.parse(text, where=f"the hierarchy of {column!r}")
        if given is None:
            raise JobError(f"the hierarchy of {column!r} is empty: say one, such as suppress")
        self._change(lambda job: job["quasi_identifiers"].__setitem__(column, _flow(given)))

    def set_levels(self, levels: Mapping[str, int]) -> None:
        """Release each quasi-identifier at one level alone: it becomes the lowest and the highest of its hierarchy.

        Levels count from the lowest that the job allows now. An algorithm that looks at no such nodes gives way to
        the default one.
        """
        known = self.job.quasi_identifiers
        if not isinstance(self._document.get("quasi_identifiers"), Mapping):
            raise JobError("the quasi-identifiers are those of a schema: give levels in the file")
        taken = {name: (known[name].from_ or 0) + level for name, level in levels.items()}
        algorithm = None if self.job.algorithm.looks_at_nodes else {"name": default().name}
        self._change(lambda job: _hold(job, taken, algorithm))

    def set_role(self, column: str, role: str, hierarchy: str) -> None:
        """Give a column another role; as a quasi-identifier it has the ``hierarchy`` that a text says."""
        if role not in ROLES:
            raise JobError(f"{role!r} is no role: take one of {', '.join(ROLES)}")
        if not isinstance(self._document.get("quasi_identifiers"), Mapping):
            raise JobError("the quasi-identifiers are those of a schema: change roles in the file")
        self._change(lambda job: _move(job, column, role, document.parse(hierarchy, where="the hierarchy")))

    def hierarchy(self, column: str) -> str:
        """What the job says of the hierarchy of a quasi-identifier, on one line."""
        given = self._document["quasi_identifiers"]
        return _line(given[column]) if isinstance(given, Mapping) else "as the schema has it"

    def role(self, column: str) -> str | None:
        """The role that the job gives to a column by its name."""
        return next((role for role in ROLES if column in (self._document.get(role) or ())), None)

    def save(self) -> None:
        """Write the job to its file. Raises :class:`~starcloak.base.errors.OutputError` where another one is there."""
        if self.is_changed_on_disk:
            raise OutputError(f"{self.path.name} changed on disk meanwhile: reload it, or copy what you changed here")
        try:
            private = not self.path.stat().st_mode & 0o077
            staging.write(self.path.resolve(), self.text, uuid.uuid4().hex, private=private)
        except OSError as error:
            raise OutputError(f"{self.path} cannot be written ({type(error).__name__}): check its folder") from None
        self.saved = self.text

    def _on_disk(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise JobError(f"{self.path} cannot be read ({type(error).__name__}): check the path") from None

    def _change(self, change: Any) -> None:
        edited = _yaml().load(self.text)
        change(edited)
        text = io.StringIO()
        _yaml().dump(edited, text)
        where = str(self.path)
        self.job = load(document.parse(text.getvalue(), where=where), where=where, base=self.path.parent)
        self.text, self._document = text.getvalue(), edited


def _yaml() -> Any:
    from ruamel.yaml import YAML  # with the extra: starcloak[studio]

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1 << 20
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _flow(given: Any) -> Any:
    """A value as it is written on one line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(given, Mapping):
        mapping = CommentedMap((key, _flow(value)) for key, value in given.items())
        mapping.fa.set_flow_style()
        return mapping
    if isinstance(given, Sequence) and not isinstance(given, str):
        listed = CommentedSeq(map(_flow, given))
        listed.fa.set_flow_style()
        return listed
    return given


def _hold(job: Any, levels: Mapping[str, int], algorithm: Mapping[str, str] | None) -> None:
    """Let each hierarchy have one level, of which 0 has no ``from``; and the job another ``algorithm``."""
    hierarchies = job["quasi_identifiers"]
    for name, level in levels.items():
        if isinstance(hierarchies[name], str):
            hierarchies[name] = _flow({hierarchies[name]: True})
        hierarchies[name].pop("from", None)
        hierarchies[name].update({"from": level, "to": level} if level else {"to": level})
    if algorithm is None:
        return
    if isinstance(job["algorithm"], Mapping):  # which has the comment beside it
        named: Any = job["algorithm"]
        named.clear()
        named.update(algorithm)
    else:
        job["algorithm"] = _flow(algorithm)


def _line(given: Any) -> str:
    """A value on one line."""
    text = io.StringIO()
    _yaml().dump(_flow(given), text)
    return text.getvalue().removesuffix("...\n").strip()


def _number(text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        raise JobError("suppression is a share of the rows from 0 to 1, such as 0.01") from None
    return int(number) if number == int(number) else number


def _move(job: Any, column: str, role: str, hierarchy: Any) -> None:
    for other in ROLES:
        if column in (job.get(other) or ()):
            (job[other].pop if other == "quasi_identifiers" else job[other].remove)(column)
            if not job[other]:  # an empty block is no YAML
                job[other] = _flow([])
    if role == "quasi_identifiers":
        job[role][column] = _flow(hierarchy)
    elif job.get(role):
        job[role].append(column)
    else:
        job[role] = [column]
