"""What a release was verified to be, in a few sentences, and what whoever answers for it does next."""

from __future__ import annotations

from starcloak.job.release_insight import ByIdentifier, RowsAlone
from starcloak.job.result import Result

_PUBLIC = 11  # the k of EMA Policy 0070, for what everybody may read


def verdict(result: Result, *, published: bool = True, joint_below: bool = False) -> str:
    """What a release was verified to be; not ``published`` is what a run would release.

    ``joint_below``: together with earlier releases of its source, its joint k is below k.
    """
    qids = result.requirement.qids
    subject = "The release" if published else "The release that a run would make"
    if not result.released_rows:
        return f"{subject} has no rows: there was nothing that could be released."
    but = [f"But {identifier.sentence(several=len(result.by_identifier) > 1)}." for identifier in _repeating(result)]
    if joint_below:
        but.append("But whoever has earlier releases of the source, too, finds smaller groups: joint k is below k.")
    if len(qids) == 1:
        unit = result.counted.removesuffix("s")
        said = (
            f"{subject} is {qids[0].achieved_k}-anonymous: every {unit} agrees with at least "
            f"{(qids[0].achieved_k or 1) - 1} others in all of its {len(qids[0].attributes)} quasi-identifiers. "
            f"k = {qids[0].k} was asked for."
        )
    else:
        kinds = (
            f"{qid.achieved_k}-anonymous over {', '.join(qid.attributes)}, where k = {qid.k} was asked for"
            for qid in qids
        )
        said = f"{subject} is {'; '.join(kinds)}."
    return " ".join([said, *but])


def next_step(result: Result, *, joint_below: bool = False) -> str:
    """What whoever answers for a release does next: the one thing that matters most."""
    if not result.released_rows:
        return "Ask for less, or read why with starcloak explain."
    if joint_below:
        return (
            "Do not hand it to whoever may have the earlier releases: generalize as the last one did (refresh: true), "
            "or name them under against and run again."
        )
    if repeating := _repeating(result):
        named = repeating[0].identifier
        return f"Find out whether {named!r} tells persons apart: if so, put it under person and run again."
    insight = result.insight
    if insight is not None and insight.alone is not None and insight.alone.most:
        columns = _exposing(result, insight.alone)
        return f"Decide on what is released as it is: by {columns} with the quasi-identifiers, most rows are alone."
    if insight is not None and insight.otherwise:
        return f"Think about what else was to be had: {insight.otherwise[0]}."
    if insight is not None and insight.remarks:
        return "Read what is to be looked at, and decide on each line."
    if (result.k or 0) < _PUBLIC:
        said = f"Give it to whom an agreement binds. For what everybody may read, k = {_PUBLIC} and more is customary."
        larger = None if insight is None else insight.larger_k
        return said if larger is None else f"{said} Here {larger}."
    return "Check that the quasi-identifiers are all that others may know of a person, and sign."


def _exposing(result: Result, alone: RowsAlone) -> str:
    """The columns that are released as they are by which rows are alone: those of the smallest sets, where known."""
    generalized = {name for qid in result.requirement.qids for name in qid.attributes}
    named = dict.fromkeys(name for names in alone.sets or [alone.columns] for name in names)
    return ", ".join([name for name in named if name not in generalized][:3])


def is_joint_below(result: Result) -> bool:
    """Whether joint k with earlier releases of the source is below k."""
    return any(joint.is_below for joint in (*result.joint_together, *result.joint))


def _repeating(result: Result) -> list[ByIdentifier]:
    return [identifier for identifier in result.by_identifier if not identifier.holds]
