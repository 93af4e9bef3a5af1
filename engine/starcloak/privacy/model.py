"""A privacy model: what every class of a release must satisfy.

A model is a folder of :mod:`starcloak.privacy`: settings that a job gives, with all that searches ask (``model``), and
the verifier's own decision (``recount``), which shares nothing with them. It registers itself; nobody else knows its
name.
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

    ``key`` is that of a job's requirement; several models of one key have a ``kind`` each. A group *violates* the model
    where it does not satisfy it. What a model says of groups in a search, it says once it is :meth:`over` the values
    of a table. Parameters are exact decimals or whole numbers, bounds of shares within 0 … 1; what is out of range
    is a :class:`~starcloak.base.errors.JobError` when the job is read. ``source`` names the paper and its definition.
    """

    key: ClassVar[str]
    #: What the parameters mean, and where the definition is.
    source: ClassVar[str]
    #: Whether a generalization of what satisfies the model satisfies it, where nothing is left out.
    monotone: ClassVar[bool]
    #: Whether every superset of a group that satisfies it does: then leaving groups out leaves it monotone.
    superset_closed: ClassVar[bool]
    #: Whether it compares a class with a whole table.
    compares: ClassVar[bool] = False
    #: Whether it compares a class with the same one of the population, and asks classes without rows there, too.
    of_population: ClassVar[bool] = False
    asks_absent: ClassVar[bool] = False
    #: The verifier's own decision, where it is not that of a module ``recount`` beside the model's.
    recount: ClassVar[Callable[..., Any] | None] = None

    _of_source: bool = PrivateAttr(default=False)
    _of_persons: bool = PrivateAttr(default=False)
    _domain: Domain | None = PrivateAttr(default=None)

    @classmethod
    def several(cls, given: Any) -> Any:
        """The models that the value of the job's key gives, as mappings."""
        return given

    @classmethod
    def shape(cls, item: dict[str, Any]) -> dict[str, Any] | None:
        """The JSON Schema of the job's key, from that of the settings; None where it is a list of them."""
        return None

    @property
    def given(self) -> Any:
        """The model as one item of the job's key."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def told(self) -> dict[str, Any]:
        """The same without what it names: an order, values or a hierarchy have values of rows."""
        return {name: value for name, value in self.given.items() if not isinstance(value, (list, dict))}

    @classmethod
    def parse(cls, form: str, parts: Sequence[str]) -> dict[str, Any]:
        """One item of the job's key, from the parts of what the command line's ``OPTION`` gives in its form.

        The form has the settings in capitals, A for the attribute: A:C:L. Raises :class:`ValueError` for a text where a
        whole number is wanted.
        """
        item: dict[str, Any] = {}
        for name, part in zip(form.lower().split(":"), parts, strict=True):
            setting = "attribute" if name == "a" else name
            item[setting] = int(part) if cls.model_fields[setting].annotation is int else part
        if "kind" in cls.model_fields and cls.model_fields["kind"].is_required():
            (item["kind"],) = get_args(cls.model_fields["kind"].annotation)
        return item

    def implies(self, other: Model) -> bool:
        """Whether what satisfies this model satisfies another one over the same rows."""
        return self == other

    def over(self, domain: Domain) -> Self:
        """The model over the values that the sensitive attribute has in a table."""
        known = self.model_copy()
        known._domain = domain
        return known

    @property
    def domain(self) -> Domain:
        """The values of the sensitive attribute in the table that is searched."""
        assert self._domain is not None, "the model is over no table"
        return self._domain

    @property
    def hierarchies(self) -> Mapping[str, Builder]:
        """The hierarchies of the attribute that it needs, each by a name for it."""
        return {}

    def beside_source(self) -> Self:
        """The model that compares with the source, whatever is released of it."""
        known = self.model_copy()
        known._of_source = True
        return known

    def by_persons(self) -> Self:
        """The model as its recount takes it where persons are told apart: ``everybody`` counts those of a class."""
        known = self.model_copy()
        known._of_persons = True
        return known

    @property
    def of_persons(self) -> bool:
        """Whether its recount is of persons."""
        return self._of_persons

    @property
    def least_share(self) -> Fraction:
        """The smallest share (0 … 1) of a class's people in the population that a release has to have."""
        return Fraction(0)

    @property
    def of_source(self) -> bool:
        """Whether it compares classes with the source, not with the release."""
        return self._of_source

    @property
    def beside(self) -> str:
        """What it compares with, for a person, where that is not the release."""
        return " compared with the source" if self._of_source else ""

    @property
    def moves(self) -> bool:
        """Whether its verdict on a group depends on what else is released."""
        return self.compares and not self._of_source

    @property
    def reads(self) -> tuple[str, ...]:
        """The sensitive attributes that it reads."""
        return ()

    @property
    def of_present(self) -> bool:
        """Whether it looks at the rows alone that have a value of the sensitive attribute.

        A class without any violates it. Its recount has these rows: a missing value is a value to every recount.
        """
        return False

    @property
    def of_unshared(self) -> bool:
        """Whether a value that every person of a class has stands for all values there, being learned of each."""
        return False

    @property
    def is_of_rows(self) -> bool:
        """Whether k-anonymity, which stands beside it, says the same of the table that it is over."""
        return False

    @property
    def names(self) -> tuple[str, ...]:
        """The values, as they read, that alone are asked about; none where all are."""
        return ()

    @property
    @abstractmethod
    def least_rows(self) -> int:
        """How many rows every group that satisfies it has, at least."""

    @property
    def fewest(self) -> str:
        """These rows, for a person: a table that has fewer than them cannot satisfy it."""
        return f"the {self.least_rows} rows that a class with {self.described} takes"

    @property
    def carried(self) -> tuple[Wanted, ...]:
        """What a frequency set must carry beside its counts."""
        return ()

    @property
    @abstractmethod
    def violating(self) -> Hole:
        """The condition that a row of a frequency set, with all it carries, violates the model."""

    @abstractmethod
    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        """Which of some groups at hand violate it: the same verdict on arrays, of the shape of ``groups.sizes``."""

    def count(self, name: Name) -> Hole | None:
        """What a script's recount asks of a class beside its rows, by a ``name``; None where these are enough."""
        return None

    @abstractmethod
    def violation(self, name: Name, release: ReleasedClasses) -> Hole:
        """The condition that a class of a script's release violates it.

        ``size`` and, by its ``name``, :meth:`count` of each class are known; the ``release`` may be asked for more.
        """

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        """The data test of a dbt model that counts it again over some columns.

        Raises :class:`NotImplementedError` for a model that dbt cannot count.
        """
        raise NotImplementedError

    @property
    @abstractmethod
    def described(self) -> str:
        """What it asks of every class, for a person."""

    @abstractmethod
    def reached(self, achieved: float) -> bool:
        """Whether a table of whose classes the worst has so much can satisfy it, but for what floats are off by.

        ``achieved`` has the unit of the model's parameter: rows, values, persons, or a share.
        """


@dataclass(frozen=True)
class ReleasedClasses:
    """What is counted of a script's release: a relation, the generalized columns, and what each sensitive column is
    grouped by.

    ``domains`` are those of the table that was searched, ``rows`` its rows, or more than are released. The database
    rounds products of whole numbers above ``largest_product``, if that is not None. ``persons`` tell persons apart,
    where the relation has each once for each value of a class.
    """

    relation: Hole
    quasi_identifiers: Joined
    sensitive: Mapping[str, Hole]
    domains: Mapping[str, Domain]
    rows: int
    largest_product: int | None = None
    persons: Joined | None = None

    def told(self, bound: Fraction, parts: int, *, times: int) -> Fraction:
        """A bound of shares of so many ``parts``, by whose own parts numbers up to ``times`` are multiplied exactly.

        Where the database has no numbers so large it is a fraction a little beneath: what lies between the two is not
        published.
        """
        from starcloak.privacy.bounds import told_from

        if self.largest_product is not None:
            parts = max(1, min(parts, self.largest_product // times))
        return told_from(bound, parts)

    def holes(self, attribute: str) -> dict[str, Hole]:
        """What a statement on a sensitive attribute in its classes takes."""
        return {"values": self.quasi_identifiers, "sensitive": self.sensitive[attribute], "release": self.relation}

    def value_counts(self, attribute: str) -> Statement:
        """How many rows of each class have which value of a sensitive attribute."""
        return Statement("privacy/released", **self.holes(attribute))


def is_least(achieved: float, least: float | Fraction | Decimal) -> bool:
    """Whether a figure is no less than it has to be, but for what floats are off by."""
    return achieved >= float(least) * (1 - _CLOSE)


def is_most(achieved: float, most: float | Fraction | Decimal) -> bool:
    """Whether a figure is no more than it may be, but for what floats are off by."""
    return achieved <= float(most) * (1 + _CLOSE) + _CLOSE


#: What a figure of floating point may be off by, as a share of it.
_CLOSE = 1e-6

#: The kind of a model that its key alone names.
PLAIN = "distinct"

_MODELS: dict[str, dict[str, type[Model]]] = {}
_M = TypeVar("_M", bound=type[Model])


def register(model: _M) -> _M:
    """Have jobs know a model by its key, and by its kind where the key has several.

    Raises :class:`TypeError` for one that the verifier could not judge.
    """
    if model.recount is None and find_spec(_beside(model)) is None:
        raise TypeError(f"{model.__name__} has no recount, by which the verifier judges it: write recount.py beside it")
    field = model.__pydantic_fields__.get("kind")
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
    """The models that the command line has an option for, by that, with its form and an example."""
    options = {}
    for model in every():
        option = getattr(import_module(model.__module__.rpartition(".")[0]), "OPTION", None)
        if option is not None:
            flag, form, example = option
            options[flag] = model, form, example
    return options


def recount_of(model: Model) -> Callable[..., Any]:
    """The verifier's own decision on a model, which lies beside it."""
    own: Callable[..., Any] = model.recount or import_module(_beside(type(model))).recount
    return own


def _beside(model: type[Model]) -> str:
    """The module beside a model's own that decides for the verifier."""
    return f"{model.__module__.rpartition('.')[0]}.recount"


def models_of(models: Iterable[Model], key: str) -> list[Model]:
    """The models of one kind."""
    return [model for model in models if model.key == key]
