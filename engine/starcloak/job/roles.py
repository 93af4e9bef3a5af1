"""The roles of columns, in a job and in a ready-made schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic_core import PydanticCustomError

from starcloak.base import installation, settings
from starcloak.base.errors import hint
from starcloak.base.settings import Column, Settings, check
from starcloak.hierarchy.builder import Hierarchy
from starcloak.job import document


class Roles(Settings):
    """The columns of each role except the quasi-identifiers."""

    identifiers: list[Column] = Field(default=[], description="columns never released")
    sensitive: list[Column] = Field(
        default=[], description="columns with facts that nobody should learn about a person; released unchanged"
    )
    keep: list[Column] = Field(default=[], description="columns released unchanged")


class ReadyMade(Roles):
    """A ready-made schema: the roles and hierarchies of a known table."""

    quasi_identifiers: Annotated[dict[Column, Hierarchy], Field(min_length=1, max_length=settings.MOST_ATTRIBUTES)]


def load_ready_made(name: str, base: Path) -> ReadyMade:
    """A ready-made schema, by its shipped name such as ``adult/incognito-2005``, or by the path of a .yaml file."""
    if is_file(name):
        path = base / name
    else:
        root = installation.schemas()
        names = sorted(file.relative_to(root).with_suffix("").as_posix() for file in root.glob("*/*.yaml"))
        if name not in names:
            raise PydanticCustomError(
                "schema",
                "unknown schema {name}: give one of {known}, or the path of a .yaml file.{hint}",
                {"name": repr(name), "known": ", ".join(names), "hint": hint(name, names)},
            )
        path = root / f"{name}.yaml"
    return check(ReadyMade, document.read(path), where=str(path), base=path.parent)


def is_file(schema: str) -> bool:
    return schema.endswith((".yaml", ".yml"))
