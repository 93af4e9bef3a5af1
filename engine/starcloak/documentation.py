"""Tables for the documentation, in Markdown, of what registers itself: nobody writes a list twice."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from starcloak.hosts.registry import kinds
from starcloak.measures.measure import every
from starcloak.privacy.model import PLAIN
from starcloak.privacy.model import models as registered


def models() -> str:
    """The privacy models: their key in a requirement, what they ask, and where the definition is."""
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


def hosts() -> str:
    """The kinds of databases: their URLs, by what a run sees one state of the source, and what publishes."""
    lines = ((f"`{kind.example}`", kind.state, kind.published) for kind in kinds().values())
    return _table(("a url such as", "one state of the source by", "published by"), lines)


def measures() -> str:
    """The measures of a release: their key in the result, and what they are."""
    return _table(("measure", "what it is"), ((f"`{each.name}`", each.description) for each in every()))


def _table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    rows = (head, ("---",) * len(head), *lines)
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in rows)
