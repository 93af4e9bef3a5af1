"""Decisions on the columns of a job: proposed by ``starcloak init`` in a draft, or made by a person."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from starcloak.job.job import Job

#: Proposed by the program and unchanged, proposed by the program and changed by a person, or decided by a person.
Decision = Literal["proposed", "changed", "person"]


def decisions(job: Job) -> dict[str, Decision]:
    """The decision on each column of a job; empty if the job has no record of a draft."""
    if job.drafted is None:
        return {}
    return {name: _decision(job.drafted.get(name), now) for name, now in fingerprints(job).items()}


def _decision(proposal: str | None, now: str) -> Decision:
    if proposal is None:
        return "person"
    return "proposed" if proposal == now else "changed"


def fingerprints(job: Job, files: Mapping[str, str] | None = None) -> dict[str, str]:
    """The fingerprint of each column's role, cleaning and hierarchy, as written in a job.

    The hierarchy includes the content of its file: the text in ``files``, by column, before the file is written.
    """
    return {
        name: _sum([role, _cleaning(job, name), _hierarchy(job, name, (files or {}).get(name))])
        for role, names in job.roles.items()
        for name in names
    }


def _cleaning(job: Job, name: str) -> Any:
    return job.clean[name].model_dump(mode="json", exclude_defaults=True) if name in job.clean else None


def _hierarchy(job: Job, name: str, text: str | None) -> Any:
    if name not in job.quasi_identifiers:
        return None
    kind = job.quasi_identifiers[name]
    # Without the defaults, so that a new setting of a later version changes no fingerprint.
    settings = kind.model_dump(mode="json", exclude_defaults=True, exclude={*kind.apart})
    contents = [path.read_bytes() for path in kind.files if path.is_file()] if text is None else [text.encode()]
    return [type(kind).__name__, settings, [hashlib.sha256(content).hexdigest() for content in contents]]


def _sum(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]
