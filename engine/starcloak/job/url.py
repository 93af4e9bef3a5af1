"""URLs of databases, as jobs give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_wrap_validator_function

from starcloak.hosts.registry import examples
from starcloak.hosts.url import EngineUrl, url_of


class _Known:
    """URLs, or engines and connections of SQLAlchemy's; the JSON Schema has one of each kind that is known."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def checked(given: Any, check: Callable[[Any], Any]) -> Any:
            url = url_of(given)
            return url if isinstance(url, EngineUrl) else check(url)

        return no_info_wrap_validator_function(checked, handler(source))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(core), "examples": examples()}


Url = Annotated[str, _Known()]
