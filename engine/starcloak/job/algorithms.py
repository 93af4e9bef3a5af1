"""The algorithms that a job can name, what it may set of each, and the objective that the choice minimizes.

An algorithm is a folder of :mod:`starcloak.search`: what a job may set (``settings``), what it does (``search``). It
registers its settings; nobody else knows its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    SerializeAsAny,
    ValidationInfo,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from starcloak.base.errors import hint
from starcloak.base.installation import load
from starcloak.base.settings import Settings

if TYPE_CHECKING:
    from starcloak.privacy.requirement import Requirement


#: What a search can minimize.
Minimized = Literal["height", "precision", "discernibility", "average_class_size", "distortion", "loss"]

LeafDomain = Literal["declared", "occurring"]


class Objective(Settings):
    """What the chosen generalization minimizes: one of the named measures.

    What is lost in a column counts by its importance there; the height is then a weighted sum of levels. Of equal
    heights of whole columns that of least loss is taken, whose millionth counts. ``domain`` says which leaves of a
    hierarchy loss counts, here and in the measures: all that it declares, as papers do, or those that occur in a row.
    """

    minimize: Minimized = "loss"
    domain: LeafDomain = "declared"

    @property
    def is_of_classes(self) -> bool:
        """Whether it goes by the sizes of classes alone, and no column by itself costs anything."""
        return self.minimize in ("discernibility", "average_class_size")


LEFEVRE = "LeFevre, DeWitt, Ramakrishnan 2005"

# Where algorithms are, one folder each. They are loaded by that name, since a search stands above what a job says.
_HOME = "starcloak.search"

#: What a job gets that names no algorithm.
DEFAULT = "witness"

#: What takes lattices that others would not get through, and what needs none, where nodes have no 64-bit numbers.
LARGE, LARGEST = "datafly", "mondrian"

#: The local recoding that loses the least.
LOCAL = "sweep"
#: What is put side by side where nobody says: full-domain, local and multi-dimension recoding.
SIDE_BY_SIDE = ("witness", "sweep", "mondrian")

#: The nodes of the largest lattice that is searched node by node; and of one that a greedy search takes, which visits
#: so few of them that their numbers have to fit 64 bits alone.
LARGEST_SEARCHED, LARGEST_NUMBERED = 50_000_000, 2**62

#: Recoding models, in the order of what they keep of the table, the least first.
FAMILIES = ("full-domain", "attribute suppression", "single-dimension", "multi-dimension", "local")


class Asked(Protocol):
    """What algorithms look at of a job, to find out whether they can do what it asks."""

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
    """What an algorithm tells of its search, beside what all do; ``key`` is its place in the result's ``search``."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")

    key: ClassVar[str]

    @property
    def summary(self) -> str:
        """What was done, in a line."""
        raise NotImplementedError

    @property
    def is_repeatable(self) -> bool:
        """Whether the same search would find the same again: not where time ended it."""
        return True


class Algorithm(Settings):
    """A search for a recoding, and what a job may set of it.

    The search itself is the function ``search`` of the module beside it: from a star, the requirement, these settings
    and a run to an answer, or a :class:`~starcloak.base.errors.RequirementError`. ``sources`` names its papers.
    """

    model_config = ConfigDict(json_schema_extra={"required": ["name"]})

    #: Whether it takes several quasi-identifiers (QIDs), and whether it leaves rows out.
    several_qids: ClassVar[bool] = False
    suppresses: ClassVar[bool] = True
    #: Whether it can leave the tuples of an earlier release as they were.
    refreshes: ClassVar[bool] = False
    #: Whether it takes the rows of a person as one set.
    takes_sets: ClassVar[bool] = False
    #: Whether it goes by the importance of columns.
    takes_importance: ClassVar[bool] = False
    #: Whether every hierarchy is one step: the job's own are not used.
    one_step: ClassVar[bool] = False
    #: The nodes of the largest lattice that it takes; None where it has none.
    largest_lattice: ClassVar[int | None] = None
    #: The recoding model, where it and the algorithm come from, what is sure of the result, and what it is for.
    recoding_model: ClassVar[str]
    sources: ClassVar[str]
    guarantee: ClassVar[str]
    when: ClassVar[str]
    #: What it tells of its search, beside what all do.
    tells: ClassVar[type[SearchDetails] | None] = None

    name: str

    @property
    def looks_at_nodes(self) -> bool:
        """Whether it asks every node by itself what must be left out there."""
        return self.recoding_model.startswith(FAMILIES[:2])

    @property
    def counts_at_nodes(self) -> bool:
        """Whether frequency sets of single nodes are all that it asks for, wherever they are counted."""
        return False

    @property
    def class_column(self) -> str | None:
        """The kept column whose values it tells apart, if it does."""
        return None

    @property
    def named(self) -> Mapping[str, Iterable[str]]:
        """The quasi-identifiers that its settings name, by the setting."""
        return {}

    @property
    def kept(self) -> tuple[Path, ...]:
        """DuckDB files that it keeps for further runs, which must be usable."""
        return ()

    def lasting(self, *, tuples: int, nodes: int) -> Lasting | None:
        """How long a search lasts, in seconds, over so many tuples and nodes of the lattice; None where never long."""
        return None

    def memory(self, *, tuples: int, columns: int, nodes: int) -> int:
        """How many bytes its arrays take beside the working store, about, for so many tuples, columns and nodes.

        0 where tables of the store are all that it has, which are spilled. Figures: benchmarks/results/memory.json.
        """
        return 0

    def misfit(self, job: Asked) -> str | None:
        """What the job asks that it cannot do, and what to do about it; None where it fits."""
        return None


@dataclass(frozen=True)
class Lasting:
    """About how long a search takes, in seconds, and what takes less time: what to write into the job instead.

    The figures are those of ``benchmarks/results``, of two cores.
    """

    seconds: float
    quicker: str


# Seconds of a frequency set, and of a tuple that is counted for it (results incognito-figures and incognito-large).
_NODE, _TUPLE = 0.003, 1e-7


def node_by_node(*, tuples: int, nodes: int) -> Lasting:
    """How long a search lasts that counts the frequency set of every node."""
    return Lasting(nodes * (_NODE + _TUPLE * tuples), "algorithm: {name: witness}, which finds the same nodes")


#: The search of an algorithm: see :func:`starcloak.search.algorithm.search`.
Search = Callable[..., Any]

_ALGORITHMS: dict[str, tuple[type[Algorithm], Search | None]] = {}
_A = TypeVar("_A", bound=type[Algorithm])


def register(settings: _A, search: Search | None = None) -> _A:
    """Have jobs know an algorithm by its name. Its ``search`` is that of the module beside, where none is given."""
    _ALGORITHMS[default_name(settings)] = settings, search
    return settings


def algorithms() -> dict[str, type[Algorithm]]:
    """All algorithms by their names: full-domain first, and the default first of all."""
    load(_HOME, kind="algorithms", part="settings")

    def place(item: tuple[str, tuple[type[Algorithm], Search | None]]) -> tuple[int, bool, str]:
        name, (settings, _) = item
        family = next(at for at, family in enumerate(FAMILIES) if settings.recoding_model.startswith(family))
        return family, name != DEFAULT, name

    return {name: settings for name, (settings, _) in sorted(_ALGORITHMS.items(), key=place)}


def search_of(settings: Algorithm) -> Search:
    """The search of an algorithm: that with which it was registered, or that of the module beside its settings."""
    _, given = _ALGORITHMS[settings.name]
    beside = type(settings).__module__.rpartition(".")[0]
    search: Search = given or import_module(f"{beside}.search").search
    return search


def default() -> Algorithm:
    """What a job gets that names no algorithm."""
    return algorithms()[DEFAULT].model_validate({})


def default_name(settings: type[Algorithm]) -> str:
    """The name of an algorithm."""
    fields: dict[str, Any] = settings.__pydantic_fields__
    return str(fields["name"].default)


def _known_algorithm(value: Any, info: ValidationInfo) -> Any:
    """The settings of the algorithm that a mapping or a word names."""
    if isinstance(value, Algorithm):
        return value
    if isinstance(value, str):
        value = {"name": value}
    name = value.get("name") if isinstance(value, Mapping) else None
    known = algorithms()
    if isinstance(name, str) and name in known:
        return known[name].model_validate(value, context=info.context)
    raise PydanticCustomError(
        "algorithm",
        "{found}, as in algorithm: sweep. Known: {known}.{hint}",
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
        return {"oneOf": [{"enum": list(schemas), "type": "string"}, *schemas.values()]}


AnyAlgorithm = Annotated[SerializeAsAny[Algorithm], BeforeValidator(_known_algorithm), _OneOfAll()]
