"""URLs of databases, as jobs give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_wrap_validator_function, str_schema

from starcloak.store.hosts import url as hosts
from starcloak.store.hosts.registry import examples

_OF_DUCKDB = (
    "a connection of DuckDB's is no url: give a relation of its as the data, such as connection.table('people'), or "
    "the url of its file"
)
_ENGINE_OF_DUCKDB = (
    "an engine or a connection of SQLAlchemy's to DuckDB is no url, as a run opens the file by itself: give a relation "
    "of the connection beneath as the data, such as connection.table('people'), or the url of its file when closed"
)
_OF_OTHERS = "give a url as text, or an engine or a connection of SQLAlchemy's"


def _is_of_duckdb(given: Any) -> bool:
    return type(given).__name__ == "DuckDBPyConnection"


class _Known:
    """URLs, or engines and connections of SQLAlchemy's; the JSON Schema has one of each kind that is known."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def resolve(given: Any, check: Callable[[Any], str]) -> hosts.Url:
            if isinstance(given, hosts.Url):
                return given
            if (url := hosts.url_of(given)) is None and not isinstance(given, str):
                raise PydanticCustomError("url", _OF_DUCKDB if _is_of_duckdb(given) else _OF_OTHERS)
            if url is not None and url.engine is not None and url.kind.embedded:
                raise PydanticCustomError("url", _ENGINE_OF_DUCKDB)
            return url or hosts.Url(check(given))

        return no_info_wrap_validator_function(resolve, str_schema())

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(core), "examples": examples()}


Url = Annotated[hosts.Url, _Known()]
