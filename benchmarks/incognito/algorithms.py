"""The algorithms that the benchmarks compare: the one list of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starcloak.base.errors import JobError
from starcloak.job import load


@dataclass(frozen=True)
class Algorithm:
    """A search: its name in tables, what a job says of it, and whether it finds all k-anonymous generalizations."""

    name: str
    job: Mapping[str, Any]
    complete: bool = True

    @property
    def accepted(self) -> bool:
        """Whether this version of starcloak has it."""
        try:
            load({"quasi_identifiers": {"a": "suppress"}, "requirement": {"k": 2}, "algorithm": dict(self.job)})
        except JobError:
            return False
        return True


BASIC = Algorithm("Basic Incognito", {"name": "incognito", "variant": "basic"})
CUBE = Algorithm("Cube Incognito", {"name": "incognito", "variant": "cube"})
BOTTOM_UP = Algorithm("bottom-up, rollup", {"name": "bottom-up", "rollup": True})
WITNESS = Algorithm("witness", {"name": "witness"})

# In the order of the tables: ours, the paper's three, then those that it is compared with.
ALGORITHMS = (
    WITNESS,
    BASIC,
    Algorithm("Super-roots Incognito", {"name": "incognito", "variant": "super-roots"}),
    CUBE,
    Algorithm("binary search", {"name": "samarati"}, complete=False),
    BOTTOM_UP,
    Algorithm("bottom-up, no rollup", {"name": "bottom-up", "rollup": False}),
    Algorithm("Datafly", {"name": "datafly"}, complete=False),
)


def of(job: Mapping[str, Any], algorithm: Algorithm, suppression: str = "0") -> dict[str, Any]:
    """A job with another algorithm, and with the share of rows that may be left out."""
    return {
        **job,
        "algorithm": dict(algorithm.job),
        "requirement": {**job["requirement"], "suppression": suppression},
    }


def missing(algorithms: Sequence[Algorithm] = ALGORITHMS) -> list[str]:
    """The names of those that this version of starcloak does not have."""
    return [algorithm.name for algorithm in algorithms if not algorithm.accepted]


def absent(names: Sequence[str]) -> list[str]:
    """A paragraph that tells of algorithms that this version lacks; none where it has all."""
    return [f"\nNot in this version: {'; '.join(names)}."] if names else []
