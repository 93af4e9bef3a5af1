"""Events of a file, built in the classes that OpenLineage makes of its schemas. Run where these are installed.

What a class does not know, what it lacks and what is of another type is an error. Told are the classes of the facets.
"""

from __future__ import annotations

import enum
import importlib
import json
import pkgutil
import sys
import types
import typing
from typing import Any

import attr
from openlineage.client import generated
from openlineage.client.generated import base

NAMES = [each.name for each in pkgutil.iter_modules(generated.__path__)]
MODULES = [importlib.import_module(f"{generated.__name__}.{name}") for name in NAMES]
FACETS = {
    made._get_schema(): made
    for module in MODULES
    for made in vars(module).values()
    if isinstance(made, type) and issubclass(made, base.BaseFacet)
}
told: list[str] = []


def build(kind: Any, value: Any) -> Any:
    """A value of JSON in the type that a class asks for."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        (kind,) = (each for each in typing.get_args(kind) if each is not type(None))
    inner = typing.get_args(kind)
    if typing.get_origin(kind) is list:
        return [build(inner[0], each) for each in value]
    if typing.get_origin(kind) is dict:
        return {key: build(inner[1], each) for key, each in value.items()}
    if kind is Any:
        return value
    if issubclass(kind, enum.Enum):
        return kind(value)
    if not attr.has(kind):
        assert type(value) is kind, f"{value!r} is no {kind.__name__}"
        return value
    if issubclass(kind, base.BaseFacet):
        kind = FACETS[value["_schemaURL"]]
        told.append(kind.__name__)
    hints = typing.get_type_hints(kind)
    names = {field.name: field for field in attr.fields(kind)}
    assert set(value) <= set(names), f"{kind.__name__} knows no {set(value) - set(names)}"
    given = {names[key].alias: build(hints[key], each) for key, each in value.items() if names[key].init}
    made = kind(**given)
    for key, each in value.items():
        if not names[key].init:
            assert getattr(made, key) == each, f"{kind.__name__} has {getattr(made, key)} as {key}"
    return made


with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        event = json.loads(line)
        told.append(event["eventType"])
        build(base.RunEvent, event)
print(" ".join(told))
