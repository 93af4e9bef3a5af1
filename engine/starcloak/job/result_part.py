"""Base class of the models that make up a result."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """Base class of the models that make up a result: frozen, and without unknown fields."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")
