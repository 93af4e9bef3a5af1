"""OpenLineage events of a run: the source column of each released column, and the verified k.

Events contain no row and no count from 1 to k - 1.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from starcloak.base.errors import OutputError
from starcloak.job import Job, Output, Place
from starcloak.job.result import Result
from starcloak.releases.disclosure import disclosure_of
from starcloak.store import staging
from starcloak.store.databases.url import Url
from starcloak.store.staging import Written

_SPEC = "https://openlineage.io/spec"
_PRODUCER = "urn:starcloak:"
_LONGEST = 100_000_000  # bytes of an event, which has some lines per column


def file_to_write(path: Path) -> Written:
    """Declare the file of events as an output. Only a file of events written by starcloak may be replaced."""
    return Written(path, "the event", "--openlineage", is_own=_is_event)


class Events:
    """Events of a run, written to a file: only the last event, or one line per event in a ``.jsonl`` or ``.ndjson``
    file.
    """

    def __init__(self, path: Path, run: str) -> None:
        self.path, self.run = path, run
        self._is_complete = False

    @contextmanager
    def told(self, job: Job) -> Iterator[None]:
        """Write START, and FAIL or ABORT if the run ends before COMPLETE.

        Raises :class:`~starcloak.base.errors.OutputError` if START cannot be written, before any work.
        """
        try:
            _write(self.path, _event(job, "START", self.run), self.run)
        except (OSError, RuntimeError) as error:
            raise OutputError(
                f"{self.path} cannot be written ({type(error).__name__}): check the path under --openlineage"
            ) from None
        try:
            yield
        except BaseException as error:
            if not self._is_complete:
                # Its details on rows and places are for the user of the run.
                message = f"{type(error).__name__}: see the messages of the run"
                fields = {"message": message, "programmingLanguage": "PYTHON"}
                facets = {"errorMessage": _facet("1-0-1", "ErrorMessageRunFacet", fields)}
                kind = "ABORT" if _is_interrupt(error) else "FAIL"
                with suppress(OSError, RuntimeError):  # the error that ended the run is reported
                    _write(self.path, _event(job, kind, self.run, facets), self.run)
            raise

    def complete(self, job: Job, result: Result) -> None:
        """Write COMPLETE. Raises :class:`~starcloak.base.errors.OutputError` if it cannot be written."""
        self._is_complete = True
        try:
            _write(self.path, event(job, result, run=self.run), self.run)
        except (OSError, RuntimeError) as error:
            raise OutputError(
                f"the release is published, but {self.path} cannot be written ({type(error).__name__}), so its run has "
                "no COMPLETE event: check the path and its permissions"
            ) from None


def _is_interrupt(error: BaseException) -> bool:
    return isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit))


def _write(path: Path, event: dict[str, Any], run: str) -> None:
    """Replace the file at ``path`` by an event, whole or not at all, or append the event as a line.

    Symbolic links are followed. Raises :class:`FileExistsError` if another program wrote the file.
    """
    if path.exists() and not (path.is_file() and _is_event(path)):
        raise FileExistsError
    if _has_lines(path):
        with open(path, "a", encoding="utf-8") as lines:
            lines.write(json.dumps(event) + "\n")
    else:
        staging.write(path.resolve(), json.dumps(event, indent=2) + "\n", run)


def _has_lines(path: Path) -> bool:
    return path.suffix.lower() in (".jsonl", ".ndjson")


def _is_event(path: Path) -> bool:
    if path.stat().st_size > _LONGEST and not _has_lines(path):
        return False
    try:
        with open(path, encoding="utf-8") as content:
            text = content.readline(_LONGEST) if _has_lines(path) else content.read()
        return str(json.loads(text)["producer"]).startswith(_PRODUCER)
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def event(job: Job, result: Result, *, run: str | None = None) -> dict[str, Any]:
    """The COMPLETE event of a run (OpenLineage 2-0-2). ``run`` is the id of the run, by default the id in the result.

    The input has the facet ``schema`` with the columns for readers. The output has ``schema``, ``columnLineage``
    (generalized columns with ``masking: true``), ``dataQualityAssertions`` (one per quasi-identifier of the
    requirement), ``version`` if the release has a hash, and ``outputStatistics``. The job's namespace is
    ``$OPENLINEAGE_NAMESPACE``, or ``default``.
    """
    result = disclosure_of(result).result  # a reader of events may not be the custodian
    origin = _origin(job)
    names = [name for role, columns in job.roles.items() if role not in ("identifiers", "person") for name in columns]
    columns = [column for name in names for column in _read(job, name)]
    lineage: dict[str, Any] = {"fields": {name: _field(origin, name, job, result) for name in names}}
    if job.requirement.suppression:
        left_out = {"type": "INDIRECT", "subtype": "FILTER", "description": "rows of small classes may be suppressed"}
        lineage["dataset"] = [
            _input(origin, column, {**left_out, "masking": False})
            for name in job.quasi_identifiers
            for column in _read(job, name)
        ]
    facets = {
        "schema": _schema(names),
        "columnLineage": _facet("1-2-0", "ColumnLineageDatasetFacet", lineage),
        "dataQualityAssertions": _facet(
            "1-1-0", "DataQualityAssertionsDatasetFacet", {"assertions": _assertions(result)}
        ),
    }
    if result.hashes.release is not None:
        counted = {"datasetVersion": result.hashes.release}
        facets["version"] = _facet("1-0-1", "DatasetVersionDatasetFacet", counted)
    written = _facet(
        "1-0-2",
        "OutputStatisticsOutputDatasetFacet",
        {"rowCount": 0 if result.unchanged else result.released_rows},
    )
    number = run or (uuid.uuid4().hex if result.unchanged else result.run)
    described = _event(job, "COMPLETE", number)
    (output,) = described["outputs"]
    outputs = [{**output, "facets": facets, "outputFacets": {"outputStatistics": written}}]
    return {**described, "inputs": [{**origin, "facets": {"schema": _schema(columns)}}], "outputs": outputs}


def _event(job: Job, kind: str, run: str, facets: dict[str, Any] | None = None) -> dict[str, Any]:
    """An event of a run, with fields known from the job alone. ``kind`` is an event type such as ``START``."""
    place = _place(job.output, job.source)
    return {
        "eventType": kind,
        "eventTime": datetime.now(UTC).isoformat(),
        "producer": _producer(),
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid.UUID(run)), **({"facets": facets} if facets else {})},
        "job": {
            "namespace": os.environ.get("OPENLINEAGE_NAMESPACE", "default"),
            "name": f"starcloak.{Path(place['name']).name}",
        },
        "inputs": [_origin(job)],
        "outputs": [place],
    }


def _schema(names: Sequence[str]) -> dict[str, Any]:
    return _facet("1-2-0", "SchemaDatasetFacet", {"fields": [{"name": name} for name in names]})


def _field(origin: dict[str, str], name: str, job: Job, result: Result) -> dict[str, Any]:
    level = result.recoding.levels.get(name)
    whole = result.recoding.model == "full-domain"
    read, is_unchanged = _read(job, name), level is None or (whole and level == 0)
    steps = [] if name not in job.clean else ["joined from several columns" if len(read) > 1 else "cells are cleaned"]
    if not is_unchanged:
        height = result.recoding.heights[name]
        described = f"level {level} of {height}" if whole else f"level {level} of {height} or above, by row"
        steps.append(f"generalized to {described}")
    transformation = {
        "type": "DIRECT",
        "subtype": "TRANSFORMATION" if steps else "IDENTITY",
        "description": ", ".join(steps) or "as it is",
        "masking": not is_unchanged,
    }
    read += job.quasi_identifiers[name].columns_read if level else []
    return {"inputFields": [_input(origin, column, transformation) for column in read]}


def _read(job: Job, name: str) -> list[str]:
    """The columns of the source with the values of a released column: several if the job joins them."""
    return list((job.clean[name].join if name in job.clean else None) or [name])


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
            "params": {"quasi_identifiers": qid.attributes, **model.told},
        }
        for qid in result.requirement.qids
        for model in qid.models
    ]


def _facet(version: str, name: str, content: dict[str, Any]) -> dict[str, Any]:
    return {
        "_producer": _producer(),
        "_schemaURL": f"{_SPEC}/facets/{version}/{name}.json#/$defs/{name}",
        **content,
    }


def _producer() -> str:
    return f"{_PRODUCER}{version('starcloak')}"


def _origin(job: Job) -> dict[str, str]:
    """The source as an OpenLineage dataset, with namespace and name.

    A query is named after its release, because the text of a query, or a hash of the text, may reveal values.
    """
    source = job.source
    if source is None:
        return {"namespace": "memory", "name": "frame"}
    if source.path is not None:
        return _file(source.path)
    if source.dataset is not None:
        return {"namespace": "starcloak", "name": source.dataset}
    assert source.url is not None
    return _table(source.url, source.table or f"query-for-{Path(_place(job.output, source)['name']).name}")


def _place(output: Output | None, source: Place | None) -> dict[str, str]:
    if output is None:
        return {"namespace": "memory", "name": "release"}
    if output.path is not None:
        return _file(output.path)
    url = output.url or (source.url if source else None)
    assert url is not None and output.table is not None
    return _table(url, output.table)


def _file(path: Path) -> dict[str, str]:
    return {"namespace": "file", "name": str(path.absolute())}


def _table(url: Url, table: str) -> dict[str, str]:
    """A table as an OpenLineage dataset. The namespace contains no user and no password."""
    parts = url.parts
    kind, database = parts.get_backend_name(), parts.database or ""
    if parts.host is None:  # a file
        return {"namespace": f"{kind}://{Path(database).expanduser().absolute()}", "name": table}
    port = f":{parts.port}" if parts.port else ""
    return {"namespace": f"{kind}://{parts.host}{port}", "name": f"{database}.{table}"}
