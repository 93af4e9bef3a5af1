"""Earlier releases of the source named in a job, and the joint k accepted for publication.

Joint k is the size of the smallest group of rows with the same class in each of several releases.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, GetJsonSchemaHandler, StrictInt, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from starcloak.base.settings import JobPath, Settings, TableName
from starcloak.job.source import Url


class Earlier(Settings):
    """An earlier release: its file (``path``), its ``table`` with the ``url`` of its database, or its ``job``.

    A text is one of the three: the path of a job (.yaml), the path of a file (.csv, .parquet or .xlsx), or a table.
    Without a ``url``, the table is in the database of the output or, failing this, of the source.
    """

    path: JobPath | None = None
    table: TableName | None = None
    url: Url | None = None
    job: JobPath | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, data: Any) -> Any:
        if not isinstance(data, str):
            return data
        folded = data.lower()
        if folded.endswith((".yaml", ".yml")):
            return {"job": data}
        return {"path" if folded.endswith((".csv", ".parquet", ".xlsx")) else "table": data}

    @model_validator(mode="after")
    def _one_place(self) -> Earlier:
        if sum(place is not None for place in (self.path, self.table, self.job)) != 1:
            raise PydanticCustomError(
                "against", "an earlier release needs exactly one of path, table and job: give one of them"
            )
        if self.url is not None and self.table is None:
            raise PydanticCustomError("against", "a url needs a table")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core))
        return {"anyOf": [{"type": "string", "minLength": 1}, {**schema}]}


class Accept(Settings):
    """Joint k with the releases under ``against``, accepted for publication below the required k.

    A number is the smallest accepted joint k; ``unknown`` accepts an unknown joint k.
    """

    joint_k: Annotated[StrictInt, Field(ge=1)] | Literal["unknown"]

    @property
    def smallest(self) -> int | None:
        """The smallest accepted joint k, or None for ``unknown``."""
        return self.joint_k if isinstance(self.joint_k, int) else None

    @property
    def unknown(self) -> bool:
        """True if the job accepts a release of unknown joint k."""
        return self.joint_k == "unknown"
