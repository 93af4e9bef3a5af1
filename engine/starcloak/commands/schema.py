"""The JSON Schemas of jobs, ready-made schemas and results, exported by ``python -m starcloak.commands.schema``."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from starcloak.base import installation
from starcloak.commands.audit.result import Audit
from starcloak.commands.comparison.result import Comparison
from starcloak.commands.explanation.result import Explanation
from starcloak.job import Job, ReadyMade
from starcloak.job.check_result import Verdict
from starcloak.job.result import Failed, Result

_MODELS: dict[str, type[BaseModel]] = {
    "error": Failed,
    "job": Job,
    "hierarchy": ReadyMade,
    "report": Result,
    "verdict": Verdict,
    "audit": Audit,
    "comparison": Comparison,
    "explanation": Explanation,
}


def exports() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each model, by the name of its file."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {name: dialect | model.model_json_schema(by_alias=True) for name, model in _MODELS.items()}


if __name__ == "__main__":
    for name, schema in exports().items():
        (installation.schemas() / f"{name}.json").write_text(json.dumps(schema, indent=2) + "\n", encoding="utf-8")
