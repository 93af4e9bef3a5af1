"""Joint k and related figures: sizes of the groups of rows with the same class in each of several releases.

The figures are exact in two cases: the source is unchanged and all rows of every tuple are in one class in each
release, or the job names the columns that identify persons. Otherwise the figures are estimates, under the assumption
that as many rows of a tuple as possible are in all releases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starcloak.companions.joint_risk.joint_partition import Member, Side
from starcloak.job.result import Joint, JointTogether, SharedValues
from starcloak.releases.recodings.saved_recodings import About
from starcloak.statements.statement import Hole, Name, Statement
from starcloak.store.session import Session

_PAIRED = Name("earlier_paired")


@dataclass(frozen=True)
class JointRequest:
    """Requirement for joint figures over one quasi-identifier.

    ``k`` is the required joint k. ``least`` has, for each sensitive attribute, the required number of values shared by
    a row's classes. ``source`` is the fingerprint of the source's rows, or None if unknown.
    """

    k: int
    least: Mapping[str, int]
    source: str | None

    def of(self, qid: tuple[str, ...]) -> dict[str, Any]:
        """Fields of the result for the requirement: attributes of the quasi-identifier, and required k."""
        return {"attributes": list(qid), "required_k": self.k}

    def shared(self, counts: Mapping[str, int], members: Iterable[Member]) -> list[SharedValues]:
        """Result fields for the sensitive values shared by a row's classes, one per attribute.

        ``counts`` has the least number of shared values by attribute. An attribute is marked as unknown if one of the
        ``members`` (releases) has no saved values.
        """
        hidden = {
            name for name, wanted in self.least.items() if wanted > 1 and any(member.hides(name) for member in members)
        }
        return [
            SharedValues(attribute=attribute, required=wanted, least=counts.get(attribute), unknown=attribute in hidden)
            for attribute, wanted in self.least.items()
            if attribute in counts or attribute in hidden
        ]


def measure_together(store: Session, side: Side, request: JointRequest, *, required: bool) -> JointTogether:
    """Joint figures of the new release and all earlier releases of ``side`` together.

    ``required`` marks figures with releases named by the job.
    """
    figures = store.row(Statement("companions/joint_risk/joint", groups=side.groups), {"k": request.k})
    counts: dict[str, int] = (
        dict(
            store.run(
                Statement(
                    "companions/joint_risk/joint#shared",
                    groups=side.groups,
                    earlier=side.earlier.relation("held"),
                    now=side.now.relation("held"),
                )
            )
        )
        if request.least
        else {}
    )
    by_persons = side.now.salt is not None
    exact = not side.unsure if by_persons else all(part.is_of(request.source) for part in (side.earlier, side.now))
    return JointTogether(
        **request.of(side.now.qid),
        **_figures(*figures),
        exact=exact,
        required=required,
        runs=list(dict.fromkeys(member.run for member in side.earlier.members)),
        shared=request.shared(counts, side.earlier.members),
    )


def measure_pairs(store: Session, side: Side, request: JointRequest, required: set[str]) -> dict[str, Joint]:
    """Joint figures of the new release with each single earlier release, by the run of the earlier release.

    ``required`` has the runs of the releases named by the job.
    """
    by_persons, parts = side.now.salt is not None, side.earlier.relation("parts")
    holes: dict[str, Hole] = {
        "size": side.size,
        "flags": Statement("companions/joint_risk/joint#unsure" if by_persons else "companions/joint_risk/joint#sure"),
        "rows": side.pieces if by_persons else side.groups,
        "parts": parts,
    }
    paired: Hole = Statement("store/relation#nested", rows=Statement("companions/joint_risk/joint#paired", **holes))
    shared: dict[int, dict[str, int]] = {}
    if request.least:  # it is read twice
        paired = store.keep(_PAIRED, Statement("companions/joint_risk/joint#paired", **holes))
        sets, held_table = side.earlier.relation("sets"), side.now.relation("held")
        holes = {"groups": paired, "sets": sets, "now": held_table}
        for number, attribute, least in store.run(Statement("companions/joint_risk/joint#pairs_shared", **holes)):
            shared.setdefault(number, {})[attribute] = least
    pairs: dict[str, Joint] = {}
    members = {member.number: member for member in side.earlier.members}
    for number, *figures, unsure in store.run(
        Statement("companions/joint_risk/joint#pairs", groups=paired), {"k": request.k}
    ):
        member = members[number]
        pairs[member.run] = Joint(
            **_about(member),
            **request.of(side.now.qid),
            **_figures(*figures),
            exact=not (unsure or side.unsure) if by_persons else _is_exact(member, side, request),
            required=member.run in required,
            shared=request.shared(shared.get(number, {}), [member]),
        )
    if request.least:
        store.drop(_PAIRED)
    return pairs


def unknown(about: About, why: str, *, required: bool = False) -> Joint:
    """Result entry for an earlier release with unknown joint k. ``why`` is the reason in words."""
    return Joint(**_about(about), required=required, unknown=why)


def _is_exact(member: Member, side: Side, request: JointRequest) -> bool:
    return (
        request.source is not None
        and member.source == request.source
        and not member.split
        and side.now.is_of(request.source)
    )


def _about(about: About | Member) -> dict[str, Any]:
    return {"release": about.release, "run": about.run, "released_at": about.released_at}


def _figures(k: int | None, groups: int, rows: int, below: int, gone: int, new: int) -> dict[str, Any]:
    return {"k": k, "groups": groups, "rows": rows, "rows_below": below, "rows_gone": gone, "rows_new": new}
