"""An audit's result as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from starcloak.base import small_counts
from starcloak.commands.audit.result import Attacker, Audit
from starcloak.releases.distinguishing_columns import Telling
from starcloak.releases.release_measures import risk_in_words

_SETS = 10  # at most


def of(audit: Audit) -> str:
    """The result of an audit as lines of text, each beginning with a label."""
    return "\n".join(_lines(audit))


def _lines(audit: Audit) -> Iterator[str]:
    def count(number: int | None) -> str:
        return small_counts.words(number, audit.release_k)

    of = "rows" if audit.persons is None else f"records of {count(audit.persons)} persons, each once in a class"
    if audit.as_set:
        of = "persons, in classes of persons with the same rows"
    yield f"audited     {audit.source}: {count(audit.rows)} {of}"
    yield (
        f"classes     {count(audit.classes)}; rows alone in their class: {count(audit.uniques)}; classes of two: "
        f"{count(audit.doubles)}"
    )
    yield f"at risk     above {audit.threshold:g}: share of the records, highest and average risk"
    for name, attacker in (
        ("prosecutor", audit.prosecutor), ("journalist", audit.journalist), ("marketer", audit.marketer)
    ):  # fmt: skip
        yield f"{name:<12}{_attacker(attacker)}"
    for threshold in audit.thresholds:
        verdict = "holds" if threshold.holds else f"at risk {_share(threshold.records_at_risk)}"
        yield f"threshold   {threshold.name}, {risk_in_words(threshold.k, threshold.probability)}: {verdict}"
    if audit.population is not None:
        people = audit.population
        uniques = "not estimable" if people.uniques is None else f"{people.uniques:.4f} alone, by {people.model}"
        yield f"population  {people.rows:,} rows at a sampling fraction of {people.sampling_fraction:g}: {uniques}"
    for telling in audit.quasi_identifiers:
        yield _line("tells apart", telling)
    for telling in audit.unique_sets[:_SETS]:
        yield _line("nearly all", telling)
    if len(audit.unique_sets) > _SETS:
        yield f"nearly all  and {len(audit.unique_sets) - _SETS} more sets: see --json"
    for column in audit.sensitive:
        ordered = "" if column.t.ordered is None else f", ordered {column.t.ordered:.4f}"
        if column.t.hierarchical is not None:
            ordered += f", hierarchical {column.t.hierarchical:.4f}"
        yield (
            f"sensitive   {column.attribute}: l = {column.l}, entropy l = {column.entropy_l:.4f}, "
            f"alpha = {column.alpha:.4f}, t = {column.t.equal:.4f}{ordered}, beta = {column.beta:.4f}"
        )
        for bound in column.recursive[:2]:
            yield f"            recursive (c, {bound.l}) for c above {bound.c:.4f}"
    for listed in audit.safe_harbor:
        yield f"HIPAA       {listed.attribute}: {listed.identifier}"
    for note in audit.notes:
        yield f"note        {note}"


def _attacker(attacker: Attacker) -> str:
    return (
        f"{_share(attacker.records_at_risk)} at risk, highest {_share(attacker.highest)}, "
        f"average {_share(attacker.average)}"
    )


def _share(share: float | None) -> str:
    return "not told" if share is None else f"{share:.4f}"


def _line(label: str, telling: Telling) -> str:
    names = ", ".join(telling.attributes)
    return f"{label:<12}({names}): distinction {_share(telling.distinction)}, separation {_share(telling.separation)}"
