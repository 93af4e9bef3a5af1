"""One anonymization, as a job asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    PrivateAttr,
    StrictBool,
    StrictInt,
    ValidationInfo,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from starcloak.base import frames, settings
from starcloak.base.errors import JobError, hint
from starcloak.base.settings import Column, JobPath, Settings, check, own
from starcloak.hierarchy.builder import Hierarchy
from starcloak.hierarchy.suppress import Suppress
from starcloak.job import document
from starcloak.job.algorithms import LOCAL, AnyAlgorithm, Objective, algorithms, default
from starcloak.job.cleaning import Cleaning
from starcloak.job.earlier import Accept, Earlier
from starcloak.job.requirement import JobRequirement, Qid
from starcloak.job.roles import Roles, is_file, load_ready_made
from starcloak.job.source import Output, Place
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import Model
from starcloak.privacy.persons.model import DistinctPersons
from starcloak.privacy.requirement import Demand
from starcloak.privacy.requirement import Requirement as Required
from starcloak.store.databases.url import url_of


class AsSet(Settings):
    """Persons whose rows are one set each: the multiset of their tuples is the quasi-identifier.

    ``column`` is the column, or the columns together, that tell them apart.
    """

    column: Annotated[list[Column], Field(min_length=1), BeforeValidator(lambda given: _as_list(given))]
    as_: Annotated[Literal["set"], Field(alias="as")]


def load_person(given: Any) -> tuple[tuple[str, ...], bool]:
    """The columns that tell persons apart, as a job's ``person`` has them, and whether the rows of each are one set.

    Raises :class:`JobError` for a mapping that says something else.

    >>> load_person({"column": "patient_id", "as": "set"}), load_person(["clinic", "number"])
    ((('patient_id',), True), (('clinic', 'number'), False))
    """
    if isinstance(given, Mapping):
        return tuple(check(AsSet, given, where="person").column), True
    return tuple(_as_list(given)), False


def refuse_beside_sets(person: Sequence[str], as_set: bool, given: Mapping[str, Any]) -> None:
    """Refuse what is asked of a table beside the histories of its persons. Raises :class:`JobError`."""
    if as_set and not person:
        raise JobError("as a set are the rows of a person: name the columns that tell persons apart")
    beside = [name for name, what in given.items() if what]
    if as_set and beside:
        raise JobError(
            f"the rows of a person as one set go with k alone, and {' and '.join(beside)} are of classes of rows: "
            "leave one out"
        )


def _as_list(given: Any) -> Any:
    """One column, or several."""
    return [given] if isinstance(given, str) else given


_NO_SET = (
    "give a column to count persons, person: patient_id, or compare their rows as one set, person: {column: "
    "patient_id, as: set}"
)


def _persons(given: Any) -> Any:
    """Columns, or what is a set."""
    if isinstance(given, Mapping) and "as" not in given:
        raise PydanticCustomError(
            "person",
            "{reason}",
            {"reason": _NO_SET},
        )
    return given if isinstance(given, (Mapping, AsSet)) else _as_list(given)


def _word(given: Any) -> Any:
    """The word that YAML takes for a truth."""
    return "off" if given is False else given


class Job(Roles):
    """One anonymization.

    Raises :class:`JobError` from :func:`load`. Paths are relative to the file that names them. ``person`` is
    the column, or the columns together, that tell whose a row is: classes then count persons. It is never released.
    As ``{column: …, as: set}`` at least k persons have the same tuples, each as often.
    """

    source: Place | None = Field(default=None, description="where the rows are: a file, a table or a dataset")
    ready_made: Annotated[
        str | None,
        Field(
            alias="schema", description="ready-made roles and hierarchies: a name under schemas/, or a file of yours"
        ),
    ] = None
    quasi_identifiers: Annotated[
        dict[Column, Hierarchy],
        Field(
            min_length=1,
            max_length=settings.MOST_ATTRIBUTES,
            description="columns that somebody could know from elsewhere, and how each is generalized",
        ),
    ]
    others: Literal["identifiers"] | None = Field(
        default=None, description="columns that are named nowhere are never released, instead of an error"
    )
    clean: dict[Column, Cleaning] = Field(
        default={}, description="how cells of a column are cleaned before anything else is done with them"
    )
    person: Annotated[Annotated[list[Column], Field(min_length=1)] | AsSet, BeforeValidator(_persons)] | None = None
    requirement: JobRequirement
    algorithm: AnyAlgorithm = Field(default_factory=default)
    objective: Objective = Field(default_factory=lambda: Objective(minimize="loss"))
    output: Output | None = Field(
        default=None, description="where the release goes; nowhere, where it is only asked for"
    )
    without_leaf: JobPath | None = Field(
        default=None, description="a private file for values without a leaf, where a run ends with that error"
    )
    keep_dimensions: StrictBool = Field(
        default=False, description="the released cells and what is above them stay as tables beside a table's release"
    )
    seed: StrictInt = Field(default=1, description="decides every random choice, and the order in which rows leave")
    against: list[Earlier] = Field(
        default=[], description="earlier releases with which joint k must hold, too, of all together"
    )
    accept: Accept | None = Field(default=None, description="what is published though it is less than required")
    refresh: StrictBool | Literal["first"] = Field(
        default=False,
        description="what the last release shows stays; new rows join or wait; first: begin anew, whatever was shown",
    )
    departures: Annotated[Literal["tell", "hold"], BeforeValidator(_word)] = Field(
        default="tell",
        description="what a refresh does with rows that went or changed: they go, or are shown until k can go together",
    )
    insight: Annotated[Literal["auto", "off"], BeforeValidator(_word)] = Field(
        default="auto", description="whether a run tells what its release looks like and what is to be looked at"
    )
    companions: dict[str, Any] = Field(
        default={}, description="companions of other packages that take part in the run, with their settings"
    )
    _files: tuple[Path, ...] = PrivateAttr(())
    _kept_by_patterns: tuple[str, ...] = PrivateAttr(())

    role_names: ClassVar[tuple[str, ...]] = ("identifiers", "quasi_identifiers", "sensitive", "keep")
    #: Keys of optional features of a run: each is that of a companion.
    optional_keys: ClassVar[tuple[str, ...]] = ("against", "accept", "refresh", "departures", "insight")

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
        return tuple(self.person.column if isinstance(self.person, AsSet) else self.person or ())

    @property
    def as_set(self) -> bool:
        """Whether the rows of a person are one set."""
        return isinstance(self.person, AsSet)

    @property
    def sets_misfit(self) -> str | None:
        """Why the algorithm cannot have the rows of a person as one set; None where it can, or need not."""
        if not self.as_set or self.algorithm.takes_sets:
            return None
        takers = " or ".join(name for name, settings in algorithms().items() if settings.takes_sets)
        return (
            f"person: the rows of a person as one set are for algorithm {takers}, not {self.algorithm.name}: name it, "
            "or give person: column"
        )

    @property
    def importance(self) -> dict[str, Decimal]:
        """By which what is lost in a quasi-identifier counts in a search, of those of which the job says it."""
        kinds = self.quasi_identifiers.items()
        return {name: kind.importance for name, kind in kinds if kind.importance != 1}

    @property
    def importance_misfit(self) -> str | None:
        """Why nothing goes by the importance of columns; None where something does, or need not."""
        if not self.importance:
            return None
        where, algorithm = f"quasi_identifiers.{next(iter(self.importance))}.importance", self.algorithm
        if self.objective.is_of_classes:
            return (
                f"{where}: {self.objective.minimize} goes by the sizes of classes, not by columns: take objective: "
                "{minimize: loss}, or leave importance out"
            )
        if algorithm.takes_importance:
            return None
        takers = (name for name, settings in algorithms().items() if settings.takes_importance)
        alike = (name for name in takers if algorithms()[name].recoding_model == algorithm.recoding_model)
        return (
            f"{where}: algorithm {algorithm.name} does not go by it: take algorithm: {{name: {next(alike, LOCAL)}}}, "
            "or leave importance out"
        )

    def labels(self, heights: Mapping[str, int]) -> dict[str, list[str]]:
        """What the levels of hierarchies of some heights are called."""
        suppressed = Suppress() if self.algorithm.one_step else None
        return {name: (suppressed or self.quasi_identifiers[name]).labels(height) for name, height in heights.items()}

    @property
    def highest(self) -> dict[str, int]:
        """The highest level, from the lowest one that may be, of the quasi-identifiers that have one."""
        kinds = self.quasi_identifiers.items()
        set_ = {name: (kind.to, kind.from_ or 0) for name, kind in kinds if kind.to is not None}
        return {name: 0 if self.algorithm.one_step else last - first for name, (last, first) in set_.items()}

    @property
    def columns_beside(self) -> list[str]:
        """The columns that hierarchies read beside their own."""
        return [name for hierarchy in self.quasi_identifiers.values() for name in hierarchy.columns_read]

    def with_roles(self, roles: Mapping[str, Sequence[str]]) -> Job:
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

    def with_k(self, k: int) -> Job:
        """The job with k of all quasi-identifiers together as its whole requirement."""
        asked = self.model_copy(update={"requirement": JobRequirement(k=k)})
        asked.__dict__.pop("required", None)  # the copy has what was computed before
        return asked

    def _of_persons(self, k: int, most: int) -> list[Model]:
        """What is asked of persons, beside k-anonymity of rows, which that implies."""
        if not self.persons:
            return []
        counted: list[Model] = [DistinctPersons(person=self.persons, k=k, most=most)]
        if self.as_set:
            from starcloak.privacy.histories.model import Histories

            counted.append(Histories(person=self.persons, k=k))
        return counted

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
                    "a list of quasi_identifiers needs a schema that has their hierarchies: give it, or say how each "
                    "is generalized, as in quasi_identifiers: {birth: {dates: [month, year]}, zip: {digits: 5}}",
                )
            return data
        ready = load_ready_made(str(name), (info.context or {}).get("base", Path()))
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
        for column in self.columns_beside:
            if column in self.persons:
                raise PydanticCustomError(
                    "roles",
                    "column {column} tells persons apart, and a hierarchy would release it: give another column",
                    {"column": repr(column)},
                )
        named: dict[str, Iterable[str]] = {
            "requirement.qids": [name for qid in self.requirement.qids or () for name in qid.attributes]
        }
        named |= self.algorithm.named
        for place, attributes in named.items():
            for attribute in attributes:
                if attribute not in self.quasi_identifiers:
                    raise PydanticCustomError(
                        "quasi_identifiers",
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
    def _joint_of_classes(self) -> Job:
        if self.as_set and self.against:
            raise PydanticCustomError(
                "against",
                "against: joint k is not known where person has a person's rows as a set, as which of them went to "
                "which class is not kept: leave one out, or take person: column",
            )
        return self

    @model_validator(mode="after")
    def _reference_of_rows(self) -> Job:
        if self.persons and self.requirement.reference == "source":
            raise PydanticCustomError(
                "reference",
                "reference: source counts rows of the source, and with person classes count persons: leave one out",
            )
        return self

    @model_validator(mode="after")
    def _within_population(self) -> Job:
        numeric = next((name for name, kind in self.quasi_identifiers.items() if kind.numeric), None)
        if self.required.of_population and numeric is not None and not self.algorithm.looks_at_nodes:
            raise PydanticCustomError(
                "requirement",
                "algorithm {name} makes ranges of {column} from the table's own numbers, and the population has "
                "others: give it intervals, or take a full-domain algorithm",
                {"name": self.algorithm.name, "column": repr(numeric)},
            )
        if any(model.asks_absent for model in self.requirement.models):
            problem = None
            if not self.algorithm.looks_at_nodes:
                problem = (
                    f"asks for every class of the population: take a full-domain algorithm, not {self.algorithm.name}"
                )
            elif self.persons:
                problem = "compares rows with people, and with person classes count persons: leave one out"
            if problem is not None:
                raise PydanticCustomError("requirement", "delta_presence {problem}", {"problem": problem})
        if self.required.of_population and self.class_column is not None:
            raise PydanticCustomError(
                "requirement",
                "algorithm {name} tells values of {column} apart, of which people of the population have none: leave "
                "it out, or ask for no population",
                {"name": self.algorithm.name, "column": repr(self.class_column)},
            )
        return self

    @model_validator(mode="after")
    def _sets_alone(self) -> Job:
        if not self.as_set:
            return self
        if (problem := self.sets_misfit) is not None:
            raise PydanticCustomError("person", "{problem}", {"problem": problem})
        if self.requirement.models or self.requirement.qids:
            raise PydanticCustomError(
                "person",
                "person: the rows of a person as one set go with requirement.k and suppression alone: leave the other "
                "keys out, or give person: column",
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

    @property
    def _asked_beside_k(self) -> str:
        """What a job asks for that no refresh is known to keep."""
        beside = ["algorithm " + self.algorithm.name] if not self.algorithm.refreshes else []
        beside += ["requirement.qids"] if not self.required.single else []
        return ", ".join([*beside, *dict.fromkeys(f"requirement.{model.key}" for model in self.requirement.models)])

    @model_validator(mode="after")
    def _refreshable(self) -> Job:
        if self.refresh and self.persons and not self.as_set:  # "k alone" would count their rows
            columns = self.persons[0] if len(self.persons) == 1 else f"[{', '.join(self.persons)}]"
            raise PydanticCustomError(
                "refresh",
                "refresh with person knows persons again by all that was shown of them, as a set: say person: "
                "{person}, or leave refresh out and hold each release against those before by against",
                {"person": f"{{column: {columns}, as: set}}"},
            )
        if self.refresh and (asked := self._asked_beside_k):
            takers = [name for name, settings in algorithms().items() if settings.refreshes]
            raise PydanticCustomError(
                "refresh",
                "refresh is for algorithm {takers} and k of rows over all quasi-identifiers, and this job has {asked}: "
                "new rows form classes of their own, of which nothing else is known to hold: give {mend} and k alone, "
                "leave refresh out, or hold each release against those before by against",
                {"mend": f"algorithm: {{name: {takers[0]}}}", "takers": " or ".join(takers), "asked": asked},
            )
        if self.departures == "hold" and not self.refresh:
            raise PydanticCustomError("departures", "departures: hold is for a refresh: say refresh: true, too")
        return self

    @model_validator(mode="after")
    def _between_levels(self) -> Job:
        for name, kind in self.quasi_identifiers.items():
            problem = None
            if kind.from_ is None and kind.to is None:
                continue
            if self.algorithm.one_step and kind.from_ is not None:
                problem = (
                    f"algorithm {self.algorithm.name} has no levels but a value and *, and from forbids the value: "
                    "leave it out, or the column"
                )
            elif kind.from_ is not None and self.refresh:
                problem = "a refresh knows rows again by their values, of which from makes several one: leave it out"
            if problem is not None:
                raise PydanticCustomError(
                    "levels", "quasi_identifiers.{name}: {problem}", {"name": name, "problem": problem}
                )
        return self

    @model_validator(mode="after")
    def _fitting_algorithm(self) -> Job:
        if (problem := self.importance_misfit or self.algorithm.misfit(self)) is not None:
            raise PydanticCustomError("algorithm", "{problem}", {"problem": problem})
        return self


def _refuse_data(given: Any) -> None:
    """Refuse rows in the place of a job. Raises :class:`JobError`."""
    if frames.is_frame(given) or hasattr(given, "to_pandas"):
        raise JobError(
            f"the first argument is a {type(given).__name__} and no job: give the job as a mapping or the path of its "
            "file, and a data frame beside it, as in sc.run(job, frame=frame)"
        )


def load(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    changes: Sequence[str] = (),
    where: str = "job",
    session: Any = None,
    base: Path = Path(),
) -> Job:
    """A checked job, from a YAML file, a mapping or a job.

    ``changes`` set values of a file or a mapping, as in ``requirement.k=10``; ``where`` is what a mapping is called,
    ``base`` the folder of its paths. A ``session`` of Spark is the URL of the source. Raises :class:`JobError` with the
    place and the mend, in one line and without values.
    """
    if isinstance(job, Job):
        ours: Job = own(job)
        if session is None or ours.source is None:
            return ours
        return ours.model_copy(update={"source": ours.source.model_copy(update={"url": url_of(session)})})
    _refuse_data(job)
    path = Path(job) if isinstance(job, (str, Path)) else None
    base, where = (path.parent, str(path)) if path else (base, where)
    given = document.with_changes(document.read(path) if path else job, changes)
    if session is not None:
        given = {**given, "source": {**(given.get("source") or {}), "url": session}}
    loaded = check(Job, given, where=where, base=base)
    schema = loaded.ready_made
    loaded._files = (*([path] if path else []), *([base / schema] if schema and is_file(schema) else []))
    return loaded
