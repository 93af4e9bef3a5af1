"""Values of a sensitive attribute that came after a script was made: its recount refuses what it does not know."""

from __future__ import annotations

from typing import Any

import pandas
import pytest

import starcloak as sc
from tests.people import Server, client, scripted

CHANGES = {
    "a value that the order has not": (
        "varchar(9)",
        ["low"] * 6 + ["mid"] * 6,
        {"t_closeness": [{"attribute": "dose", "t": "0.4", "distance": "ordered", "order": ["low", "mid"]}]},
        "'zzz'",
    ),
    "a missing value where the order has none": (
        "varchar(9)",
        ["low"] * 6 + ["mid"] * 6,
        {"t_closeness": [{"attribute": "dose", "t": "0.4", "distance": "ordered", "order": ["low", "mid"]}]},
        "null",
    ),
    "a value that the hierarchy has not": (
        "varchar(9)",
        ["low"] * 6 + ["mid"] * 6,
        {
            "t_closeness": [
                {
                    "attribute": "dose",
                    "t": "1",
                    "distance": "hierarchical",
                    "hierarchy": {"tree": {"some": ["low", "mid"]}},
                }
            ]
        },
        "'zzz'",
    ),
    "a named number that the database writes otherwise": (
        "double precision",
        [1.0, 2.0] * 6,
        {"alpha": [{"attribute": "dose", "alpha": "0.5", "values": ["1.0"]}]},
        "1",
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", CHANGES)
def test_a_script_refuses_values_that_it_does_not_know(server: Server, change: str) -> None:
    """The tuples stay as they are: only the recount of the models can tell."""
    kind, doses, models, value = CHANGES[change]
    sexes = ["f", "m"] * 6 if kind == "varchar(9)" else ["f", "f", "m", "m"] * 3
    rows = pandas.DataFrame({"sex": sexes, "dose": doses})
    server.fill("people", rows, {"sex": "varchar(9)", "dose": kind})
    described: dict[str, Any] = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"sex": "suppress"},
        "sensitive": ["dose"],
        "requirement": {"k": 2, **models},
        "output": {"table": "cohort"},
    }
    script = sc.compile(described)
    server.execute(f"update people set dose = {value} where sex = 'f'")
    done = scripted(client(server), script)
    assert done.returncode != 0 and "not the source that this script was made for" in done.stderr
    assert "cohort" not in server.tables()
