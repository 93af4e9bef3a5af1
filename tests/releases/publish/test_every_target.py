"""What every place for a release does, whatever it is: one suite over all targets, and over all hosts' tables."""

from __future__ import annotations

import inspect
import pkgutil
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import starcloak as sc
from starcloak.base.errors import OutputError, VerificationError
from starcloak.job import load
from starcloak.releases import publish, targets
from starcloak.releases.targets.duckdb_table import DuckDBTable
from starcloak.releases.targets.registry import target
from starcloak.releases.targets.target import Target
from starcloak.store.databases.registry import kinds
from tests.daily import some_daily
from tests.people import people

OUTPUTS: dict[str, dict[str, Any] | None] = {
    "memory": None,
    "csv": {"path": "cohort.csv"},
    "workbook": {"path": "cohort.xlsx"},
    "parquet": {"path": "cohort.parquet"},
    **{kind: {"url": each.example, "table": "cohort"} for kind, each in kinds().items()},
}


@dataclass(frozen=True)
class Destination:
    """Where releases of a CSV file go."""

    output: dict[str, Any] | None

    def job(self, k: int, **more: Any) -> dict[str, Any]:
        return {
            "source": {"path": "people.csv"},
            "identifiers": ["name"],
            "quasi_identifiers": {"zip": {"digits": 5}, "sex": "suppress"},
            "sensitive": ["illness"],
            "keep": ["age"],
            "requirement": {"k": k},
            "output": self.output,
            **more,
        }

    @property
    def target(self) -> Target:
        return target(load(self.job(2)))

    def rows(self, release: sc.Release) -> Counter[tuple[str, ...]]:
        frame = release.to_pandas().astype(object)
        return Counter(tuple(map(str, row)) for row in frame.where(frame.notna(), None).itertuples(index=False))


@pytest.fixture(params=sorted(OUTPUTS))
def there(request: pytest.FixtureRequest, work: Path) -> Destination:
    """An empty place of each kind, and a source in a file."""
    frame = people(40)
    frame["sex"] = frame["sex"].fillna("?")
    frame.to_csv("people.csv", index=False)
    name, output = request.param, OUTPUTS[request.param]
    if name not in kinds():
        return Destination(output)
    if kinds()[name].embedded:
        return Destination({"url": f"{name}:///{work}/clinic.{name}", "table": "cohort"})
    server = request.getfixturevalue(name)
    server.clear()
    return Destination({"url": server.url, "table": "cohort"})


def test_every_class_of_targets_is_one_of_these() -> None:
    for module in pkgutil.iter_modules(targets.__path__):
        import_module(f"{targets.__name__}.{module.name}")

    def concrete(kind: type[Target]) -> set[type[Target]]:
        own = set() if inspect.isabstract(kind) else {kind}
        return own.union(*(concrete(each) for each in kind.__subclasses__() if each.__module__.startswith("starcloak")))

    # A table of the source's own DuckDB file is one of PLACES.
    assert {type(Destination(output).target) for output in OUTPUTS.values()} == concrete(Target) - {DuckDBTable}


@pytest.mark.sampled(4)
def test_a_release_is_read_as_the_one_in_memory_and_is_there_for_the_next_run_where_it_lasts(
    there: Destination,
) -> None:
    release = sc.run(there.job(3))
    assert there.rows(release) == there.rows(sc.run(there.job(3, output=None)))
    assert sc.run(there.job(3)).result.unchanged == there.target.lasts
    assert there.rows(sc.run(there.job(3), force=True)) == there.rows(release)


# Each target with one of the two; the long tests take the other, too.
@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("there", "step"), some_daily(sorted(OUTPUTS), ["prove_run", "build_result"], each=2), indirect=["there"]
)
def test_what_the_verifier_refuses_or_nobody_can_tell_leaves_the_release_before(there: Destination, step: str) -> None:
    before = sc.run(there.job(3))
    rows = there.rows(before)
    done = getattr(publish, step)

    def refuse(*given: Any, **more: Any) -> Any:
        done(*given, **more)
        raise VerificationError("not what was proposed")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publish, step, refuse)
        with pytest.raises(VerificationError, match="not what was proposed"):
            sc.run(there.job(8))
    assert there.rows(before) == rows
    if there.target.lasts:
        assert sc.run(there.job(3)).result.unchanged


@pytest.mark.sampled(3)
def test_one_run_at_a_time_holds_it(there: Destination) -> None:
    with there.target.lock_place():
        if there.target.lasts:
            with pytest.raises(OutputError, match=r"another run is writing .*: wait until it is done"):
                sc.run(there.job(3))
    assert sc.run(there.job(3)).k


@pytest.mark.sampled(3)
def test_dimension_tables_are_kept_or_the_job_is_refused(there: Destination) -> None:
    kept = there.job(3, keep_dimensions=True)
    if there.target.keeps_dimensions and there.output is not None:
        for _ in range(2):
            cells = sc.run(kept).to_pandas()["sex"].nunique()
            verdict = sc.check({**there.output, "table": "cohort_dim_sex"}, ["level_1"], k=cells)
            assert (verdict.holds, verdict.rows) == (True, cells)
    else:
        with pytest.raises(OutputError, match=r"supports it, .*: leave keep_dimensions out"):
            sc.run(kept)


@pytest.mark.sampled(3)
def test_no_release_goes_over_its_own_source(there: Destination) -> None:
    if there.output is None:
        return
    before = there.rows(sc.run(there.job(3)))
    with pytest.raises(OutputError, match="the source"):
        sc.run(there.job(8, source=there.output, identifiers=[]))
    assert there.rows(sc.run(there.job(3))) == before
