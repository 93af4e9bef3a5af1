"""A tidy table, which others are to be read as."""

from __future__ import annotations

from typing import Any

import starcloak as sc

TIDY = "zip,sex,note\n11,m,ä\n11,m,\n21,f,é\n22,f,x\n"


def job(path: str = "people.csv", **source: Any) -> dict[str, Any]:
    return {
        "source": {"path": path, **source},
        "quasi_identifiers": {"zip": {"digits": 2}, "sex": "suppress"},
        "keep": ["note"],
        "requirement": {"k": 2},
    }


def released(described: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The lines of a release, in their order, and its warnings."""
    release = sc.run(described)
    return sorted(release.to_pandas().fillna("").agg(",".join, axis=1)), release.result.warnings
