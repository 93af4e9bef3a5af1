"""Refusal of a release whose joint k with the earlier releases named by the job is too small; warnings on others."""

from __future__ import annotations

from starcloak.base import small_counts
from starcloak.base.errors import RefusedRelease
from starcloak.companions.joint_risk.joint_risk import JointRisk
from starcloak.job import Job
from starcloak.job.result import Joint, JointTogether, SharedValues
from starcloak.releases.disclosure import worst

_NOTHING_SHARED = (
    "the releases share no combination of quasi-identifiers: they are about different people, or write values "
    "differently (01234 as 1234)"
)

_NOT_NAMED = "leave that release out under against"
_AS_IT_WAS_READ = "give the columns the types and the cleaning of that release"

_FIXED_LEVELS = (
    "if the earlier release has one level for each quasi-identifier, set from and to of the quasi-identifier to this "
    "level, or "
)


def refuse(risk: JointRisk, job: Job, *, is_masked: bool = False) -> None:
    """Refuse a release with a joint k below the job's limit, measured with the releases named by the job.

    ``is_masked`` is true for rows masked by the recoding of an earlier release. Raises :class:`RefusedRelease`, also
    if joint k is unknown and the job does not accept this.
    """
    for pair in risk.pairs:
        if pair.required and pair.unknown is not None and not (job.accept and job.accept.unknown):
            raise RefusedRelease(
                f"joint k with {pair.release} is not known ({pair.unknown})",
                f"{_AS_IT_WAS_READ if is_masked else _NOT_NAMED}, or write accept: {{joint_k: unknown}} to publish "
                "without joint k",
            )
        if pair.required and pair.shares_nothing and job.accept is None:
            raise RefusedRelease(
                f"joint k with {pair.release} is not known: {_NOTHING_SHARED}",
                f"if that release is about other people, write accept: {{joint_k: {pair.required_k}}}",
            )
    for joint in risk.together:
        if joint.required:
            _refuse(joint, risk, job, mend="" if is_masked or not _can_fix_levels(job) else _FIXED_LEVELS)


def _can_fix_levels(job: Job) -> bool:
    """True if the job can set the level of every quasi-identifier in the release."""
    return job.algorithm.about.recoding_model == "full-domain"


def _refuse(joint: JointTogether, risk: JointRisk, job: Job, *, mend: str) -> None:
    accepted = joint.required_k or 1
    if job.accept is not None and job.accept.smallest is not None:
        accepted = job.accept.smallest
    if joint.k is not None and joint.k < accepted:
        raise RefusedRelease(
            f"joint k {_over(joint, job)}with {_named(joint, risk)} is {'' if joint.exact else 'by estimate '}less "
            f"than {accepted}: {_below(joint)} rows are in groups of fewer than {joint.required_k} for a reader of "
            f"{'both' if len(joint.runs) == 1 else 'all'}{_worst(joint, risk)}",
            f"{mend}write accept: {{joint_k: 1}} to publish with a smaller joint k",
        )
    for column in joint.shared:
        if column.unknown and job.accept is None:
            raise RefusedRelease(
                _unknown(column, _named(joint, risk)),
                "run the earlier job with --force and a model of this column, or write accept: "
                f"{{joint_k: {joint.required_k}}} to publish without this count",
            )
        if column.least is not None and column.least < column.required and (job.accept is None or job.accept.unknown):
            classes = "two classes" if len(joint.runs) == 1 else "classes"
            raise RefusedRelease(
                f"the {classes} of a row in this release and in {_named(joint, risk)} have only {column.least} "
                f"values of {column.attribute!r} in common, fewer than {column.required}, so a reader of both may "
                "learn a value",
                f"write accept: {{joint_k: {joint.required_k}}} to publish with fewer values",
            )


def warnings(risk: JointRisk, job: Job) -> list[str]:
    """Warnings on small or unknown joint k with earlier releases not named by the job, singly and all together."""
    sentences = []
    for pair in risk.pairs:
        if not pair.required and pair.unknown is not None:
            sentences.append(f"joint k with {_when(pair)} is not known: {pair.unknown}")
        if not pair.required and pair.shares_nothing:
            sentences.append(f"joint k with {_when(pair)} is not sure: {_NOTHING_SHARED}")
    for joint in risk.together:
        if not joint.required:
            sentences += _warnings(joint, risk, job)
    return list(dict.fromkeys(sentences))


def _warnings(joint: JointTogether, risk: JointRisk, job: Job) -> list[str]:
    if all(pair.shares_nothing for pair in _pairs(joint, risk)) and _pairs(joint, risk):
        return []
    sentences, named = [], _named(joint, risk, dated=True)
    if joint.is_below:
        sentences.append(
            f"a reader who also has {named} finds {_below(joint)} rows in groups of fewer than k = {joint.required_k}"
            f"{_over(joint, job, before=' ').rstrip()}{'' if joint.exact else ', by estimate'}{_worst(joint, risk)}"
            f"; {_if_never_given(joint, risk)}"
        )
    sentences += [
        f"a reader who also has {named} can limit a row to {column.least} values of {column.attribute!r}, fewer than "
        f"{column.required}"
        for column in joint.shared
        if column.least is not None and column.least < column.required
    ]
    return sentences + [_unknown(column, named) for column in joint.shared if column.unknown]


def _if_never_given(joint: JointTogether, risk: JointRisk) -> str:
    """Advice for an earlier release made as a trial and received by nobody: the command to forget it."""
    releases = {pair.release for pair in risk.pairs if pair.run in joint.runs}
    name = releases.pop() if len(releases) == 1 else "RELEASE"
    release = name if " " not in name else "RELEASE"
    which = "that release was a trial" if len(joint.runs) == 1 else "one of them was a trial"
    return f"if {which} that nobody received, write starcloak forget {release} --never-given, then run with --force"


def _unknown(shared: SharedValues, named: str) -> str:
    return (
        f"the number of common values of {shared.attribute!r} with {named} is not known, as the earlier run did not "
        "save the values of its classes"
    )


def _pairs(joint: JointTogether, risk: JointRisk) -> list[Joint]:
    """The figures with each single release that is part of ``joint``, over the same quasi-identifier."""
    return [pair for pair in risk.pairs if pair.run in joint.runs and pair.attributes == joint.attributes]


def _worst(joint: JointTogether, risk: JointRisk) -> str:
    if len(joint.runs) == 1:
        return ""
    alone = [f"{_words(pair)} with {_when(pair)} alone" for pair in worst(joint, risk.pairs)]
    return f" ({', '.join(alone) if alone else 'none with a single release'})"


def _below(joint: JointTogether) -> str:
    k = joint.required_k or 1
    return f"{small_counts.words(small_counts.mask(joint.rows_below or 0, k), k)} of {joint.rows:,}"


def _named(joint: JointTogether, risk: JointRisk, *, dated: bool = False) -> str:
    pairs = list({pair.run: pair for pair in risk.pairs if pair.run in joint.runs}.values())
    if len(joint.runs) == 1 and pairs:
        return _when(pairs[0]) if dated else pairs[0].release
    if joint.required and len(pairs) <= 3:
        return " and ".join(pair.release for pair in pairs) + " together"
    return f"all {len(joint.runs)} earlier releases{' under against' if joint.required else ''} together"


def _over(joint: JointTogether, job: Job, *, before: str = "") -> str:
    """The quasi-identifier of ``joint`` in words. Empty if the job has only one."""
    return "" if job.required.single else f"{before}over ({', '.join(joint.attributes)}) "


def _when(pair: Joint) -> str:
    return f"{pair.release} of {pair.released_at[:10]}"


def _words(pair: Joint) -> str:
    """The number of rows in joint groups of fewer than k rows with one earlier release, masked and in words."""
    return small_counts.words(small_counts.mask(pair.rows_below or 0, pair.required_k or 1), pair.required_k)
