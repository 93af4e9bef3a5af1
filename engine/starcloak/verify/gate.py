"""The gate: whether a table, as it stands, satisfies what is asked of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from starcloak import few
from starcloak.errors import SourceError, StatementError, VerificationError
from starcloak.job import Qid
from starcloak.privacy.model import Model, recounted
from starcloak.result import ModelVerdict, QidVerdict, Verdict
from starcloak.session import Session
from starcloak.source.source import Source
from starcloak.statement import Name, Statement
from starcloak.verify import classes

_CHECKED = Name("checked_classes")


def check(session: Session, source: Source, *, qids: Sequence[Qid], models: Sequence[Model] = ()) -> Verdict:
    """Whether the source, as it stands, is k-anonymous over each of the ``qids`` (Fung, Wang, Yu 2007, Definition 1).

    Its classes must satisfy the ``models``, too. No count between 1 and k - 1 is told.
    """
    names = [column.name for column in source.released]
    source.refuse_unlike([name for model in models for name in model.reads])
    try:
        # One statement reads it: a source that yields other rows each time gets one answer, about rows it did yield.
        counted, yielded = classes.of(source.relation, source.released, qids=qids)
        told = source.host.gather_classes(_CHECKED, counted, yielded, size=classes.SIZE)
        if not classes.arrived(session, _CHECKED, names, qids, told):
            raise VerificationError(f"there is no verdict on {source.label}: {classes.OTHERWISE}")
        rows = told.rows
        source.refuse_lost(rows)
        verdicts = [_judged(session, names, qid, models) for qid in qids]
    except StatementError as error:
        problem = f"{source.label} cannot be read ({error.kind}): check that its rows are well-formed"
        raise SourceError(problem) from None
    if not rows:
        raise SourceError(f"{source.label} has no rows: there is nothing to check")
    return Verdict(
        source=source.label,
        holds=all(verdict.holds for verdict in verdicts),
        rows=None if rows < max(qid.k for qid in qids) else rows,
        qids=verdicts,
    )


def _judged(session: Session, names: Sequence[str], qid: Qid, models: Sequence[Model]) -> QidVerdict:
    """The verdict on one QID; where it does not hold, also the attributes without which it would."""
    verdict = _verdict(session, names, qid, models)
    if verdict.holds or len(qid.attributes) == 1:
        return verdict
    enough = []
    for attribute in qid.attributes:
        others = [other for other in qid.attributes if other != attribute]
        if _verdict(session, names, qid.model_copy(update={"attributes": others}), models).holds:
            enough.append(attribute)
    return verdict.model_copy(update={"holds_without": enough})


def _verdict(session: Session, names: Sequence[str], qid: Qid, models: Sequence[Model]) -> QidVerdict:
    statement = Statement("verify/violating", {"sizes": classes.regrouped(_CHECKED, names, qid)})
    found, rows, smallest, violating, outliers = session.row(statement, {"k": min(qid.k, sys.maxsize)})
    enough = bool(rows) and smallest >= qid.k
    others = [_model(session, names, qid, model) for model in models]
    return QidVerdict(
        attributes=qid.attributes,
        required_k=qid.k,
        holds=enough and all(each.holds for each in others),
        k=smallest if enough else None,
        classes=None if rows < qid.k else found,
        violating_classes=few.told(violating, qid.k),
        violating_rows=few.told(outliers, qid.k),
        models=others,
    )


def _model(session: Session, names: Sequence[str], qid: Qid, model: Model) -> ModelVerdict:
    read = [classes.value(names.index(name)) for name in model.reads]
    judged = recounted(model)(session, _CHECKED, classes.values(names, qid), read, model)
    return ModelVerdict(
        model=model.key,
        required=model.given,
        described=model.described,
        holds=judged.holds,
        achieved=judged.achieved if judged.holds else None,
        violating_classes=few.told(judged.violating_classes, qid.k),
        violating_rows=few.told(judged.violating_rows, qid.k),
    )
