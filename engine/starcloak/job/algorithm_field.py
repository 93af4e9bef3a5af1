"""The algorithm that a job names, with its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, GetJsonSchemaHandler, SerializeAsAny, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from starcloak.base.errors import hint
from starcloak.job.algorithms import Algorithm, algorithms


def _known_algorithm(value: Any, info: ValidationInfo) -> Any:
    """The settings of the algorithm that a mapping or a word names."""
    if isinstance(value, Algorithm):
        return value
    if isinstance(value, str):
        value = {"name": value}
    name = value.get("name") if isinstance(value, Mapping) else None
    known = algorithms()
    if isinstance(name, str) and name in known:
        return known[name].model_validate(value, context=info.context)
    raise PydanticCustomError(
        "algorithm",
        "{found}, as in algorithm: sweep. Known: {known}.{hint}",
        {
            "found": f"unknown name {name!r}" if isinstance(name, str) else "it needs a name",
            "known": ", ".join(known),
            "hint": hint(str(name), known),
        },
    )


class _OneOfAll:
    """The JSON Schema of all algorithms, told apart by their names."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schemas = {name: handler(settings.__pydantic_core_schema__) for name, settings in algorithms().items()}
        return {"oneOf": [{"enum": list(schemas), "type": "string"}, *schemas.values()]}


AnyAlgorithm = Annotated[SerializeAsAny[Algorithm], BeforeValidator(_known_algorithm), _OneOfAll()]
