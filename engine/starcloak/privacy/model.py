"""A privacy model: a condition on every class of a release.

A model is a folder of :mod:`starcloak.privacy` with two modules: ``model`` has the settings of a job and all methods
for searches; ``recount`` has the verifier's own decision and shares nothing with ``model``. The folder registers its
model; no other module knows its name. The module ``capabilities`` has the optional capabilities of a model.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, get_args

from pydantic import PrivateAttr

from starcloak.base.installation import load
from starcloak.base.settings import Settings
from starcloak.privacy.aggregates import Domain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.privacy.aggregates import Wanted
    from starcloak.privacy.groups import Groups
    from starcloak.statements.statement import Hole


class Model(Settings):
    """A privacy model with its parameters.

    A group *violates* the model if it does not satisfy it. A search asks for verdicts on groups only after :meth:`over`
    has bound the model to the values of a table. Parameters are exact decimals or whole numbers; bounds on shares lie
    within 0 … 1. A parameter out of range raises :class:`~starcloak.base.errors.JobError` when the job is read.

    A model must define the first two groups of members, and the verifier's decision: the function ``recount`` of the
    module ``recount`` beside the model's module. It may define the third group. Everything else that a model can do is
    a class of :mod:`starcloak.privacy.capabilities`, and the model inherits the ones that it has.
    """

    # Declarations, required.

    #: The key in a job's requirement. Several models with one key have a ``kind`` each.
    key: ClassVar[str]
    #: The paper and its definition.
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
        """The condition for a violation of the model by a row of a frequency set with its aggregates."""

    @abstractmethod
    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of in-memory groups in violation of the model, in the shape of ``groups.sizes``."""

    @abstractmethod
    def reached(self, achieved: float) -> bool:
        """True if a table with ``achieved`` in its worst class can satisfy the model, within the error of floats.

        ``achieved`` has the unit of the model's parameter: rows, values, persons, or a share.
        """

    # Defaults, to be replaced if they do not fit.

    #: The verifier's own decision, if it is not the function of the module ``recount``.
    recount: ClassVar[Callable[..., Any] | None] = None

    def implies(self, other_model: Model) -> bool:
        """True if every table that satisfies this model satisfies the other model over the same rows."""
        return self == other_model

    @property
    def reads(self) -> tuple[str, ...]:
        """Columns read by the model, beside the quasi-identifiers."""
        return ()

    @property
    def carried(self) -> tuple[Wanted, ...]:
        """Aggregates carried by frequency sets for the model, in addition to the counts."""
        return ()

    def over(self, domain: Domain) -> Self:
        """The model bound to the values of its column in a table."""
        model = self.model_copy()
        model._domain = domain
        return model

    # The bound table, for the model's own use.

    _domain: Domain | None = PrivateAttr(default=None)

    @property
    def domain(self) -> Domain:
        """The values of the column in the searched table. Only a model bound by :meth:`over` has them."""
        assert self._domain is not None, "the model is over no table"
        return self._domain


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

    Raises :class:`TypeError` for a model without a recount for the verifier, or without a required method of its base
    class or of a capability.
    """
    if lacking := sorted(model.__abstractmethods__):
        raise TypeError(f"{model.__name__} has no {' and no '.join(lacking)}: write it, as its base class describes")
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


def settings_of(model: Model) -> dict[str, Any]:
    """The model in the form of one item of the job's key."""
    return model.model_dump(mode="json", exclude_defaults=True)


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
