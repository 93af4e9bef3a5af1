"""A builder of hierarchies: what a job declares for an attribute, made the members of a dimension table.

A builder is a module of :mod:`starcloak.hierarchy` that goes by its key. It registers its settings; nobody else knows
its name.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    SerializeAsAny,
    StrictInt,
    ValidationInfo,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from starcloak.base import settings
from starcloak.base.errors import HierarchyError, hint
from starcloak.base.installation import load, load_named
from starcloak.base.settings import Importance, Settings, Share, check

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.statements.statement import Name
    from starcloak.store.databases.host import Host
    from starcloak.store.session import Session
    from starcloak.store.source import Source

TOP = "*"


@dataclass(frozen=True)
class BuildPlace:
    """Where the members of a column's hierarchy are built.

    ``domain`` has the column's distinct values, as ``value``. ``into`` becomes a table with one row per leaf:
    ``present`` (the source has it), ``value`` (as the source has it), ``level_0`` … ``level_<height>`` (texts).
    ``rows`` is the source, where the column is a quasi-identifier of it.
    """

    session: Session
    host: Host
    column: Column
    domain: Name
    into: Name
    rows: Source | None = None

    def wrong(self, problem: str) -> HierarchyError:
        """What is wrong with the hierarchy. It tells how many values are, never which."""
        return HierarchyError(f"hierarchy of {self.column.name!r}: {problem}")

    def too_high(self) -> HierarchyError:
        return self.wrong(f"more than {settings.MOST_LEVELS} levels above its leaves: leave some out")


class Builder(Settings):
    """What a job says of an attribute's hierarchy. ``key`` is its one key that tells it from others, or its word."""

    key: ClassVar[str]
    #: What a job says, as documentation shows it, and what its levels read then, from the leaf to the top.
    form: ClassVar[str]
    levels_read: ClassVar[str]
    #: What else it is looked for by.
    also_called: ClassVar[tuple[str, ...]] = ()
    #: What the top level is called: what it reads, where that is known.
    top_label: ClassVar[str] = "the top"
    #: Whether the algorithm finds intervals of numbers itself, and whether there is one step to the top and no other.
    numeric: ClassVar[bool] = False
    suppresses: ClassVar[bool] = False
    #: What its values are, where many of them as they are find people: a day of birth, a postcode.
    finds_people_by: ClassVar[str | None] = None
    #: Whether it is a thing of Python's, which no file can hold.
    in_python: ClassVar[bool] = False
    #: The fields that say where it is read from, or that its ``content`` tells.
    apart: ClassVar[tuple[str, ...]] = ()

    #: What becomes of values that have no leaf: an error, or from level 1 on the missing value, or the top at once.
    nonconforming: Literal["refuse", "missing", "suppress"] = "refuse"
    #: The lowest level that a release may have, and the highest.
    from_: Annotated[
        StrictInt | None,
        Field(alias="from", ge=0, le=settings.MOST_LEVELS, description="the lowest level released"),
        AfterValidator(lambda level: level or None),  # 0 is every hierarchy's own
    ] = None
    to: Annotated[StrictInt | None, Field(ge=0, le=settings.MOST_LEVELS, description="the highest level released")] = (
        None
    )
    #: The share of the released rows whose cell may be the top, which tells nothing.
    max_suppressed: Share | None = None
    #: By which what is lost in the column counts in a search.
    importance: Annotated[Importance, Field(description="by which what is lost in the column counts in a search")] = (
        Decimal(1)
    )

    @model_validator(mode="after")
    def _from_below_to(self) -> Self:
        if self.numeric and any(each is not None for each in (self.from_, self.to, self.max_suppressed)):
            raise PydanticCustomError("levels", "its ranges are no levels: leave from and to out, or give intervals")
        if self.to is not None and self.max_suppressed is not None:
            raise PydanticCustomError("levels", "to says that no cell is the top: leave max_suppressed out")
        if self.from_ is not None and self.to is not None and self.from_ > self.to:
            raise PydanticCustomError("levels", "from is higher than to: write the lower level first")
        return self

    @classmethod
    def takes(cls, given: Any) -> bool:
        """Whether what a job gives is of this builder."""
        return isinstance(given, Mapping) and cls.key in given

    @abstractmethod
    def members(self, place: BuildPlace) -> int:
        """Create the members, each level a function of the one below; returns the height, 1 or more.

        The table has a row per leaf, and a column of texts per level, the leaf's included. Raises
        :class:`~starcloak.base.errors.HierarchyError`, by ``place.wrong``, for what no table can be made of; whoever
        builds checks the rest.
        """

    @property
    @abstractmethod
    def remedy(self) -> str:
        """Why values of the source have no leaf, or what to do."""

    def near(self, place: BuildPlace) -> str:
        """What values without a leaf lack, where leaves come near them; an empty text where nothing is known."""
        return ""

    @property
    def level_labels(self) -> list[str]:
        """What the levels between the leaf and the top are called, where that is known without the values."""
        return []

    def labels(self, height: int) -> list[str]:
        """Names of the levels of a hierarchy with a height, from its leaves to its top, whatever a release may have."""
        named = self.level_labels or [f"level {level}" for level in range(1, height)]
        return ["as it is", *named, self.top_label][: height + 1]

    def between(self, height: int) -> tuple[int, int]:
        """The lowest and the highest level that a release may have, of a hierarchy of some height.

        Raises :class:`ValueError` for levels that it does not have.
        """
        first, last = self.from_ or 0, height if self.to is None else self.to
        if not first <= last <= height:
            raise ValueError(f"it has the levels 0 to {height}, and from {first} to {last} are not among them")
        return first, last

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it is read from."""
        return ()

    @property
    def table_read(self) -> str | None:
        """The table of the source's database that it is read from."""
        return None

    @property
    def columns_read(self) -> tuple[str, ...]:
        """The columns of the source that it is read from, beside its own."""
        return ()

    @property
    def content(self) -> Any:
        """What it holds, where no file or table does and its fields do not tell."""
        return None

    @property
    def described(self) -> Any:
        """What it is, without the place of what it is read from, and without what a search makes of it."""
        alike = self.model_copy(update={"importance": Decimal(1)})
        return [alike.model_dump(mode="json", exclude={"importance", *self.apart}), self.content]

    @classmethod
    def of(cls, given: Any, context: Any) -> Builder:
        """The builder that a job's mapping, or word, gives. What it cannot read is an error of pydantic's."""
        return cls.model_validate(given, context=context)


class Word(Builder):
    """A builder that a job names by a word alone or, with more, as ``{word: true, from: 1, importance: 2}``."""

    @classmethod
    def takes(cls, given: Any) -> bool:
        return given == cls.key if isinstance(given, str) else super().takes(given) and given[cls.key] is True

    @classmethod
    def of(cls, given: Any, context: Any) -> Builder:
        more = {} if isinstance(given, str) else {key: value for key, value in given.items() if key != cls.key}
        return cls.model_validate(more, context=context)

    @classmethod
    def mapping(cls, schema: JsonSchemaValue) -> JsonSchemaValue:
        """The JSON Schema of the mapping: its word, and of its fields the importance and, if it has some, levels."""
        names = ("importance",) if cls.numeric else ("from", "to", "max_suppressed", "importance")
        beside = {name: schema["properties"][name] for name in names}
        return schema | {"properties": {cls.key: {"const": True, "type": "boolean"}, **beside}, "required": [cls.key]}

    @model_serializer
    def _word(self) -> str | dict[str, Any]:
        most = None if self.max_suppressed is None else str(self.max_suppressed)
        importance = None if self.importance == 1 else str(self.importance)
        given = {"from": self.from_, "to": self.to, "max_suppressed": most, "importance": importance}
        said = {name: value for name, value in given.items() if value is not None}
        return {self.key: True, **said} if said else self.key


_HOME = "starcloak.hierarchy"
_BUILDERS: dict[str, type[Builder]] = {}
_B = TypeVar("_B", bound=type[Builder])
_Built = TypeVar("_Built", bound=Builder)


def build(builder: type[_Built], **given: Any) -> _Built:
    """A builder made in Python. Raises :class:`~starcloak.base.errors.JobError`."""
    return check(builder, given, where=f"hierarchy {builder.key}")


def register(builder: _B) -> _B:
    """Have jobs know a builder by its key or its word."""
    _BUILDERS[builder.key] = builder
    return builder


def builders() -> dict[str, type[Builder]]:
    """All builders by their keys, those that go by a word first."""
    load(_HOME, kind="hierarchies")
    return _registered()


def _registered() -> dict[str, type[Builder]]:
    return dict(sorted(_BUILDERS.items(), key=lambda item: (not issubclass(item[1], Word), item[0])))


def _builder_of(value: Any, info: ValidationInfo) -> Any:
    """The builder that a job's mapping or word names."""
    if isinstance(value, Builder):
        return value
    keys = [value] if isinstance(value, str) else list(value) if isinstance(value, Mapping) else []
    for key in filter(lambda key: isinstance(key, str), keys):
        load_named(_HOME, key)
    for known_ones in (_registered, builders):  # those that go by a key of the job, then all
        for builder in known_ones().values():
            if builder.takes(value):
                return builder.of(value, info.context)
    known = {key: builder for key, builder in builders().items() if not builder.in_python}
    form = keys[0] if keys else ""
    raise PydanticCustomError(
        "hierarchy",
        "{found}. Known: {known}.{line}",
        {
            "found": f"hierarchy {form!r} is not written like that"
            if isinstance(form, str) and form in known
            else f"unknown hierarchy {repr(form) if isinstance(form, str) and form else 'of that form'}",
            "known": ", ".join(known),
            "line": _line_instead(str(form), known),
        },
    )


def _line_instead(name: str, known: Mapping[str, type[Builder]]) -> str:
    """The line that somebody meant who wrote an unknown name, or some lines of all."""
    key = next((key for key, builder in known.items() if name.casefold() in (key, *builder.also_called)), None)
    near = hint(key or name, known)
    meant = known.get(near.partition("'")[2].partition("'")[0])
    near = "" if name in known else near
    lines = [meant.form] if meant else [known[key].form for key in ("digits", "dates", "intervals", "suppress")]
    return f"{near} Write {' or '.join(lines)}".replace("`", "")


class _OneOfAll:
    """The JSON Schema of all builders."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        written = {key: builder for key, builder in builders().items() if not builder.in_python}
        words = [{"const": key, "type": "string"} for key, builder in written.items() if issubclass(builder, Word)]
        mappings = []
        for builder in written.values():
            schema = handler.resolve_ref_schema(handler(builder.__pydantic_core_schema__))
            mappings.append(builder.mapping(schema) if issubclass(builder, Word) else schema)
        return {"oneOf": [*words, *mappings]}


Hierarchy = Annotated[SerializeAsAny[Builder], BeforeValidator(_builder_of), _OneOfAll()]
