"""A privacy model: what every class of a release must satisfy.

A model is a folder of :mod:`starcloak.privacy`: settings that a job gives, with all that searches ask (``model``), and
the verifier's own decision (``recount``), which shares nothing with them. It registers itself; nobody else knows its
name.
"""

from __future__ import annotations

import pkgutil
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from starcloak import privacy
from starcloak.settings import Settings
from starcloak.statement import Hole, Name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.privacy.carried import Held
    from starcloak.privacy.groups import Groups


class Model(Settings):
    """A privacy model with its parameters.

    ``key`` is that of a job's requirement. A group *violates* the model where it does not satisfy it.
    """

    key: ClassVar[str]
    #: What the parameters mean, and where the definition is.
    source: ClassVar[str]
    #: Whether a generalization of what satisfies the model satisfies it, where nothing is left out.
    monotone: ClassVar[bool]
    #: Whether every superset of a group that satisfies it does: then leaving groups out leaves it monotone.
    superset_closed: ClassVar[bool]

    @classmethod
    def several(cls, given: Any) -> Any:
        """The models that the value of the job's key gives, as mappings."""
        return given

    @property
    def given(self) -> Any:
        """The model as one item of the job's key."""
        return self.model_dump(mode="json")

    @property
    def reads(self) -> tuple[str, ...]:
        """The sensitive attributes that it reads."""
        return ()

    @property
    @abstractmethod
    def least_rows(self) -> int:
        """How many rows every group that satisfies it has, at least."""

    @property
    def carried(self) -> tuple[Held, ...]:
        """What a frequency set must carry beside its counts."""
        return ()

    @property
    @abstractmethod
    def violating(self) -> Hole:
        """The condition that a row of a frequency set, with all it carries, violates the model."""

    @abstractmethod
    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        """Which of some groups at hand violate it: the same verdict on arrays."""

    def counted(self, name: Name) -> Hole | None:
        """What a script's recount asks of a class beside its rows, by a ``name``; None where these are enough."""
        return None

    @abstractmethod
    def violated(self, name: Name) -> Hole:
        """The condition that a class of a script's release violates it, ``size`` and :meth:`counted` being known."""

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        """The data test of a dbt model that counts it again over some columns."""
        raise NotImplementedError

    @property
    @abstractmethod
    def described(self) -> str:
        """What it asks of every class, for a person."""


_MODELS: dict[str, type[Model]] = {}
_M = TypeVar("_M", bound=type[Model])


def register(model: _M) -> _M:
    """Have jobs know a model by its key."""
    _MODELS[model.key] = model
    return model


def models() -> dict[str, type[Model]]:
    """All models by their keys, k-anonymity first."""
    for folder in pkgutil.iter_modules(privacy.__path__):
        if folder.ispkg:
            import_module(f"{privacy.__name__}.{folder.name}.model")
    return dict(sorted(_MODELS.items(), key=lambda item: (item[0] != "k", item[0])))


def recounted(model: Model) -> Callable[..., Any]:
    """The verifier's own decision on a model, which lies beside it."""
    beside = type(model).__module__.rpartition(".")[0]
    own: Callable[..., Any] = import_module(f"{beside}.recount").recount
    return own


def named(models: Iterable[Model], key: str) -> list[Model]:
    """The models of one kind."""
    return [model for model in models if model.key == key]
