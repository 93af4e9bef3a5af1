"""Builders of generalization hierarchies: each turns a job's declaration for an attribute into a dimension table.

A member is a row of the dimension table: a leaf value with its generalized value at each level. Each builder has a
module of :mod:`starcloak.hierarchy`, named after the builder's key. The module registers the builder's settings class;
no other module refers to the module by name.
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
#: Label of a suppressed cell in a column that keeps its type.
MISSING = "missing"


@dataclass(frozen=True)
class BuildPlace:
    """Inputs and the output table for building the dimension table of one column's hierarchy.

    ``session`` runs statements in the working store, ``host`` is the source's database. ``domain`` is a table with the
    column's distinct values, as ``value``. ``into`` is the dimension table to create, with one row per leaf:
    ``present`` (true if the source has the leaf), ``value`` (the value as stored in the source), ``level_0`` …
    ``level_<height>`` (texts). ``rows`` is the source if the column is a quasi-identifier of the source, else None.
    """

    session: Session
    host: Host
    column: Column
    domain: Name
    into: Name
    rows: Source | None = None

    def wrong(self, problem: str) -> HierarchyError:
        """Return the error for a faulty hierarchy. ``problem`` may contain counts of wrong values, never a value."""
        return HierarchyError(f"hierarchy of {self.column.name!r}: {problem}")

    def too_high(self) -> HierarchyError:
        return self.wrong(f"it has more than {settings.MOST_LEVELS} levels above its leaves: leave some levels out")


class Builder(Settings):
    """Settings of one kind of hierarchy in a job, and the code to build the dimension table.

    ``key`` identifies the kind in a job: it is a key of the attribute's mapping, as in ``{digits: 5}``, or a word.
    """

    key: ClassVar[str]
    #: For the documentation: an example of a declaration in a job, and a value with its generalization at each level.
    form: ClassVar[str]
    levels_read: ClassVar[str]
    #: Synonyms: the error for an unknown hierarchy of such a name suggests this builder.
    also_called: ClassVar[tuple[str, ...]] = ()
    #: Label of the top level in reports: the value of the top, if it is known in advance.
    top_label: ClassVar[str] = "the top"
    #: ``numeric`` is true if the search algorithm chooses intervals of numbers; ``suppresses`` if the top is the only
    #: level above the leaves.
    numeric: ClassVar[bool] = False
    suppresses: ClassVar[bool] = False
    #: Description of ungeneralized values able to identify people, such as ``whole dates``; None for other values.
    finds_people_by: ClassVar[str | None] = None
    #: True if the settings have Python objects (functions, a data frame), so that a job's file cannot contain them.
    in_python: ClassVar[bool] = False
    #: Fields excluded from ``described``: the path or the name of an input, and fields repeated in ``content``.
    apart: ClassVar[tuple[str, ...]] = ()

    #: Treatment of values without a leaf: an error, the missing value from level 1 on, or the top at once.
    nonconforming: Literal["refuse", "missing", "suppress"] = "refuse"
    #: The lowest and the highest level permitted in a release.
    from_: Annotated[
        StrictInt | None,
        Field(alias="from", ge=0, le=settings.MOST_LEVELS, description="the lowest level released"),
        AfterValidator(lambda level: level or None),  # 0 is every hierarchy's own
    ] = None
    to: Annotated[StrictInt | None, Field(ge=0, le=settings.MOST_LEVELS, description="the highest level released")] = (
        None
    )
    #: Maximum share of released rows with the top in this column; the top carries no information.
    max_suppressed: Share | None = None
    #: Content of a suppressed cell. With null, every cell is the source's own value or missing.
    suppressed: Annotated[
        Literal["label"] | None,
        Field(
            description="content of a suppressed cell: the label of the top level, or null for a missing cell; the "
            "column then keeps its type"
        ),
    ] = "label"
    #: Weight of the column's loss in a search.
    importance: Annotated[Importance, Field(description="weight of the column's loss in a search")] = Decimal(1)

    @model_validator(mode="after")
    def _from_below_to(self) -> Self:
        if self.numeric and any(bound is not None for bound in (self.from_, self.to, self.max_suppressed)):
            raise PydanticCustomError(
                "levels",
                "numeric makes ranges from the data and has no levels, so from, to and max_suppressed do not apply: "
                "leave them out, or give intervals in place of numeric",
            )
        if self.numeric and self.nonconforming != "refuse":
            raise PydanticCustomError(
                "levels",
                "numeric makes ranges of numbers alone, so nonconforming does not apply: leave it out, and make other "
                "cells missing by clean, or give intervals in place of numeric",
            )
        if self.to is not None and self.max_suppressed is not None:
            raise PydanticCustomError(
                "levels", "with to, no cell becomes the top level that max_suppressed counts: leave max_suppressed out"
            )
        if self.keeps_type and (self.numeric or self.from_ is not None):
            raise PydanticCustomError(
                "levels",
                "suppressed: null leaves each cell unchanged or missing, but {other}: leave one of the two out",
                {"other": "numeric makes ranges" if self.numeric else "from allows no unchanged value"},
            )
        if self.from_ is not None and self.to is not None and self.from_ > self.to:
            raise PydanticCustomError("levels", "from is higher than to: write the lower level first")
        return self

    @property
    def unifies_spellings(self) -> bool:
        """True if level 1 gives all spellings of a value one form, as ``day`` does: a value in this form stays."""
        return False

    @property
    def keeps_type(self) -> bool:
        """True if the released column has the source's type: its suppressed cells are missing."""
        return self.suppressed is None

    @classmethod
    def takes(cls, value: Any) -> bool:
        """True if ``value``, the entry of an attribute in a job, is a declaration for this builder."""
        return isinstance(value, Mapping) and cls.key in value

    @abstractmethod
    def members(self, place: BuildPlace) -> int:
        """Create the dimension table ``place.into``; return its height (number of levels above the leaves), 1 or more.

        The table has a row per leaf, and a column of texts per level, including the leaf level. Each level is a
        function of the level below. Raises :class:`~starcloak.base.errors.HierarchyError`, by ``place.wrong``, if no
        table can be made of the declaration; the caller checks all other conditions.
        """

    @property
    @abstractmethod
    def remedy(self) -> str:
        """Part of the error for source values without a leaf: the reason, or the correction by the user."""

    def near(self, place: BuildPlace) -> str:
        """Text on the difference between values without a leaf and similar leaves, for the error; empty if unknown."""
        return ""

    @property
    def level_labels(self) -> list[str]:
        """Labels of the levels between the leaf and the top, if they are known without the values."""
        return []

    def labels(self, height: int) -> list[str]:
        """Labels of all levels of a hierarchy of this height, from its leaves to its top."""
        named = self.level_labels or [f"level {level}" for level in range(1, height)]
        return ["as it is", *named, MISSING if self.keeps_type else self.top_label][: height + 1]

    def between(self, height: int) -> tuple[int, int]:
        """The lowest and the highest level permitted in a release, for a hierarchy of this height.

        Raises :class:`ValueError` for levels outside the hierarchy, and for levels whose cells are neither a value of
        the source nor missing in a column that keeps its type.
        """
        first, last = self.from_ or 0, height if self.to is None else self.to
        if not first <= last <= height:
            raise ValueError(
                f"from {first} to {last} is outside the levels 0 to {height} of the hierarchy: write levels among these"
            )
        if self.keeps_type and last and height > 1:
            raise ValueError(
                "suppressed: null leaves each cell unchanged or missing, but this hierarchy has levels in between: "
                "write {suppress: true, suppressed: null}, or take algorithm cell-suppression or "
                "attribute-suppression"
            )
        return first, last

    @property
    def files(self) -> tuple[Path, ...]:
        """Files read by the hierarchy."""
        return ()

    @property
    def table_read(self) -> str | None:
        """Table of the source's database read by the hierarchy, or None."""
        return None

    @property
    def columns_read(self) -> tuple[str, ...]:
        """Columns of the source read by the hierarchy, in addition to the generalized column."""
        return ()

    @property
    def edition(self) -> str | None:
        """Name and edition of the public classification used as the hierarchy; None for all other hierarchies."""
        return None

    @property
    def content(self) -> Any:
        """Leaves and labels of the hierarchy, for comparisons; None if a file, a table or the settings contain them."""
        return None

    @property
    def described(self) -> Any:
        """Settings and content of the hierarchy as values of JSON, to compare hierarchies.

        Paths of inputs and the column's importance in a search are excluded.
        """
        alike = self.model_copy(update={"importance": Decimal(1)})
        return [alike.model_dump(mode="json", exclude={"importance", *self.apart}), self.content]

    @classmethod
    def of(cls, value: Any, context: Any) -> Builder:
        """Create the builder from a job's entry (a mapping or a word).

        Pydantic raises an error for invalid settings.
        """
        return cls.model_validate(value, context=context)


class Word(Builder):
    """A builder named in a job by a word alone or, with settings, as ``{word: true, from: 1, importance: 2}``."""

    @classmethod
    def takes(cls, value: Any) -> bool:
        return value == cls.key if isinstance(value, str) else super().takes(value) and value[cls.key] is True

    @classmethod
    def of(cls, node: Any, context: Any) -> Builder:
        more = {} if isinstance(node, str) else {key: value for key, value in node.items() if key != cls.key}
        return cls.model_validate(more, context=context)

    @classmethod
    def mapping(cls, schema: JsonSchemaValue) -> JsonSchemaValue:
        """Reduce the builder's JSON Schema to its mapping: word, importance and, unless ``numeric``, levels."""
        names = ("importance",) if cls.numeric else ("from", "to", "max_suppressed", "suppressed", "importance")
        properties = {name: schema["properties"][name] for name in names}
        return schema | {
            "properties": {cls.key: {"const": True, "type": "boolean"}, **properties},
            "required": [cls.key],
        }

    @model_serializer
    def _word(self) -> str | dict[str, Any]:
        most = None if self.max_suppressed is None else str(self.max_suppressed)
        importance = None if self.importance == 1 else str(self.importance)
        settings = {"from": self.from_, "to": self.to, "max_suppressed": most, "importance": importance}
        settings_given: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
        settings_given |= {"suppressed": None} if self.keeps_type else {}
        return {self.key: True, **settings_given} if settings_given else self.key


_HOME = "starcloak.hierarchy"
_BUILDERS: dict[str, type[Builder]] = {}
_B = TypeVar("_B", bound=type[Builder])
_Built = TypeVar("_Built", bound=Builder)


def build(builder: type[_Built], **settings: Any) -> _Built:
    """Make a builder in Python. Raises :class:`~starcloak.base.errors.JobError` for invalid settings."""
    return check(builder, settings, where=f"hierarchy {builder.key}")


def register(builder: _B) -> _B:
    """Register a builder for jobs under its key or its word."""
    _BUILDERS[builder.key] = builder
    return builder


def builders() -> dict[str, type[Builder]]:
    """All builders by key; builders named by a single word come first."""
    load(_HOME, kind="hierarchies")
    return _registered()


def _registered() -> dict[str, type[Builder]]:
    return dict(sorted(_BUILDERS.items(), key=lambda item: (not issubclass(item[1], Word), item[0])))


def _builder_of(value: Any, info: ValidationInfo) -> Any:
    """Convert the entry of an attribute in a job to its builder. Raises an error with suggestions for other entries."""
    if isinstance(value, Builder):
        return value
    keys = [value] if isinstance(value, str) else list(value) if isinstance(value, Mapping) else []
    for key in filter(lambda key: isinstance(key, str), keys):
        load_named(_HOME, key)
    for known_ones in (_registered, builders):  # builders named after a key of the job, then all
        for builder in known_ones().values():
            if builder.takes(value):
                return builder.of(value, info.context)
    public_builders = {key: builder for key, builder in builders().items() if not builder.in_python}
    form = keys[0] if keys else ""
    raise PydanticCustomError(
        "hierarchy",
        "{found}. Known: {known}.{line}",
        {
            "found": f"hierarchy {form!r} has a wrong form"
            if isinstance(form, str) and form in public_builders
            else f"unknown hierarchy {repr(form) if isinstance(form, str) and form else 'of that form'}",
            "known": ", ".join(public_builders),
            "line": _line_instead(str(form), public_builders),
        },
    )


def _line_instead(name: str, public_builders: Mapping[str, type[Builder]]) -> str:
    """Advice for an unknown hierarchy: a declaration of the builder with a similar name, or of four common builders."""
    key = next(
        (key for key, builder in public_builders.items() if name.casefold() in (key, *builder.also_called)), None
    )
    near = hint(key or name, public_builders)
    meant = public_builders.get(near.partition("'")[2].partition("'")[0])
    near = "" if name in public_builders else near
    lines = (
        [meant.form] if meant else [public_builders[key].form for key in ("digits", "dates", "intervals", "suppress")]
    )
    return f"{near} Write {' or '.join(lines)}".replace("`", "")


class _OneOfAll:
    """Annotation of a field: its JSON Schema permits the declarations of all builders."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        written = {key: builder for key, builder in builders().items() if not builder.in_python}
        words = [{"const": key, "type": "string"} for key, builder in written.items() if issubclass(builder, Word)]
        mappings = []
        for builder in written.values():
            schema = handler.resolve_ref_schema(handler(builder.__pydantic_core_schema__))
            mappings.append(builder.mapping(schema) if issubclass(builder, Word) else schema)
        return {"oneOf": [*words, *mappings]}


Hierarchy = Annotated[SerializeAsAny[Builder], BeforeValidator(_builder_of), _OneOfAll()]
