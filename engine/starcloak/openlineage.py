"""A run as an OpenLineage event: what came of which column, and that k was counted. No row and no small count."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starcloak.errors import OutputError
from starcloak.hosts.url import parsed
from starcloak.job import Job, Output, Source
from starcloak.result import Result
from starcloak.targets import staging
from starcloak.targets.footprint import Written

_SPEC = "https://openlineage.io/spec"
_PRODUCER = "urn:starcloak:"
_LONGEST = 100_000_000  # bytes of an event, which has some lines per column


def written(path: Path) -> Written:
    """The file of an event, which replaces no other file than an event of starcloak."""
    return Written(path, "the event", "--openlineage", is_own=_is_event)


def write(path: Path, event: dict[str, Any], run: str) -> None:
    """Write an event whole or not at all, links followed. Raises :class:`OutputError`: the release is out already."""
    try:
        if path.exists() and not (path.is_file() and _is_event(path)):
            raise FileExistsError
        staging.write(path.resolve(), json.dumps(event, indent=2) + "\n", run)
    except (OSError, RuntimeError) as error:
        raise OutputError(f"the release is published, but {path} cannot be written ({type(error).__name__})") from None


def _is_event(path: Path) -> bool:
    if path.stat().st_size > _LONGEST:
        return False
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["producer"]).startswith(_PRODUCER)
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def event(job: Job, result: Result) -> dict[str, Any]:
    """The COMPLETE event of a run (OpenLineage 2-0-2).

    The output has the facets ``schema``, ``columnLineage`` (generalized columns with ``masking: true``),
    ``dataQualityAssertions`` (one per quasi-identifier of the requirement), ``version`` where the release has a hash,
    and ``outputStatistics``. The job's namespace is ``$OPENLINEAGE_NAMESPACE``, or ``default``.
    """
    origin, place = _origin(job.source), _place(job.output, job.source)
    names = [name for role, columns in job.roles.items() if role != "identifiers" for name in columns]
    lineage: dict[str, Any] = {"fields": {name: _field(origin, name, job, result) for name in names}}
    if job.requirement.suppression:
        left_out = {"type": "INDIRECT", "subtype": "FILTER", "description": "rows of small classes may be left out"}
        lineage["dataset"] = [_input(origin, name, {**left_out, "masking": False}) for name in job.quasi_identifiers]
    facets = {
        "schema": _facet(result, "1-1-1", "SchemaDatasetFacet", {"fields": [{"name": name} for name in names]}),
        "columnLineage": _facet(result, "1-2-0", "ColumnLineageDatasetFacet", lineage),
        "dataQualityAssertions": _facet(
            result, "1-1-0", "DataQualityAssertionsDatasetFacet", {"assertions": _assertions(result)}
        ),
    }
    if result.hashes.release is not None:
        version = {"datasetVersion": result.hashes.release}
        facets["version"] = _facet(result, "1-0-1", "DatasetVersionDatasetFacet", version)
    written = _facet(
        result,
        "1-0-2",
        "OutputStatisticsOutputDatasetFacet",
        {"rowCount": 0 if result.unchanged else result.released_rows},
    )
    return {
        "eventType": "COMPLETE",
        "eventTime": datetime.now(UTC).isoformat(),
        "producer": _producer(result),
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid.uuid4() if result.unchanged else uuid.UUID(result.run))},
        "job": {
            "namespace": os.environ.get("OPENLINEAGE_NAMESPACE", "default"),
            "name": f"starcloak.{Path(place['name']).name}",
        },
        "inputs": [origin],
        "outputs": [{**place, "facets": facets, "outputFacets": {"outputStatistics": written}}],
    }


def _field(origin: dict[str, str], name: str, job: Job, result: Result) -> dict[str, Any]:
    level = result.recoding.levels.get(name)
    whole = result.recoding.model == "full-domain"
    if level is None or (whole and level == 0):
        transformation = {"type": "DIRECT", "subtype": "IDENTITY", "description": "as it is", "masking": False}
    else:
        height = result.recoding.heights[name]
        described = f"level {level} of {height}" if whole else f"level {level} of {height} or above, by row"
        transformation = {
            "type": "DIRECT",
            "subtype": "TRANSFORMATION",
            "description": f"generalized to {described}",
            "masking": True,
        }
    return {"inputFields": [_input(origin, name, transformation)]}


def _input(origin: dict[str, str], name: str, transformation: dict[str, Any]) -> dict[str, Any]:
    return {**origin, "field": name, "transformations": [transformation]}


def _assertions(result: Result) -> list[dict[str, Any]]:
    return [
        {
            "assertion": "k_anonymous",
            "success": True,
            "name": f"k-anonymity over {', '.join(qid.attributes)}",
            "expected": str(qid.k),
            **({} if qid.achieved_k is None else {"actual": str(qid.achieved_k)}),
            "params": {"quasi_identifiers": qid.attributes, "k": qid.k},
        }
        for qid in result.requirement.qids
    ] + [
        {
            "assertion": model.model,
            "success": True,
            "name": f"{model.model} over {', '.join(qid.attributes)}",
            "params": {"quasi_identifiers": qid.attributes, **model.required},
        }
        for qid in result.requirement.qids
        for model in qid.models
    ]


def _facet(result: Result, version: str, name: str, content: dict[str, Any]) -> dict[str, Any]:
    return {
        "_producer": _producer(result),
        "_schemaURL": f"{_SPEC}/facets/{version}/{name}.json#/$defs/{name}",
        **content,
    }


def _producer(result: Result) -> str:
    return f"{_PRODUCER}{result.versions.starcloak}"


def _origin(source: Source | None) -> dict[str, str]:
    if source is None:
        return {"namespace": "memory", "name": "frame"}
    if source.path is not None:
        return _file(source.path)
    if source.dataset is not None:
        return {"namespace": "starcloak", "name": source.dataset}
    name = source.table or f"query-{hashlib.sha256((source.query or '').encode()).hexdigest()[:12]}"
    return _table(source.url or "", name)


def _place(output: Output | None, source: Source | None) -> dict[str, str]:
    if output is None:
        return {"namespace": "memory", "name": "release"}
    if output.path is not None:
        return _file(output.path)
    return _table(output.url or (source.url if source else None) or "", output.table or "")


def _file(path: Path) -> dict[str, str]:
    return {"namespace": "file", "name": str(path.absolute())}


def _table(url: str, table: str) -> dict[str, str]:
    """A table's name without user or password."""
    parts = parsed(url)
    kind, database = parts.get_backend_name(), parts.database or ""
    if parts.host is None:  # a file
        return {"namespace": f"{kind}://{Path(database).expanduser().absolute()}", "name": table}
    port = f":{parts.port}" if parts.port else ""
    return {"namespace": f"{kind}://{parts.host}{port}", "name": f"{database}.{table}"}
