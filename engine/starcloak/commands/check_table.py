"""Check of a table, without changing it, against k-anonymity and further privacy models."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from starcloak.base.errors import JobError, SourceError, StatementError, VerificationError, unread
from starcloak.commands.audit.known_release import release_k
from starcloak.job import Place, Qid
from starcloak.job.check_result import ModelVerdict, QidVerdict, Verdict
from starcloak.privacy.model import Model, PopulationComparison, compares_with_source, settings_of
from starcloak.privacy.value_checks import absent_values, refuse_misread
from starcloak.privacy.verdict import Judged
from starcloak.sources import notes_of_persons, roles, spelling
from starcloak.statements.statement import Hole, Name, Statement
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify import classes
from starcloak.verify.population import PopulationClasses, PopulationDemand, beside
from starcloak.verify.population import judge as judge_within

_CHECKED = Name("checked_classes")


def check(
    session: Session,
    source: Source,
    *,
    place: Place | None,
    qids: Sequence[Qid],
    models: Sequence[Model] = (),
    within: tuple[PopulationDemand, PopulationClasses] | None = None,
    as_set: bool,
) -> Verdict:
    """Check that the source, as it stands, is k-anonymous over each of the ``qids`` (Fung, Wang, Yu 2007, Definition
    1).

    The equivalence classes must satisfy the ``models``, too. If the source has columns that identify persons, persons
    are counted in place of rows, also for ``within``: requirements within a population, and the population's classes.
    With ``as_set``, the rows of a person are one set, and persons with the same set are counted. If a release is in
    the ``place`` of the source, the verdict is for its readers: :meth:`Verdict.disclosed`.
    """
    if any(isinstance(model, PopulationComparison) for model in models):
        raise JobError(
            "a check cannot use requirement.population, k_map or delta_presence: leave them out, and give the "
            "options --population and --k-map or --delta-presence (in Python: population, k_map, delta_presence)"
        )
    if any(map(compares_with_source, models)):
        raise JobError(
            "a check has no source for requirement.reference: source: leave reference out, so that classes are "
            "compared with the table itself"
        )
    persons = [column.name for column in source.persons]
    source = source.private
    names = [column.name for column in source.released]
    source.refuse_unlike([name for model in models for name in model.reads])
    refuse_misread(session, source, models)
    try:
        # One statement reads it: a source that yields other rows each time gets one answer, about rows it did yield.
        counted, yielded = classes.of(source.relation, source.released, qids=qids)
        gathered = source.host.gather_classes(_CHECKED, counted, yielded, size=classes.SIZE)
        if not classes.have_arrived(session, _CHECKED, names, qids, gathered):
            raise VerificationError(f"the check of {source.label} has no verdict: {classes.OTHERWISE}")
        rows = gathered.rows
        source.refuse_lost(rows)
        if not rows:
            raise SourceError(f"{source.label} has no rows, so there is nothing to check: give a table with rows")
        classes.nobody(session, _CHECKED, names, persons, source.label)
        verdicts = [_judge(session, names, qid, models, persons, as_set) for qid in qids]
        if within is not None:
            verdicts = [_beside(session, source, verdict, persons, *within) for verdict in verdicts]
        k = None if place is None else release_k(session, source.host, place)
        shows_figures = k is None or not any(verdict.has_small_classes(k) for verdict in verdicts)
        notes = _value_notes(session, source, qids, models, persons) if shows_figures else []
    except StatementError as error:
        raise unread(source.label, error.kind) from None
    verdict = Verdict(
        source=source.label,
        holds=all(verdict.holds for verdict in verdicts),
        rows=rows,
        qids=verdicts,
        notes=[*notes, *roles.notes(source)],
    )
    return verdict if k is None else verdict.disclosed(k)


def _value_notes(
    session: Session, source: Source, qids: Sequence[Qid], models: Sequence[Model], persons: Sequence[str]
) -> list[str]:
    """Notes on sensitive values that differ only in spelling, on persons, and on named values without a row."""
    read = {name for model in models for name in model.reads}
    texts = [column.name for column in source.released if column.name in read and column.has_spellings]
    names = [column.name for column in source.released]
    spelled = spelling.notes(session, _CHECKED, names, texts, [qid.attributes for qid in qids], persons=persons)
    attributes = [*dict.fromkeys(attribute for qid in qids for attribute in qid.attributes)]
    spelled += notes_of_persons.in_classes(session, _CHECKED, source, persons, attributes)
    return [*spelled, *absent_values(session, _CHECKED, names, models)]


def _judge(
    session: Session, names: Sequence[str], qid: Qid, models: Sequence[Model], persons: Sequence[str], as_set: bool
) -> QidVerdict:
    """The verdict on one QID. If it fails, ``holds_without`` lists attributes, each enough to drop so that it holds."""
    verdict = _verdict(session, names, qid, models, persons, as_set)
    if verdict.holds or len(qid.attributes) == 1:
        return verdict
    enough = []
    for attribute in qid.attributes:
        remaining = [kept_attribute for kept_attribute in qid.attributes if kept_attribute != attribute]
        if _verdict(session, names, qid.model_copy(update={"attributes": remaining}), models, persons, as_set).holds:
            enough.append(attribute)
    return verdict.model_copy(update={"holds_without": enough})


def _beside(
    session: Session,
    source: Source,
    verdict: QidVerdict,
    persons: Sequence[str],
    within: PopulationDemand,
    people: PopulationClasses,
) -> QidVerdict:
    """The verdict on one QID, extended by the verdicts on the requirements ``within`` the population ``people``."""
    names = [column.name for column in source.released]
    counted = classes.once(session, _CHECKED, names, verdict.attributes, persons) if persons else _CHECKED
    values = [classes.value(names.index(name)) for name in verdict.attributes]
    besides = beside(session, counted, values, people.over(verdict.attributes), source.label)
    more = [_of_model(*judged) for judged in judge_within(within, people.over(verdict.attributes), besides)]
    holds = verdict.holds and all(model.holds for model in more)
    without = verdict.holds_without if all(model.holds for model in more) else []
    return verdict.model_copy(update={"holds": holds, "models": [*verdict.models, *more], "holds_without": without})


def _verdict(
    session: Session, names: Sequence[str], qid: Qid, models: Sequence[Model], persons: Sequence[str], as_set: bool
) -> QidVerdict:
    least, those = {"k": min(qid.k, sys.maxsize)}, None
    if as_set:
        class_count, rows, smallest, violating, outliers, those = session.row(
            Statement(
                "privacy/histories/recount", histories=classes.histories(_CHECKED, names, qid.attributes, persons)
            ),
            least,
        )
    elif persons:
        counted: dict[str, Hole] = {"persons": classes.columns_of(names, persons), "classes": _CHECKED}
        counted["values"] = classes.values(names, qid)
        class_count, rows, smallest, violating, outliers, those = session.row(
            Statement("privacy/persons/recount", **counted), least
        )
    else:
        statement = Statement("privacy/k_anonymity/violating", sizes=classes.regroup(_CHECKED, names, qid.attributes))
        class_count, rows, smallest, violating, outliers = session.row(statement, least)
    enough = bool(rows) and smallest >= qid.k
    verdicts = [_model(session, names, qid, model, persons) for model in models]
    return QidVerdict(
        attributes=qid.attributes,
        required_k=qid.k,
        of="persons" if persons else "rows",
        as_set=as_set,
        holds=enough and all(qid.holds for qid in verdicts),
        k=smallest if enough else None,
        classes=class_count,
        violating_classes=violating,
        violating_rows=outliers,
        violating_persons=those,
        models=verdicts,
    )


def _model(session: Session, names: Sequence[str], qid: Qid, model: Model, persons: Sequence[str]) -> ModelVerdict:
    judged = classes.judge(session, _CHECKED, names, qid, model, persons)
    return _of_model(model.key, settings_of(model), model.described, judged)


def _of_model(key: str, required: dict[str, Any], described: str, judged: Judged) -> ModelVerdict:
    """The verdict on the model with a ``key``; ``described`` is its requirement in words."""
    return ModelVerdict(
        model=key,
        required=required,
        described=described,
        holds=judged.holds,
        achieved=judged.achieved if judged.holds else None,
        violating_classes=judged.violating_classes,
        violating_rows=judged.violating_rows,
    )
