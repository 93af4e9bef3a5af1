"""Algorithms available to a job, their settings, and the objective minimized among satisfying generalizations.

A folder of :mod:`starcloak.search` is one algorithm, or several with common code. Its module ``settings`` defines and
registers the settings of an algorithm in a job; another module of the folder has the function ``search``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, SerializeAsAny, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from starcloak.base.errors import hint
from starcloak.base.installation import load
from starcloak.base.settings import Settings

if TYPE_CHECKING:
    from starcloak.privacy.requirement import Requirement


#: Measures of information loss available as objectives of a search.
Minimized = Literal["height", "precision", "discernibility", "average_class_size", "distortion", "loss"]

LeafDomain = Literal["declared", "occurring"]


class Objective(Settings):
    """The measure minimized by the chosen generalization.

    Loss in a column is weighted by the importance of the column; the height is then a weighted sum of levels. Among
    whole-column generalizations of equal height, the search takes the one with the least loss, as loss adds a millionth
    of its value to the height. ``domain`` sets the leaves of a hierarchy counted by loss, in the search and in the
    measures: all declared leaves, as in the papers, or only the leaves with a row.
    """

    minimize: Minimized = "loss"
    domain: LeafDomain = "declared"

    @property
    def is_of_classes(self) -> bool:
        """True if the measure depends on the sizes of classes alone, so that no column has a loss of its own."""
        return self.minimize in ("discernibility", "average_class_size")


LEFEVRE = "LeFevre, DeWitt, Ramakrishnan 2005"

# Package of algorithms, one folder each. They are loaded by this name, since a search is a layer above a job.
_HOME = "starcloak.search"

#: The algorithm of a job without one.
DEFAULT = "witness"

#: Algorithms to propose for lattices too large for the job's algorithm, and for node numbers beyond 64 bits.
LARGE, LARGEST = "datafly", "mondrian"

#: The local recoding with the least loss.
LOCAL = "sweep"
#: Default algorithms of a comparison: full-domain, local and multi-dimension recoding.
SIDE_BY_SIDE = ("witness", "sweep", "mondrian")

#: Maximum number of lattice nodes: for a search that visits nodes one by one, and for a greedy search. A greedy search
#: visits so few nodes that only the numbers of nodes have to fit into 64 bits.
LARGEST_SEARCHED, LARGEST_NUMBERED = 50_000_000, 2**62

#: Recoding models, in ascending order of the preserved information.
FAMILIES = ("full-domain", "attribute suppression", "single-dimension", "multi-dimension", "local")


class Asked(Protocol):
    """Parts of a job needed by an algorithm to decide if it supports the job."""

    @property
    def quasi_identifiers(self) -> Mapping[str, Any]: ...
    @property
    def sensitive(self) -> Sequence[str]: ...
    @property
    def keep(self) -> Sequence[str]: ...
    @property
    def against(self) -> Sequence[Any]: ...
    @property
    def as_set(self) -> bool: ...
    @property
    def objective(self) -> Objective: ...
    @property
    def required(self) -> Requirement: ...


class SearchDetails(BaseModel):
    """Base class for details of a search specific to one algorithm; ``key`` is their key in the result's ``search``."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")

    key: ClassVar[str]

    @property
    def summary(self) -> str:
        """Summary of the search in one line."""
        raise NotImplementedError

    @property
    def is_repeatable(self) -> bool:
        """True if a repeated search would find the same result; false after a time limit."""
        return True


@dataclass(frozen=True)
class Description:
    """Texts about an algorithm for tables and help: recoding model, papers, guarantee, and use case (``when``)."""

    recoding_model: str
    sources: str
    guarantee: str
    when: str


@dataclass(frozen=True)
class Support:
    """Optional parts of a job that an algorithm supports, and its maximum number of lattice nodes; None for no limit.

    The parts are several quasi-identifiers (QIDs), the rows of a person as one set (``person: {as: set}``), the
    importance of columns, a refresh, which keeps the released cells of an earlier release, and a moving reference:
    suppression with a model that compares classes with all released rows, which suppression changes.
    """

    several_qids: bool = False
    person_sets: bool = False
    importance: bool = False
    refresh: bool = False
    moving_reference: bool = True
    largest_lattice: int | None = None


class Algorithm(Settings):
    """A search for a recoding, and its settings in a job.

    The search itself is the function ``search`` of ``module``, in the folder of the settings. Its arguments are a star
    (the table of tuples with its dimension tables), the requirement, these settings and a run. It returns an answer, or
    raises :class:`~starcloak.base.errors.RequirementError` if no recoding satisfies the requirement. An algorithm must
    define the first group of members, and its own settings.
    """

    model_config = ConfigDict(json_schema_extra={"required": ["name"]})

    # Declarations, required.

    about: ClassVar[Description]
    #: The name in a job, as a type with this one value, and as the default.
    name: str

    # Declarations with a default.

    supports: ClassVar[Support] = Support()
    #: Name of the module with the search, beside the module with the settings.
    module: ClassVar[str] = "search"
    #: Type of the details of a search specific to this algorithm; None without such details.
    tells: ClassVar[type[SearchDetails] | None] = None
    #: True if the algorithm suppresses a value in one step, and ignores the levels of the job's hierarchies.
    one_step: ClassVar[bool] = False

    # The settings as the run needs them, with a default.

    @property
    def class_column(self) -> str | None:
        """The kept column with values to be predicted from the quasi-identifiers, or None."""
        return None

    @property
    def named(self) -> Mapping[str, Iterable[str]]:
        """Quasi-identifiers named in the settings, by the name of the setting, for a check against the job."""
        return {}

    @property
    def kept(self) -> tuple[Path, ...]:
        """DuckDB files written for use by further runs; a run checks them before the search."""
        return ()

    @property
    def counts_at_nodes(self) -> bool:
        """True if the search needs only frequency sets of single nodes: the source's database may then count them."""
        return False

    def misfit(self, job: Asked) -> str | None:
        """The unsupported part of the job, and the action to take; None if the algorithm supports the job."""
        if self.supports.moving_reference or not (job.required.moves and job.required.suppression):
            return None
        return (
            f"algorithm {self.name} does not support suppression here: suppressed rows change the table with which the "
            f"model of {job.required.reads[0]!r} compares each class. Leave requirement.suppression out, or write "
            "algorithm: witness"
        )

    # The cost of a search, with a default.

    def lasting(self, *, tuples: int, nodes: int) -> Lasting | None:
        """Estimated duration of a search by the numbers of tuples and lattice nodes; None if every search is short."""
        return None

    def memory(self, *, tuples: int, columns: int, nodes: int) -> int:
        """Estimated size in bytes of the algorithm's arrays in memory, outside the working store (a DuckDB database).

        0 if the algorithm has only tables in the store: the store spills tables to disk. The estimates are from
        benchmarks/results/memory.json.
        """
        return 0

    # Derived; no algorithm replaces it.

    @property
    def looks_at_nodes(self) -> bool:
        """True for full-domain recoding and attribute suppression: each node has a number of suppressed rows."""
        return self.about.recoding_model.startswith(FAMILIES[:2])


@dataclass(frozen=True)
class Lasting:
    """Estimated duration of a search in seconds, and the text of a quicker alternative to write into the job.

    The figures are measurements of ``benchmarks/results`` on two cores.
    """

    seconds: float
    quicker: str


# Seconds per frequency set, and per tuple counted for it (results incognito-figures and incognito-large).
_NODE, _TUPLE = 0.003, 1e-7


def node_by_node(*, tuples: int, nodes: int) -> Lasting:
    """Estimated duration of a search that counts the frequency set of every lattice node."""
    return Lasting(nodes * (_NODE + _TUPLE * tuples), "algorithm: {name: witness}, which finds the same nodes")


#: The search of an algorithm: see :func:`starcloak.search.algorithm.search`.
Search = Callable[..., Any]

_ALGORITHMS: dict[str, tuple[type[Algorithm], Search | None]] = {}
_A = TypeVar("_A", bound=type[Algorithm])


def register(settings: _A, search: Search | None = None) -> _A:
    """Register an algorithm for jobs under its name, with its search function; see :func:`search_of` for None."""
    _ALGORITHMS[default_name(settings)] = settings, search
    return settings


def algorithms() -> dict[str, type[Algorithm]]:
    """The settings classes of all algorithms, by name: in the order of ``FAMILIES``, the default first."""
    load(_HOME, kind="algorithms", part="settings")

    def place(item: tuple[str, tuple[type[Algorithm], Search | None]]) -> tuple[int, bool, str]:
        name, (settings, _) = item
        family = next(at for at, family in enumerate(FAMILIES) if settings.about.recoding_model.startswith(family))
        return family, name != DEFAULT, name

    return {name: settings for name, (settings, _) in sorted(_ALGORITHMS.items(), key=place)}


def search_of(settings: Algorithm) -> Search:
    """The search function of an algorithm: as registered, or ``search`` of ``module`` in the folder of the settings."""
    _, module = _ALGORITHMS[settings.name]
    package = type(settings).__module__.rpartition(".")[0]
    search: Search = module or import_module(f"{package}.{settings.module}").search
    return search


def default() -> Algorithm:
    """The algorithm of a job without ``algorithm``."""
    return algorithms()[DEFAULT].model_validate({})


def default_name(settings: type[Algorithm]) -> str:
    """The name of an algorithm: the default of the field ``name`` in its settings."""
    fields: dict[str, Any] = settings.model_fields
    return str(fields["name"].default)


def _known_algorithm(value: Any, info: ValidationInfo) -> Any:
    """Validated settings of an algorithm, from a mapping with its ``name`` or from the name alone."""
    if isinstance(value, Algorithm):
        return value
    if isinstance(value, str):
        value = {"name": value}
    name = value.get("name") if isinstance(value, Mapping) else None
    settings_by_name = algorithms()
    if isinstance(name, str) and name in settings_by_name:
        return settings_by_name[name].model_validate(value, context=info.context)
    raise PydanticCustomError(
        "algorithm",
        "{found}: give the name of an algorithm, as in algorithm: sweep. Known: {known}.{hint}",
        {
            "found": f"unknown name {name!r}" if isinstance(name, str) else "the algorithm has no name",
            "known": ", ".join(settings_by_name),
            "hint": hint(str(name), settings_by_name),
        },
    )


class _OneOfAll:
    """The JSON Schema of all algorithms, distinguished by name."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schemas = {name: handler(settings.__pydantic_core_schema__) for name, settings in algorithms().items()}
        return {"oneOf": [{"enum": list(schemas), "type": "string"}, *schemas.values()]}


AnyAlgorithm = Annotated[SerializeAsAny[Algorithm], BeforeValidator(_known_algorithm), _OneOfAll()]
