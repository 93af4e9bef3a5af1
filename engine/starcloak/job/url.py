"""URLs of databases, as jobs give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_wrap_validator_function, str_schema

from starcloak.store.hosts import url as hosts
from starcloak.store.hosts.registry import examples


class _Known:
    """URLs, or engines and connections of SQLAlchemy's; the JSON Schema has one of each kind that is known."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def resolve(given: Any, check: Callable[[Any], str]) -> hosts.Url:
            if isinstance(given, hosts.Url):
                return given
            return hosts.url_of(given) or hosts.Url(check(given))

        return no_info_wrap_validator_function(resolve, str_schema())

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(core), "examples": examples()}


Url = Annotated[hosts.Url, _Known()]
