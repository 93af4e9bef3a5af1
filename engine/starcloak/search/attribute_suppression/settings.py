"""Settings of attribute suppression in a job."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LARGEST_SEARCHED, LEFEVRE, Algorithm, register


@register
class AttributeSuppression(Algorithm):
    """Attribute suppression: an attribute stays unchanged or is suppressed (LeFevre, DeWitt, Ramakrishnan 2005, section
    5.1.1).

    All choices that satisfy the requirement are found, as full-domain generalizations of one-step hierarchies. The
    job's own hierarchies are not used.
    """

    several_qids: ClassVar[bool] = True
    largest_lattice: ClassVar[int | None] = LARGEST_SEARCHED
    one_step: ClassVar[bool] = True
    takes_importance: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "attribute suppression"
    sources: ClassVar[str] = f"{LEFEVRE}, section 5.1.1; witness search"
    guarantee: ClassVar[str] = "all choices that satisfy the requirement; the objective picks among them"
    when: ClassVar[str] = "to learn which columns could stay as they are"

    name: Literal["attribute-suppression"] = "attribute-suppression"
