"""Profiles of a report: the headings of a rule or a standard, with answers from the result and open questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starcloak.base import small_counts
from starcloak.base.errors import JobError, hint
from starcloak.base.safe_harbor import listed_names
from starcloak.job.result import Result
from starcloak.releases.release_measures import risk_in_words

_Known = Callable[[Result], list[str]]


@dataclass(frozen=True)
class Heading:
    """A heading of a profile: ``known`` returns sentences from the result, ``questions`` are left to the reader."""

    name: str
    known: _Known
    questions: tuple[str, ...]


@dataclass(frozen=True)
class ReportProfile:
    """A rule or a standard with its headings; ``attacked`` is true if the report needs simulated attacks."""

    title: str
    headings: tuple[Heading, ...]
    attacked: bool = False


def profile(name: str) -> ReportProfile:
    """Profile of this name. Raises :class:`~starcloak.base.errors.JobError` for an unknown name.

    >>> [heading.name for heading in profile("article-29").headings]
    ['Singling out', 'Linkability', 'Inference']
    """
    if name not in PROFILES:
        raise JobError(f"{name!r} is not a profile: give one of {', '.join(PROFILES)}.{hint(name, PROFILES)}")
    return PROFILES[name]


def _nothing(result: Result) -> list[str]:
    return []


def _quasi_identifiers(result: Result) -> list[str]:
    named = dict.fromkeys(name for qid in result.requirement.qids for name in qid.attributes)
    return [f"Quasi-identifiers: {', '.join(named)}."]


def _roles(result: Result) -> list[str]:
    words = {"sensitive": "Sensitive, as they are", "keep": "Kept as they are", "identifiers": "Left out"}
    sentences = [
        f"{title}: {', '.join(result.roles[role])}." for role, title in words.items() if result.roles.get(role)
    ]
    return [*_quasi_identifiers(result), *sentences]


def _persons(result: Result) -> list[str]:
    if result.persons is not None:
        return [f"Persons are identified by {', '.join(result.persons.told_by)}; every k counts persons."]
    return ["Every row counts as another person."]


def _size(result: Result) -> list[str]:
    if not result.released_rows:
        return ["It has no rows."]
    size = small_counts.words(result.k, max(qid.k for qid in result.requirement.qids))
    return [f"The smallest class has {size} {result.counted}, counted on the release."]


def _risk(result: Result) -> list[str]:
    if not result.k:
        return []
    average = None if result.insight is None else result.insight.average_risk
    sentence = [
        f"Highest risk: {1 / result.k:.4f} for an attacker who knows that a person is in the release (prosecutor), "
        "and for any attacker if the release is the whole population (journalist)."
    ]
    return [*sentence, *([] if average is None else [f"Average risk: {average:.4f}."])]


def _thresholds(result: Result) -> list[str]:
    met_thresholds = (
        [] if result.insight is None else [threshold for threshold in result.insight.thresholds if threshold.holds]
    )
    if not met_thresholds:
        return []
    threshold = met_thresholds[-1]
    in_words = risk_in_words(threshold.k, threshold.probability)
    return [f"No risk is above the threshold {in_words}, {threshold.name}."]


def _requirement(result: Result) -> list[str]:
    required = [f"k = {qid.k} over {', '.join(qid.attributes)}" for qid in result.requirement.qids]
    models = [model.model.replace("_", "-") for qid in result.requirement.qids for model in qid.models]
    if result.requirement.joined_rows is not None:
        models.append(f"k of joined rows = {result.requirement.joined_rows}")
    more = f" Further models: {', '.join(dict.fromkeys(models))}." if models else ""
    return [f"Required and verified: {'; '.join(required)}.{more}"]


def _alone(result: Result) -> list[str]:
    kept, sensitive = result.roles.get("keep", []), result.roles.get("sensitive", [])
    if not kept:
        return [
            f"Released unchanged: {', '.join(sensitive)}, which are sensitive. Rows that are unique by them were not "
            "counted."
            if sensitive
            else "No column is released unchanged."
        ]
    if result.insight is None or result.insight.left_out:
        return [f"Released unchanged: {', '.join(kept)}. Not all of these columns and rows were examined."]
    alone = result.insight.alone
    if alone is None:
        return [f"Released unchanged: {', '.join(kept)}. No row is unique by these columns with the quasi-identifiers."]
    return [
        f"Some rows are unique by {', '.join(alone.columns)} together: a reader who knows these values of a person "
        "finds the row."
    ]


def _linked(result: Result) -> list[str]:
    if not (result.joint_together or result.joint):
        return ["Joint k with an earlier release of the source was not counted."]
    counted = (*result.joint_together, *result.joint)
    if any(joint.is_below or joint.k is None for joint in counted):
        return [
            "Together with earlier releases of the source, some groups are smaller than k, or joint k is not known."
        ]
    if not all(joint.exact for joint in counted):
        return [
            "Together with the known earlier releases of the source, joint k reaches k only by an estimate: some "
            "groups may be smaller."
        ]
    return ["Together with the known earlier releases of the source, no group is smaller than k."]


def _inferred(result: Result) -> list[str]:
    sensitive = result.roles.get("sensitive", [])
    models = [model for qid in result.requirement.qids for model in qid.models]
    inferred = {
        name: dict.fromkeys(m.model.replace("_", "-") for m in models if m.required.get("attribute") == name)
        for name in sensitive
    }
    return [
        f"{name}: {', '.join(names)} hold{'s' if len(names) == 1 else ''} in every class."
        if names
        else f"{name}: no privacy model was required."
        for name, names in inferred.items()
    ]


def _listed(result: Result) -> list[str]:
    names = [name for role in ("quasi_identifiers", "sensitive", "keep") for name in result.roles.get(role, [])]
    return [
        f"{name} has the name of an identifier on the list of the Safe Harbor ({what})."
        for name, what in listed_names(names)
    ]


def _origin(result: Result) -> list[str]:
    release = result.hashes.release
    return [
        f"Run {result.run} by starcloak {result.versions.starcloak}; algorithm {result.algorithm.name}.",
        *([f"SHA-256 or fingerprint of the release: {release}."] if release else []),
    ]


def _changed(result: Result) -> list[str]:
    levels = [f"{name} {result.level_label(name, level)}" for name, level in result.recoding.levels.items()]
    kind = "at" if result.recoding.model == "full-domain" else "from, by row, at least"
    return [f"A {result.recoding.model} generalization: {kind} {', '.join(levels)}."]


def _of(*values: _Known) -> _Known:
    return lambda result: [line for part in values for line in part(result)]


PROFILES: Mapping[str, ReportProfile] = {
    "hipaa": ReportProfile(
        "HIPAA, expert determination (45 CFR 164.514(b)(1))",
        (
            Heading(
                "The expert",
                _nothing,
                (
                    "Who makes the determination, and with which knowledge and experience of statistical and "
                    "scientific methods?",),
            ),
            Heading(
                "The data and who receives them",
                _of(_roles, _persons),
                ("Who are the expected recipients?", "Which other data about these people can they reasonably get?"),
            ),
            Heading(
                "Features by which a person can be found",
                _of(_quasi_identifiers, _listed),
                (
                    "Which features of a person stay the same over time, and are recorded elsewhere, too?",
                    "Which data sources have these features together with names, and who has access to these sources?",
                    "How well do the remaining features distinguish a person from the rest of the population?",
                ),
            ),
            Heading(
                "Principles and methods applied", _of(_requirement, _changed), ("Why are they generally accepted?",)
            ),
            Heading(
                "The risk is very small",
                _of(_size, _risk, _thresholds, _alone, _linked),
                ("Which risk counts as very small here, and why?",),
            ),
            Heading("Documentation", _origin, ("Until when is the determination valid?", "Signature and date")),
        ),
    ),
    "article-29": ReportProfile(
        "Article 29 Working Party, Opinion 05/2014 on anonymisation techniques (WP 216)",
        (
            Heading(
                "Singling out",
                _of(_size, _risk, _alone),
                ("Which of the unchanged columns may a reader know of another person?",),
            ),
            Heading(
                "Linkability",
                _of(_linked, _persons),
                (
                    "Which other data about the same people does a recipient have, and by which columns could these "
                    "be linked?",),
            ),
            Heading(
                "Inference",
                _inferred,
                ("What would a reader learn who finds a person's class, and would it harm this person?",),
            ),
        ),
        attacked=True,
    ),
    "iso-27559": ReportProfile(
        "ISO/IEC 27559:2022, privacy enhancing data de-identification framework",
        (
            Heading(
                "Context assessment: threat modelling",
                _nothing,
                (
                    "Which security and privacy practices does the recipient have?",
                    "Which motives and means does the recipient have to re-identify people?",
                ),
            ),
            Heading(
                "Context assessment: transparency and impact",
                _nothing,
                (
                    "Who was informed or asked for consent, and how?",
                    "Which harms could follow from a re-identification?",
                ),
            ),
            Heading(
                "Data assessment: data features",
                _of(_roles, _persons),
                ("Whom are the data about?", "Is the table a sample, and of which population?"),
            ),
            Heading(
                "Data assessment: attack modelling",
                _of(_risk, _requirement),
                ("Does the highest or the average risk count here?", 
                    "Does the release stand for the whole population?"),
            ),
            Heading(
                "Identifiability: assessment",
                _of(_size, _thresholds, _alone, _linked),
                ("Which threshold was set, and why?", "Was an attack tried, by whom, and with what result?"),
            ),
            Heading("Identifiability: mitigation", _changed, ("What was changed in the environment of the data?",)),
            Heading(
                "Governance before data are made available",
                _origin,
                ("Who has which role and responsibility?", "What happens if data are disclosed?"),
            ),
            Heading(
                "Governance after data are made available",
                _nothing,
                ("Who watches for new data that could be linked, and how often?", "What happens after an incident?"),
            ),
        ),
    ),
}  # fmt: skip
