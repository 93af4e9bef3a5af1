"""The job: what to anonymize, to which requirement, how, and where the release goes.

A job is YAML or a Python mapping; ``schemas/job.json`` is its JSON Schema, exported from the models here. Unknown keys
are errors with a near-name hint, and no default decides whether a column is released.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    PrivateAttr,
    StrictBool,
    StrictInt,
    Tag,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError

from starcloak import extent, paths
from starcloak.errors import JobError, hint


class _Model(BaseModel):
    """A frozen mapping that knows its keys by name."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            known = [field.alias or name for name, field in cls.model_fields.items()]
            for key in data:
                if key not in known:
                    raise PydanticCustomError(
                        "unknown_key",
                        "unknown key {key}. Known: {known}.{hint}",
                        {"key": repr(key), "known": ", ".join(known), "hint": hint(key, known)},
                    )
        return data


def _beside_the_job(path: Path, info: ValidationInfo) -> Path:
    base: Path = (info.context or {}).get("base", Path())
    return _usable(base / _usable(path))


def _usable(path: Path) -> Path:
    """The path with its user's folder in place. Raises where no system could have it."""
    try:
        path = path.expanduser()
        if "\0" in str(path):
            raise ValueError
        path.is_symlink()
    except (OSError, ValueError, RuntimeError) as error:
        raise PydanticCustomError(
            "path", "no file can have this path ({kind})", {"kind": type(error).__name__}
        ) from None
    return path


def _printable(name: str) -> str:
    if not name or "\0" in name:
        raise PydanticCustomError("name", "a name needs one or more characters, and no NUL")
    return name


def _table_name(name: str) -> str:
    for part in name.split("."):
        _printable(part)
    return name


JobPath = Annotated[Path, AfterValidator(_beside_the_job)]
Column = Annotated[str, Field(min_length=1), AfterValidator(_printable)]
TableName = Annotated[str, Field(min_length=1), AfterValidator(_table_name)]
_Weight = Annotated[Decimal, Field(ge=0, allow_inf_nan=False, max_digits=28)]
# Exact arithmetic writes all digits out: no more than the smallest float has.
_Share = Annotated[Decimal, Field(ge=0, le=1, allow_inf_nan=False, max_digits=400)]


_M = TypeVar("_M", bound=_Model)


class Intervals(_Model):
    """Ranges of the given widths, each starting at a multiple of its width, then ``*``."""

    intervals: Annotated[
        list[Annotated[Decimal, Field(gt=0, max_digits=28, decimal_places=10)]],
        Field(min_length=1, max_length=extent.MOST_LEVELS - 1),
    ]


class Digits(_Model):
    """Values of exactly so many characters that lose the last one at every level: 53715, 5371*, …, ``*``.

    Whole numbers are filled up with zeros on the left.
    """

    digits: Annotated[StrictInt, Field(ge=1, le=extent.MOST_LEVELS)]


class Dates(_Model):
    """Dates that lose precision at every level, then ``*``."""

    dates: Annotated[
        list[Literal["day", "week", "month", "quarter", "year", "decade", "century"]],
        Field(min_length=1, max_length=7),
    ]


class Csv(_Model):
    """A file with one line per leaf: leaf, level 1, …, top. An empty leaf declares the missing value."""

    csv: JobPath
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ";"


class Table(_Model):
    """A dimension table in the source's database, one row per leaf; its columns are leaf, level 1, …, top."""

    table: TableName


class Tree(_Model):
    """Names of groups with their members, nested to any depth; ``*`` goes on top. null declares the missing value."""

    tree: dict[str, Any]


_HIERARCHIES: dict[str, type[_Model]] = {
    "intervals": Intervals,
    "digits": Digits,
    "dates": Dates,
    "csv": Csv,
    "table": Table,
    "tree": Tree,
}


def _hierarchy_kind(value: Any) -> str:
    keys = value if isinstance(value, Mapping) else ()
    kinds = [kind for kind, model in _HIERARCHIES.items() if isinstance(value, model) or kind in keys]
    if kinds:
        return kinds[0]
    return "numeric" if value == "numeric" else "suppress"


def _known_hierarchy(value: Any) -> Any:
    if isinstance(value, _Model) or value == "suppress" or _hierarchy_kind(value) != "suppress":
        return value
    raise _unknown_hierarchy(next(iter(value), "") if isinstance(value, Mapping) else value)


def _unknown_hierarchy(found: object) -> PydanticCustomError:
    known = ["suppress", "numeric", *_HIERARCHIES]
    return PydanticCustomError(
        "hierarchy",
        "unknown hierarchy {found}. Known: {known}.{hint}",
        {
            "found": repr(found) if isinstance(found, str) else "of that form",
            "known": ", ".join(known),
            "hint": hint(str(found), known),
        },
    )


Hierarchy = Annotated[
    Annotated[Literal["suppress"], Tag("suppress")]
    | Annotated[Literal["numeric"], Tag("numeric")]
    | Annotated[Intervals, Tag("intervals")]
    | Annotated[Digits, Tag("digits")]
    | Annotated[Dates, Tag("dates")]
    | Annotated[Csv, Tag("csv")]
    | Annotated[Table, Tag("table")]
    | Annotated[Tree, Tag("tree")],
    Discriminator(_hierarchy_kind),
    BeforeValidator(_known_hierarchy),
]


class Source(_Model):
    """The table: exactly one of ``path``, ``url`` (with ``table`` or ``query``) and ``dataset``.

    Every column of a CSV is text. ``null`` is the text that stands for a missing value in it.
    """

    path: JobPath | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    null: str = ""
    url: str | None = None
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


class Qid(_Model):
    """A quasi-identifier (QID) with a k of its own (Fung, Wang, Yu 2007, Definition 1): ``k`` is 1 or more."""

    attributes: Annotated[list[Column], Field(min_length=1)]
    k: Annotated[StrictInt, Field(ge=1)]

    @model_validator(mode="after")
    def _attributes_once(self) -> Qid:
        twice = next((name for name, times in Counter(self.attributes).items() if times > 1), None)
        if twice is not None:
            raise PydanticCustomError("qids", "attribute {name} is named twice: name it once", {"name": repr(twice)})
        return self

    def implies(self, other: Qid) -> bool:
        """Whether every table that satisfies this satisfies the other (Definition 1).

        >>> Qid(attributes=["age", "sex"], k=5).implies(Qid(attributes=["sex"], k=4))
        True
        """
        return set(other.attributes) <= set(self.attributes) and other.k <= self.k


class Requirement(_Model):
    """k-anonymity of all quasi-identifiers together or of several QIDs, and the share of rows to leave out (0 … 1).

    Exactly one of ``k`` and ``qids`` is given (Fung, Wang, Yu 2007, Definition 1).
    """

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["k"]}, {"required": ["qids"]}]})

    k: Annotated[StrictInt, Field(ge=1)] | None = None
    qids: Annotated[list[Qid], Field(min_length=1, max_length=1000)] | None = None
    suppression: _Share = Decimal(0)

    @model_validator(mode="after")
    def _one_form(self) -> Requirement:
        if (self.k is None) == (self.qids is None):
            raise PydanticCustomError("requirement", "give exactly one of k and qids")
        return self


_LEFEVRE = "LeFevre, DeWitt, Ramakrishnan 2005"


class _Algorithm(_Model):
    """A search for a recoding, which a job calls by its name."""

    model_config = ConfigDict(json_schema_extra={"required": ["name"]})

    several_qids: ClassVar[bool] = False
    #: The recoding model, where it and the algorithm come from, and what is sure of the result.
    recoding_model: ClassVar[str]
    sources: ClassVar[str]
    guarantee: ClassVar[str]


class Witness(_Algorithm):
    """All k-anonymous full-domain generalizations, refuted by single tuples, proved by frequency sets."""

    several_qids: ClassVar[bool] = True

    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = "Sweeney's and Samarati's model; a search of starcloak's own"
    guarantee: ClassVar[str] = "all k-anonymous generalizations and all minimal ones; the objective picks among them"
    name: Literal["witness"] = "witness"


class Incognito(_Algorithm):
    """All k-anonymous full-domain generalizations (LeFevre, DeWitt, Ramakrishnan 2005, sections 3.1 and 3.3).

    ``cube``, for the variant of that name, is a DuckDB file that keeps the cube for further runs on the same table.
    """

    several_qids: ClassVar[bool] = True

    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = f"{_LEFEVRE}, sections 3.1 and 3.3"
    guarantee: ClassVar[str] = "all k-anonymous generalizations and all minimal ones; the objective picks among them"
    name: Literal["incognito"] = "incognito"
    variant: Literal["basic", "super-roots", "cube"] = "basic"
    cube: JobPath | None = None

    @model_validator(mode="after")
    def _cube_of_its_variant(self) -> Incognito:
        if self.cube is not None and self.variant != "cube":
            raise PydanticCustomError("cube", "only variant: cube keeps a cube")
        return self


class Samarati(_Algorithm):
    """One k-anonymous full-domain generalization of the lowest height, by binary search (section 2.2)."""

    several_qids: ClassVar[bool] = True

    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = f"Samarati 2001, as {_LEFEVRE}, section 2.2, tells"
    guarantee: ClassVar[str] = "one generalization of the lowest height"
    name: Literal["samarati"] = "samarati"


class BottomUp(_Algorithm):
    """All k-anonymous full-domain generalizations, breadth-first from the leaves (section 2.2)."""

    several_qids: ClassVar[bool] = True

    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = f"{_LEFEVRE}, section 2.2"
    guarantee: ClassVar[str] = "all k-anonymous generalizations and all minimal ones; the objective picks among them"
    name: Literal["bottom-up"] = "bottom-up"
    rollup: StrictBool = True


class Datafly(_Algorithm):
    """One k-anonymous full-domain generalization, greedy, with no promise of minimality (section 6)."""

    several_qids: ClassVar[bool] = True

    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = f"Sweeney 2002, as {_LEFEVRE}, section 6, tells"
    guarantee: ClassVar[str] = "one generalization, seldom minimal"
    name: Literal["datafly"] = "datafly"


FullDomain = Witness | Incognito | Samarati | BottomUp | Datafly


class KacaWeights(_Model):
    """The weights of the weighted hierarchical distance (Li, Wong, Fu, Pei 2008, Definition 5).

    Every step up weighs the same (``uniform``), or the more the nearer it is to the root (``height``, with ``beta``).
    ``levels`` gives an attribute's steps weights of their own, from the leaves up; ``attributes`` gives attributes
    weights, 1 where it names none.
    """

    scheme: Literal["uniform", "height"] = "uniform"
    beta: Annotated[Decimal, Field(ge=1, le=64, allow_inf_nan=False)] = Decimal(1)
    levels: dict[Column, Annotated[list[_Weight], Field(min_length=1)]] = {}
    attributes: dict[Column, _Weight] = {}


class Kaca(_Algorithm):
    """Local recoding by clustering in attribute hierarchies (Li, Wong, Fu, Pei 2006 and 2008).

    ``max_inconsistency`` is for kaca2. ``priority`` names the attributes to sacrifice first where distances are equal.
    A class farther than ``distance_threshold`` from every other is suppressed, within the requirement's suppression.
    """

    recoding_model: ClassVar[str] = "local: cell generalization"
    sources: ClassVar[str] = "Li, Wong, Fu, Pei 2006 and 2008"
    guarantee: ClassVar[str] = "every class has k rows; small distortion, nothing minimal"
    name: Literal["kaca"] = "kaca"
    variant: Literal["kaca", "kaca1", "kaca2"] = "kaca1"
    execution: Literal["rounds", "sequential"] = "rounds"
    weights: KacaWeights = KacaWeights()
    max_inconsistency: _Share = Decimal("0.1")
    priority: list[Column] = []
    distance_threshold: Annotated[Decimal, Field(ge=0, allow_inf_nan=False, max_digits=28)] | None = None


class Mondrian(_Algorithm):
    """Regions of at least k rows, cut as long as a cut is allowable (LeFevre, DeWitt, Ramakrishnan 2006).

    With ``relaxed``, a numeric attribute is cut in two halves of rows, and rows of the median may go to either. Of
    several QIDs every region satisfies the largest k: sound, since a group of any QID is made of whole regions.
    """

    several_qids: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "multi-dimension, or local if relaxed"
    sources: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan 2006; Multi in Li, Wong, Fu, Pei 2008, section 8"
    guarantee: ClassVar[str] = "minimal: no region has an allowable cut left"
    name: Literal["mondrian"] = "mondrian"
    relaxed: StrictBool = False


class Tdr(_Algorithm):
    """Top-Down Refinement: single-dimension recoding that keeps what tells classes apart (Fung, Wang, Yu 2007).

    ``class`` is one of the sensitive or kept columns. The criterion is InfoGain / (AnonyLoss + 1) or InfoGain alone.
    The search ends early after so many refinements or seconds, with a release that meets the requirement.
    """

    recoding_model: ClassVar[str] = "single-dimension"
    sources: ClassVar[str] = "Fung, Wang, Yu 2007"
    guarantee: ClassVar[str] = "maximally refined: no refinement that tells classes apart is valid"
    name: Literal["tdr"] = "tdr"
    several_qids: ClassVar[bool] = True
    class_column: Annotated[Column, Field(alias="class")]
    criterion: Literal["score", "infogain"] = "score"
    max_refinements: Annotated[StrictInt, Field(ge=0)] | None = None
    time_limit: Annotated[Decimal, Field(ge=0, allow_inf_nan=False)] | None = None


class AttributeSuppression(_Algorithm):
    """An attribute stays as it is or is suppressed (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.1).

    All k-anonymous choices are found, as full-domain generalizations of hierarchies of one step; the job's own
    hierarchies are not used.
    """

    several_qids: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "attribute suppression"
    sources: ClassVar[str] = f"{_LEFEVRE}, section 5.1.1; witness search"
    guarantee: ClassVar[str] = "all choices that satisfy the requirement; the objective picks among them"
    name: Literal["attribute-suppression"] = "attribute-suppression"


class CellSuppression(_Algorithm):
    """A cell stays as it is or is suppressed (LeFevre, DeWitt, Ramakrishnan 2005, section 5.2).

    KACA1 on hierarchies of one step, then Mondrian's cuts of its groups; the job's own hierarchies are not used.
    """

    recoding_model: ClassVar[str] = "local: cell suppression"
    sources: ClassVar[str] = f"{_LEFEVRE}, section 5.2; KACA1 of Li, Wong, Fu, Pei 2008, then cuts"
    guarantee: ClassVar[str] = "minimal: no group can have a suppressed attribute back and keep k rows in each part"
    name: Literal["cell-suppression"] = "cell-suppression"


class FullSubtree(_Algorithm):
    """A cut through every hierarchy (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.1), found greedily, top-down."""

    several_qids: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "single-dimension: full-subtree"
    sources: ClassVar[str] = f"{_LEFEVRE}, section 5.1.1; greedy top-down by loss (LM)"
    guarantee: ClassVar[str] = "minimal: no value can be refined into its children"
    name: Literal["full-subtree"] = "full-subtree"


class OrderedSet(_Algorithm):
    """Intervals of numeric attributes (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.2), found greedily from the top.

    Other attributes are recoded by full subtrees.
    """

    several_qids: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "single-dimension: ordered-set partitioning"
    sources: ClassVar[str] = f"{_LEFEVRE}, section 5.1.2; greedy top-down by loss (LM)"
    guarantee: ClassVar[str] = "minimal: no interval can be split in two, no value refined into its children"
    name: Literal["ordered-set"] = "ordered-set"


class Unrestricted(_Algorithm):
    """Every leaf goes to itself or any value above it (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.1).

    Greedy: a full-subtree recoding, then single leaves to lower levels.
    """

    several_qids: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "single-dimension: unrestricted"
    sources: ClassVar[str] = f"{_LEFEVRE}, section 5.1.1; full-subtree, then single leaves down"
    guarantee: ClassVar[str] = "minimal: no leaf can go to a lower level"
    name: Literal["unrestricted"] = "unrestricted"


SingleDimension = FullSubtree | OrderedSet | Unrestricted


class FullSubgraph(_Algorithm):
    """Whole subgraphs go to their root (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.3), cut as Mondrian cuts.

    A numeric attribute has one step. Of several QIDs every region satisfies the largest k.
    """

    several_qids: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "multi-dimension: full-subgraph"
    sources: ClassVar[str] = f"{_LEFEVRE}, section 5.1.3; strict cuts along hierarchies only, as in Mondrian"
    guarantee: ClassVar[str] = "minimal: no region can be cut into the children of one of its values"
    name: Literal["full-subgraph"] = "full-subgraph"


ALGORITHMS: dict[str, type[_Algorithm]] = {
    "witness": Witness,
    "incognito": Incognito,
    "samarati": Samarati,
    "bottom-up": BottomUp,
    "datafly": Datafly,
    "kaca": Kaca,
    "mondrian": Mondrian,
    "tdr": Tdr,
    "attribute-suppression": AttributeSuppression,
    "cell-suppression": CellSuppression,
    "full-subtree": FullSubtree,
    "ordered-set": OrderedSet,
    "unrestricted": Unrestricted,
    "full-subgraph": FullSubgraph,
}


def _algorithm_name(value: Any) -> Any:
    return value.get("name") if isinstance(value, Mapping) else getattr(value, "name", None)


def _known_algorithm(value: Any) -> Any:
    name = _algorithm_name(value)
    if isinstance(name, str) and name in ALGORITHMS:
        return value
    known = list(ALGORITHMS)
    raise PydanticCustomError(
        "algorithm",
        "{found}. Known: {known}.{hint}",
        {
            "found": f"unknown name {name!r}" if isinstance(name, str) else "it needs a name",
            "known": ", ".join(known),
            "hint": hint(str(name), known),
        },
    )


AnyAlgorithm = Annotated[
    Annotated[Witness, Tag("witness")]
    | Annotated[Incognito, Tag("incognito")]
    | Annotated[Samarati, Tag("samarati")]
    | Annotated[BottomUp, Tag("bottom-up")]
    | Annotated[Datafly, Tag("datafly")]
    | Annotated[Kaca, Tag("kaca")]
    | Annotated[Mondrian, Tag("mondrian")]
    | Annotated[Tdr, Tag("tdr")]
    | Annotated[AttributeSuppression, Tag("attribute-suppression")]
    | Annotated[CellSuppression, Tag("cell-suppression")]
    | Annotated[FullSubtree, Tag("full-subtree")]
    | Annotated[OrderedSet, Tag("ordered-set")]
    | Annotated[Unrestricted, Tag("unrestricted")]
    | Annotated[FullSubgraph, Tag("full-subgraph")],
    Discriminator(_algorithm_name),
    BeforeValidator(_known_algorithm),
]


class Objective(_Model):
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


class Output(_Model):
    """The release: a file (``path``: .csv or .parquet) or a ``table``, in the source's database or that of ``url``.

    With ``replace`` it may take the place of a release of another source.
    """

    path: JobPath | None = None
    table: TableName | None = None
    url: str | None = None
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


class _Roles(_Model):
    identifiers: list[Column] = []
    sensitive: list[Column] = []
    keep: list[Column] = []


class ReadyMade(_Roles):
    """A ready-made schema: the roles and hierarchies of a known table."""

    quasi_identifiers: Annotated[dict[Column, Hierarchy], Field(min_length=1)]


class Job(_Roles):
    """One anonymization.

    Raises :class:`JobError` from :func:`load`. Paths are relative to the file that names them.
    """

    source: Source | None = None
    ready_made: Annotated[str | None, Field(alias="schema")] = None
    quasi_identifiers: Annotated[dict[Column, Hierarchy], Field(min_length=1)]
    requirement: Requirement
    algorithm: AnyAlgorithm = Witness()
    objective: Objective = Objective(minimize="height")
    output: Output | None = None
    keep_dimensions: StrictBool = False
    seed: StrictInt = 1
    _files: tuple[Path, ...] = PrivateAttr(())

    role_names: ClassVar[tuple[str, ...]] = ("identifiers", "quasi_identifiers", "sensitive", "keep")

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the job was read from: its own, and that of its schema."""
        return self._files

    @property
    def roles(self) -> dict[str, list[str]]:
        """The columns of each role, in the job's order."""
        return {role: list(getattr(self, role)) for role in self.role_names}

    @property
    def qids(self) -> tuple[Qid, ...]:
        """The requirement (Fung, Wang, Yu 2007, Definition 1) without what the rest of it implies: one QID or more.

        ``requirement.k`` is one QID of all quasi-identifiers. One QID alone always has all of them.
        """
        return tuple(
            qid
            for place, qid in enumerate(self._given)
            if not any(
                other.implies(qid) and not (qid.implies(other) and before >= place)
                for before, other in enumerate(self._given)
            )
        )

    @property
    def redundant_qids(self) -> tuple[Qid, ...]:
        """The QIDs of the requirement that the others imply."""
        return tuple(qid for qid in self._given if qid not in self.qids)

    @property
    def k(self) -> int:
        """The smallest class over all quasi-identifiers together: 1 where no QID has all of them."""
        return max((qid.k for qid in self.qids if len(qid.attributes) == len(self.quasi_identifiers)), default=1)

    @property
    def _given(self) -> list[Qid]:
        if self.requirement.qids is not None:
            return self.requirement.qids
        assert self.requirement.k is not None
        return [Qid(attributes=list(self.quasi_identifiers), k=self.requirement.k)]

    @property
    def class_column(self) -> str | None:
        """The column whose values the algorithm tells apart, if it does."""
        return self.algorithm.class_column if isinstance(self.algorithm, Tdr) else None

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """What the validators add: a list of quasi-identifiers, or none, is enough with a ready-made schema."""
        schema = handler.resolve_ref_schema(handler(core))
        listed = {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}}
        mapped = schema["properties"]["quasi_identifiers"]
        schema["properties"]["quasi_identifiers"] = {"anyOf": [mapped, listed]}
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
    def _usable_by_tdr(self) -> Job:
        if (column := self.class_column) is None:
            return self
        if column not in [*self.sensitive, *self.keep]:
            known = [*self.sensitive, *self.keep]
            problem = "is a quasi-identifier" if column in self.quasi_identifiers else "is not sensitive or kept"
            raise PydanticCustomError(
                "class",
                "algorithm.class: column {column} {problem}: name one of those released as they are.{hint}",
                {"column": repr(column), "problem": problem, "hint": hint(column, known)},
            )
        if self.requirement.suppression:
            raise PydanticCustomError("suppression", "requirement.suppression: tdr leaves no row out: remove it")
        return self

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
        if isinstance(self.algorithm, Kaca):
            named["algorithm.weights.levels"] = self.algorithm.weights.levels
            named["algorithm.weights.attributes"] = self.algorithm.weights.attributes
            named["algorithm.priority"] = self.algorithm.priority
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
        covered = {name for qid in self.qids for name in qid.attributes}
        for name in self.quasi_identifiers:
            if name not in covered:
                raise PydanticCustomError(
                    "qids",
                    "quasi-identifier {name} is in no QID: add it to one of requirement.qids, or put it under keep",
                    {"name": repr(name)},
                )
        if len(self.qids) == 1:
            return self
        if self.requirement.suppression:
            raise PydanticCustomError(
                "qids",
                "requirement.suppression is for one QID: rows left out for one of several QIDs may be missing from a "
                "group of another: leave it out",
            )
        if not self.algorithm.several_qids:
            takers = [name for name, model in ALGORITHMS.items() if getattr(model, "several_qids", False)]
            raise PydanticCustomError(
                "qids",
                "algorithm {name} takes one QID: give requirement.k, or choose one that takes several: {takers}",
                {"name": self.algorithm.name, "takers": ", ".join(takers)},
            )
        if isinstance(self.algorithm, Incognito) and self.algorithm.cube is not None:
            raise PydanticCustomError("qids", "algorithm.cube keeps the cube of one QID: leave it out")
        return self


def load(job: Job | Mapping[str, Any] | str | Path) -> Job:
    """A checked job, from a YAML file, a mapping or a job.

    Raises :class:`JobError` with the place and the mend, in one line and without values.
    """
    if isinstance(job, Job):
        return job
    path = Path(job) if isinstance(job, (str, Path)) else None
    base = path.parent if path else Path()
    loaded = _validate(Job, _read_yaml(path) if path else job, where=str(path or "job"), base=base)
    schema = loaded.ready_made
    loaded._files = (*([path] if path else []), *([base / schema] if schema and _is_file(schema) else []))
    return loaded


def load_source(source: Mapping[str, Any]) -> Source:
    """A checked source from a mapping such as ``{"path": "table.csv"}``. Raises :class:`JobError`."""
    return _validate(Source, source, where="source", base=Path())


def load_qids(qids: Iterable[Mapping[str, Any]]) -> tuple[Qid, ...]:
    """Checked QIDs, one or more, from mappings such as ``{"attributes": ["age"], "k": 5}``.

    Raises :class:`JobError`.
    """
    checked = tuple(_validate(Qid, qid, where="qid", base=Path()) for qid in qids)
    if not checked:
        raise JobError("qids: name at least one")
    return checked


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
    return _validate(ReadyMade, _read_yaml(path), where=str(path), base=path.parent)


def _is_file(schema: str) -> bool:
    return schema.endswith((".yaml", ".yml"))


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with a key given twice as an error, and a bound on what merge keys (``<<``) repeat."""

    _merged = 0

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        # Every time that a mapping is merged into another one, and before its keys are copied.
        self._merged += len(node.value)
        if self._merged > extent.MOST_VALUES:
            raise yaml.constructor.ConstructorError(
                None, None, f"more than {extent.MOST_VALUES:,} keys by merges: write them out", node.start_mark
            )

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        twice = next((key for key, times in keys.items() if times > 1), None)
        if twice is not None:
            raise yaml.constructor.ConstructorError(None, None, f"key {twice!r} is given twice", node.start_mark)
        return super().construct_mapping(node, deep)


def _read_yaml(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise JobError(f"{path} cannot be read ({type(error).__name__}): check the path") from None
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = (error.problem or "not YAML").splitlines()[0]
        told = f"{problem}; tags are not allowed" if "constructor for the tag" in problem else problem
        raise JobError(f"{path}, line {line}: {told}") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise JobError(f"{path} is not YAML: write it as key: value lines") from None


def _validate(model: type[_M], data: Any, *, where: str, base: Path) -> _M:
    if not isinstance(data, Mapping):
        raise JobError(f"{where} is not a mapping: write it as key: value lines")
    try:
        extent.check(data, where=where)
        return model.model_validate(dict(data), context={"base": base})
    except RecursionError:
        raise JobError(f"{where} is nested too deeply: a value may not contain itself") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"] if part not in {**_HIERARCHIES, **ALGORITHMS})
        raise JobError(f"{where}: {place + ': ' if place else ''}{_message(first)}") from None


def _message(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "this key is missing"
    if error["type"] == "too_short":
        return "name at least one"
    message = error["msg"].replace("Input should be", "must be")
    if error["type"] == "literal_error" and isinstance(error["input"], str):
        message += "." + hint(error["input"], re.findall(r"'([^']+)'", error["ctx"]["expected"]))
    return message
