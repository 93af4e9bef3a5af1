"""Tables for the documentation, in Markdown, generated from registered parts: nobody writes a list twice."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from starcloak.base.errors import HierarchyError
from starcloak.commands import schema
from starcloak.hierarchy.builder import builders
from starcloak.hierarchy.classifications.registry import Classification
from starcloak.hierarchy.classifications.registry import classifications as registered_classifications
from starcloak.measures.measure import every
from starcloak.privacy.model import PLAIN
from starcloak.privacy.model import models as registered
from starcloak.store.databases.registry import kinds


def models() -> str:
    """The privacy models: their key in a requirement, their condition, and the source of their definition."""
    lines = (
        (
            f"`{key}`" if kind == PLAIN else f"`{key}`, `kind: {kind}`",
            inspect.getdoc(model).split("\n")[0].rstrip("."),  # type: ignore[union-attr]
            model.source,
        )
        for key, kinds in registered().items()
        for kind, model in kinds.items()
    )
    return _table(("key", "what it asks", "definition"), lines)


def hierarchies() -> str:
    """The kinds of hierarchies as a table: the syntax in a job, and a value's texts from level 0 to the top."""
    return _table(
        ("hierarchy", "0 → 1 → … → top"), ((builder.form, builder.levels_read) for builder in builders().values())
    )


def classifications() -> str:
    """The ready-made classifications: values, levels, data and licence."""
    lines = (
        (f"`{kind.key}`", kind.title, " → ".join((*kind.levels, "\\*")), f"{_edition(kind)}{kind.source}", kind.licence)
        for kind in registered_classifications().values()
    )
    return _table(("name", "values", "1 → … → top", "data", "licence"), lines)


def _edition(kind: type[Classification]) -> str:
    """The edition of a classification's installed data, else the package to install; empty if the user gives a file."""
    if kind.needs_file:
        return ""
    try:
        return f"{kind().described}: "
    except HierarchyError:
        return f"{kind.package}: "


def hosts() -> str:
    """The kinds of databases as a table: example URL, means of reading a consistent snapshot, means of publishing."""
    lines = ((f"`{kind.example}`", kind.state, kind.published) for kind in kinds().values())
    return _table(("a url such as", "one state of the source by", "published by"), lines)


def measures() -> str:
    """The measures of a release: their key in the result, and their meaning."""
    return _table(("measure", "what it is"), ((f"`{measure.name}`", measure.description) for measure in every()))


def documents() -> dict[str, str]:
    """Every JSON document read or written, by the name of its schema: the content of its objects, key by key."""
    return {
        name: "\n".join(_object(part) for part in _objects(document)) for name, document in schema.exports().items()
    }


def _objects(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The object definitions of a JSON Schema, the root first, each one once, in the order of first use."""
    waiting, met = [document], set()
    while waiting:
        part = waiting.pop(0)
        if "$ref" in part:
            part = document["$defs"][part["$ref"].rpartition("/")[2]]
        if "properties" in part:
            if part["title"] in met:
                continue
            met.add(part["title"])
            yield part
        inner = [*part.get("anyOf", ()), *part.get("oneOf", ()), *part.get("properties", {}).values()]
        waiting += [
            *inner,
            *(part[key] for key in ("items", "additionalProperties") if isinstance(part.get(key), dict)),
        ]


def _object(part: Mapping[str, Any]) -> str:
    lines = (
        (
            f"`{key}`",
            _kind(value) + ("" if value.get("default") is None else f", by default {_literal(value['default'])}"),
            _about(value),
        )
        for key, value in part["properties"].items()
    )
    return f"**{part['title']}**: {_about(part)}\n\n{_table(('key', 'value', ''), lines)}"


def _about(part: Mapping[str, Any]) -> str:
    """A description on one line of Markdown."""
    return " ".join(part.get("description", "").replace("``", "`").split())


def _kind(value: Mapping[str, Any]) -> str:
    """The possible values in words: ``number, 0 … 1``, ``list of Class``, ``text or null``."""
    if "$ref" in value:
        return str(value["$ref"].rpartition("/")[2])
    if choices := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(dict.fromkeys(_kind(choice) for choice in choices))
    if "const" in value:
        return _literal(value["const"])
    if "enum" in value:
        return " or ".join(map(_literal, value["enum"]))
    if "properties" in value:
        return str(value["title"])
    if value.get("type") == "array":
        inner = value.get("prefixItems")
        return f"list of {' and '.join(map(_kind, inner)) if inner else _kind(value.get('items', {}))}"
    if value.get("type") == "object":
        of = value.get("additionalProperties")
        return f"mapping to {_kind(of)}" if isinstance(of, dict) else "mapping"
    least, most = (value.get(key, value.get(f"exclusive{key.capitalize()}", "")) for key in ("minimum", "maximum"))
    name = {"string": "text", "null": "null", "integer": "whole number", "boolean": "true or false"}
    kind = name.get(value.get("type", ""), value.get("type", "anything"))
    return f"{kind}, {least} … {most}".rstrip() if f"{least}{most}" else kind


def _literal(value: object) -> str:
    return f"`{json.dumps(value)}`"


def _table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    rows = (head, ("---",) * len(head), *lines)
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in rows)
