"""Drafts of first jobs whose choice of an algorithm is not the point."""

from __future__ import annotations

from decimal import Decimal

import pytest

from starcloak.commands.profile import costs, trials


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No trial runs for a draft: its requirement and its algorithm are always the same, and no column costs much."""
    choice = trials.Choice(5, "witness", Decimal(0), None, [], 0)
    monkeypatch.setattr(trials, "choose", lambda *_: choice)
    monkeypatch.setattr(costs, "cost", lambda *_, **__: costs.Costs([], None, {}))
