"""What is said of joint k: a release that tells too much with those that its job names is refused, others warn."""

from __future__ import annotations

from starcloak.base import small_counts
from starcloak.base.errors import RequirementError
from starcloak.job import Job
from starcloak.job.result import Joint, JointTogether, SharedValues
from starcloak.releases.earlier.joint_risk import JointRisk

_NOTHING_SHARED = "no combination of quasi-identifiers is in both, which may be told otherwise there (01234 as 1234)"


def refuse(risk: JointRisk, job: Job) -> None:
    """Refuse a release that tells more together with those that the job names than it accepts.

    Raises :class:`RequirementError`; also where it is not known what they tell.
    """
    for pair in risk.pairs:
        if pair.required and pair.unknown is not None:
            raise RequirementError(f"joint k with {pair.release} is not known: {pair.unknown}: nothing was published")
        if pair.required and pair.shares_nothing and job.accept is None:
            raise RequirementError(
                f"joint k with {pair.release} is not known: {_NOTHING_SHARED}: nothing was published; where it is of "
                f"other people, say accept: {{joint_k: {pair.required_k}}}"
            )
    for found in risk.together:
        if found.required:
            _refuse(found, risk, job)


def _refuse(found: JointTogether, risk: JointRisk, job: Job) -> None:
    accepted = job.accept.joint_k if job.accept is not None else found.required_k or 1
    if found.k is not None and found.k < accepted:
        raise RequirementError(
            f"joint k {_over(found, job)}with {_named(found, risk)} is {'' if found.exact else 'by estimate '}less "
            f"than {accepted}: {_below(found)} rows are in groups of fewer than {found.required_k} for whoever has "
            f"{'both' if len(found.runs) == 1 else 'all'}{_worst(found, risk)}: nothing was published; generalize as "
            "earlier, or say accept: {joint_k: 1} to publish all the same"
        )
    for each in found.shared:
        if each.unknown and job.accept is None:
            raise RequirementError(
                f"{_unknown(each, _named(found, risk))}: nothing was published; run its job with --force and a model "
                f"of them, or say accept: {{joint_k: {found.required_k}}} to publish all the same"
            )
        if each.least is not None and each.least < each.required and job.accept is None:
            classes = "two classes" if len(found.runs) == 1 else "classes"
            raise RequirementError(
                f"the {classes} of a row here and in {_named(found, risk)} share {each.least} values of "
                f"{each.attribute!r}, fewer than {each.required}: nothing was published; say accept: {{joint_k: "
                f"{found.required_k}}} to publish all the same"
            )


def warnings(risk: JointRisk, job: Job) -> list[str]:
    """What is said of earlier releases that the job does not name, and of all together."""
    said = []
    for pair in risk.pairs:
        if not pair.required and pair.unknown is not None:
            said.append(f"joint k with {_when(pair)} is not known: {pair.unknown}")
        if not pair.required and pair.shares_nothing:
            said.append(f"joint k with {_when(pair)} is known only if these are other people: {_NOTHING_SHARED}")
    for found in risk.together:
        if not found.required:
            said += _warnings(found, risk, job)
    return list(dict.fromkeys(said))


def _warnings(found: JointTogether, risk: JointRisk, job: Job) -> list[str]:
    if all(pair.shares_nothing for pair in _pairs(found, risk)) and _pairs(found, risk):
        return []
    said, named = [], _named(found, risk, dated=True)
    if found.is_below:
        said.append(
            f"whoever has {named}, too, finds {_below(found)} rows in groups of fewer than k = {found.required_k}"
            f"{_over(found, job, before=' ').rstrip()}{'' if found.exact else ', by estimate'}{_worst(found, risk)}"
        )
    said += [
        f"whoever has {named}, too, has {each.least} values of {each.attribute!r} to choose from for a row, not "
        f"{each.required}"
        for each in found.shared
        if each.least is not None and each.least < each.required
    ]
    return said + [_unknown(each, named) for each in found.shared if each.unknown]


def _unknown(shared: SharedValues, named: str) -> str:
    return (
        f"how many values of {shared.attribute!r} the classes of a row share with {named} is not known, as which they "
        "have there was not kept"
    )


def _pairs(found: JointTogether, risk: JointRisk) -> list[Joint]:
    """What each of the releases tells over the same quasi-identifier, as far as that is known."""
    return [pair for pair in risk.pairs if pair.run in found.runs and pair.attributes == found.attributes]


def worst(found: JointTogether, pairs: list[Joint], most: int = 2) -> list[Joint]:
    """Of several releases the one or two that tell most with the one that is made, each by itself."""
    below = [pair for pair in pairs if pair.run in found.runs and pair.attributes == found.attributes and pair.is_below]
    return sorted(below, key=lambda pair: (-(pair.rows_below or 0), pair.k or 0))[:most]


def _worst(found: JointTogether, risk: JointRisk) -> str:
    if len(found.runs) == 1:
        return ""
    alone = [f"{_words(pair)} with {_when(pair)} alone" for pair in worst(found, risk.pairs)]
    return f" ({', '.join(alone) if alone else 'none with any one alone'})"


def _below(found: JointTogether) -> str:
    k = found.required_k or 1
    return f"{small_counts.words(small_counts.mask(found.rows_below or 0, k), k)} of {found.rows:,}"


def _named(found: JointTogether, risk: JointRisk, *, dated: bool = False) -> str:
    pairs = list({pair.run: pair for pair in risk.pairs if pair.run in found.runs}.values())
    if len(found.runs) == 1 and pairs:
        return _when(pairs[0]) if dated else pairs[0].release
    if found.required and len(pairs) <= 3:
        return " and ".join(pair.release for pair in pairs) + " together"
    return f"all {len(found.runs)} earlier releases{' under against' if found.required else ''} together"


def _over(found: JointTogether, job: Job, *, before: str = "") -> str:
    """The quasi-identifier, where there are several."""
    return "" if job.required.single else f"{before}over ({', '.join(found.attributes)}) "


def _when(pair: Joint) -> str:
    return f"{pair.release} of {pair.released_at[:10]}"


def _words(pair: Joint) -> str:
    """The rows in groups that are too small with one earlier release, in words."""
    return small_counts.words(small_counts.mask(pair.rows_below or 0, pair.required_k or 1), pair.required_k)
