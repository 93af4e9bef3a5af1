"""One case: whether starcloak's nodes, figures and choice are those that ARX's test expects and that were counted.

1. The set of nodes that satisfy, with the rows that each leaves out, is the one counted without starcloak.
2. A run pinned to the expected node has the figures counted there.
3. The case's metric, over that set, has its least at the expected node, with the expected loss.
4. If the metric is an objective here, a run picks a node of the least cost.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

import starcloak as sc
from benchmarks.arx_tests.cases import COLUMNS, Case, columns_of, is_close, objective_of, parameters_of
from benchmarks.arx_tests.counts import Counts, Satisfying, metric_key, own_key
from benchmarks.arx_tests.jobs import NotExpressed, job_of
from benchmarks.arx_tests.nodes import Marks, Node
from benchmarks.arx_tests.tables import Levels
from starcloak.base.errors import InputError, RequirementError

Verdict: TypeAlias = tuple[Literal["agree", "differ", "not expressed"], str]

_NEAR = 1e-9


class _Differs(Exception):
    """A difference, in words."""


@dataclass
class Judge:
    """Known facts of the cases; starcloak answers each question once."""

    folder: Path
    work: Path
    counts: Counts
    _answers: dict[str, Any] = field(default_factory=dict)

    def verdict(self, case: Case) -> Verdict:
        """The verdict on a case, and why."""
        try:
            return self._verdict(case)
        except NotExpressed as missing:
            return "not expressed", str(missing)
        except _Differs as difference:
            return "differ", str(difference)

    def _verdict(self, case: Case) -> Verdict:
        job_of(case, self.folder, self.work)  # or it is not expressed
        if case["suppression"] and any(each["min"] for each in parameters_of(case, "delta presence")):
            refusal = self._run(case)
            _differ_unless(isinstance(refusal, Exception), "released though suppression leaves classes absent")
            raise NotExpressed("delta presence with a smallest share and suppression")
        counted = self.counts.of(case)
        satisfying = self._set_within(case, counted) if self._is_within(case) else self._set_of_lattice(case, counted)
        expected = None if case["expected_node"] is None else tuple(case["expected_node"])
        if expected is None:
            _differ_unless(not satisfying, f"{len(satisfying)} nodes satisfy, none was expected")
            _differ_unless(isinstance(self._run(case), RequirementError), "a run does not say that no node satisfies")
            return "agree", "no node satisfies, and a run says so"
        if expected not in satisfying:
            self._refuse_forgotten_classes(case, expected)
            raise _Differs(f"the expected node {list(expected)} does not satisfy ({len(satisfying)} do)")
        notes = [f"{len(satisfying)} nodes satisfy", *self._judge_costs(case, expected, counted)]
        if parameters_of(case, "estimated k-map"):
            raise NotExpressed("k-map of an estimated population: with the k derived from it all agrees")
        return "agree", "; ".join(notes)

    def _is_within(self, case: Case) -> bool:
        return bool(parameters_of(case, "k-map", "delta presence"))

    def _set_of_lattice(self, case: Case, counted: Satisfying) -> Satisfying:
        """The set by a lattice that is counted once for all k and suppressions."""
        models = [each for each in case["models"] if each["model"] not in ("k", "estimated k-map")]
        job = job_of(case, self.folder, self.work)
        least, share = job["requirement"]["k"], case["suppression"]
        lattice = self._asked(
            ["lattice", models, case["sensitive"]],
            lambda: sc.lattice(job_of(_without_k(case), self.folder, self.work, k=1, suppression=0)),
        )
        own: dict[Levels, int] = {}
        if isinstance(lattice, RequirementError):  # the whole table does not satisfy it
            pass
        elif isinstance(lattice, Exception):
            raise _Differs(f"lattice: {lattice}")
        else:
            answer = lattice.at(least, share)
            own = {
                tuple(lattice.nodes[at].tolist()): int(answer.left_out[at])
                for at in np.flatnonzero(answer.satisfying).tolist()
            }
        expected = {node: rows for node, (rows, _) in counted.items()}
        _differ_unless(own == expected, f"the set or the rows left out: {len(own)} nodes, counted {len(expected)}")
        return counted

    def _set_within(self, case: Case, counted: Satisfying) -> Satisfying:
        """The set within a population, by its number and the minimal nodes of a run's search."""
        result = self._run(case)
        if isinstance(result, RequirementError):
            return {}
        if isinstance(result, Exception):
            raise _Differs(f"no search: {result}")
        lowest = sorted(node for node in counted if not any(_is_beneath(other, node) for other in counted))
        search = result.search
        same = search.anonymous_nodes == len(counted) and sorted(map(tuple, search.minimal)) == lowest
        _differ_unless(same, f"the set: {search.anonymous_nodes} nodes, counted {len(counted)}")
        return counted

    def _refuse_forgotten_classes(self, case: Case, expected: Levels) -> None:
        """ARX asks no class beneath the smallest size for delta presence, nor one that has people and no row."""
        presence = parameters_of(case, "delta presence")
        if not presence:
            return
        as_arx = self.counts.of(case, as_arx=True)
        lead = metric_key(case["metric"])
        if expected not in as_arx or not is_close(as_arx[expected][1][lead], case["expected_loss"]):
            return
        node = Node(self.counts.table(case), expected)
        absent = int((node.violations(presence[0]) & (node.sizes == 0)).sum())
        if absent and isinstance(self._run(case, node=expected), RequirementError):
            raise NotExpressed(f"ARX forgets {absent} classes without a row at the expected node")

    def _judge_costs(self, case: Case, expected: Levels, counted: Satisfying) -> list[str]:
        """Notes on the metric and the objective of a case. Raises :class:`_Differs`."""
        metric, lead, notes = case["metric"], metric_key(case["metric"]), []
        best, place = min((metrics[lead], node) for node, (_, metrics) in counted.items())
        if metric.get("aggregate") == "rank" and (metric["gs_factor"] != 0.5 or "weights" in metric):
            # Of losses by rank one of each weighting is enough for what follows: the others are of the same nodes.
            _differ_unless(is_close(best, case["expected_loss"]), f"least {best}, expected {case['expected_loss']}")
            return []
        there = self._figure(case, expected, counted)
        is_there = is_close(there, case["expected_loss"])
        if not is_close(best, case["expected_loss"]):
            assumed = case["practical_monotonicity"] and is_there
            _differ_unless(assumed, f"{list(place)} has {best}, expected {case['expected_loss']} at {list(expected)}")
            notes.append(f"under assumed monotonicity: {list(place)} costs less")
        elif not is_there:
            notes.append(f"the expected loss is that of {list(place)}, not of the expected node")
        if objective := objective_of(case):
            notes.append(self._judge_choice(case, objective, expected, counted))
        return notes

    def _figure(self, case: Case, expected: Levels, counted: Satisfying) -> Any:
        """The metric at the expected node, by the figures of a run pinned to it where it has them."""
        result = self._run(case, node=expected)
        if isinstance(result, Exception):
            raise _Differs(f"pinned to the expected node: {result}")
        table = self.counts.table(case)
        node = Node(table, expected)
        verdict = node.verdict(case["models"], math.floor(case["suppression"] * table.rows + _NEAR))
        assert verdict is not None
        rows, out = verdict
        figures = result.measures.model_dump()
        _compare(figures, _figures(node, rows, out), result.suppressed_rows, rows)
        metric, name = case["metric"], case["metric"]["name"]
        if name == "loss" and metric["gs_factor"] == 0.5:
            lost = dict(zip(columns_of(case), node.attribute_loss(out), strict=True))
            if "weights" in metric:
                lost = {column: loss * (COLUMNS.index(column) + 1) / 9 for column, loss in lost.items()}
            if metric["aggregate"] == "rank":
                return tuple(sorted(lost.values(), reverse=True))
            return math.prod(loss + 1 for loss in lost.values()) ** (1 / len(expected)) - 1
        if name == "average class size":
            return table.rows / (figures["classes"] + (rows > 0))
        if name == "discernibility" and not (rows and metric["monotonic"]):
            return figures["discernibility"]
        return counted[expected][1][metric_key(metric)]

    def _judge_choice(self, case: Case, objective: str, expected: Levels, counted: Satisfying) -> str:
        result = self._run(case, objective=objective)
        if isinstance(result, Exception):
            raise _Differs(f"a run by {objective}: {result}")
        picked = tuple(result.recoding.levels[name] for name in columns_of(case))
        costs: dict[Levels, Any] = {node: metrics[own_key(objective)] for node, (_, metrics) in counted.items()}
        least = min(costs.values())
        cheap = costs[picked] <= least + _NEAR * max(1, least)
        _differ_unless(cheap, f"{objective}: picked {list(picked)} of {costs[picked]}, least {least}")
        return "the run picks it" if picked == expected else f"the run picks {list(picked)} by {objective}"

    def _run(self, case: Case, *, node: Levels | None = None, objective: str = "loss") -> Any:
        """The result of a run, or its refusal."""
        job_key = [case["models"], case["suppression"], case["sensitive"], node, objective]
        job = job_of(case, self.folder, self.work, node=node, objective=objective)
        return self._asked(["run", *job_key], lambda: sc.run(job).result)

    def _asked(self, key: Any, ask: Callable[[], Any]) -> Any:
        name = json.dumps(key)
        if name not in self._answers:
            try:
                self._answers[name] = ask()
            except (RequirementError, InputError) as refusal:
                self._answers[name] = refusal
        return self._answers[name]


def _without_k(case: Case) -> Case:
    """A case without its k-anonymity: a lattice answers any k."""
    return {**case, "models": [each for each in case["models"] if each["model"] not in ("k", "estimated k-map")]}


def _is_beneath(other: Levels, node: Levels) -> bool:
    return other != node and all(low <= high for low, high in zip(other, node, strict=True))


def _figures(node: Node, rows: int, out: Marks) -> dict[str, Any]:
    kept = node.sizes[~out & (node.sizes > 0)]
    return {
        "classes": len(kept),
        "discernibility": int((kept * kept).sum()) + rows * node.table.rows,
        "loss": float(np.mean(node.attribute_loss(out))),
        "rows_per_class": float(kept.sum() / len(kept)),
        **dict(zip((f"attribute_loss of {name}" for name in node.table.names), node.attribute_loss(out), strict=True)),
    }


def _compare(figures: dict[str, Any], counted: dict[str, Any], suppressed: int, rows: int) -> None:
    lost = {f"attribute_loss of {name}": loss for name, loss in figures["attribute_loss"].items()}
    own = {**figures, **lost}
    off = [name for name, value in counted.items() if abs(own[name] - value) > _NEAR * max(1, abs(value))]
    _differ_unless(not off and suppressed == rows, f"figures of the pinned run: {off}, {suppressed} left out, {rows}")


def _differ_unless(holds: bool, what: str) -> None:
    if not holds:
        raise _Differs(what)
