"""One anonymization, as declared by a job."""

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

from starcloak.base import settings
from starcloak.base.errors import hint
from starcloak.base.settings import Column, JobPath, check, own
from starcloak.hierarchy.builder import Builder, Hierarchy
from starcloak.job import document
from starcloak.job.algorithms import LOCAL, AnyAlgorithm, Objective, algorithms, default
from starcloak.job.cleaning import Cleaning
from starcloak.job.column_hierarchies import one_step, without_labels
from starcloak.job.earlier import Accept, Earlier
from starcloak.job.person import AsSet, columns_of_person
from starcloak.job.requirement import JobRequirement, Qid
from starcloak.job.roles import Roles, is_file, load_ready_made
from starcloak.job.source import Output, Place
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import Model
from starcloak.privacy.persons.model import DistinctPersons
from starcloak.privacy.requirement import Demand, covers_absent
from starcloak.privacy.requirement import Requirement as Required
from starcloak.store.databases.url import url_of


def _word(value: Any) -> Any:
    """The word ``off`` in place of the truth value read by YAML; other values are unchanged."""
    return "off" if value is False else value


#: Version of the job format, given by the key ``version``.
VERSION = 1


def _record(columns: Any) -> Any:
    """The value of ``drafted``, with an empty mapping for None: YAML reads a key without entries as None."""
    return {} if columns is None else columns


def _version(number: Any) -> Any:
    if number is not True and number == VERSION:
        return VERSION
    raise PydanticCustomError(
        "version",
        "this starcloak reads jobs of version {version} only: install the version of starcloak for which the job "
        "was written; if the job is of version {version}, leave the key version out",
        {"version": VERSION},
    )


class Job(Roles):
    """One anonymization: the source, the roles of its columns, the requirement, the algorithm and the output.

    :func:`load` raises :class:`JobError` for an invalid job. Paths are relative to the job's file. ``person`` has the
    columns to identify the person of a row; they are never released, and k then counts the persons of a class, not
    rows. With ``{column: …, as: set}``, at least k persons have the same multiset of tuples.
    """

    version: Annotated[Literal[1], BeforeValidator(_version)] = Field(
        default=1, description="version of the form of jobs; a job without this key has version 1"
    )
    source: Place | None = Field(default=None, description="the rows: a file, a table or a dataset")
    ready_made: Annotated[
        str | None,
        Field(alias="schema", description="ready-made roles and hierarchies: a name under schemas/, or your own file"),
    ] = None
    quasi_identifiers: Annotated[
        dict[Column, Hierarchy],
        Field(
            min_length=1,
            max_length=settings.MOST_ATTRIBUTES,
            description="columns known to others from elsewhere, each with its generalization",
        ),
    ]
    others: Literal["identifiers"] | None = Field(
        default=None, description="never release columns without a role, instead of an error"
    )
    clean: dict[Column, Cleaning] = Field(default={}, description="cleaning of a column's cells before any other step")
    person: (
        Annotated[Annotated[list[Column], Field(min_length=1)] | AsSet, BeforeValidator(columns_of_person)] | None
    ) = None
    requirement: JobRequirement
    algorithm: AnyAlgorithm = Field(default_factory=default)
    objective: Objective = Field(default_factory=Objective)
    output: Output | None = Field(default=None, description="place of the release; none for a run without a release")
    without_leaf: JobPath | None = Field(
        default=None, description="a private file for values without a leaf, written if a run ends with this error"
    )
    keep_dimensions: StrictBool = Field(
        default=False,
        description="keep the dimension tables (released cells and their generalizations) beside a table's release",
    )
    seed: StrictInt = Field(default=1, description="seed of every random choice, and of the order of released rows")
    against: list[Earlier] = Field(
        default=[], description="earlier releases with a joint k, of all releases together, at least as required"
    )
    accept: Accept | None = Field(default=None, description="joint k accepted for publication below the required k")
    refresh: StrictBool | Literal["first"] = Field(
        default=False,
        description="keep the cells of the last release; new rows join or wait; first: start again, independent of "
        "earlier releases",
    )
    departures: Annotated[Literal["tell", "hold"], BeforeValidator(_word)] = Field(
        default="tell",
        description="treatment of removed or changed rows in a refresh: they go, or stay until k of them can go "
        "together",
    )
    insight: Annotated[Literal["auto", "off"], BeforeValidator(_word)] = Field(
        default="auto", description="add a comparison of the release with its source, and remarks, to the result"
    )
    companions: dict[str, Any] = Field(default={}, description="settings for companions of other packages in the run")
    drafted: Annotated[dict[Column, str] | None, BeforeValidator(_record)] = Field(
        None, description="fingerprint of init's proposal for each column; remove a column if a person decided"
    )
    _files: tuple[Path, ...] = PrivateAttr(())
    _kept_by_patterns: tuple[str, ...] = PrivateAttr(())
    _further: Literal["identifiers"] | None = PrivateAttr(None)

    role_names: ClassVar[tuple[str, ...]] = ("identifiers", "quasi_identifiers", "sensitive", "keep")
    #: Keys of optional features of a run, each served by a *companion*, an extension of runs.
    optional_keys: ClassVar[tuple[str, ...]] = ("against", "accept", "refresh", "departures", "insight")

    @property
    def files(self) -> tuple[Path, ...]:
        """Files read for the job: the job's own file, and the file of its ready-made schema, if there are any."""
        return self._files

    @property
    def kept_by_patterns(self) -> tuple[str, ...]:
        """Columns of the source that match a pattern under ``keep``; empty before the source is read."""
        return self._kept_by_patterns

    @property
    def roles(self) -> dict[str, list[str]]:
        """The columns of each role, by the role's name, in the order of the job."""
        named = {role: list(getattr(self, role)) for role in self.role_names}
        return {**named, "person": list(self.persons)} if self.persons else named

    @property
    def persons(self) -> tuple[str, ...]:
        """Columns to identify a person; empty if each row is one person."""
        return tuple(self.person.column if isinstance(self.person, AsSet) else self.person or ())

    @property
    def as_set(self) -> bool:
        """True if at least k persons must have the same multiset of tuples (``person: {as: set}``)."""
        return isinstance(self.person, AsSet)

    @property
    def sets_misfit(self) -> str | None:
        """Message if the algorithm does not support ``person: {as: set}`` and the job has it; otherwise None."""
        if not self.as_set or self.algorithm.supports.person_sets:
            return None
        takers = " or ".join(name for name, settings in algorithms().items() if settings.supports.person_sets)
        return (
            f"person: algorithm {self.algorithm.name} does not support as: set (all rows of a person compared as one "
            f"set): write algorithm: {takers}, or give person: COLUMN without as"
        )

    @property
    def importance(self) -> dict[str, Decimal]:
        """Weight of a quasi-identifier's loss in the objective, for each one with an importance other than 1."""
        kinds = self.quasi_identifiers.items()
        return {name: kind.importance for name, kind in kinds if kind.importance != 1}

    @property
    def importance_misfit(self) -> str | None:
        """Message if the objective or the algorithm ignores the importance of columns in the job; otherwise None."""
        if not self.importance:
            return None
        where, algorithm = f"quasi_identifiers.{next(iter(self.importance))}.importance", self.algorithm
        if self.objective.is_of_classes:
            return (
                f"{where}: objective {self.objective.minimize} measures the sizes of classes and cannot weigh "
                "columns: write objective: {minimize: loss}, or leave importance out"
            )
        if algorithm.supports.importance:
            return None
        takers = (name for name, settings in algorithms().items() if settings.supports.importance)
        alike = (name for name in takers if algorithms()[name].about.recoding_model == algorithm.about.recoding_model)
        return (
            f"{where}: algorithm {algorithm.name} ignores importance: write algorithm: {{name: "
            f"{next(alike, LOCAL)}}}, or leave importance out"
        )

    def labels(self, heights: Mapping[str, int]) -> dict[str, list[str]]:
        """Labels of the levels of each quasi-identifier's hierarchy; ``heights`` has the heights by column."""
        kinds = self.hierarchies
        return {name: kinds[name].labels(height) for name, height in heights.items()}

    @property
    def hierarchies(self) -> dict[str, Builder]:
        """The quasi-identifiers' hierarchies, replaced by suppression in one step if the algorithm only suppresses."""
        return one_step(self.quasi_identifiers) if self.algorithm.one_step else self.quasi_identifiers

    @property
    def highest(self) -> dict[str, int]:
        """Highest permitted level of each quasi-identifier with ``to``, counted from its lowest permitted level."""
        kinds = self.quasi_identifiers.items()
        set_ = {name: (kind.to, kind.from_ or 0) for name, kind in kinds if kind.to is not None}
        return {name: 0 if self.algorithm.one_step else last - first for name, (last, first) in set_.items()}

    @property
    def verified_alone(self) -> list[str]:
        """Keys of conditions on the release that no search counts: the verifier alone does."""
        joined = ["requirement.joined_rows"] if self.requirement.joined_rows is not None else []
        kinds = self.quasi_identifiers.values()
        return [*joined, *(["max_suppressed"] if any(kind.max_suppressed is not None for kind in kinds) else [])]

    @property
    def columns_beside(self) -> list[str]:
        """Columns read by the hierarchies in addition to the quasi-identifiers."""
        return [name for hierarchy in self.quasi_identifiers.values() for name in hierarchy.columns_read]

    @property
    def role_of_others(self) -> Literal["identifiers"] | None:
        """The key ``others`` as the user wrote it, also after :meth:`with_roles`: other rows may have more columns."""
        return self.others or self._further

    def with_roles(self, roles: Mapping[str, Sequence[str]]) -> Job:
        """The job with the source's columns by role, ``roles``, in place of patterns and of the key ``others``."""
        if all(list(roles[role]) == columns for role, columns in self.roles.items()):
            return self
        named: dict[str, Any] = {role: list(roles[role]) for role in self.role_names if role != "quasi_identifiers"}
        loaded = self.model_copy(update={**named, "others": None})
        loaded._files, loaded._further = self._files, self.role_of_others
        loaded._kept_by_patterns = tuple(name for name in named["keep"] if name not in self.keep)
        return loaded

    @cached_property
    def required(self) -> Required:
        """The requirement on the release: a demand per QID, or one demand on all quasi-identifiers together."""
        requirement, further = self.requirement, self.requirement.models
        qids = requirement.qids or [Qid(attributes=list(self.quasi_identifiers), k=requirement.k or 1)]
        most = max(qid.k for qid in qids)
        demands = [
            Demand(tuple(qid.attributes), (KAnonymity(k=qid.k), *self._of_persons(qid.k, most), *further))
            for qid in qids
        ]
        return Required.of(demands, requirement.suppression)

    def with_k(self, k: int) -> Job:
        """A copy of the job with k over all quasi-identifiers together as its only requirement."""
        job_with_requirement = self.model_copy(update={"requirement": JobRequirement(k=k)})
        job_with_requirement.__dict__.pop("required", None)  # the copy has the previously computed value
        return job_with_requirement

    def _of_persons(self, k: int, most: int) -> list[Model]:
        """Models of persons for one QID, empty without ``person``; ``most`` is the largest k of all QIDs."""
        if not self.persons:
            return []
        counted: list[Model] = [DistinctPersons(person=self.persons, k=k, most=most)]
        if self.as_set:
            from starcloak.privacy.histories.model import Histories

            counted.append(Histories(person=self.persons, k=k))
        return counted

    @property
    def k(self) -> int:
        """Smallest permitted number of rows in a class over all quasi-identifiers; 1 if no QID has all of them."""
        return self.required.joint(list(self.quasi_identifiers)).k

    @property
    def class_column(self) -> str | None:
        """The kept column to predict from the quasi-identifiers, a setting of some algorithms; or None."""
        return self.algorithm.class_column

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add rules of validators: with ``schema``, a list of quasi-identifiers is enough, or no such key."""
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
        """Take roles absent from the job from its ready-made schema.

        A list of quasi-identifiers selects some quasi-identifiers of the schema; its other quasi-identifiers are not
        released.
        """
        if not isinstance(data, Mapping):
            return data
        name, picked = data.get("schema"), data.get("quasi_identifiers")
        if name is None:
            if isinstance(picked, list):
                raise PydanticCustomError(
                    "quasi_identifiers",
                    "quasi_identifiers is a list: give schema, which has the hierarchies, or a hierarchy for each "
                    "column, as in quasi_identifiers: {birth: {dates: [month, year]}, zip: {digits: 5}}",
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
                        "{column} is not a quasi-identifier of the schema: correct the name.{hint}",
                        {"column": repr(column), "hint": hint(column, ready.quasi_identifiers)},
                    )
            merged["quasi_identifiers"] = {column: ready.quasi_identifiers[column] for column in picked}
            placed = {*picked, *merged["sensitive"], *merged["keep"], *merged["identifiers"]}
            left = [column for column in ready.quasi_identifiers if column not in placed]
            merged["identifiers"] = [*merged["identifiers"], *left]
        return merged

    @model_validator(mode="after")
    def _one_role_each(self) -> Job:
        role_of_name: dict[str, str] = {}
        for role, columns in self.roles.items():
            for column in columns:
                if column in role_of_name:
                    raise PydanticCustomError(
                        "roles",
                        "column {column} is named under {first} and under {second}: name it under one of the two",
                        {"column": repr(column), "first": role_of_name[column], "second": role},
                    )
                role_of_name[column] = role
        self._refuse_joined([*role_of_name, *self.columns_beside])
        for column in self.columns_beside:
            if column in self.persons:
                raise PydanticCustomError(
                    "roles",
                    "column {column} under person is never released: name another column in the hierarchy",
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
                        "{place} names {attribute}, which is not a quasi-identifier: correct the name.{hint}",
                        {"place": place, "attribute": repr(attribute), "hint": hint(attribute, self.quasi_identifiers)},
                    )
        return self

    def _refuse_joined(self, named: Iterable[str]) -> None:
        """Refuse a role, a hierarchy or a second join for a column that ``clean`` joins into another column."""
        places = dict.fromkeys(named, "under a role or in a hierarchy")
        for name, cleaning in self.clean.items():
            for column in cleaning.join or ():
                if column in places or column == name or (column in self.clean and self.clean[column].join):
                    raise PydanticCustomError(
                        "clean",
                        "clean joins column {column} into {name}, but the job also names {column} {place}: name "
                        "only {name} there",
                        {"column": repr(column), "name": repr(name), "place": places.get(column, "in another join")},
                    )
                places[column] = "in another join"

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
                "requirement.suppression is not possible with several QIDs, as a row suppressed for one QID may be "
                "missing in a class of another QID: leave suppression out",
            )
        if not self.algorithm.supports.several_qids:
            takers = [name for name, settings in algorithms().items() if settings.supports.several_qids]
            raise PydanticCustomError(
                "qids",
                "algorithm {name} supports one QID: give k in place of qids, or choose one of {takers}",
                {"name": self.algorithm.name, "takers": ", ".join(takers)},
            )
        return self

    @model_validator(mode="after")
    def _joint_of_classes(self) -> Job:
        if self.as_set and self.against:
            raise PydanticCustomError(
                "against",
                "against does not go with person: {column: …, as: set}, as joint k with earlier releases cannot be "
                "counted then: leave against out, or give person: COLUMN without as",
            )
        return self

    @model_validator(mode="after")
    def _reference_of_rows(self) -> Job:
        if self.persons and self.requirement.reference == "source":
            raise PydanticCustomError(
                "reference",
                "reference: source compares rows, but with person classes count persons: leave reference or person out",
            )
        return self

    @model_validator(mode="after")
    def _within_population(self) -> Job:
        numeric = next((name for name, kind in self.quasi_identifiers.items() if kind.numeric), None)
        if self.required.of_population and numeric is not None and not self.algorithm.looks_at_nodes:
            raise PydanticCustomError(
                "requirement",
                "algorithm {name} makes ranges of {column} from the numbers of the source, which may not fit the "
                "population: give {column} intervals, or take a full-domain algorithm such as witness",
                {"name": self.algorithm.name, "column": repr(numeric)},
            )
        if self.required.of_population and self.objective.domain == "occurring":
            raise PydanticCustomError(
                "objective",
                "objective.domain: occurring ignores values without rows, but requirement.population counts people "
                "with such values: write domain: declared, or leave population out",
            )
        if any(map(covers_absent, self.requirement.models)):
            problem = None
            if not self.algorithm.looks_at_nodes:
                problem = (
                    f"needs every class of the population, which algorithm {self.algorithm.name} does not count: "
                    "take a full-domain algorithm such as witness"
                )
            elif self.persons:
                problem = "compares rows with people, but person counts persons: leave delta_presence or person out"
            if problem is not None:
                raise PydanticCustomError("requirement", "delta_presence {problem}", {"problem": problem})
        if self.required.of_population and self.class_column is not None:
            raise PydanticCustomError(
                "requirement",
                "algorithm {name} uses the values of {column}, which the population does not have: take another "
                "algorithm, or leave population out",
                {"name": self.algorithm.name, "column": repr(self.class_column)},
            )
        return self

    @model_validator(mode="after")
    def _joined_rows_of_persons(self) -> Job:
        if self.requirement.joined_rows is not None and not self.persons:
            raise PydanticCustomError(
                "requirement",
                "requirement.joined_rows is about the rows of one person, but the job has no person: give person, "
                "the column that identifies the person of a row, or leave joined_rows out",
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
                "person: as: set supports only k and suppression under requirement: leave the other keys of "
                "requirement out, or give person: COLUMN without as",
            )
        return self

    @model_validator(mode="after")
    def _sensitive_read(self) -> Job:
        for name in self.required.reads:
            if name not in (*self.sensitive, *self.persons):
                raise PydanticCustomError(
                    "requirement",
                    "the requirement uses column {name}, which is not under sensitive: put it under sensitive.{hint}",
                    {"name": repr(name), "hint": hint(name, self.sensitive)},
                )
        return self

    @model_validator(mode="after")
    def _refreshable(self) -> Job:
        kinds = [(name, kind.supports) for name, kind in algorithms().items()] if self.refresh else []
        takers = [name for name, supports in kinds if supports.refresh and (supports.person_sets or not self.persons)]
        beyond_k = [] if self.required.single else ["requirement.qids"]  # of which nothing is known for new rows
        beyond_k += dict.fromkeys(f"requirement.{model.key}" for model in self.requirement.models)
        if self.refresh and self.persons and not self.as_set:  # "k alone" would count their rows
            columns = self.persons[0] if len(self.persons) == 1 else f"[{', '.join(self.persons)}]"
            mends = [f"person: {{column: {columns}, as: set}}"]
            mends += [f"algorithm: {{name: {takers[0]}}}"] if self.algorithm.name not in takers else []
            mends += ["k as the only requirement"] if beyond_k else []
            raise PydanticCustomError(
                "refresh",
                "refresh with person needs all rows of a person compared as one set: write {mends}, or leave "
                "refresh out and name earlier releases under against",
                {"mends": " and ".join(mends)},
            )
        beyond_k = (["algorithm " + self.algorithm.name] if not self.algorithm.supports.refresh else []) + beyond_k
        if self.refresh and beyond_k:
            raise PydanticCustomError(
                "refresh",
                "refresh does not support {asked}: write {mend} with k as the only requirement, or leave refresh "
                "out and name earlier releases under against",
                {"mend": f"algorithm: {{name: {takers[0]}}}", "asked": ", ".join(beyond_k)},
            )
        if self.departures == "hold" and not self.refresh:
            raise PydanticCustomError("departures", "departures: hold needs refresh: write refresh: true, too")
        return self

    @model_validator(mode="after")
    def _suppressed_everywhere(self) -> Job:
        if self.output is not None and self.output.suppressed is None:
            object.__setattr__(self, "quasi_identifiers", without_labels(self.quasi_identifiers))
        return self

    @model_validator(mode="after")
    def _between_levels(self) -> Job:
        for name, kind in self.quasi_identifiers.items():
            problem = None
            if kind.from_ is None and kind.to is None:
                continue
            if self.algorithm.one_step and kind.from_ is not None:
                problem = (
                    f"algorithm {self.algorithm.name} only keeps a value or replaces it by *, but from forbids the "
                    "unchanged value: leave from out, or leave the column out"
                )
            elif kind.from_ is not None and self.refresh:
                problem = "refresh recognizes rows by their original values, which from removes: leave from out"
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


def load(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    changes: Sequence[str] = (),
    where: str = "job",
    session: Any = None,
    base: Path = Path(),
) -> Job:
    """Read and validate a job.

    Args:
        job: The path of a YAML file, a mapping, or a job, which is returned as it is.
        changes: Changes to a file's or a mapping's values, such as ``requirement.k=10``.
        where: Name for a mapping in error messages.
        session: A Spark session, used in place of the source's URL.
        base: Base folder of the relative paths in a mapping.

    Raises:
        JobError: The job is invalid. The message has the place and the correction, in one line and without values.
    """
    if isinstance(job, Job):
        ours: Job = own(job)
        if session is None or ours.source is None:
            return ours
        return ours.model_copy(update={"source": ours.source.model_copy(update={"url": url_of(session)})})
    document.refuse_data(job, of_call=where == "job")
    path = Path(job) if isinstance(job, (str, Path)) else None
    base, where = (path.parent, str(path)) if path else (base, where)
    job_given = document.with_changes(document.read(path) if path else job, changes)
    if session is not None:
        job_given = {**job_given, "source": {**(job_given.get("source") or {}), "url": session}}
    loaded = check(Job, job_given, where=where, base=base)
    schema = loaded.ready_made
    loaded._files = (*([path] if path else []), *([base / schema] if schema and is_file(schema) else []))
    return loaded
