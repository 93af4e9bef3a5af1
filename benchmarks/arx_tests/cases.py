"""The cases: suppression, models with parameters, metric, sensitive attribute, expected optimal node and its loss.

They are numbers and names alone. Left out are differential privacy, profitability, heuristic searches, and hash codes
of local recodings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

Case: TypeAlias = Mapping[str, Any]
Parameters: TypeAlias = Mapping[str, Any]

COLUMNS = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
)  # fmt: skip
#: Requirements that no job can ask for, by the model's name.
NO_REQUIREMENT = {
    "average risk": "no requirement of an average risk",
    "sample uniqueness": "no requirement of uniqueness in the sample",
    "population uniqueness": "no requirement of uniqueness in the population",
}
_OBJECTIVES = {"loss": "loss", "average class size": "average_class_size", "discernibility": "discernibility"}


def every(prefixes: Sequence[str] = ()) -> list[Case]:
    """All cases, or those whose names begin with one of the prefixes."""
    document = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))
    return [case for case in document["cases"] if not prefixes or case["id"].startswith(tuple(prefixes))]


def columns_of(case: Case) -> tuple[str, ...]:
    """The quasi-identifiers of a case: all columns but the sensitive one."""
    return tuple(name for name in COLUMNS if name != case["sensitive"])


def parameters_of(case: Case, *models: str) -> list[Parameters]:
    """The parameters of the case's models of some names."""
    return [parameters for parameters in case["models"] if parameters["model"] in models]


def drawn_rows(case: Case) -> int | None:
    """Number of rows that ARX drew for the case; None for all."""
    return next((parameters["rows"] for parameters in parameters_of(case, "inclusion")), None)


def is_within_population(case: Case) -> bool:
    """True if the case asks for a model of a population."""
    return bool(parameters_of(case, "k-map", "delta presence"))


def objective_of(case: Case) -> str | None:
    """The objective of starcloak that is nearest to the case's metric; none of ranks and of other weights."""
    metric = case["metric"]
    if metric.get("aggregate") == "rank" or metric.get("gs_factor", 0.5) != 0.5:
        return None
    return _OBJECTIVES.get(metric["name"])


def is_close(value: Any, expected: Any) -> bool:
    """True if a figure, or each of several, equals the expected one up to a millionth."""
    if isinstance(expected, (list, tuple)):
        return all(map(is_close, value, expected))
    return bool(abs(value - expected) <= 1e-6 * max(1, abs(expected)))
