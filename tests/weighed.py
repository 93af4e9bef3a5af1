"""Jobs whose columns are not equally important."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def beside(hierarchies: Mapping[str, Any], importance: Mapping[str, Any]) -> dict[str, Any]:
    """Hierarchies with the importance of some columns beside them."""
    given = {name: {kind: True} if isinstance(kind, str) else kind for name, kind in hierarchies.items()}
    return {
        name: {**given[name], "importance": importance[name]} if name in importance else kind
        for name, kind in hierarchies.items()
    }


def by_height(job: Mapping[str, Any], importance: Mapping[str, Any]) -> dict[str, Any]:
    """A job whose objective is the sum of the levels, each times the importance of its column."""
    columns = beside(job["quasi_identifiers"], importance)
    return {**job, "quasi_identifiers": columns, "objective": {"minimize": "height"}}
