"""Hierarchies of all quasi-identifiers together: with one step, or with missing cells in place of suppressed ones."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic_core import PydanticCustomError

from starcloak.hierarchy.builder import Builder, build
from starcloak.hierarchy.suppress import Suppress


def one_step(kinds: Mapping[str, Builder]) -> dict[str, Builder]:
    """Hierarchies of one step from a value to its suppression, in place of the given ones, by column.

    A column with a highest permitted level (``to``) keeps its original values: its highest level is then 0.
    """
    return {
        name: build(Suppress, to=None if kind.to is None else 0, suppressed=kind.suppressed, importance=kind.importance)
        for name, kind in kinds.items()
    }


def without_labels(kinds: Mapping[str, Builder]) -> dict[str, Builder]:
    """The hierarchies with missing cells in place of suppressed ones, for an output with ``suppressed: null``."""
    for name, kind in kinds.items():
        if kind.numeric or kind.from_ is not None:
            raise PydanticCustomError(
                "suppressed",
                "output.suppressed: null does not go with {other} of {name}, as each cell is then either unchanged "
                "or missing: leave {other} or output.suppressed out, or write suppressed: null in the hierarchies "
                "of the other columns",
                {"name": repr(name), "other": "ranges" if kind.numeric else "from"},
            )
    return {name: kind.model_copy(update={"suppressed": None}) for name, kind in kinds.items()}
