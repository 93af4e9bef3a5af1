"""A privacy model: a condition on every equivalence class of a release.

A model is a folder of :mod:`starcloak.privacy` with two modules: ``model`` has the model's parameters in a job and its
methods for searches; ``recount`` has an independent decision for the verifier and shares no code with ``model``. The
folder registers its model by :func:`register`.

Optional capabilities are abstract base classes of a model in addition to :class:`Model`. They are no protocols: the
registration refuses a model without a method of its capability, for example if the method's name is misspelt. A caller
tests ``isinstance(model, ScriptRecount)``, or ``issubclass`` for a class of models. Capabilities by their use:

- requirements in a job: :class:`ShortForm`, :class:`NamedValues`;
- the reading of a sensitive attribute: :class:`SensitiveValues`, :class:`PersonShares`, :class:`ValueHierarchies`;
- a comparison with more than the class: :class:`TableComparison`, :class:`PopulationComparison`;
- exports: :class:`ScriptRecount`, :class:`DbtTest`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, get_args

from pydantic import PrivateAttr

from starcloak.base.installation import load
from starcloak.base.settings import Settings
from starcloak.privacy.aggregates import PEOPLE, Domain, PeopleCount
from starcloak.statements.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.hierarchy.builder import Builder
    from starcloak.privacy.aggregates import Wanted
    from starcloak.privacy.groups import Groups, Integers


class Model(Settings):
    """A privacy model with its parameters.

    A group (the rows with equal generalized quasi-identifiers) *violates* the model if it fails the model's condition.
    A search asks for verdicts on groups only after :meth:`over` has bound the model to the values of a table.
    Parameters are exact decimals or whole numbers; bounds on shares lie within 0 … 1. A parameter out of range raises
    :class:`~starcloak.base.errors.JobError` when the job is read.

    A model must define the first two groups of members, and the verifier's decision: the function ``recount`` of the
    module ``recount`` beside the model's module. It may define the third group. Everything else that a model can do is
    an optional capability, a class below, and the model inherits the ones that it has.
    """

    # Declarations, required.

    #: The key in a job's requirement. Several models with one key have a ``kind`` each.
    key: ClassVar[str]
    #: Authors, year and definition of the paper with this model.
    source: ClassVar[str]
    #: True if a generalization of a satisfying table satisfies the model, without suppression.
    monotone: ClassVar[bool]
    #: True if every superset of a satisfying group satisfies the model: it is monotone with suppression, too.
    superset_closed: ClassVar[bool]

    # The condition, required.

    @property
    @abstractmethod
    def described(self) -> str:
        """Text for messages: the model's condition on every class."""

    @property
    @abstractmethod
    def least_rows(self) -> int:
        """Minimum number of rows in every group that satisfies the model."""

    @property
    @abstractmethod
    def violating(self) -> Hole:
        """SQL condition for rows (groups) of a frequency set in violation of the model."""

    @abstractmethod
    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of in-memory groups in violation of the model, in the shape of ``groups.sizes``."""

    @abstractmethod
    def reached(self, achieved: float) -> bool:
        """True if the figure ``achieved`` of a table's worst class meets the model's bound, within the error of floats.

        ``achieved`` has the unit of the model's parameter: rows, values, persons, or a share.
        """

    # Defaults, to be replaced if they do not fit.

    #: The verifier's decision; None for the function ``recount`` of the module ``recount``.
    recount: ClassVar[Callable[..., Any] | None] = None

    def implies(self, other_model: Model) -> bool:
        """True if every table that satisfies this model also satisfies ``other_model``."""
        return self == other_model

    @property
    def reads(self) -> tuple[str, ...]:
        """Columns read by the model in addition to the quasi-identifiers; for most models, one sensitive attribute."""
        return ()

    @property
    def carried(self) -> tuple[Wanted, ...]:
        """Aggregates that the model needs as further columns of frequency sets, in addition to the row counts."""
        return ()

    def over(self, domain: Domain) -> Self:
        """A copy of the model bound to ``domain``: the values of the model's sensitive column in a table."""
        model = self.model_copy()
        model._domain = domain
        return model

    # The bound table, for the model's own use.

    _domain: Domain | None = PrivateAttr(default=None)

    @property
    def domain(self) -> Domain:
        """The values of the sensitive column in the searched table. Only a model bound by :meth:`over` has a domain."""
        assert self._domain is not None, "the model is over no table"
        return self._domain


def is_least(achieved: float, least: float | Fraction | Decimal) -> bool:
    """True if the figure ``achieved`` is at least its lower bound ``least``, within the error of floats."""
    return achieved >= float(least) * (1 - _CLOSE)


def is_most(achieved: float, most: float | Fraction | Decimal) -> bool:
    """True if the figure ``achieved`` is at most its upper bound ``most``, within the error of floats."""
    return achieved <= float(most) * (1 + _CLOSE) + _CLOSE


#: Relative error of a floating-point figure.
_CLOSE = 1e-6

#: Kind of a model without the setting ``kind`` in a job.
PLAIN = "distinct"

_MODELS: dict[str, dict[str, type[Model]]] = {}
_M = TypeVar("_M", bound=type[Model])


def register(model: _M) -> _M:
    """Register a model for jobs under its key, and under its kind if several models have this key.

    Raises :class:`TypeError` for a model without a recount for the verifier, or without a required method of its base
    class or of a capability.
    """
    if lacking := sorted(model.__abstractmethods__):
        raise TypeError(
            f"{model.__name__} has no {' and no '.join(lacking)}: add what is missing, as its base class describes"
        )
    if model.recount is None and find_spec(_beside(model)) is None:
        raise TypeError(
            f"{model.__name__} has no recount, which the verifier needs: write recount.py in the folder of the model"
        )
    kind_of: type[Model] = model
    field = kind_of.model_fields.get("kind")
    kind = PLAIN if field is None else str(get_args(field.annotation)[0])
    _MODELS.setdefault(model.key, {})[kind] = model
    return model


def models() -> dict[str, dict[str, type[Model]]]:
    """All registered models, by key and then by kind; the key of k-anonymity is the first."""
    load("starcloak.privacy", kind="models", part="model")
    ordered = sorted(_MODELS.items(), key=lambda item: (item[0] != "k", item[0]))
    return {key: dict(sorted(kinds.items(), key=lambda item: (item[0] != PLAIN, item[0]))) for key, kinds in ordered}


def every() -> list[type[Model]]:
    """All registered models, k-anonymity first."""
    return [model for kinds in models().values() for model in kinds.values()]


def optional() -> dict[str, tuple[type[Model], str, str]]:
    """Mapping from command-line options, such as ``--l``, to the model, the form of a value, and an example."""
    options = {}
    for model in every():
        option = getattr(import_module(model.__module__.rpartition(".")[0]), "OPTION", None)
        if option is not None:
            flag, form, example = option
            options[flag] = model, form, example
    return options


def settings_of(model: Model) -> dict[str, Any]:
    """The model's parameters without defaults, in JSON types: one item of the list under the model's key in a job."""
    return model.model_dump(mode="json", exclude_defaults=True)


def without_data_values(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A model's parameters for readers of a release: an order, values and a hierarchy have data values."""
    return {name: value for name, value in settings.items() if not isinstance(value, (list, dict))}


def recount_of(model: Model) -> Callable[..., Any]:
    """The function with the verifier's decision on a model, from the module ``recount`` in the model's folder."""
    own: Callable[..., Any] = model.recount or import_module(_beside(type(model))).recount
    return own


def _beside(model: type[Model]) -> str:
    """Full name of the module ``recount`` in the folder of a model."""
    return f"{model.__module__.rpartition('.')[0]}.recount"


def models_of(models: Iterable[Model], key: str) -> list[Model]:
    """The models with the key ``key``, in the same order."""
    return [model for model in models if model.key == key]


class ShortForm(ABC):
    """A job's key with a short value, such as ``k_map: 5``, in place of a list of settings."""

    @classmethod
    @abstractmethod
    def items(cls, value: Any) -> Any:
        """The list of settings for ``value``, the value of the model's key in a job. A list is returned unchanged."""

    @classmethod
    @abstractmethod
    def short_schema(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON Schema of the short value, from the schema of the settings."""


class NamedValues(ABC):
    """A condition on named values of the attribute alone. A run warns of named values without a row."""

    @property
    @abstractmethod
    def named_values(self) -> tuple[str, ...]:
        """The named values, as texts; empty if the condition covers all values."""


class SensitiveValues(ABC):
    """A condition on the values of one sensitive attribute in a class."""

    #: True if a value shared by all persons of a class counts as their only value, since the class discloses it.
    shared_is_only_value: ClassVar[bool] = False

    @property
    @abstractmethod
    def of_present(self) -> bool:
        """True if the model considers only rows with a value of the sensitive attribute.

        A class without such rows violates the model. If true, the verifier's recount receives only these rows;
        otherwise it receives all rows, and counts the missing value as a value.
        """


class PersonShares(ABC):
    """A bound on the share of a value in a class: of its rows or, if the job declares persons, of its persons."""

    @abstractmethod
    def by_persons(self) -> Self:
        """A copy of the model for the recount of persons; the recounted relation has their number as ``everybody``."""


class ValueHierarchies(ABC):
    """A condition on the values of a sensitive attribute and on their ancestors in hierarchies."""

    @property
    @abstractmethod
    def hierarchies(self) -> Mapping[str, Builder]:
        """Hierarchies of the sensitive attribute, by name. ``Domain.trees`` has them under the same names."""


class TableComparison(ABC):
    """A comparison of a class with the whole table: the release or, by ``reference: source``, the source."""

    @property
    @abstractmethod
    def of_source(self) -> bool:
        """True if the model compares classes with the source. The verdict on a class then depends on no other class."""

    @abstractmethod
    def beside_source(self) -> Self:
        """A copy of the model that compares classes with the source, not with the release."""


def compares_with_source(model: object) -> bool:
    """True if a model compares classes with the source."""
    return isinstance(model, TableComparison) and model.of_source


class PopulationComparison(ABC):
    """A condition on the number of people in the same class of the requirement's population."""

    @property
    @abstractmethod
    def least_share(self) -> Fraction | None:
        """The smallest share (0 … 1) of a class's people with a row in the release, also for a class without rows.

        None for a model that ignores classes of the population without rows.
        """

    @property
    def least_rows(self) -> int:
        return 1

    @property
    def carried(self) -> tuple[PeopleCount, ...]:
        return (PEOPLE,)

    def people(self, groups: Groups) -> Integers:
        """Number of the population's people in each in-memory group."""
        return groups.rows_with(PEOPLE.attribute, 0)


class ScriptRecount(ABC):
    """A recount of the release's classes in a compiled SQL script. The compiler refuses a model without it."""

    def count(self, name: Name) -> Hole | None:
        """SQL aggregate per class, as the column ``name`` of the script's recount; None if ``size`` is enough."""
        return None

    @abstractmethod
    def violation(self, name: Name, release: ReleasedClasses) -> Hole:
        """SQL condition for a script to refuse its release: at least one class violates the model.

        The condition may aggregate over all classes the columns ``size``, the number of rows of a class, and ``name``
        from :meth:`count`. It may also read the relation and the columns of ``release``.
        """


class DbtTest(ABC):
    """A data test of a dbt model. Starcloak writes no dbt model for a privacy model without this capability."""

    @abstractmethod
    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        """The data test, as in a dbt schema file; it recounts the classes over the columns ``attributes``."""


@dataclass(frozen=True)
class ReleasedClasses:
    """Classes of a script's release: a relation, the generalized columns, and expressions of sensitive columns.

    ``sensitive`` has the expression to group each sensitive column by. ``domains`` has the domains of the searched
    table. ``rows`` is an upper bound on the number of released rows. The database rounds products of whole numbers
    above ``largest_product``, if it is not None. ``persons`` has the columns of a person, if the relation has each
    person once per value of a class.
    """

    relation: Hole
    quasi_identifiers: Joined
    sensitive: Mapping[str, Hole]
    domains: Mapping[str, Domain]
    rows: int
    largest_product: int | None = None
    persons: Joined | None = None

    def exact_bound(self, bound: Fraction, parts: int, *, times: int) -> Fraction:
        """The fraction equivalent to ``bound`` for shares of up to ``parts`` rows.

        The database can multiply the fraction's denominator by numbers up to ``times`` without rounding. If its numbers
        are too small for this, the result is a fraction slightly below the bound; the script then refuses a release
        with a share between the two.
        """
        from starcloak.privacy.bounds import told_from

        if self.largest_product is not None:
            parts = max(1, min(parts, self.largest_product // times))
        return told_from(bound, parts)

    def holes(self, attribute: str) -> dict[str, Hole]:
        """Placeholder values of a statement on a sensitive attribute: ``values``, ``sensitive`` and ``release``."""
        return {"values": self.quasi_identifiers, "sensitive": self.sensitive[attribute], "release": self.relation}

    def value_counts(self, attribute: str) -> Statement:
        """SQL relation with the number of rows per class and value of a sensitive attribute."""
        return Statement("privacy/released", **self.holes(attribute))
