"""The result of an explanation as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from starcloak.base import small_counts, violation_text
from starcloak.commands.explanation.result import Explanation, Lower


def of(explanation: Explanation) -> str:
    """An explanation as lines of text."""
    return "\n".join(_lines(explanation))


def _lines(explanation: Explanation) -> Iterator[str]:
    levels = _levels(explanation, explanation.levels)
    lowest = "" if explanation.model == "full-domain" else "from "
    yield f"chosen      {lowest}{levels}; loss {explanation.loss:.4f}, by {explanation.algorithm} ({explanation.model})"
    for lower in explanation.lower:
        label = explanation.labels[lower.attribute][lower.level]
        yield f"lower       {lower.attribute} {label}: {_verdict(explanation, lower)}"
    if explanation.blocks is not None:
        yield (
            f"blocks      {explanation.blocks}: one level lower, most rows would be in classes that violate the "
            "requirement"
        )
    for cost in explanation.columns:
        counted = "" if cost.importance == 1 else f"; importance {cost.importance:g}"
        yield f"costs       {cost.attribute}: loss {cost.loss:.4f}, {cost.share:.0%} of all{counted}"
    for weaker in explanation.weaker:
        released = weaker.released
        if released is None:
            yield f"weaker      {weaker.change}: {weaker.problem}"
            continue
        levels = _levels(explanation, released.levels)
        change = released.loss - explanation.loss
        yield f"weaker      {weaker.change}: loss {released.loss:.4f} ({change:+.4f}): {levels}"


def _levels(explanation: Explanation, levels: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {explanation.labels[name][level]}" for name, level in levels.items())


def _verdict(explanation: Explanation, lower: Lower) -> str:
    if lower.holds:
        return "the requirement holds as well; the objective prefers the chosen levels"
    if lower.problem is not None:
        return f"a run at this level would be refused: {lower.problem}"
    parts = (
        violation_text.describe(
            f"{small_counts.words(violation.classes, explanation.k)} classes",
            violation.attributes,
            violation.rows,
            k=explanation.k,
        )
        for violation in lower.violations
    )
    enough = (
        violation_text.remedy(violation.attributes, violation.holds_without)
        for violation in lower.violations
        if violation.holds_without
    )
    sentence = (
        f"the requirement does not hold: {' and '.join(parts)} violate it; {explanation.allowed_rows:,} rows may be "
        "suppressed"
    )
    return "; ".join([sentence, *enough])
