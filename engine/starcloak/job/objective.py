"""What a job has the chosen generalization minimize."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base.settings import Column, Settings

#: What an objective is called that is a weighted sum of levels.
WEIGHTS = "weights"


class Objective(Settings):
    """What the chosen generalization minimizes: one of the named measures, or the weighted sum of levels.

    ``weights`` gives a weight to some attributes; the others weigh 1.
    """

    minimize: Literal["height", "precision", "discernibility", "average_class_size", "distortion", "loss"] | None = None
    weights: dict[Column, Annotated[float, Field(ge=0, allow_inf_nan=False)]] | None = None

    @model_validator(mode="after")
    def _one_objective(self) -> Objective:
        if (self.minimize is None) == (self.weights is None):
            raise PydanticCustomError("objective", "give exactly one of minimize and weights")
        return self
