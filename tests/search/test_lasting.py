"""What takes hours is told before it begins, with how long it takes by what was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.commands import pipeline
from starcloak.job.algorithms import Algorithm, Lasting
from starcloak.search import algorithm
from starcloak.search.bottom_up.settings import BottomUp
from starcloak.search.incognito.settings import Incognito
from starcloak.search.kaca.settings import Kaca
from starcloak.search.sweep.settings import Sweep

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks/results"
PEOPLE = pandas.DataFrame({"zip": ["10", "11", "12", "10", "11", "12"], "sex": list("fffmmm")})


def lasting(settings: Algorithm, *, tuples: int, nodes: int = 1) -> Lasting:
    found = settings.lasting(tuples=tuples, nodes=nodes)
    assert found is not None
    return found


def result(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text())


def test_a_search_lasts_about_as_long_as_it_was_measured_to() -> None:
    for each in result("kaca-growth")["tables"]:
        if each["rows"] >= 250_000:
            assert lasting(Kaca(), tuples=each["classes"]).seconds == pytest.approx(each["search_seconds"], rel=0.3)
    for each in result("local-growth")["tables"]:
        if each["rows"] >= 500_000:
            assert lasting(Sweep(), tuples=each["tuples"]).seconds == pytest.approx(each["search_seconds"], rel=0.6)
    (adult,) = result("kaca-speed")["entries"]
    (measured,) = (each["median"] for each in adult["figures"] if each["name"] == "joins: search")
    about = lasting(Kaca(execution="joins"), tuples=adult["facts"]["classes"]).seconds
    assert about == pytest.approx(measured, rel=0.1)
    for counted in result("incognito-counts")["counts"][-3:]:
        checked = counted["checked"]["Basic Incognito"] / counted["checked"]["bottom-up, rollup"]
        of = {"tuples": 1000, "nodes": counted["lattice_nodes"]}
        assert lasting(Incognito(), **of).seconds / lasting(BottomUp(), **of).seconds == pytest.approx(
            checked, rel=0.35
        )


@pytest.mark.parametrize("named", [{"name": "kaca", "execution": "joins"}, {"name": "bottom-up"}])
def test_what_takes_long_is_told_before_it_begins(monkeypatch: pytest.MonkeyPatch, named: dict[str, Any]) -> None:
    job = {"quasi_identifiers": {"zip": {"digits": 2}, "sex": "suppress"}, "requirement": {"k": 2}, "algorithm": named}
    told: list[str] = []
    resources = sc.Resources(notice=told.append, trace=lambda sql: told.append(sql.partition("\n")[0]))
    pipeline.run(job, frame=PEOPLE, resources=resources)
    assert not any("takes about" in each for each in told)
    told.clear()
    monkeypatch.setattr(algorithm, "_LONG", 0)
    pipeline.run(job, frame=PEOPLE, resources=resources)
    (place,) = (at for at, each in enumerate(told) if "takes about" in each)
    assert told[place].startswith(f"search: {named['name']} takes about ")
    assert " for 6 combinations and 6 nodes; a quicker choice is " in told[place]
    began = next(at for at, each in enumerate(told) if "search/" in each)
    assert place < began
