"""The text of a job: YAML, values of the environment in it, and changes from the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from starcloak.base import frames, settings
from starcloak.base.errors import JobError, near_file

# ${NAME}, and $${NAME} for the text ${NAME} itself. Before YAML is read they become texts without braces, since a brace
# would end a plain text in {…}; a variable in a comment is then ignored.
_VARIABLE = re.compile(r"(\$?)\$\{([^}\n]*)\}")
_HELD = re.compile("\ue000(\\$?)([^\ue001]*)\ue001")
_ROWS = (
    ".csv",
    ".tsv",
    ".parquet",
    ".pq",
    ".jsonl",
    ".ndjson",
    ".gz",
    ".zst",
    ".xlsx",
    ".xlsm",
)  # how names of data files end
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Plain words for PyYAML's messages on common slips.
_PLAIN = {
    "character '\\t'": "the line has a tab: indent with spaces",
    "expected <block end>": (
        "the line does not continue the lines above: write lines of the form key: value, all with the same indentation"
    ),
    "expected ',' or": "a [ or { has no end, or a comma is missing: close it",
    "mapping values are not": (
        "the line has a second colon, or another indentation than the line above: put the text in quotes, or align the "
        "line"
    ),
    "that cannot start any token": "a text begins with a character that has a meaning in YAML: put the text in quotes",
    "undefined alias": "a text begins with *, which is a reference in YAML: put the text in quotes",
    "while scanning a quoted": "a quote has no end: close it",
    "found unexpected end of stream": "a quote, [ or { has no end: close it",
}
# The tag of words such as no and on. As a key, or in a list, such a word is meant as its text.
_TRUTH, _TEXT = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:str"
# The keys << and =, with a special meaning in a mapping.
_OF_MAPPINGS = ("tag:yaml.org,2002:merge", "tag:yaml.org,2002:value")


def read(path: Path) -> Any:
    """The content of a YAML file, with values of the environment in place of ``${NAME}``. Raises :class:`JobError`."""
    if path.suffix.lower() in _ROWS and path.is_file():
        raise JobError(
            f"{path} is a data file, not a job: write a first job for it with starcloak init {path} --into job.yaml"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise JobError(
            f"{path} is not a text in UTF-8, as a job must be: save the job as UTF-8, or let starcloak init write a "
            "first job for a table"
        ) from None
    except OSError as error:
        raise JobError(f"{path} {_unread(path, error)}") from None
    return parse(text, where=str(path))


def _unread(path: Path, error: OSError) -> str:
    """Text for a message: the reason for a failed read of a file, and the action to take."""
    if path.is_dir():
        jobs = sorted(file.name for ending in ("*.yaml", "*.yml") for file in path.glob(ending))
        return f"is a folder: give the path of a job in this folder, such as {path / (jobs[0] if jobs else 'job.yaml')}"
    if isinstance(error, FileNotFoundError):
        near = near_file(path)
        return f"is not there: check the path{near and '.' + near}"
    return f"cannot be read ({type(error).__name__}): check its permissions"


def parse(text: str, *, where: str) -> Any:
    """The content of a YAML text, with values of the environment in place of ``${NAME}``. Raises :class:`JobError`."""
    try:
        return yaml.load(_VARIABLE.sub("\ue000\\1\\2\ue001", text), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        if error.context_mark and "could not find expected ':'" in (error.problem or ""):
            line = error.context_mark.line + 1
            raise JobError(f"{where}, line {line}: {_without_colon(text.splitlines()[line - 1])}") from None
        problem = (error.problem or "not YAML").splitlines()[0]
        problem = next((plain for sign, plain in _PLAIN.items() if sign in problem), problem)
        reason = (
            (
                "the line has a tag of YAML (a word after !), which a job may not have: remove it, or put the text in "
                "quotes"
            )
            if "constructor for the tag" in problem
            else problem
        )
        raise JobError(f"{where}, line {line}: {reason}") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise JobError(f"{where} is not YAML: write lines of the form key: value") from None


def _without_colon(line: str) -> str:
    """The problem of a line without a colon behind its key, and the line to write."""
    key, *value = line.partition(" #")[0].split()
    right = f"{key}: {' '.join(value) or 'suppress'}" if line[:1].isspace() else "a line of the form key: value"
    return f"the line has no colon and space after its key: write {right}"


def with_changes(job_given: Any, changes: Sequence[str]) -> Any:
    """A job's mapping after changes, each a text such as ``requirement.k=10``.

    The text after ``=`` is YAML. An item of a list is addressed by its position, from 0. Raises :class:`JobError`.
    """
    for change in changes:
        place, equals, text = change.partition("=")
        keys = place.split(".")
        if not equals or not all(keys):
            raise JobError(
                f"--set {place} is not of the form KEY=VALUE: write the keys with points between them, = and a "
                "value, such as --set requirement.k=10"
            )
        job_given = _set(job_given, keys, parse(text, where=f"--set {place}"), place)
    return job_given


def _set(job_given: Any, keys: Sequence[str], value: Any, place: str) -> Any:
    if not keys:
        return value
    key, *rest = keys
    if isinstance(job_given, list):
        if not (key.isascii() and key.isdigit() and int(key) < len(job_given)):
            raise JobError(
                f"--set {place}: {key!r} is not a position of this list of {len(job_given)} items: give a whole "
                "number, counted from 0"
            )
        return [_set(item, rest, value, place) if at == int(key) else item for at, item in enumerate(job_given)]
    if job_given is not None and not isinstance(job_given, Mapping):
        raise JobError(
            f"--set {place}: the job has no keys there, so {key!r} cannot be set: set the key before {key!r} as a whole"
        )
    before = dict(job_given or {})
    return {**before, key: _set(before.get(key), rest, value, place)}


def _of_environment(node: yaml.ScalarNode, match: re.Match[str]) -> str:
    doubled, name = match.groups()
    if doubled:
        return f"${{{name}}}"
    value = os.environ.get(name, "") if _NAME.fullmatch(name) else ""
    if not value:
        missing = "is empty" if name in os.environ else "is not set"
        what = (
            f"the environment variable {name} {missing}: set it"
            if _NAME.fullmatch(name)
            else ("${…} has no valid name of an environment variable: give a name")
        )
        reason = f"{what}, or write $${{…}} if you mean the text itself"
        raise yaml.constructor.ConstructorError(None, None, reason, node.start_mark)
    return value


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with an error for a duplicate key and a bound on merge keys (``<<``)."""

    _merged = 0

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node: yaml.ScalarNode = super().compose_scalar_node(anchor)
        if "\ue000" in node.value:
            node.value = _HELD.sub(partial(_of_environment, node), node.value)
            if node.style is None:  # a plain one has the type of its text, as if written there
                node.tag = self.resolve(yaml.ScalarNode, node.value, (True, False))  # type: ignore[no-untyped-call]
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        # At every merge of a mapping into another one, before its keys are copied.
        self._merged += len(node.value)
        if self._merged > settings.MOST_VALUES:
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"merges (<<) give the job more than {settings.MOST_VALUES:,} keys: write the keys without merges",
                node.start_mark,
            )

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.tag == _TRUTH:
                key.tag = _TEXT
            # As the mapping has it: 0x1 is 1.
            key_value = key.value if key.tag in _OF_MAPPINGS else self.construct_object(key)
            if key_value in keys:
                reason = f"key {key.value!r} is given twice: remove one of the two lines"
                raise yaml.constructor.ConstructorError(None, None, reason, node.start_mark)
            keys.add(key_value)
        return super().construct_mapping(node, deep)

    def construct_sequence(self, node: yaml.SequenceNode, deep: bool = False) -> list[Any]:
        for item in node.value:
            if item.tag == _TRUTH:
                item.tag = _TEXT
        return super().construct_sequence(node, deep)


def refuse_data(value: Any, *, of_call: bool) -> None:
    """Raise :class:`JobError` for a data frame as a job; with ``of_call``, for any other type, too."""
    if isinstance(value, (Mapping, str, Path)):
        return
    if of_call or frames.is_frame(value) or hasattr(value, "to_pandas"):
        raise JobError(
            f"the first argument must be the job, and it is a {type(value).__name__}: give the job as a mapping or "
            "as the path of its file, and a data frame as a further argument, as in sc.run(job, frame=frame)"
        )
