"""Part of a result."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """Part of a result: frozen, without unknown fields."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")
