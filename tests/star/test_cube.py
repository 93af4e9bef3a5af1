"""The cube of Cube Incognito: what is in it, when it is used again, and what can happen to its file."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import OutputError
from starcloak.commands import pipeline
from starcloak.search.incognito import cube
from starcloak.search.lattice import lattice
from starcloak.star import frequency_sets
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Name
from starcloak.store import staging
from starcloak.store.resources import Resources
from tests.traces import bare

CUBE = Path("cube.duckdb")


def people(**changes: str) -> pandas.DataFrame:
    """Eight people; pairs that differ in one attribute at a time."""
    rows = {
        "zip": ["1", "1", "2", "2", "3", "3", "4", "4"],
        "age": ["30", "30", "31", "31", "42", "42", "43", "44"],
        "sex": ["f", "m", "f", "m", "f", "m", "f", "f"],
        "line": list(range(8)),
    }
    return pandas.DataFrame(rows | {name: value.split() for name, value in changes.items()})


def job(k: int, **more: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": {
            "zip": {"tree": {"low": ["1", "2"], "high": ["3", "4"]}},
            "age": "suppress",
            "sex": "suppress",
        },
        "keep": ["line"],
        "requirement": {"k": k},
        "algorithm": {"name": "incognito", "variant": "cube", "cube": str(CUBE)},
        **more,
    }


def run(described: dict[str, Any], rows: pandas.DataFrame | None = None) -> dict[str, Any]:
    """What the search found and what it took, without what differs from run to run."""
    report = pipeline.run(described, frame=people() if rows is None else rows).to_dict()
    return {**report["search"], "levels": report["recoding"]["levels"], "cube": report["seconds"]["cube"]}


def answer(found: dict[str, Any]) -> dict[str, Any]:
    return {key: found[key] for key in ("lattice_nodes", "checked", "anonymous_nodes", "minimal", "levels")}


def basic(k: int, rows: pandas.DataFrame | None = None, **more: Any) -> dict[str, Any]:
    return answer(run(job(k, **more, algorithm={"name": "incognito"}), rows))


def test_the_cube_has_the_frequency_set_of_every_subset(
    star_of: Callable[..., Star], adult_job: Callable[..., dict[str, Any]]
) -> None:
    star = star_of(adult_job(5, 2))
    made = cube.build(star, cube.tables(5))
    run = star.session.connection.execute
    subsets = [dims for size in range(1, 6) for dims in combinations(range(1, 6), size)]
    assert made.effort.scans == 1 and made.effort.checked == 0
    assert sorted(made.groups) == sorted(map(lattice.subset, subsets))
    smallest = 0
    for dims in subsets:
        node = Node(lattice.subset(dims), dims, (0,) * len(dims))
        star.session.create(Name("counted"), frequency_sets.recount(star, node))
        table = made.tables[len(dims) - 1].sql()
        assert run(f"(from {table} where node = {node.id}) except all from counted").fetchall() == []
        (size,) = run("select count(*) from counted").fetchone() or ()
        assert made.groups[node.id] == size
        wider = [made.groups[lattice.subset((*dims, more))] for more in range(1, 6) if more not in dims]
        smallest += min(wider, default=star.combinations)
    assert made.effort.rows == smallest


@pytest.mark.sampled(2, among="cubes")
def test_a_kept_cube_serves_another_k_without_a_look_at_the_star(work: Path) -> None:
    first = run(job(2))
    assert first["scans"] == 1 and first["cube"] > 0
    assert stat.S_IMODE(CUBE.stat().st_mode) == 0o600
    assert [path.name for path in work.iterdir()] == [CUBE.name]
    before = CUBE.read_bytes()
    for k, suppression in ((2, "0"), (3, "0"), (4, "0"), (2, "0.3")):
        requirement = {"requirement": {"k": k, "suppression": suppression}}
        again = run(job(k, **requirement))
        assert again["scans"] == 0 < again["cube"]
        assert answer(again) == basic(k, **requirement)
    assert CUBE.read_bytes() == before
    unkept = run(job(3, algorithm={"name": "incognito", "variant": "cube"}))
    assert (unkept["scans"], answer(unkept)) == (1, basic(3))


TREE = {"zip": {"tree": {"a": ["1", "3"], "b": ["2", "4"]}}}
CHANGES: dict[str, tuple[pandas.DataFrame, dict[str, Any]]] = {
    "cell": (people(sex="f f f m f m f f"), {}),
    "value": (people(age="30 30 31 31 42 42 43 43"), {}),
    "rows doubled": (pandas.concat([people(), people()]), {}),
    "hierarchy": (people(), {"quasi_identifiers": {**job(2)["quasi_identifiers"], **TREE}}),
    "order": (people(), {"quasi_identifiers": dict(reversed(job(2)["quasi_identifiers"].items()))}),
    "fewer": (people(), {"quasi_identifiers": {"zip": "suppress", "sex": "suppress"}, "keep": ["line", "age"]}),
}


@pytest.mark.sampled(2, among="cubes")
def test_a_changed_source_or_hierarchy_builds_it_again(work: Path) -> None:
    run(job(2))
    for change, (rows, more) in CHANGES.items():
        before = CUBE.read_bytes()
        changed = run(job(2, **more), rows)
        assert changed["scans"] == 1 and CUBE.read_bytes() != before, change
        assert answer(changed) == basic(2, rows, **more), change
    assert run(job(2, **more), rows)["scans"] == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["table", "view"])
def test_what_somebody_put_beside_a_cube_is_not_lost_with_it(kind: str, work: Path) -> None:
    run(job(2))
    with duckdb.connect(str(CUBE)) as connection:
        connection.execute(f"create {kind} release as select 1 as a")
    assert run(job(3))["scans"] == 0  # nothing is built
    before = CUBE.read_bytes()
    with pytest.raises(OutputError, match="has other tables beside a cube"):
        run(job(2), people(sex="f f f f f f f f"))
    assert CUBE.read_bytes() == before


@pytest.mark.sampled(2, among="cubes")
def test_a_cube_of_another_sensitive_attribute_that_tells_the_same_rows_apart_is_built_again(work: Path) -> None:
    rows = people().assign(illness=list("abcabcab"), drug=list("ABCABCAB"))

    def found(attribute: str, algorithm: dict[str, Any]) -> dict[str, Any]:
        requirement = {"k": 2, "l_diversity": [{"attribute": attribute, "l": 2}]}
        return run(job(2, sensitive=["illness", "drug"], requirement=requirement, algorithm=algorithm), rows)

    kept = job(2)["algorithm"]
    first, second = found("illness", kept), found("drug", kept)
    assert answer(first) == answer(second) == answer(found("drug", {"name": "incognito"}))
    assert second["cube"] > 0


def refused(match: str, described: dict[str, Any] | None = None) -> None:
    with pytest.raises(OutputError, match=match) as error:
        pipeline.run(described or job(2), frame=people())
    assert error.value.exit_code == 2
    assert "\n" not in str(error.value)


def garbage() -> None:
    CUBE.write_bytes(b"not a database" * 1000)


def cut() -> None:
    whole = CUBE.read_bytes()
    CUBE.write_bytes(whole[: len(whole) * 2 // 3])


def scrambled() -> None:
    whole = bytearray(CUBE.read_bytes())
    for position in range(12288, len(whole), 97):
        whole[position] ^= 0x55
    CUBE.write_bytes(whole)


def other() -> None:
    CUBE.unlink()
    with duckdb.connect(str(CUBE)) as connection:
        connection.execute("create table patients as select 1 as a")


def edited() -> None:
    with duckdb.connect(str(CUBE)) as connection:
        connection.execute("update cube_2 set frequency = frequency + 1 where value_1 = 0")


def lacking() -> None:
    with duckdb.connect(str(CUBE)) as connection:
        connection.execute("drop table cube_2")


def test_a_broken_cube_is_refused_and_left_alone(work: Path) -> None:
    run(job(2))
    whole = CUBE.read_bytes()
    for harm in (garbage, cut, scrambled, other, edited, lacking):
        CUBE.write_bytes(whole)
        harm()
        before = CUBE.read_bytes()
        refused("cube.duckdb is (not a cube of starcloak|damaged)")
        assert CUBE.read_bytes() == before, harm
        assert [path.name for path in work.iterdir()] == [CUBE.name]


def test_a_place_that_cannot_be_is_refused(work: Path) -> None:
    def at(path: str) -> dict[str, Any]:
        return job(2, algorithm={"name": "incognito", "variant": "cube", "cube": path})

    Path("folder").mkdir()
    refused("check algorithm.cube", at("folder"))
    refused("check algorithm.cube", at("nowhere/cube.duckdb"))
    os.symlink("loop", "loop")
    refused("the path under algorithm.cube is not possible for a file", at("loop"))
    refused("cannot be written", at("n" * 240))


def test_the_file_of_a_link_is_replaced_not_the_link(work: Path) -> None:
    Path("real").mkdir()
    CUBE.symlink_to("real/cube.duckdb")
    run(job(2))
    run(job(2), people(sex="f f f f f f f f"))
    assert CUBE.is_symlink() and not Path("real/cube.duckdb").is_symlink()


def test_compiling_writes_no_cube(work: Path) -> None:
    script = pipeline.compile(job(2), frame=people())
    assert script and list(work.iterdir()) == []
    run(job(2))
    before = CUBE.read_bytes()
    assert pipeline.compile(job(2), frame=people(sex="f f f f f f f f"))
    assert CUBE.read_bytes() == before


def test_two_runs_do_not_build_one_cube(work: Path) -> None:
    path = CUBE.absolute()
    with staging.lock(path, "x", ""):
        refused("another run is writing the cube")
    assert list(work.iterdir()) == []


@pytest.mark.sampled(2, among="cubes")
def test_an_interrupted_build_leaves_the_old_cube_or_none(work: Path, interrupted: Callable[..., None]) -> None:
    """From the first statement of the cube to the last of the run, with and without an older cube."""
    run(job(2))
    old = CUBE.read_bytes()
    changed = people(sex="f f f m f m f f")
    CUBE.unlink()
    statements: list[str] = []
    pipeline.run(job(2), frame=changed, resources=Resources(trace=statements.append))
    complete = [number for number, text in enumerate(statements, 1) if bare(text).startswith("detach")]
    first = next(number for number, text in enumerate(statements, 1) if "cube_store" in text)
    whole = 0
    near = range(complete[0] - 2, complete[0] + 5)
    for stop in sorted({*range(first, len(statements), 61), *near}):
        for before in (None, old):
            CUBE.unlink(missing_ok=True)
            if before:
                CUBE.write_bytes(before)
            interrupted(job(2), before=stop, frame=changed)
            assert [path.name for path in work.iterdir()] in ([], [CUBE.name])
            if stop <= complete[0] - 1:
                assert (CUBE.read_bytes() if CUBE.exists() else None) == before
            else:
                whole += CUBE.exists() and CUBE.read_bytes() != before
    assert whole > 2
    assert run(job(2), changed)["scans"] == 0
    assert answer(run(job(2), changed)) == basic(2, changed)


def test_a_full_or_read_only_folder_is_refused(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("starcloak.search.incognito.kept_cube.os.replace", fail)
    refused(r"cannot be written \(OSError\): check space")
    assert list(work.iterdir()) == []


def test_what_a_killed_build_left_is_swept(work: Path) -> None:
    run(job(2))
    left = staging.of(CUBE, "0" * 32)
    shutil.copy(CUBE, left)
    Path(f"{left}.wal").write_text("left")
    assert run(job(2))["scans"] == 0
    assert [path.name for path in work.iterdir()] == [CUBE.name]
    shutil.move(CUBE, left)
    assert run(job(2))["scans"] == 1
    assert [path.name for path in work.iterdir()] == [CUBE.name]


def test_a_cube_of_persons_serves_no_larger_k(work: Path) -> None:
    rows = pandas.DataFrame({"a": list("xxyx"), "b": list("1222"), "whose": ["p3", "p0", "p2", "p3"]})
    for k in (2, 3):
        job = {"quasi_identifiers": {"a": "suppress", "b": "suppress"}, "person": "whose"}
        found = [
            pipeline.run(
                {**job, "requirement": {"k": k, "suppression": "0.9"}, "algorithm": {"name": "incognito", **more}},
                frame=rows,
            ).result.search
            for more in ({"variant": "cube", "cube": "cube.duckdb"}, {"variant": "basic"})
        ]
        assert found[0].minimal == found[1].minimal and found[0].anonymous_nodes == found[1].anonymous_nodes


def test_a_lattice_that_is_too_large_is_refused_before_its_cube(work: Path) -> None:
    frame = pandas.DataFrame({f"column {number}": ["x", "y"] * 2 for number in range(26)})
    described = {
        "quasi_identifiers": dict.fromkeys(frame, "suppress"),
        "requirement": {"k": 2},
        "algorithm": {"name": "incognito", "variant": "cube", "cube": str(CUBE)},
    }
    with pytest.raises(sc.JobError, match="nodes"):
        pipeline.run(described, frame=frame)
    assert not CUBE.exists()


def test_nobody_else_reads_a_cube_that_is_being_built(work: Path) -> None:
    seen: set[int] = set()

    def look(sql: str) -> None:
        seen.update(stat.S_IMODE(staged.stat().st_mode) for staged in work.glob(".*starcloak-staging*"))

    pipeline.run(job(2), frame=people(), resources=Resources(trace=look, threads=1))
    assert seen == {0o700}
