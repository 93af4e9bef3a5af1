"""The result of the run that made a release: found by the released file or table, or by the job."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base.column import Column
from starcloak.base.errors import SourceError
from starcloak.commands.pipeline import check, run
from starcloak.exports.report import write
from starcloak.job import Place, Qid, load, load_requirement
from starcloak.privacy.model import Model, PopulationComparison, TableComparison, models
from starcloak.releases import manifest
from starcloak.releases.proposal import refuse_places, resolve
from starcloak.releases.targets import registry
from starcloak.releases.targets.file import File
from starcloak.releases.targets.table import TableTarget
from starcloak.sources.open_source import open_source, open_store
from starcloak.star import fingerprint
from starcloak.store.resources import Resources

if TYPE_CHECKING:
    from starcloak.job.result import Result
    from starcloak.releases.targets.target import Target


def of_place(place: Place) -> Result:
    """The result of the run that wrote a released file or table, from the run's manifest on this machine.

    Raises :class:`SourceError` if there is no manifest, or the release was altered.
    """
    target = None if place.path is None and (place.url is None or place.table is None) else registry.place(place)
    result = None if target is None else manifest.last_result(target)
    if target is None or result is None:
        label = "the query" if target is None else target.label
        if isinstance(target, File) and not target.path.is_file():
            raise SourceError(f"{target.label} is not a file: give the path of a release, or of its job")
        raise SourceError(
            f"{label} is not a known release: its manifest, the file that every run keeps in "
            "$XDG_STATE_HOME/starcloak of its user, is missing. Run its job again with --force, or give the job in "
            "place of the release"
        )
    refuse_altered(target, place, result, Resources())
    return result


def refuse_altered(target: Target, place: Place, result: Result, resources: Resources) -> None:
    """Raise :class:`SourceError` for an altered release: a file with other bytes, a table with other rows.

    The rows of a table must have the fingerprint of the release. Without a fingerprint by the same versions, the rows
    and classes are counted again, with the models that can be checked on the table alone.
    """
    if isinstance(target, File):
        if not target.path.is_file():
            raise SourceError(f"{target.label} is not there any longer: run its job again")
        if fingerprint.file(target.path) != result.hashes.release:
            raise SourceError(target.changed)
        return
    if not result.released_rows:
        return
    # Another version may compute other fingerprints of the same rows.
    table = registry.place(place)
    if isinstance(table, TableTarget) and result.hashes.release and result.versions == manifest.versions():
        names = [name for role in ("quasi_identifiers", "sensitive", "keep") for name in result.roles.get(role, [])]
        with open_store(place, resources) as store:
            opened = open_source(store, place, partial(_as_released, result), closed=False)
            store.lock_down()
            has_columns = sorted(names) == sorted(column.name for column in opened.released)
            is_altered = not (has_columns and result.hashes.release in table.digests(store, opened))
    else:
        is_altered = _has_other_counts(place, result, resources)
    if is_altered:
        raise SourceError(f"{target.label} was changed after its run: run its job again with --force")


def _as_released(result: Result, described: Sequence[Column]) -> dict[str, list[str]]:
    """Roles of a released table's columns: the quasi-identifiers in the order of the job, and all others kept."""
    quasi_identifiers = result.roles["quasi_identifiers"]
    kept = [column.name for column in described if column.name not in quasi_identifiers]
    return {"quasi_identifiers": quasi_identifiers, "keep": kept}


def _has_other_counts(place: Place, result: Result, resources: Resources) -> bool:
    """True if a released table has other numbers of rows than its result, or no longer satisfies the requirement."""
    qids = [Qid(attributes=qid.attributes, k=qid.k) for qid in result.requirement.qids]
    verdict = check(place, qids, models=_of_table(result), resources=resources)
    if not verdict.holds or verdict.rows != result.released_rows:
        return True
    of_rows = result.persons is None
    return of_rows and [qid.k for qid in verdict.qids] != [qid.achieved_k for qid in result.requirement.qids]


def _of_table(result: Result) -> list[Model]:
    """The privacy models of a release that a count of the released rows can confirm; none if persons were counted.

    Models that compare with the source or with a population are left out.
    """
    if result.persons is not None:
        return []
    values: dict[str, list[Any]] = {}
    for model in result.requirement.qids[0].models:
        values.setdefault(model.model, []).append(model.required)
    model_kinds = models()
    alone = {
        key: items
        for key, items in values.items()
        if not any(issubclass(kind, (TableComparison, PopulationComparison)) for kind in model_kinds[key].values())
    }
    return [*load_requirement({"k": 1, **alone}).models]


def of_job(path: Path, into: Path, *, resources: Resources = Resources()) -> tuple[Result, bool]:
    """The result of a job's release, and True if the release is published.

    If no release of exactly this job is known, the job is run with its release in memory, and the second value is
    False. ``into`` is the file of the report to be written.
    """
    resolved = resolve(load(path))
    refuse_places(resolved.job, resolved.goal, write.file_to_write(into))
    result, place = resolved.released(), resolved.place
    if result is not None and place is not None:
        refuse_altered(resolved.goal, place, result, resources)
        return result, True
    alone = resolved.unpublished().model_copy(update={"refresh": False})
    return run(alone, resources=resources).result, False
