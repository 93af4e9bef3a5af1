"""What a job may set of Samarati's binary search."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.search.algorithm import LEFEVRE, Algorithm, register


@register
class Samarati(Algorithm):
    """One full-domain generalization of the lowest height, by binary search (section 2.2)."""

    several_qids: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = f"Samarati 2001, as {LEFEVRE}, section 2.2, tells"
    guarantee: ClassVar[str] = "one generalization of the lowest height"
    when: ClassVar[str] = "where any one of the lowest height will do"

    name: Literal["samarati"] = "samarati"
