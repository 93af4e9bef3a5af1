"""The job: what to anonymize, to which requirement, how, and where the release goes.

A job is YAML or a Python mapping; ``schemas/job.json`` is its JSON Schema, exported from the models here. Unknown keys
are errors with a near-name hint, and no default decides whether a column is released.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    SerializeAsAny,
    StrictBool,
    StrictInt,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_wrap_validator_function

from starcloak import extent, job_file, paths
from starcloak.errors import JobError, hint
from starcloak.hierarchy.builder import Hierarchy
from starcloak.hosts.registry import examples
from starcloak.hosts.url import EngineUrl, url_of
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import PLAIN, Model, models
from starcloak.privacy.persons.model import Persons
from starcloak.privacy.requirement import Demand
from starcloak.privacy.requirement import Requirement as Required
from starcloak.search.algorithm import Algorithm, algorithms, default
from starcloak.settings import Column, JobPath, Settings, Share, TableName, check


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


def _known_encoding(name: str) -> str:
    try:
        found = codecs.lookup(name)
        "".encode(found.name)
    except (LookupError, ValueError):
        raise PydanticCustomError(
            "encoding", "unknown encoding {name}: give one such as utf-8, windows-1252 or utf-16", {"name": repr(name)}
        ) from None
    return found.name


class Source(Settings):
    """The table: exactly one of ``path``, ``url`` (with ``table`` or ``query``) and ``dataset``.

    ``path`` is a CSV or Parquet file, also one that is packed (``.gz``, ``.zst``), or a pattern such as
    ``visits/*.parquet`` of several with the same columns. Every column of a CSV is text. ``null`` is the text that
    stands for a missing value in it; ``delimiter``, ``quote`` and ``encoding`` are found, and told, where they are not
    given. ``rename`` gives columns of a CSV other names; one
    without a name is called ``column 3`` there, by its position, and one whose name was there before ``name_2``.
    """

    path: JobPath | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    quote: Literal['"', "'"] | None = None
    encoding: Annotated[str, AfterValidator(_known_encoding)] | None = None
    rename: dict[str, Column] = Field(default={})
    null: str = ""
    url: Url | None = None
    table: TableName | None = None
    query: str | None = None
    dataset: Literal["patients", "census", "adult"] | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> Source:
        if sum(origin is not None for origin in (self.path, self.url, self.dataset)) != 1:
            raise PydanticCustomError("source", "give exactly one of path, url and dataset")
        if self.url is None and (self.table is not None or self.query is not None):
            raise PydanticCustomError("source", "table and query need a url")
        if self.url is not None and (self.table is None) == (self.query is None):
            raise PydanticCustomError("source", "a url needs exactly one of table and query")
        return self


class Qid(Settings):
    """A quasi-identifier (QID) with a k of its own (Fung, Wang, Yu 2007, Definition 1): ``k`` is 1 or more."""

    attributes: Annotated[list[Column], Field(min_length=1)]
    k: Annotated[StrictInt, Field(ge=1)]

    @model_validator(mode="after")
    def _attributes_once(self) -> Qid:
        twice = next((name for name, times in Counter(self.attributes).items() if times > 1), None)
        if twice is not None:
            raise PydanticCustomError("qids", "attribute {name} is named twice: name it once", {"name": repr(twice)})
        return self


class Requirement(Settings):
    """k-anonymity of all quasi-identifiers together or of several QIDs, and the share of rows to leave out (0 … 1).

    Exactly one of ``k`` and ``qids`` is given (Fung, Wang, Yu 2007, Definition 1). Every further privacy model has a
    key of its own, such as ``l_diversity: [{attribute: disease, l: 3}]``: it holds in the groups of every QID.
    """

    model_config = ConfigDict(extra="allow", json_schema_extra={"oneOf": [{"required": ["k"]}, {"required": ["qids"]}]})

    k: Annotated[StrictInt, Field(ge=1)] | None = None
    qids: Annotated[list[Qid], Field(min_length=1, max_length=1000)] | None = None
    suppression: Share = Decimal(0)

    @classmethod
    def known_keys(cls) -> list[str]:
        return [*super().known_keys(), *_further()]

    @model_validator(mode="before")
    @classmethod
    def _models(cls, data: Any, info: ValidationInfo) -> Any:
        """The further models, checked, each under its key."""
        if not isinstance(data, Mapping) or not (set(data) - set(cls._own_keys())):
            return data
        if not (given := {key: data[key] for key in _further() if key in data}):
            return data
        checked = _lists_of(tuple(given)).model_validate(given, context=info.context)
        return {**data, **{key: getattr(checked, key) for key in given}}

    @model_validator(mode="after")
    def _one_form(self) -> Requirement:
        if (self.k is None) == (self.qids is None):
            raise PydanticCustomError("requirement", "give exactly one of k and qids")
        return self

    @property
    def models(self) -> tuple[Model, ...]:
        """The models beside k-anonymity."""
        return tuple(model for several in (self.model_extra or {}).values() for model in several)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core))
        for key, kinds in _further().items():
            items = [handler(kind.__pydantic_core_schema__) for kind in kinds.values()]
            one = items[0] if len(items) == 1 else {"oneOf": items}
            schema["properties"][key] = {"type": "array", "minItems": 1, "items": one}
        schema["additionalProperties"] = False
        return schema


def _further() -> dict[str, dict[str, type[Model]]]:
    """The models that a requirement names by a key, but k-anonymity, by their kinds."""
    return {key: kinds for key, kinds in models().items() if key != KAnonymity.key}


def _of_its_kind(key: str) -> BeforeValidator:
    """What reads an item of a key as the model of the kind that it names."""

    def read(value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, Model):
            return value
        kinds = _further()[key]
        kind = value.get("kind", PLAIN) if isinstance(value, Mapping) else PLAIN
        if not isinstance(kind, str) or kind not in kinds:
            raise PydanticCustomError(
                "kind",
                "unknown kind {kind}. Known: {known}.{hint}",
                {"kind": repr(kind), "known": ", ".join(kinds), "hint": hint(str(kind), kinds)},
            )
        return kinds[kind].model_validate(value, context=info.context)

    return BeforeValidator(read)


@cache
def _lists_of(keys: tuple[str, ...]) -> type[BaseModel]:
    """What checks lists of models by their keys."""
    lists: dict[str, Any] = {
        key: (Annotated[list[Annotated[SerializeAsAny[Model], _of_its_kind(key)]], Field(min_length=1)], ...)
        for key in keys
    }
    return create_model("Models", **lists)


def _known_algorithm(value: Any, info: ValidationInfo) -> Any:
    """The settings of the algorithm that a mapping names."""
    if isinstance(value, Algorithm):
        return value
    name = value.get("name") if isinstance(value, Mapping) else None
    known = algorithms()
    if isinstance(name, str) and name in known:
        return known[name].model_validate(value, context=info.context)
    raise PydanticCustomError(
        "algorithm",
        "{found}. Known: {known}.{hint}",
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
        return {"oneOf": list(schemas.values())}


AnyAlgorithm = Annotated[SerializeAsAny[Algorithm], BeforeValidator(_known_algorithm), _OneOfAll()]


#: What an objective is called that is a weighted sum of levels.
WEIGHTS = "weights"


class Objective(Settings):
    """What the chosen generalization minimizes: one of the named measures, or the weighted sum of levels.

    ``weights`` gives a weight to some attributes; the others weigh 1.
    """

    minimize: Literal["height", "precision", "discernibility", "average_class_size", "distortion", "loss"] | None = None
    weights: dict[Column, Annotated[float, Field(ge=0, allow_inf_nan=False)]] | None = None

    @model_validator(mode="after")
    def _one_objective(self) -> Objective:
        if (self.minimize is None) == (self.weights is None):
            raise PydanticCustomError("objective", "give exactly one of minimize and weights")
        return self


class Output(Settings):
    """The release: a file (``path``: .csv or .parquet) or a ``table``, in the source's database or that of ``url``.

    With ``replace`` it may take the place of a release of another source.
    """

    path: JobPath | None = None
    table: TableName | None = None
    url: Url | None = None
    replace: StrictBool = False

    @model_validator(mode="after")
    def _one_target(self) -> Output:
        if (self.path is None) == (self.table is None):
            raise PydanticCustomError("output", "give exactly one of path and table")
        if self.url is not None and self.table is None:
            raise PydanticCustomError("output", "a url needs a table")
        if self.path is not None and self.path.suffix.lower() not in (".csv", ".parquet"):
            raise PydanticCustomError("output", "a path ends in .csv or .parquet")
        return self


class Earlier(Settings):
    """An earlier release: its file (``path``), its ``table`` with the ``url`` of its database, or its ``job``.

    A text is one of the three: the path of a job (.yaml), that of a file (.csv or .parquet), or a table. Without a
    ``url`` a table is in the database of the output, or of the source.
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
        return {"path" if folded.endswith((".csv", ".parquet")) else "table": data}

    @model_validator(mode="after")
    def _one_place(self) -> Earlier:
        if sum(place is not None for place in (self.path, self.table, self.job)) != 1:
            raise PydanticCustomError("against", "give exactly one of path, table and job")
        if self.url is not None and self.table is None:
            raise PydanticCustomError("against", "a url needs a table")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core))
        return {"anyOf": [{"type": "string", "minLength": 1}, {**schema}]}


class Accept(Settings):
    """What a job accepts though it is less than its requirement: a smaller joint k with releases under ``against``."""

    joint_k: Annotated[StrictInt, Field(ge=1)]


class _Roles(Settings):
    identifiers: list[Column] = Field(default=[])
    sensitive: list[Column] = Field(default=[])
    keep: list[Column] = Field(default=[])


class ReadyMade(_Roles):
    """A ready-made schema: the roles and hierarchies of a known table."""

    quasi_identifiers: Annotated[dict[Column, Hierarchy], Field(min_length=1, max_length=extent.MOST_ATTRIBUTES)]


def _listed(given: Any) -> Any:
    """One column, or several."""
    if isinstance(given, Mapping):
        raise PydanticCustomError(
            "person", "give a column, or a list of columns: the rows of a person as one set (as: set) are not taken yet"
        )
    return [given] if isinstance(given, str) else given


def _word(given: Any) -> Any:
    """The word that YAML takes for a truth."""
    return "off" if given is False else given


class Job(_Roles):
    """One anonymization.

    Raises :class:`JobError` from :func:`load`. Paths are relative to the file that names them. ``person`` is
    the column, or the columns together, that tell whose a row is: classes then count persons. It is never released.
    """

    source: Source | None = None
    ready_made: Annotated[str | None, Field(alias="schema")] = None
    quasi_identifiers: Annotated[dict[Column, Hierarchy], Field(min_length=1, max_length=extent.MOST_ATTRIBUTES)]
    others: Literal["identifiers"] | None = None
    person: Annotated[list[Column], Field(min_length=1), BeforeValidator(_listed)] | None = None
    requirement: Requirement
    algorithm: AnyAlgorithm = Field(default_factory=default)
    objective: Objective = Field(default_factory=lambda: Objective(minimize="loss"))
    output: Output | None = None
    without_leaf: JobPath | None = None
    keep_dimensions: StrictBool = False
    seed: StrictInt = 1
    against: list[Earlier] = Field(default=[])
    accept: Accept | None = None
    refresh: StrictBool = False
    insight: Annotated[Literal["auto", "off"], BeforeValidator(_word)] = "auto"
    _files: tuple[Path, ...] = PrivateAttr(())
    _kept_by_patterns: tuple[str, ...] = PrivateAttr(())

    role_names: ClassVar[tuple[str, ...]] = ("identifiers", "quasi_identifiers", "sensitive", "keep")

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the job was read from: its own, and that of its schema."""
        return self._files

    @property
    def kept_by_patterns(self) -> tuple[str, ...]:
        """The columns that patterns under ``keep`` mean in the source, once it is known."""
        return self._kept_by_patterns

    @property
    def roles(self) -> dict[str, list[str]]:
        """The columns of each role, in the job's order."""
        named = {role: list(getattr(self, role)) for role in self.role_names}
        return {**named, "person": list(self.persons)} if self.persons else named

    @property
    def persons(self) -> tuple[str, ...]:
        """The columns that tell persons apart; none where each row is one's own."""
        return tuple(self.person or ())

    @property
    def columns_beside(self) -> list[str]:
        """The columns that hierarchies read beside their own."""
        return [name for hierarchy in self.quasi_identifiers.values() for name in hierarchy.columns_read]

    def placed(self, roles: Mapping[str, Sequence[str]]) -> Job:
        """The job with the columns that its patterns, and its word on all others, mean in a source."""
        if all(list(roles[role]) == columns for role, columns in self.roles.items()):
            return self
        named: dict[str, Any] = {role: list(roles[role]) for role in self.role_names if role != "quasi_identifiers"}
        loaded = self.model_copy(update={**named, "others": None})
        loaded._files = self._files
        loaded._kept_by_patterns = tuple(name for name in named["keep"] if name not in self.keep)
        return loaded

    @cached_property
    def required(self) -> Required:
        """What the release must satisfy. ``requirement.k`` is one demand on all quasi-identifiers together."""
        asked, further = self.requirement, self.requirement.models
        qids = asked.qids or [Qid(attributes=list(self.quasi_identifiers), k=asked.k or 1)]
        most = max(qid.k for qid in qids)
        demands = [
            Demand(tuple(qid.attributes), (KAnonymity(k=qid.k), *self._of_persons(qid.k, most), *further))
            for qid in qids
        ]
        return Required.of(demands, asked.suppression)

    def _of_persons(self, k: int, most: int) -> list[Model]:
        """What is asked of persons, beside k-anonymity of rows, which that implies."""
        return [Persons(person=self.persons, k=k, most=most)] if self.persons else []

    @property
    def k(self) -> int:
        """The smallest class over all quasi-identifiers together: 1 where no QID has all of them."""
        return self.required.joint(list(self.quasi_identifiers)).k

    @property
    def class_column(self) -> str | None:
        """The column whose values the algorithm tells apart, if it does."""
        return self.algorithm.class_column

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """What the validators add: a list of quasi-identifiers, or none, is enough with a ready-made schema."""
        schema = handler.resolve_ref_schema(handler(core))
        listed = {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}}
        mapped = schema["properties"]["quasi_identifiers"]
        schema["properties"]["quasi_identifiers"] = {"anyOf": [mapped, listed]}
        persons = schema["properties"]["person"]
        persons["anyOf"] = [{"type": "string", "minLength": 1}, *persons["anyOf"]]
        schema["required"] = [key for key in schema["required"] if key != "quasi_identifiers"]
        schema["anyOf"] = [{"required": ["quasi_identifiers"]}, {"required": ["schema"]}]
        return schema

    @model_validator(mode="before")
    @classmethod
    def _from_ready_made(cls, data: Any, info: ValidationInfo) -> Any:
        """Take the roles that the job leaves out from its ready-made schema.

        A list of quasi-identifiers picks some of the schema's; its other quasi-identifiers are not released.
        """
        if not isinstance(data, Mapping):
            return data
        name, picked = data.get("schema"), data.get("quasi_identifiers")
        if name is None:
            if isinstance(picked, list):
                raise PydanticCustomError(
                    "quasi_identifiers",
                    "a list of quasi_identifiers needs a schema that has their hierarchies",
                )
            return data
        ready = _ready_made(str(name), (info.context or {}).get("base", Path()))
        merged = {role: data.get(role, getattr(ready, role)) for role in cls.role_names} | {
            key: value for key, value in data.items() if key not in cls.role_names
        }
        if isinstance(picked, list):
            for column in picked:
                if column not in ready.quasi_identifiers:
                    raise PydanticCustomError(
                        "quasi_identifiers",
                        "{column} is not a quasi-identifier of the schema.{hint}",
                        {"column": repr(column), "hint": hint(column, ready.quasi_identifiers)},
                    )
            merged["quasi_identifiers"] = {column: ready.quasi_identifiers[column] for column in picked}
            placed = {*picked, *merged["sensitive"], *merged["keep"], *merged["identifiers"]}
            left = [column for column in ready.quasi_identifiers if column not in placed]
            merged["identifiers"] = [*merged["identifiers"], *left]
        return merged

    @model_validator(mode="after")
    def _one_role_each(self) -> Job:
        seen: dict[str, str] = {}
        for role, columns in self.roles.items():
            for column in columns:
                if column in seen:
                    raise PydanticCustomError(
                        "roles",
                        "column {column} is named under {first} and under {second}: give it one role",
                        {"column": repr(column), "first": seen[column], "second": role},
                    )
                seen[column] = role
        named: dict[str, Iterable[str]] = {"objective.weights": self.objective.weights or {}}
        named["requirement.qids"] = [name for qid in self.requirement.qids or () for name in qid.attributes]
        named |= self.algorithm.named
        for place, attributes in named.items():
            for attribute in attributes:
                if attribute not in self.quasi_identifiers:
                    raise PydanticCustomError(
                        "weights",
                        "{place} names {attribute}, which is not a quasi-identifier.{hint}",
                        {"place": place, "attribute": repr(attribute), "hint": hint(attribute, self.quasi_identifiers)},
                    )
        return self

    @model_validator(mode="after")
    def _qids_of_all(self) -> Job:
        covered = {name for demand in self.required.demands for name in demand.attributes}
        for name in self.quasi_identifiers:
            if name not in covered:
                raise PydanticCustomError(
                    "qids",
                    "quasi-identifier {name} is in no QID: add it to one of requirement.qids, or put it under keep",
                    {"name": repr(name)},
                )
        if self.required.single:
            return self
        if self.requirement.suppression:
            raise PydanticCustomError(
                "qids",
                "requirement.suppression is for one QID: rows left out for one of several QIDs may be missing from a "
                "group of another: leave it out",
            )
        if not self.algorithm.several_qids:
            takers = [name for name, settings in algorithms().items() if settings.several_qids]
            raise PydanticCustomError(
                "qids",
                "algorithm {name} takes one QID: give requirement.k, or choose one that takes several: {takers}",
                {"name": self.algorithm.name, "takers": ", ".join(takers)},
            )
        return self

    @model_validator(mode="after")
    def _joint_of_rows(self) -> Job:
        if self.persons and self.against:
            raise PydanticCustomError(
                "against", "against: joint k counts rows, and with person classes count persons: leave one of them out"
            )
        return self

    @model_validator(mode="after")
    def _sensitive_read(self) -> Job:
        for name in self.required.reads:
            if name not in (*self.sensitive, *self.persons):
                raise PydanticCustomError(
                    "requirement",
                    "the requirement reads {name}, which is not under sensitive: name it there.{hint}",
                    {"name": repr(name), "hint": hint(name, self.sensitive)},
                )
        return self

    @model_validator(mode="after")
    def _refreshable(self) -> Job:
        if self.refresh and (not self.algorithm.refreshes or self.required.reads or not self.required.single):
            takers = [name for name, settings in algorithms().items() if settings.refreshes]
            raise PydanticCustomError(
                "refresh",
                "refresh is for algorithm {takers} and a requirement of k alone, over all quasi-identifiers: new rows "
                "form classes of their own, of which other models are not known to hold",
                {"takers": " or ".join(takers)},
            )
        return self

    @model_validator(mode="after")
    def _fitting_algorithm(self) -> Job:
        if (problem := self.algorithm.misfit(self)) is not None:
            raise PydanticCustomError("algorithm", "{problem}", {"problem": problem})
        return self


def load(job: Job | Mapping[str, Any] | str | Path, *, changes: Sequence[str] = (), where: str = "job") -> Job:
    """A checked job, from a YAML file, a mapping or a job.

    ``changes`` set values of a file or a mapping, as in ``requirement.k=10``; ``where`` is what a mapping is called.
    Raises :class:`JobError` with the place and the mend, in one line and without values.
    """
    if isinstance(job, Job):
        return job
    path = Path(job) if isinstance(job, (str, Path)) else None
    base, where = (path.parent, str(path)) if path else (Path(), where)
    given = job_file.with_changes(job_file.read(path) if path else job, changes)
    loaded = check(Job, given, where=where, base=base)
    schema = loaded.ready_made
    loaded._files = (*([path] if path else []), *([base / schema] if schema and _is_file(schema) else []))
    return loaded


def load_source(source: Mapping[str, Any]) -> Source:
    """A checked source from a mapping such as ``{"path": "table.csv"}``. Raises :class:`JobError`."""
    return check(Source, source, where="source")


def load_requirement(asked: Mapping[str, Any] | str | Path) -> Requirement:
    """A checked requirement, from a mapping such as ``{"k": 5}`` or a YAML file. Raises :class:`JobError`."""
    path = Path(asked) if isinstance(asked, (str, Path)) else None
    return check(Requirement, job_file.read(path) if path else asked, where=str(path or "requirement"))


def load_qids(qids: Iterable[Mapping[str, Any]]) -> tuple[Qid, ...]:
    """Checked QIDs, one or more, from mappings such as ``{"attributes": ["age"], "k": 5}``.

    Raises :class:`JobError`.
    """
    asked = tuple(check(Qid, qid, where="qid") for qid in qids)
    if not asked:
        raise JobError("qids: name at least one")
    return asked


def _ready_made(name: str, base: Path) -> ReadyMade:
    """A ready-made schema: ``adult/incognito-2005`` names a shipped one, a path with .yaml one of the user's."""
    if _is_file(name):
        path = base / name
    else:
        root = paths.schemas()
        known = sorted(file.relative_to(root).with_suffix("").as_posix() for file in root.glob("*/*.yaml"))
        if name not in known:
            raise PydanticCustomError(
                "schema",
                "unknown schema {name}. Known: {known}, or the path of a .yaml file.{hint}",
                {"name": repr(name), "known": ", ".join(known), "hint": hint(name, known)},
            )
        path = root / f"{name}.yaml"
    return check(ReadyMade, job_file.read(path), where=str(path), base=path.parent)


def _is_file(schema: str) -> bool:
    return schema.endswith((".yaml", ".yml"))
