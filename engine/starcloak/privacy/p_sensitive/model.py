"""p-sensitive k-anonymity (Truta, Vinay 2006): the condition of distinct l-diversity under its own name."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StrictInt

from starcloak.privacy.l_diversity.model import Distinct
from starcloak.privacy.model import register


@register
class PSensitive(Distinct):
    """Every class has at least ``p`` distinct values of a sensitive ``attribute``. The missing value is no value."""

    key: ClassVar[str] = "p_sensitive"
    source: ClassVar[str] = "Truta, Vinay 2006, p-sensitive k-anonymity"

    p: Annotated[StrictInt, Field(ge=2)]

    @property
    def least(self) -> int:
        return self.p
