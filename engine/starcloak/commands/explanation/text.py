"""An explanation for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from starcloak.base import small_counts, violation_text
from starcloak.commands.explanation.result import Explanation, Lower


def of(explanation: Explanation) -> str:
    """An explanation as lines of text."""
    return "\n".join(_lines(explanation))


def _lines(told: Explanation) -> Iterator[str]:
    levels = ", ".join(f"{name} {level}/{told.heights[name]}" for name, level in told.levels.items())
    lowest = "" if told.model == "full-domain" else "from "
    yield f"chosen      {lowest}{levels}; loss {told.loss:.4f}, by {told.algorithm} ({told.model})"
    for lower in told.lower:
        yield f"lower       {lower.attribute} at {lower.level}: {_verdict(told, lower)}"
    if told.blocks is not None:
        yield f"blocks      {told.blocks}: one level lower, it leaves the most rows in classes that violate it"
    for cost in told.columns:
        yield f"costs       {cost.attribute}: loss {cost.loss:.4f}, {cost.share:.0%} of all"
    for weaker in told.weaker:
        found = weaker.released
        if found is None:
            yield f"weaker      {weaker.change}: {weaker.problem}"
            continue
        levels = ", ".join(f"{name} {level}" for name, level in found.levels.items())
        change = found.loss - told.loss
        yield f"weaker      {weaker.change}: loss {found.loss:.4f} ({change:+.4f}): {levels}"


def _verdict(told: Explanation, lower: Lower) -> str:
    if lower.holds:
        return "holds as well; the objective prefers what was chosen"
    each = (
        violation_text.describe(
            f"{small_counts.words(one.classes, told.k)} classes", one.attributes, one.rows, k=told.k
        )
        for one in lower.violations
    )
    enough = (violation_text.remedy(one.attributes, one.holds_without) for one in lower.violations if one.holds_without)
    said = f"does not hold: {' and '.join(each)} violate it; {told.allowed_rows:,} rows may be left out"
    return "; ".join([said, *enough])
