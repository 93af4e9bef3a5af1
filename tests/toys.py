"""A toy of each kind: a model, an algorithm, a builder of hierarchies, a host and a measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field, StrictInt

from starcloak.hierarchy import builder
from starcloak.hierarchy.builder import Place
from starcloak.hierarchy.rule import Rule
from starcloak.hosts import registry as hosts
from starcloak.hosts.duckdb import DuckDB
from starcloak.measures import measure
from starcloak.measures.measure import Counted, Measure
from starcloak.privacy import model as privacy
from starcloak.privacy.model import Model, Released
from starcloak.recoding.full_domain import recode
from starcloak.result import Search
from starcloak.search import algorithm as search
from starcloak.search.algorithm import Algorithm, Answer, Run
from starcloak.search.shared.lattice import Lattice
from starcloak.statement import Hole, Name, Number, Statement

if TYPE_CHECKING:
    from starcloak.privacy.requirement import Requirement
    from starcloak.star import Star


# ------------------------------------------------------------------------------------------- a privacy model, in a file


class Even(Model):
    """Every class has an even number of rows, at least ``least``: nobody is the odd one out."""

    key: ClassVar[str] = "even"
    source: ClassVar[str] = "a toy"
    monotone: ClassVar[bool] = False
    superset_closed: ClassVar[bool] = False

    least: Annotated[StrictInt, Field(ge=2)]

    @property
    def least_rows(self) -> int:
        return self.least

    @property
    def violating(self) -> Statement:
        text = "(frequency < {least} or frequency % 2 = 1)"
        return Statement("toy/even/violating", {"least": Number(self.least)}, text)

    def violates(self, groups: Any) -> Any:
        return (groups.sizes < self.least) | (groups.sizes % 2 == 1)

    def violated(self, name: Name, release: Released) -> Statement:
        return Statement("toy/even/violated", {}, "coalesce(max(size % 2), 0) = 1")

    def dbt_test(self, attributes: Any) -> dict[str, Any]:
        return {"toy.even": {"arguments": {"quasi_identifiers": list(attributes)}}}

    @property
    def described(self) -> str:
        return f"an even number of rows, {self.least} or more"


# ---------------------------------------------------------------------------------------------- an algorithm, in a file


class Highest(Algorithm):
    """The top of the lattice: what satisfies any requirement, if anything does."""

    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = "a toy"
    guarantee: ClassVar[str] = "one generalization, never minimal"
    when: ClassVar[str] = "never"

    name: Literal["highest"] = "highest"


def climb(star: Star, requirement: Requirement, settings: Highest, run: Run) -> Answer:
    lattice = Lattice(star.heights)
    node = lattice.node(lattice.size - 1)
    demand = requirement.joint([dimension.attribute for dimension in star.dimensions])
    chosen = recode(star, node, demand=demand, seed=run.seed)
    return Answer(star, chosen, Search(lattice_nodes=star.lattice_nodes, checked=1))


# ----------------------------------------------------------------------- a builder of hierarchies, in a file


class Initials(Rule):
    """Texts that keep their first ``initials`` characters, then ``*``."""

    key: ClassVar[str] = "initials"
    levels_read: ClassVar[str] = "Masters → Ma → \\*"

    initials: Annotated[StrictInt, Field(ge=1)]

    def levels(self, place: Place) -> list[Hole]:
        return [Statement("toy/initials", {"initials": Number(self.initials)}, "left(value, {initials})")]

    def statement(self, place: Place, levels: Hole) -> Statement:
        text = "select true as present, value, value as level_0, {levels} from {domain}"
        return Statement("toy/initials/members", {"levels": levels, "domain": place.domain}, text)

    @property
    def remedy(self) -> str:
        return "they have no characters"


# -------------------------------------------------------------------------------------------------- a host, in a file


class Vault(DuckDB):
    """A DuckDB file behind another name, which keeps no table of a name with a digit."""

    names = ("vault",)
    example = "vault:///path/to/file.vault"
    state = "a toy"
    published = "its commit"

    def misnamed(self, table: str) -> str | None:
        return "which has a digit" if any(character.isdigit() for character in table) else None


# ------------------------------------------------------------------------------------------------ a measure, in a file


class HighestLevel(Measure):
    """The highest level of a released cell."""

    name: ClassVar[str] = "highest_level"
    type: ClassVar[Any] = int
    description: ClassVar[str] = "a toy"

    @property
    def sums(self) -> dict[str, Hole]:
        return {"highest_level": Statement("toy/highest_level", {}, "max(level)")}

    def of(self, counted: Counted) -> int:
        return int(counted.sums["highest_level"])


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Toys are registered as others are, and forgotten after the test."""
    assert privacy.models() and search.algorithms() and builder.builders()  # all of them have registered themselves
    monkeypatch.setattr(measure, "_MEASURES", {each.name: each for each in measure.every()})
    monkeypatch.setattr(privacy, "_MODELS", dict(privacy._MODELS))
    monkeypatch.setattr(search, "_ALGORITHMS", dict(search._ALGORITHMS))
    monkeypatch.setattr(builder, "_BUILDERS", dict(builder._BUILDERS))
    privacy.register(Even)
    search.register(Highest, climb)
    builder.register(Initials)
    measure.register(HighestLevel)
    assert hosts.kinds()
    monkeypatch.setattr(hosts, "_KINDS", dict(hosts._KINDS))
    hosts.register(Vault)
    yield
