"""The requirement in a job: k, over one quasi-identifier or several, and further models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    SerializeAsAny,
    StrictInt,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from starcloak.base.errors import JobError, hint
from starcloak.base.settings import Column, Settings, Share, check
from starcloak.job import document
from starcloak.job.source import Register
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import (
    PLAIN,
    Model,
    PopulationComparison,
    ShortForm,
    TableComparison,
    models,
    settings_of,
    without_data_values,
)

#: Keys of the requirement without data values: readers of a release may know their values unchanged.
_SIMPLE = {"k", "qids", "suppression", "reference", "joined_rows"}


class Qid(Settings):
    """A quasi-identifier (QID) with a k of its own (Fung, Wang, Yu 2007, Definition 1): ``k`` is 1 or more."""

    attributes: Annotated[list[Column], Field(min_length=1)]
    k: Annotated[StrictInt, Field(ge=1)]

    @model_validator(mode="after")
    def _attributes_once(self) -> Qid:
        twice = next((name for name, times in Counter(self.attributes).items() if times > 1), None)
        if twice is not None:
            raise PydanticCustomError("qids", "attributes names {name} twice: name it once", {"name": repr(twice)})
        return self


class JobRequirement(Settings):
    """k-anonymity of all quasi-identifiers together or of several QIDs, and the permitted suppression (0 … 1).

    ``suppression`` is a share of rows. The job has exactly one of ``k`` and ``qids`` (Fung, Wang, Yu 2007, Definition
    1). Every further privacy model has a key of its own, such as ``l_diversity: [{attribute: disease, l: 3}]``, and
    applies to the classes of every QID. ``population`` is the population of the table, for models that count people.
    ``reference`` is the base of models that compare a class with a whole table, such as t-closeness: the release,
    available to its readers for a recount, or the source. ``joined_rows`` is, for each QID, the minimum number of
    persons who match the classes of the rows that a reader can join for one person; the job then needs ``person``.
    """

    model_config = ConfigDict(extra="allow", json_schema_extra={"oneOf": [{"required": ["k"]}, {"required": ["qids"]}]})

    k: Annotated[StrictInt, Field(ge=1)] | None = None
    qids: Annotated[list[Qid], Field(min_length=1, max_length=1000)] | None = None
    suppression: Share = Decimal(0)
    population: Register | None = None
    reference: Literal["release", "source"] = "release"
    joined_rows: Annotated[StrictInt, Field(ge=1)] | None = None

    @classmethod
    def known_keys(cls) -> list[str]:
        return [*super().known_keys(), *_further()]

    @model_validator(mode="before")
    @classmethod
    def _models(cls, data: Any, info: ValidationInfo) -> Any:
        """Validate the privacy models other than k-anonymity, each under its key."""
        if not isinstance(data, Mapping) or not (set(data) - set(cls._own_keys())):
            return data
        if not (models_given := {key: data[key] for key in _further() if key in data}):
            return data
        models_given = {
            key: items_of(next(iter(_further()[key].values())), value) for key, value in models_given.items()
        }
        checked = _lists_of(tuple(models_given)).model_validate(models_given, context=info.context)
        return {**data, **{key: getattr(checked, key) for key in models_given}}

    @model_validator(mode="after")
    def _one_form(self) -> JobRequirement:
        if (self.k is None) == (self.qids is None):
            raise PydanticCustomError(
                "requirement",
                "requirement needs k (for all quasi-identifiers together) or qids (several, each with its own k): "
                "give exactly one of the two",
            )
        compared = [model for model in self.models if isinstance(model, PopulationComparison)]
        if self.suppression and any(model.least_share for model in compared):
            raise PydanticCustomError(
                "requirement",
                "delta_presence with min above 0 does not go with suppression: suppression removes whole classes, "
                "and the release then has none of their people. Leave suppression out, or write min: 0",
            )
        if self.population is not None and not compared:
            raise PydanticCustomError(
                "requirement",
                "requirement.population is given, but no model uses it: add one of {keys}, or leave population out",
                {"keys": ", ".join(_keys_with(PopulationComparison))},
            )
        if self.reference == "source" and not any(isinstance(model, TableComparison) for model in self.models):
            raise PydanticCustomError(
                "requirement",
                "requirement.reference: source is given, but no model compares classes with a whole table: add one "
                "of {keys}, or leave reference out",
                {"keys": ", ".join(_keys_with(TableComparison))},
            )
        return self

    @property
    def told(self) -> dict[str, Any]:
        """The requirement as a mapping for readers of a release, without the population's place and data values."""
        settings = self.model_dump(mode="json", exclude_defaults=True, include=_SIMPLE)
        for model in self.models:
            settings.setdefault(model.key, []).append(without_data_values(settings_of(model)))
        return settings

    @property
    def models(self) -> tuple[Model, ...]:
        """The required privacy models other than k-anonymity."""
        models: list[Model] = [model for several in (self.model_extra or {}).values() for model in several]
        if self.reference == "release":
            return tuple(models)
        return tuple(model.beside_source() if isinstance(model, TableComparison) else model for model in models)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core))
        for key, kinds in _further().items():
            items = [handler(kind.__pydantic_core_schema__) for kind in kinds.values()]
            schema_of_item = items[0] if len(items) == 1 else {"oneOf": items}
            first = next(iter(kinds.values()))
            if issubclass(first, ShortForm):
                schema["properties"][key] = first.short_schema(handler.resolve_ref_schema(items[0]))
            else:
                schema["properties"][key] = {"type": "array", "minItems": 1, "items": schema_of_item}
        schema["additionalProperties"] = False
        return schema


def _further() -> dict[str, dict[str, type[Model]]]:
    """All registered models except k-anonymity, by the key in a requirement and by kind."""
    return {key: kinds for key, kinds in models().items() if key != KAnonymity.key}


def items_of(model: type[Model], value: Any) -> Any:
    """The list of settings for ``value``, the value of a model's key in a job: a list or a short form such as ``5``."""
    return model.items(value) if issubclass(model, ShortForm) else value


def _keys_with(capability: type) -> Iterator[str]:
    """The keys of models with a capability, a class of :mod:`starcloak.privacy.model`."""
    return (key for key, kinds in _further().items() if any(issubclass(kind, capability) for kind in kinds.values()))


def _of_its_kind(key: str) -> BeforeValidator:
    """Validator for one item of the list under ``key``: it creates the model of the item's ``kind``."""

    def read(value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, Model):
            return value
        kinds = _further()[key]
        kind = value.get("kind", PLAIN) if isinstance(value, Mapping) else PLAIN
        if not isinstance(kind, str) or kind not in kinds:
            raise PydanticCustomError(
                "kind",
                "unknown kind {kind}: give one of {known}.{hint}",
                {"kind": repr(kind), "known": ", ".join(kinds), "hint": hint(str(kind), kinds)},
            )
        return kinds[kind].model_validate(value, context=info.context)

    return BeforeValidator(read)


@cache
def _lists_of(keys: tuple[str, ...]) -> type[BaseModel]:
    """A Pydantic model with one field per key, a list of privacy models."""
    lists: dict[str, Any] = {
        key: (Annotated[list[Annotated[SerializeAsAny[Model], _of_its_kind(key)]], Field(min_length=1)], ...)
        for key in keys
    }
    return create_model("Models", **lists)


def load_requirement(source: Mapping[str, Any] | str | Path) -> JobRequirement:
    """Read and validate a requirement for a check of a table, from a mapping such as ``{"k": 5}`` or a YAML file.

    Raises :class:`JobError` if the requirement is invalid or has ``joined_rows``, since a check does not know the
    released columns.
    """
    if isinstance(source, (str, Path)):
        path = Path(source)
        requirement = check(JobRequirement, document.read(path), where=str(path), base=path.parent)
    else:
        requirement = check(JobRequirement, source, where="requirement")
    if requirement.joined_rows is not None:
        raise JobError(
            "joined_rows needs all released columns, and a check reads only the columns that it names: leave "
            "joined_rows out, and let starcloak run count it with requirement: {joined_rows: 5}"
        )
    return requirement


def load_qids(qids: Iterable[Mapping[str, Any]]) -> tuple[Qid, ...]:
    """Validated QIDs from mappings such as ``{"attributes": ["age"], "k": 5}``.

    Raises :class:`JobError` for an invalid QID, and for no QID.
    """
    checked_qids = tuple(check(Qid, qid, where="qid") for qid in qids)
    if not checked_qids:
        raise JobError("qids: name at least one")
    return checked_qids
