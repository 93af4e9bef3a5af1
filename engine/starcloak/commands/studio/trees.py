"""A hierarchy as a tree of groups, edited by the user: the result is a ``tree`` in the job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from starcloak.base.errors import JobError
from starcloak.commands.hierarchies import CountedHierarchy
from starcloak.hierarchy.builder import TOP


@dataclass(eq=False)
class TreeNode:
    """A node of a hierarchy's tree: a group with ``members``, or a value with its number of ``rows``.

    ``number`` identifies the node. ``is_lost`` marks a value without a leaf in the hierarchy.
    """

    name: str | None
    rows: int = 0
    is_lost: bool = False
    members: list[TreeNode] = field(default_factory=list)
    number: int = 0

    @property
    def all(self) -> Iterator[TreeNode]:
        """The node and all nodes below it, in preorder."""
        yield self
        for member in self.members:
            yield from member.all

    @property
    def groups(self) -> list[TreeNode]:
        """The groups below the node."""
        return [node for node in self.all if node.members and node is not self]

    @property
    def given(self) -> Any:
        """The node as in a job: a value's name, or a group's name with its members."""
        return {self.name: [member.given for member in self.members]} if self.members else self.name


def tree_of(counted: CountedHierarchy) -> TreeNode:
    """The tree with the top of a hierarchy as root. Values without a leaf are ``is_lost``, and stand beside groups."""
    root = TreeNode(TOP)
    for (leaf, *above), rows in counted.lines:
        names = above[-2::-1]  # from beneath the top
        while names and names[-1] == leaf:  # a leaf repeats itself to where its group begins
            names.pop()
        here = root
        for name in names:
            text = "missing" if name is None else name
            member = next((node for node in here.members if node.members and node.name == text), None)
            if member is None:
                here.members.append(member := TreeNode(text))
            here = member
        here.members.append(TreeNode(leaf, rows))
    root.members += [TreeNode(value, rows, True) for value, rows in counted.without_leaf]
    for number, node in enumerate(root.all):
        node.number = number
    return root


def regroup(root: TreeNode, chosen: set[int], name: str) -> dict[str, Any]:
    """The job's ``tree`` after moving the chosen nodes into the group ``name``; out of all groups for an empty name.

    ``chosen`` are numbers of nodes. If all members of a group are chosen, the group is renamed; a new group takes the
    position of the chosen nodes. Raises
    :class:`~starcloak.base.errors.JobError` if nothing is chosen, or the result would be invalid.
    """
    parents = {member: node for node in root.all for member in node.members}
    moved = [node for node in root.all if node.number in chosen and node is not root]
    moved = [node for node in moved if not _above(node, parents) & {*moved}]
    if not moved:
        raise JobError("no value or group is marked: mark some first")
    if name == TOP:
        raise JobError(f"{TOP} is the name of the top of every tree: give the group another name")
    within = {below for node in moved for below in node.all}
    group = next((node for node in root.groups if node.name == name and node not in within), None)
    homes = {parents[node] for node in moved}
    home = homes.pop() if len(homes) == 1 else root
    if not name:
        group = root
    elif group is None and home is not root and len(moved) == len(home.members):
        home.name, group = name, home
    elif group is None:
        group = TreeNode(name)
        home.members.insert(next((at for at, node in enumerate(home.members) if node in moved), 0), group)
    for node in moved:
        parents[node].members.remove(node)
    group.members += moved
    while empty := [node for node in parents if not node.members and not node.rows and node in parents[node].members]:
        for node in empty:
            parents[node].members.remove(node)
    return _as_given(root)


def _above(node: TreeNode, parents: dict[TreeNode, TreeNode]) -> set[TreeNode]:
    above = set()
    while node in parents:
        above.add(node := parents[node])
    return above


def _as_given(root: TreeNode) -> dict[str, Any]:
    """The tree as in a job: groups with their members; values in no group are listed under the top ``*``."""
    names = [node.name for node in root.members if node.members]
    if len(names) < len(root.members) or len(set(names)) < len(names):
        return {TOP: [member.given for member in root.members]}
    return {str(node.name): [member.given for member in node.members] for node in root.members}
