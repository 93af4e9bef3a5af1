"""Proposal of a refresh, with its claims and the data kept for the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starcloak.companions.refresh.recount import Departures, Nights
from starcloak.job.result import Refreshing
from starcloak.releases.proposal import Proposal
from starcloak.statements.statement import Name
from starcloak.verify.claim import Clause


@dataclass(frozen=True)
class Refreshed:
    """A proposal, the relation ``shown`` of shown rows with their cells, and the ``counts`` of the result.

    ``about`` is kept for the next refresh, to recognize rows or persons.
    """

    proposal: Proposal
    counts: Refreshing
    shown: Name
    about: Mapping[str, Any] = field(default_factory=dict)
    departures: Departures | None = None
    nights: Nights | None = None

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses counted by the verifier beside its own."""
        return tuple(recounted.clause for recounted in (self.departures, self.nights) if recounted is not None)
