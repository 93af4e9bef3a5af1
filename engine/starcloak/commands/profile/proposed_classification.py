"""Proposal of a ready-made classification as a column's hierarchy, if it has nearly all values of the column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starcloak.base.column_names import words
from starcloak.base.errors import HierarchyError
from starcloak.commands.profile.columns import Profile
from starcloak.hierarchy.classifications.registry import Classification, classifications

_KNOWN = 0.98  # share of the distinct values
_FEWEST = 9  # distinct values: fewer have one step to the top


def propose(profile: Profile, values: Sequence[tuple[str | None, int]]) -> tuple[dict[str, Any], str, int, None] | None:
    """Propose the classification with the most values of a column: its settings in a job, the reason, its height, no
    file.

    None if no classification has 98 % of the distinct values, if there are fewer than nine distinct values, or if the
    classification's package is not installed.
    """
    present = [text for text, _ in values if text is not None]
    if len(present) < _FEWEST:
        return None
    kinds = [kind for kind in classifications().values() if _is_likely(kind, profile, present)]
    known, kind = max(((_known(kind(), present), kind) for kind in kinds), key=lambda one: one[0], default=(0, None))
    if kind is None or known < _KNOWN * len(present):
        return None
    given: dict[str, Any] = {"classification": kind.key}
    if known < len(present):
        given["nonconforming"] = "missing"
    why = f"the classification {kind.key} knows {known:,} of {len(present):,} values"
    return given, why, len(kind.levels) + 1, None


def goes_by_classification(profile: Profile) -> bool:
    """True if the column's name suggests a classification."""
    return any(kind.proposed_for & set(words(profile.name)) for kind in classifications().values())


def _is_likely(kind: type[Classification], profile: Profile, present: Sequence[str]) -> bool:
    """True if the column's name or the pattern of its values suggests the classification.

    False for a classification that needs a file of the user.
    """
    if kind.needs_file or (kind.only_texts and not profile.column.is_text):
        return False
    if kind.proposed_for & set(words(profile.name)):
        return True
    form = kind.distinct_form
    return form is not None and sum(form.fullmatch(text) is not None for text in present) >= _KNOWN * len(present)


def _known(classification: Classification, present: Sequence[str]) -> int:
    try:
        return sum(classification.find(text) is not None for text in present)
    except HierarchyError:  # its package is not installed
        return 0
