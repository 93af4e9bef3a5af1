"""The table of features: what each changes in a scenario, and how a run shows that it took effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from benchmarks.falsifier.pairs.world import KINDS, Draft


@dataclass
class Outcome:
    """Outcome of a scenario.

    ``facts`` name features that took effect. ``refusal`` is the type and the message of the error that ended it, with
    the step. ``findings`` begin with their kind. ``skipped`` counts what the engine does not offer to be judged.
    """

    facts: set[str] = field(default_factory=set)
    released: bool = False
    refusal: tuple[str, str, str] | None = None
    findings: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Feature:
    """One feature.

    Of a ``group`` a scenario has one feature at most, if the group is in ``EXCLUSIVE``.
    """

    name: str
    group: str
    change: Callable[[Draft], None]

    def changed(self, outcome: Outcome) -> bool:
        """Say whether the feature really took effect."""
        return self.name in outcome.facts


#: Groups whose features exclude each other.
EXCLUSIVE = (
    "algorithm",
    "place",
    "person",
    "identifier",
    "apply",
    "nonconforming",
    "init",
    "floor",
    "roles",
    "refresh",
)
_UNDECLARED = {"person: undeclared", "person: several columns"}

ALGORITHMS: dict[str, dict[str, Any]] = {
    "witness": {}, "incognito": {}, "bottom-up": {}, "samarati": {}, "datafly": {}, "attribute-suppression": {},
    "tdr": {"class": "ill"}, "full-subtree": {}, "ordered-set": {}, "unrestricted": {}, "mondrian": {},
    "full-subgraph": {}, "unrestricted-multi": {}, "cell-suppression": {}, "kaca": {}, "sweep": {},
}  # fmt: skip
_ILL = {"attribute": "ill"}
_BODY = {"tree": {"lungs": ["flu", "cold", "asthma"], "other": ["angina", "gout"]}}
#: Models with parameters that small tables can satisfy.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "entropy l": ("l_diversity", {**_ILL, "kind": "entropy", "l": "1.3"}),
    "recursive l": ("l_diversity", {**_ILL, "kind": "recursive", "l": 2, "c": "4"}),
    "p-sensitive": ("p_sensitive", {**_ILL, "p": 2}),
    "alpha": ("alpha", {**_ILL, "alpha": "0.8"}),
    "t equal": ("t_closeness", {**_ILL, "t": "0.6"}),
    "t ordered": (
        "t_closeness",
        {**_ILL, "t": "0.5", "distance": "ordered", "order": ["flu", "cold", "asthma", "angina", "gout"]},
    ),
    "t hierarchical": (
        "t_closeness",
        {**_ILL, "t": "0.6", "distance": "hierarchical", "hierarchy": _BODY},
    ),
    "beta": ("beta_likeness", {**_ILL, "beta": "3"}),
    "delta": ("delta_disclosure", {**_ILL, "delta": "6"}),
}  # fmt: skip
PLACES = {
    "csv": ("csv", "csv", "pandas"),
    "parquet": ("parquet", "parquet", "pandas"),
    "duckdb": ("duckdb", "duckdb", "pandas"),
    "sqlite": ("sqlite", "sqlite", "pandas"),
    "postgresql": ("postgresql", "here", "pandas"),
    "mariadb": ("mariadb", "here", "pandas"),
    "frame of pandas": ("frame", "csv", "pandas"),
    "frame of polars": ("frame", "parquet", "polars"),
    "frame of arrow": ("frame", "parquet", "arrow"),
}
SERVED = ("postgresql", "mariadb")


def _set(**values: Any) -> Callable[[Draft], None]:
    """A change that sets fields of a scenario."""

    def change(draft: Draft) -> None:
        for name, value in values.items():
            setattr(draft, name, value)

    return change


def _add(name: str, value: str, **values: Any) -> Callable[[Draft], None]:
    """A change that adds to a collection of a scenario, and sets other fields."""

    def change(draft: Draft) -> None:
        held = getattr(draft, name)
        held.append(value) if isinstance(held, list) else held.add(value)
        _set(**values)(draft)

    return change


def _model(key: str, model: dict[str, Any]) -> Callable[[Draft], None]:
    return lambda draft: draft.models.append((key, model))


def _bound(column: str, key: str, value: Any) -> Callable[[Draft], None]:
    return lambda draft: draft.bounds.setdefault(column, {}).__setitem__(key, value)


def _place(source: str, target: str, frame: str) -> Callable[[Draft], None]:
    return _set(source=source, target=target, frame=frame)


def _repeating(kind: str) -> Callable[[Draft], None]:
    """A change to a kind of identifier, of persons who are not declared unless another feature declares them."""

    def change(draft: Draft) -> None:
        draft.identifier = kind
        draft.person = draft.person or "undeclared"

    return change


def _two_columns(draft: Draft) -> None:
    draft.two_columns = True
    draft.person = draft.person if draft.person in ("row", "set") else "row"


def _clean(what: str) -> Callable[[Draft], None]:
    """A change to dirty cells that the job cleans, in some scenarios from the second night on."""

    def change(draft: Draft) -> None:
        draft.clean.add(what)
        if what == "person" and draft.person is None:
            draft.person = "row"

    return change


def _clean_later(draft: Draft) -> None:
    """Clean from the second night on: what other features clean, or else the sensitive column."""
    draft.clean_begins_later = draft.later = True
    draft.clean = draft.clean or {"sensitive"}


def _others(draft: Draft) -> None:
    """Name no identifiers, of which the source has one."""
    draft.roles, draft.identifier = "others", draft.identifier or "text"


def _counted_otherwise(draft: Draft) -> None:
    """Count persons otherwise in the second night: as sets, by the class of each row, or at all."""
    draft.counted_otherwise = draft.later = True
    draft.person = draft.person or "row"


def _respelled(what: str) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        draft.respelled.add(what)
        if what == "persons" and draft.person is None:
            draft.person = "row"

    return change


FEATURES: tuple[Feature, ...] = (
    *(
        Feature(name, "algorithm", _set(algorithm={"name": name, **settings}))
        for name, settings in ALGORITHMS.items()
    ),
    *(Feature(name, "place", _place(*place)) for name, place in PLACES.items()),
    *(Feature(name, "model", _model(*model)) for name, model in MODELS.items()),
    Feature("distinct l", "model", _set(distinct=2)),
    Feature("k-map", "model", _set(population="k_map")),
    Feature("delta-presence", "model", _set(population="presence")),
    Feature("person: row", "person", _set(person="row")),
    Feature("person: set", "person", _set(person="set")),
    Feature("person: undeclared", "person", _set(person="undeclared")),
    Feature("person: several columns", "person columns", _two_columns),
    *(
        Feature(f"identifier: {kind}", "identifier", _repeating(kind))
        for kind in ("text", "int64", "float64", "decimal", "bytes")
    ),
    Feature("several qids", "requirement", _set(several_qids=True)),
    Feature("suppression", "requirement", _set(suppression="0.3")),
    Feature("from 1", "floor", _bound("zip", "from", 1)),
    Feature("from 2", "floor", _bound("zip", "from", 2)),
    Feature("to", "levels", _bound("zip", "to", 5)),
    Feature("importance", "levels", _bound("zip", "importance", "2.5")),
    Feature("max_suppressed", "levels", _bound("age", "max_suppressed", "0.9")),
    Feature("nonconforming: missing", "nonconforming", _set(nonconforming="missing")),
    Feature("nonconforming: suppress", "nonconforming", _set(nonconforming="suppress")),
    *(
        Feature(f"clean: {name}", "clean", _clean(what))
        for name, what in (("quasi-identifier", "qi"), ("person", "person"), ("sensitive", "sensitive"))
    ),
    Feature("clean: from the second night", "clean begins", _clean_later),
    Feature("refresh", "refresh", _set(refresh="tell")),
    Feature("departures: hold", "refresh", _set(refresh="hold")),
    Feature("against", "later", _set(against=True)),
    Feature("accept", "later", _set(against=True, accept=True)),
    Feature("released again", "later", _set(later=True)),
    Feature("other hierarchies", "later", _set(other_hierarchies=True, later=True)),
    Feature("persons counted otherwise", "later", _counted_otherwise),
    Feature("killed at publication", "later", _set(killed=True)),
    *(Feature(f"rows {what}", "moves", _add("moves", what)) for what in ("come", "go", "change")),
    *(Feature(f"respelled {what}", "respelled", _respelled(what)) for what in ("persons", "numbers", "dates")),
    Feature("others: identifiers", "roles", _others),
    Feature("keep by a pattern", "roles", _set(roles="pattern")),
    Feature("keep_dimensions", "output", _set(keep_dimensions=True)),
    Feature("apply: grown", "apply", _add("extras", "grown")),
    Feature("apply: changed", "apply", _add("extras", "changed")),
    *(
        Feature(name, "extra", _add("extras", name))
        for name in ("mapping", "script", "dbt", "report", "explain", "studio")
    ),
    Feature("init", "init", _add("extras", "init")),
    *(Feature(f"missing {kind}", "missing", _add("missing", kind)) for kind in KINDS),
    Feature("constant per person", "kept", _set(constant=True)),
)  # fmt: skip
BY_NAME = {feature.name: feature for feature in FEATURES}

#: Sets of features that show certain faults only if a scenario has one of each set: a value of a row left out, for
#: example, needs such a row and a further file of the release.
MEETINGS: tuple[tuple[frozenset[str], ...], ...] = tuple(
    tuple(map(frozenset, sets))
    for sets in (
        (
            {"keep_dimensions", "dbt", "script", "mapping", "report", "apply: grown", "apply: changed"},
            {"suppression"},
        ),
        (
            {"keep_dimensions"},
            {"sweep", "unrestricted-multi", "mondrian", "kaca"},  # the lowest levels for most rows
        ),
        (
            {"other hierarchies", "released again", "against", "accept", "persons counted otherwise"},
            {"from 1", "from 2", "person: set", "suppression"},
        ),
        (
            {"other hierarchies", "clean: from the second night", "persons counted otherwise"},
            {"from 1", "from 2"},
        ),
        (
            {"refresh", "departures: hold", "clean: from the second night", "against", "released again"},
            {"clean: quasi-identifier", "clean: person", "respelled persons", "respelled numbers"},
        ),
        (
            {"refresh", "departures: hold", "released again", "against"},
            {"rows come", "rows go", "rows change", "clean: from the second night"},
        ),
        ({"report", "explain", "mapping"}, {"keep by a pattern", "others: identifiers"}),
        ({"init"}, {f"missing {kind}" for kind in ("float64", "decimal", "text")} | {"constant per person"}),
    )
)


def exclude(one: Feature, other: Feature) -> bool:
    """Say whether no scenario has both."""
    return (one.group == other.group and one.group in EXCLUSIVE) or {one.name, other.name} == _UNDECLARED


def pairs(features: list[Feature]) -> list[tuple[str, str]]:
    """All pairs of features that a scenario can have."""
    return [
        (one.name, other.name) for one, other in combinations(features, 2) if not exclude(one, other)
    ]  # fmt: skip


def drafted(names: frozenset[str], draft: Draft) -> Draft:
    """Change a scenario by features, in the order of the table."""
    for feature in FEATURES:
        if feature.name in names:
            feature.change(draft)
    return draft
