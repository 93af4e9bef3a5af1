"""A toy classification: players of two teams."""

from __future__ import annotations

from typing import ClassVar

from starcloak.hierarchy.classifications.registry import Classification, CodeEntry, register

_TEAMS = {"ann": "red team", "bob": "red team", "cid": "blue team"}


@register
class Teams(Classification):
    """Players with their team."""

    key: ClassVar[str] = "teams"
    title: ClassVar[str] = "players of two teams"
    source: ClassVar[str] = "made up"
    licence: ClassVar[str] = "CC0"
    levels: ClassVar[tuple[str, ...]] = ("team",)

    @property
    def edition(self) -> str:
        return "teams, season 1"

    def find(self, value: str) -> CodeEntry | None:
        player = value.strip().casefold()
        return CodeEntry(player, (_TEAMS[player],)) if player in _TEAMS else None
