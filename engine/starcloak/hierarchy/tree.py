"""A hierarchy written into the job, as names with their members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from starcloak.hierarchy.builder import TOP, BuildPlace, build, register
from starcloak.hierarchy.members import Declared, bound_lines, receive, text
from starcloak.statements.statement import Name


@register
class Tree(Declared):
    """Names of groups with their members, nested to any depth; ``*`` goes on top, unless it is the only outermost name.

    A member null declares the missing value.
    """

    key: ClassVar[str] = "tree"
    form: ClassVar[str] = "`{tree: {Higher: [Bachelors, Masters], School: [9th, 10th]}}`"
    also_called: ClassVar[tuple[str, ...]] = ("categories", "groups")
    levels_read: ClassVar[str] = "Masters → Higher → \\*; null declares the missing value"

    tree: dict[str, Any]

    def declare(self, place: BuildPlace, into: Name) -> int:
        return receive(place, self._pad(place), into)

    def _pad(self, place: BuildPlace) -> Iterator[Sequence[str | None]]:
        """Lines of the leaves, all of one length: a leaf of smaller depth is repeated at levels below its parent."""
        try:
            paths = list(bound_lines(place, _paths(self.tree, (), place)))
        except RecursionError:
            raise place.wrong("its tree contains itself or is nested too deeply: check its groups") from None
        depth = max((len(path) for path in paths), default=0)
        top = () if {path[-1] for path in paths} == {TOP} else (TOP,)
        return ([*(path[0],) * (depth - len(path)), *path, *top] for path in paths)


def _paths(tree: Any, above: tuple[str, ...], place: BuildPlace) -> Iterator[tuple[str | None, ...]]:
    if isinstance(tree, dict):
        for name, members in tree.items():
            yield from _paths(members, (str(name), *above), place)
    elif isinstance(tree, list):
        for member in tree:
            if isinstance(member, (dict, list)):
                yield from _paths(member, above, place)
            else:
                yield (None if member is None else text(member), *above)
    else:
        raise place.wrong(
            "a name in its tree has neither members nor further names: give each name a list of members or a "
            "mapping of names"
        )


def tree(labels: Mapping[str, Any]) -> Tree:
    """Names with their members, nested to any depth; ``*`` goes on top: ``tree({"School": ["9th", "10th"]})``.

    The deepest leaf determines the height of the hierarchy. A run raises :class:`~starcloak.base.errors.HierarchyError`
    for a name without a list of members, and for values without a leaf.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"education": ["9th", "10th", "Bachelors", "Masters"]})
    >>> education = sc.tree({"School": ["9th", "10th"], "Higher": ["Bachelors", "Masters"]})
    >>> sorted(sc.anonymize(frame, quasi_identifiers={"education": education}, k=2).to_pandas()["education"])
    ['Higher', 'Higher', 'School', 'School']
    """
    return build(Tree, tree=dict(labels) if isinstance(labels, Mapping) else labels)
