"""Editing of a job's YAML file: comments and order are kept, and changes by other programs are not overwritten."""

from __future__ import annotations

import difflib
import hashlib
import io
import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from starcloak.base.column_names import ROLES
from starcloak.base.errors import JobError, OutputError
from starcloak.base.operating_system import is_private
from starcloak.commands.studio.open_decisions import is_of_comma, open_decisions, without_decision
from starcloak.job import document, load
from starcloak.job.algorithms import default
from starcloak.job.requirement import items_of
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import models as registered
from starcloak.store import staging

_BESIDE = ("from", "to", "max_suppressed", "suppressed", "importance", "nonconforming")  # settings of any hierarchy

_UNDOABLE = 100  # changes


class JobFile:
    """The job of a file, with unsaved changes in memory. Each method that changes the job can be undone.

    Raises :class:`~starcloak.base.errors.JobError` for a file without a valid job, and for a change that makes the job
    invalid: the job then stays unchanged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        #: For each change the text of the job before it, and a description of the change in words.
        self._before: list[tuple[str, str]] = []
        #: True if a change wrote values of the source into the job: then its file is private from now on.
        self._has_values = False
        self.text = ""
        self.reload()
        self._before.clear()

    def reload(self) -> None:
        """Load the job from disk and discard unsaved changes. The discarding can be undone."""
        job, saved = load(self.path), self._on_disk()
        self._remember(saved, "the file was loaded again, without the unsaved changes")
        self.job, self.saved, self.text = job, saved, saved
        self._document = _yaml().load(self.text)

    @property
    def undoable(self) -> str:
        """The last change, in words; empty if there is none to undo."""
        return self._before[-1][1] if self._before else ""

    def undo(self) -> None:
        """Undo the last change not yet undone. Raises :class:`JobError` if there is none."""
        if not self._before:
            raise JobError("nothing to undo: the job has no change since it was opened or reloaded")
        text, _ = self._before[-1]
        self.job = load(document.parse(text, where=str(self.path)), where=str(self.path), base=self.path.parent)
        self.text, self._document = text, _yaml().load(text)
        self._before.pop()

    def _remember(self, text: str, words: str) -> None:
        """Record the current text for :meth:`undo`, before it changes to ``text``; ``words`` describe the change."""
        if text != self.text:
            self._before = [*self._before[1 - _UNDOABLE :], (self.text, words)]

    @property
    def version(self) -> str:
        """Hash of the current job's text. A form sent from a page with another version is refused."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @property
    def is_changed(self) -> bool:
        """True if there are unsaved changes."""
        return self.text != self.saved

    @property
    def is_changed_on_disk(self) -> bool:
        """True if another program has changed or removed the file since it was loaded or saved."""
        try:
            return self._on_disk() != self.saved
        except JobError:
            return True

    @property
    def diff(self) -> str:
        """The unsaved changes, as a unified diff."""
        before, after = self.saved.splitlines(keepends=True), self.text.splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, after, self.path.name, self.path.name))

    def set_requirement(self, k: int, suppression: str) -> None:
        """Set k and suppression of the job's requirement."""
        self._change(lambda job: job["requirement"].update(k=k, suppression=_number(suppression)))

    def add_model(self, key: str, item: Mapping[str, Any]) -> None:
        """Add a privacy model to the job's requirement: ``item`` has its settings under the ``key``."""
        self._change(lambda job: _set_models(job["requirement"], key, [*_models(job, key), item]))

    def drop_model(self, key: str, at: int) -> None:
        """Remove a privacy model from the job's requirement, by its key and its index (from 0) under the key."""
        left = [item for place, item in enumerate(_models(self._document, key)) if place != at]
        self._change(lambda job: _set_models(job["requirement"], key, left))

    @property
    def models(self) -> list[tuple[str, int, str]]:
        """The privacy models except k-anonymity: key, index (from 0) under the key, and text in the job."""
        keys = [key for key in self._document["requirement"] if key in registered() and key != KAnonymity.key]
        return [(key, at, _line(item)) for key in keys for at, item in enumerate(_models(self._document, key))]

    def set_person(self, column: str) -> None:
        """Set the column that identifies persons; none for an empty name. The previous column becomes an identifier."""
        if self.job.as_set or len(self.job.persons) > 1:
            raise JobError(
                "the studio cannot change a person of several columns or with as: set: change the key person in the "
                "file"
            )
        role = self.role(column)
        without = _without(self.text, role, column) if role in ROLES else None
        self._change(lambda job: _set_person(job, column), without)

    def set_hierarchy(self, column: str, text: str) -> None:
        """Set a quasi-identifier's hierarchy from a text in YAML."""
        hierarchy = document.parse(text, where=f"the hierarchy of {column!r}")
        if hierarchy is None:
            raise JobError(f"the hierarchy of {column!r} is empty: give a hierarchy, such as suppress")
        self._own_hierarchies()
        self._change(lambda job: job["quasi_identifiers"].__setitem__(column, _flow(hierarchy)))

    def set_tree(self, column: str, tree: Mapping[str, Any]) -> None:
        """Set a quasi-identifier's hierarchy to a tree; the other settings of the previous hierarchy stay.

        The tree has values of the source.
        """
        before = self._own_hierarchies()[column]
        kept_keys = {key: before[key] for key in _BESIDE if isinstance(before, Mapping) and key in before}
        self._change(lambda job: job["quasi_identifiers"].__setitem__(column, _flow({"tree": tree, **kept_keys})))
        self._has_values = True

    def set_rules(self, column: str, given: Mapping[str, Any]) -> None:
        """Set a quasi-identifier's hierarchy from its settings."""
        self._own_hierarchies()
        self._change(lambda job: job["quasi_identifiers"].__setitem__(column, _flow(given)))

    def settings(self, column: str) -> Any:
        """The settings of a quasi-identifier's hierarchy in the job; None if the hierarchy is in a schema."""
        given = self._document["quasi_identifiers"]
        return given[column] if isinstance(given, Mapping) else None

    @property
    def open_decisions(self) -> dict[str, str]:
        """Decisions of the draft that the user has not taken yet: the doubt in words, by column."""
        return open_decisions(self.text)

    def decide(self, column: str, *, comma: bool = False) -> None:
        """Remove a column's decision from the list of open decisions in the file.

        With ``comma``, only the doubt about commas in numbers is removed, and other doubts about the column stay.
        """
        text = without_decision(self.text, column, comma=comma)
        if text == self.text:
            raise JobError(f"the job has no open decision about {column!r}: reload the page")
        is_open = column in open_decisions(text)
        self._change(lambda job: None if is_open else _confirm(job, [column]), _yaml().load(text))

    @property
    def unconfirmed(self) -> dict[str, list[str]]:
        """The columns of each role that stay as they were drafted, and that nobody has confirmed.

        A doubt about the meaning of commas has no answer in the draft, so its column is not among them.
        """
        doubts = self.open_decisions
        names = dict.fromkeys([*(self._document.get("drafted") or ()), *doubts])
        by_role: dict[str, list[str]] = {}
        for name in names:
            role = self.role(name)
            if role is not None and not is_of_comma(doubts.get(name, "")):
                by_role.setdefault(role, []).append(name)
        return by_role

    def confirm_all(self, role: str) -> None:
        """Confirm the draft of all columns of a role, as one change. Raises :class:`JobError` if none is left."""
        names, text = self.unconfirmed.get(role, []), self.text
        if not names:
            raise JobError(f"no column of the role {role!r} is left to confirm: reload the page")
        for name in names:
            text = without_decision(text, name)
        words = f"{len(names)} columns confirmed as {role.replace('_', '-')}: {', '.join(names)}"
        self._change(lambda job: _confirm(job, names), _yaml().load(text), words)

    def set_commas(self, column: str, meaning: str) -> None:
        """Set the meaning of commas in a column's numbers: ``thousands`` or ``decimal``; other cleaning rules stay."""
        if meaning not in ("thousands", "decimal"):
            raise JobError(f"{meaning!r} is not a meaning of a comma: choose thousands or decimal")
        given = (self._document.get("clean") or {}).get(column) or {}
        rules = {key: value for key, value in given.items() if key not in ("thousands", "decimal")}
        words = "a comma is between thousands" if meaning == "thousands" else "a comma is before decimals"
        text = without_decision(self.text, column, comma=True)
        self._change(lambda job: _clean(job, column, _line({**rules, meaning: ","}), words), _yaml().load(text))

    def set_levels(self, levels: Mapping[str, tuple[int, int | None]]) -> None:
        """Set the lowest and the highest released level of each quasi-identifier; a highest level of None is the top.

        An algorithm that uses no levels of hierarchies, only a value and *, is replaced by the default algorithm.
        """
        self._own_hierarchies()
        is_bounded = any(first or last is not None for first, last in levels.values())
        algorithm = {"name": default().name} if is_bounded and self.job.algorithm.one_step else None
        self._change(lambda job: _hold(job, levels, algorithm))

    def set_role(self, column: str, role: str, hierarchy: str) -> None:
        """Set the role of a column, or confirm its role. A new quasi-identifier gets the ``hierarchy``, a YAML text."""
        if role not in ROLES:
            raise JobError(f"{role!r} is not a role: choose one of {', '.join(ROLES)}")
        self._own_hierarchies()
        parsed = document.parse(hierarchy, where="the hierarchy")
        before = self.role(column)
        if before == "person":
            raise JobError(
                f"{column!r} identifies persons, so it has no other role: choose another column of persons under the "
                "requirement first"
            )
        text = without_decision(self.text, column)
        if role == before and column in (self._document.get("drafted") or ()):
            self._change(lambda job: _confirm(job, [column]), _yaml().load(text))
            return
        without = _yaml().load(text) if before is None else _without(text, before, column)
        self._change(lambda job: _give(job, column, role, parsed), without)

    def set_cleaning(self, column: str, rules: str | None, why: str = "") -> None:
        """Set the cleaning rules of a column from a text, with a remark ``why`` beside new ones; without rules, remove
        them.
        """
        if rules is None:
            self._change(lambda job: None, _without(self.text, "clean", column))
        else:
            self._change(lambda job: _clean(job, column, rules, why))

    def cleaning(self, column: str) -> str:
        """The cleaning rules of a column in the job, on one line; empty without rules."""
        rules_by_column = self._document.get("clean") or {}
        return _line(rules_by_column[column]) if column in rules_by_column else ""

    def hierarchy(self, column: str) -> str:
        """The hierarchy of a quasi-identifier in the job, on one line."""
        hierarchies = self._document["quasi_identifiers"]
        return _line(hierarchies[column]) if isinstance(hierarchies, Mapping) else "as the schema has it"

    def role(self, column: str) -> str | None:
        """The role of a column by its name in the job; "person" for a column that identifies persons."""
        if column in self.job.persons:
            return "person"
        return next((role for role in ROLES if column in (self._document.get(role) or ())), None)

    def save(self) -> None:
        """Write the job to its file. Raises :class:`~starcloak.base.errors.OutputError` if the file changed
        meanwhile.
        """
        if self.is_changed_on_disk:
            raise OutputError(
                f"{self.path.name} was changed by another program meanwhile: copy your changes from this page, then "
                "reload the file"
            )
        try:
            private = self._has_values or is_private(self.path)
            staging.write(self.path.resolve(), self.text, uuid.uuid4().hex, private=private)
        except OSError as error:
            raise OutputError(f"{self.path} cannot be written ({type(error).__name__}): check its folder") from None
        self.saved = self.text

    def _own_hierarchies(self) -> Mapping[str, Any]:
        """The quasi-identifiers in the job. Raises :class:`JobError` if they are in a schema."""
        hierarchies = self._document.get("quasi_identifiers")
        if not isinstance(hierarchies, Mapping):
            raise JobError(
                "the quasi-identifiers come from a schema, which the studio cannot change: write them into the file "
                "of the job"
            )
        return hierarchies

    def _on_disk(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise JobError(f"{self.path} cannot be read ({type(error).__name__}): check the path") from None

    def _change(self, change: Callable[[Any], object], edited: Any = None, words: str = "") -> None:
        """Apply a change to the job's YAML document; an invalid job raises an error and changes nothing.

        ``edited`` is the document to change, by default the current one. ``words`` describe the change for undo.
        """
        edited = _yaml().load(self.text) if edited is None else edited
        change(edited)
        text = io.StringIO()
        _yaml().dump(edited, text)
        where = str(self.path)
        self.job = load(document.parse(text.getvalue(), where=where), where=where, base=self.path.parent)
        self._remember(text.getvalue(), words or _difference(self.text, text.getvalue()))
        self.text, self._document = text.getvalue(), edited


def _difference(before: str, after: str) -> str:
    """The first line added by a change or, without an added line, the first removed one, after its sign + or -."""
    lines = [*difflib.unified_diff(before.splitlines(), after.splitlines(), n=0)][2:]
    changed = sorted((line for line in lines if line[:1] in "+-"), key=lambda line: line[0])
    return f"{changed[0][0]} {changed[0][1:].partition(' # ')[0].strip()}" if changed else ""


def _yaml() -> Any:
    from ruamel.yaml import YAML  # with the extra: starcloak[studio]

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1 << 20
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _confirm(job: Any, columns: Sequence[str]) -> None:
    """Record that the user decided on columns: remove them from the job's key ``drafted``."""
    if job.get("drafted"):
        for column in columns:
            job["drafted"].pop(column, None)
        job["drafted"] = job["drafted"] or _flow({})  # an empty block is no YAML


def _flow(node: Any) -> Any:
    """A value as a YAML node in flow style, so that it is written on one line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(node, Mapping):
        mapping = CommentedMap((key, _flow(value)) for key, value in node.items())
        mapping.fa.set_flow_style()
        return mapping
    if isinstance(node, Sequence) and not isinstance(node, str):
        listed = CommentedSeq(map(_flow, node))
        listed.fa.set_flow_style()
        return listed
    return node


def _hold(job: Any, levels: Mapping[str, tuple[int, int | None]], algorithm: Mapping[str, str] | None) -> None:
    """Set the lowest and the highest level of hierarchies (``from``, ``to``), and the ``algorithm`` of the job.

    There is no ``from`` for level 0, and no ``to`` for None. Without an ``algorithm``, the job's stays.
    """
    hierarchies = job["quasi_identifiers"]
    for name, (first, last) in levels.items():
        if isinstance(hierarchies[name], str):
            hierarchies[name] = _flow({hierarchies[name]: True})
        for key, level in (("from", first or None), ("to", last)):
            hierarchies[name].pop(key, None)
            if level is not None:
                hierarchies[name][key] = level
    if algorithm is None:
        return
    if isinstance(job["algorithm"], Mapping):  # which has the comment beside it
        named: Any = job["algorithm"]
        named.clear()
        named.update(algorithm)
    else:
        job["algorithm"] = _flow(algorithm)


def _line(value: Any) -> str:
    """A value as YAML text on one line."""
    text = io.StringIO()
    _yaml().dump(_flow(value), text)
    return text.getvalue().removesuffix("...\n").strip()


def _models(job: Mapping[str, Any], key: str) -> list[Any]:
    """The settings of each privacy model under a key of the job's requirement."""
    items = job["requirement"].get(key)
    return [] if items is None else list(items_of(next(iter(registered()[key].values())), items))


def _set_models(requirement: Any, key: str, items: Sequence[Any]) -> None:
    requirement.pop(key, None)
    if items:
        requirement[key] = _flow(items)


def _set_person(job: Any, column: str) -> None:
    """Set the column that identifies persons, a column without a role; with an empty name, remove the setting.

    The previous column of persons becomes an identifier.
    """
    for before in [job.pop("person")] if "person" in job else []:
        _give(job, before if isinstance(before, str) else before[0], "identifiers", None)
    if column:
        job.insert([*job].index("requirement"), "person", column)


def _number(text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise JobError("suppression must be a share of the rows from 0 to 1: give a number such as 0.01")
    return int(number) if number == int(number) else number


def _without(text: str, section: str, item: str) -> Any:
    """The document of a job without an item of a section. Remarks in lines of their own stay.

    Raises :class:`JobError` if the rest of the document refers to the item by an alias of YAML.
    """
    from ruamel.yaml.error import YAMLError

    job = _yaml().load(text)
    block, is_mapping = job[section], isinstance(job[section], Mapping)
    items, sections = [*block], [*job]
    if not block.fa.flow_style():
        lines, after = text.split("\n"), sections.index(section) + 1
        starts = [block.lc.data[name if is_mapping else place][0] for place, name in enumerate(items)]
        starts.append(job.lc.data[sections[after]][0] if after < len(sections) else len(lines))
        first, end = starts[items.index(item)], starts[items.index(item) + 1]
        while lines[end - 1].strip()[:1] in ("", "#") and end > first + 1:
            end -= 1
        try:
            job = _yaml().load("\n".join(lines[:first] + lines[end:]))
        except YAMLError:
            raise JobError(
                f"{item!r} cannot be moved, as another line of the file refers to its line by an alias: write the "
                "value in place of the alias into the file"
            ) from None
    else:
        (block.pop if is_mapping else block.remove)(item)
    job[section] = job[section] or _flow({} if is_mapping else [])  # an empty block is no YAML
    return job


def _give(job: Any, column: str, role: str, hierarchy: Any) -> None:
    """Add a column without a role to the list of a role; a quasi-identifier gets the ``hierarchy``."""
    if role == "quasi_identifiers":
        job[role][column] = _flow(hierarchy)
    elif job.get(role):
        job[role].append(column)
    else:
        job[role] = [column]


def _clean(job: Any, column: str, rules: str, why: str) -> None:
    """Set the cleaning rules of a column. New ones come first in their section, which stands after the source."""
    from ruamel.yaml.comments import CommentedMap

    rules_given = _yaml().load(rules)
    if "clean" not in job:
        job.insert([*job].index("source") + 1 if "source" in job else 0, "clean", CommentedMap())
    if not job["clean"]:
        job["clean"] = CommentedMap()
    if column in job["clean"]:
        job["clean"][column] = rules_given
    else:
        job["clean"].insert(0, column, rules_given, comment=why or None)
