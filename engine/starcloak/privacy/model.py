"""A privacy model: a condition on every class of a release.

A model is a folder of :mod:`starcloak.privacy` with two modules: ``model`` has the settings of a job and all methods
for searches; ``recount`` has the verifier's own decision and shares nothing with ``model``. The folder registers its
model; no other module knows its name.
"""

from __future__ import annotations

from abc import abstractmethod
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
from starcloak.privacy.aggregates import Domain
from starcloak.statements.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.hierarchy.builder import Builder
    from starcloak.privacy.aggregates import Wanted
    from starcloak.privacy.groups import Groups


class Model(Settings):
    """A privacy model with its parameters.

    ``key`` is the key in a job's requirement; several models with one key have a ``kind`` each. A group *violates* the
    model if it does not satisfy it. A search asks for verdicts on groups only after :meth:`over` has bound the model to
    the values of a table. Parameters are exact decimals or whole numbers; bounds on shares lie within 0 … 1. A
    parameter out of range raises :class:`~starcloak.base.errors.JobError` when the job is read. ``source`` names the
    paper and its definition.
    """

    key: ClassVar[str]
    #: Meaning of the parameters, and the place of the definition.
    source: ClassVar[str]
    #: True if a generalization of a satisfying table satisfies the model, without suppression.
    monotone: ClassVar[bool]
    #: True if every superset of a satisfying group satisfies the model: it is monotone with suppression, too.
    superset_closed: ClassVar[bool]
    #: True if the model compares a class with a whole table.
    compares: ClassVar[bool] = False
    #: True if the model compares a class with the population's, and true if it covers classes without rows, too.
    of_population: ClassVar[bool] = False
    asks_absent: ClassVar[bool] = False
    #: The verifier's own decision, if it is not the module ``recount`` beside the model's module.
    recount: ClassVar[Callable[..., Any] | None] = None

    _of_source: bool = PrivateAttr(default=False)
    _of_persons: bool = PrivateAttr(default=False)
    _domain: Domain | None = PrivateAttr(default=None)

    @classmethod
    def several(cls, value: Any) -> Any:
        """The models declared by the value of the job's key, as mappings."""
        return value

    @classmethod
    def shape(cls, item: dict[str, Any]) -> dict[str, Any] | None:
        """The JSON Schema of the job's key, from the schema of the settings; None for a list of the settings."""
        return None

    @property
    def given(self) -> Any:
        """The model in the form of one item of the job's key."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def told(self) -> dict[str, Any]:
        """Parameters that contain no data values and may be shown. An order, values or a hierarchy contain some."""
        return {name: value for name, value in self.given.items() if not isinstance(value, (list, dict))}

    @classmethod
    def parse(cls, form: str, parts: Sequence[str]) -> dict[str, Any]:
        """One item of the job's key, from the parts of a command-line value in the form of ``OPTION``.

        The form has the settings in capitals, with A for the attribute: A:C:L. Raises :class:`ValueError` for a text in
        place of a whole number.
        """
        item: dict[str, Any] = {}
        for name, part in zip(form.lower().split(":"), parts, strict=True):
            setting = "attribute" if name == "a" else name
            item[setting] = int(part) if cls.model_fields[setting].annotation is int else part
        if "kind" in cls.model_fields and cls.model_fields["kind"].is_required():
            (item["kind"],) = get_args(cls.model_fields["kind"].annotation)
        return item

    def implies(self, other_model: Model) -> bool:
        """True if every table that satisfies this model satisfies the other model over the same rows."""
        return self == other_model

    def over(self, domain: Domain) -> Self:
        """The model bound to the values of the sensitive attribute in a table."""
        model = self.model_copy()
        model._domain = domain
        return model

    @property
    def domain(self) -> Domain:
        """The values of the sensitive attribute in the searched table."""
        assert self._domain is not None, "the model is over no table"
        return self._domain

    @property
    def hierarchies(self) -> Mapping[str, Builder]:
        """Hierarchies of the attribute needed by the model, by name."""
        return {}

    def beside_source(self) -> Self:
        """The model compared with the source, independent of the released rows."""
        model = self.model_copy()
        model._of_source = True
        return model

    def by_persons(self) -> Self:
        """The model for a recount of declared persons: the column ``everybody`` counts the persons of a class."""
        model = self.model_copy()
        model._of_persons = True
        return model

    @property
    def of_persons(self) -> bool:
        """True if the recount counts persons."""
        return self._of_persons

    @property
    def least_share(self) -> Fraction:
        """The smallest share (0 … 1) of a class's people in the population required in a release."""
        return Fraction(0)

    @property
    def of_source(self) -> bool:
        """True if the model compares classes with the source, not with the release."""
        return self._of_source

    @property
    def beside(self) -> str:
        """Text for messages: the model's base of comparison, if it is not the release."""
        return " compared with the source" if self._of_source else ""

    @property
    def moves(self) -> bool:
        """True if the verdict on a group depends on the other released groups."""
        return self.compares and not self._of_source

    @property
    def reads(self) -> tuple[str, ...]:
        """Sensitive attributes read by the model."""
        return ()

    @property
    def of_present(self) -> bool:
        """True if the model considers only rows with a value of the sensitive attribute.

        A class without such rows violates the model. The recount receives these rows alone, and treats the missing
        value as a value.
        """
        return False

    @property
    def of_unshared(self) -> bool:
        """True if a value shared by all persons of a class counts as the only value, as it is disclosed for each."""
        return False

    @property
    def is_of_rows(self) -> bool:
        """True if k-anonymity, in the same requirement, is equivalent over the bound table."""
        return False

    @property
    def names(self) -> tuple[str, ...]:
        """Values, as texts, covered by the model; empty if it covers all values."""
        return ()

    @property
    @abstractmethod
    def least_rows(self) -> int:
        """Minimum number of rows in every group that satisfies the model."""

    @property
    def fewest(self) -> str:
        """Text for messages: the minimum number of rows; a table with fewer rows cannot satisfy the model."""
        return f"the {self.least_rows} rows that a class with {self.described} takes"

    @property
    def carried(self) -> tuple[Wanted, ...]:
        """Aggregates carried by frequency sets for the model, in addition to the counts."""
        return ()

    @property
    @abstractmethod
    def violating(self) -> Hole:
        """The condition for a violation of the model by a row of a frequency set with its aggregates."""

    @abstractmethod
    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of in-memory groups in violation of the model, in the shape of ``groups.sizes``."""

    def count(self, name: Name) -> Hole | None:
        """A count per class for a script's recount, under ``name``; None if the number of rows is enough."""
        return None

    @abstractmethod
    def violation(self, name: Name, release: ReleasedClasses) -> Hole:
        """The condition for a violation of the model by a class of a script's release.

        ``size`` and, by its ``name``, :meth:`count` of each class are available; the ``release`` provides more.
        """

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        """The data test of a dbt model with a recount over some columns.

        Raises :class:`NotImplementedError` for a model without a recount in dbt.
        """
        raise NotImplementedError

    @property
    @abstractmethod
    def described(self) -> str:
        """Text for messages: the model's condition on every class."""

    @abstractmethod
    def reached(self, achieved: float) -> bool:
        """True if a table with ``achieved`` in its worst class can satisfy the model, within the error of floats.

        ``achieved`` has the unit of the model's parameter: rows, values, persons, or a share.
        """


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

    def told(self, bound: Fraction, parts: int, *, times: int) -> Fraction:
        """A bound on shares of up to ``parts`` rows; numbers up to ``times`` can be multiplied by its parts exactly.

        If the database has no numbers of this size, the result is a fraction slightly below the bound: a share between
        the two is not published.
        """
        from starcloak.privacy.bounds import told_from

        if self.largest_product is not None:
            parts = max(1, min(parts, self.largest_product // times))
        return told_from(bound, parts)

    def holes(self, attribute: str) -> dict[str, Hole]:
        """Holes of a statement on a sensitive attribute in these classes."""
        return {"values": self.quasi_identifiers, "sensitive": self.sensitive[attribute], "release": self.relation}

    def value_counts(self, attribute: str) -> Statement:
        """Number of rows per class and value of a sensitive attribute."""
        return Statement("privacy/released", **self.holes(attribute))


def is_least(achieved: float, least: float | Fraction | Decimal) -> bool:
    """True if a figure is at least its lower bound, within the error of floats."""
    return achieved >= float(least) * (1 - _CLOSE)


def is_most(achieved: float, most: float | Fraction | Decimal) -> bool:
    """True if a figure is at most its upper bound, within the error of floats."""
    return achieved <= float(most) * (1 + _CLOSE) + _CLOSE


#: Relative error of a floating-point figure.
_CLOSE = 1e-6

#: The kind of a model named by its key alone.
PLAIN = "distinct"

_MODELS: dict[str, dict[str, type[Model]]] = {}
_M = TypeVar("_M", bound=type[Model])


def register(model: _M) -> _M:
    """Register a model for jobs under its key, and under its kind if the key has several.

    Raises :class:`TypeError` for a model without a recount for the verifier.
    """
    if model.recount is None and find_spec(_beside(model)) is None:
        raise TypeError(f"{model.__name__} has no recount, by which the verifier judges it: write recount.py beside it")
    kind_of: type[Model] = model
    field = kind_of.model_fields.get("kind")
    kind = PLAIN if field is None else str(get_args(field.annotation)[0])
    _MODELS.setdefault(model.key, {})[kind] = model
    return model


def models() -> dict[str, dict[str, type[Model]]]:
    """All models by their keys, k-anonymity first, and by their kinds."""
    load("starcloak.privacy", kind="models", part="model")
    ordered = sorted(_MODELS.items(), key=lambda item: (item[0] != "k", item[0]))
    return {key: dict(sorted(kinds.items(), key=lambda item: (item[0] != PLAIN, item[0]))) for key, kinds in ordered}


def every() -> list[type[Model]]:
    """All models."""
    return [model for kinds in models().values() for model in kinds.values()]


def optional() -> dict[str, tuple[type[Model], str, str]]:
    """Models with an option of the command line, by option, with its form and an example."""
    options = {}
    for model in every():
        option = getattr(import_module(model.__module__.rpartition(".")[0]), "OPTION", None)
        if option is not None:
            flag, form, example = option
            options[flag] = model, form, example
    return options


def recount_of(model: Model) -> Callable[..., Any]:
    """The verifier's own decision on a model, from the module beside the model's module."""
    own: Callable[..., Any] = model.recount or import_module(_beside(type(model))).recount
    return own


def _beside(model: type[Model]) -> str:
    """Name of the verifier's module beside the model's own module."""
    return f"{model.__module__.rpartition('.')[0]}.recount"


def models_of(models: Iterable[Model], key: str) -> list[Model]:
    """The models with this key."""
    return [model for model in models if model.key == key]
