"""The highest level that a job allows holds in every search, by a plain oracle on small random tables.

Rows are alike at most as far as they are at the highest levels. So a release is there to be had if, and only if, the
rows of groups that violate the requirement there may be left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import HierarchyError, JobError, RequirementError, VerificationError
from starcloak.hierarchy import members
from tests.people import Server, client, run, scripted

FULL_DOMAIN = ("witness", "incognito", "bottom-up", "samarati", "datafly")
SINGLE_DIMENSION = ("full-subtree", "unrestricted", "ordered-set", "tdr")
MULTI_DIMENSION = ("mondrian", "full-subgraph", "unrestricted-multi")
ONE_STEP = ("cell-suppression", "attribute-suppression")
FURTHER: dict[str, dict[str, Any]] = {
    "tdr": {"name": "tdr", "class": "outcome"},
    "kaca, the papers' steps": {"name": "kaca", "execution": "joins"},
    "kaca2": {"name": "kaca", "variant": "kaca2"},
    "kaca, within a distance": {"name": "kaca", "distance_threshold": 1},
    "mondrian, relaxed": {"name": "mondrian", "relaxed": True},
    "sweep, improved": {"name": "sweep", "improve": 0.05},
    "sweep, without what is dear": {"name": "sweep", "dearest": 0.4},
    "sweep, ended at once": {"name": "sweep", "time_limit": 0},
}
LOCAL = ("sweep", "kaca", *(name for name in FURTHER if name != "tdr"))
EVERY = (*FULL_DOMAIN, *SINGLE_DIMENSION, *MULTI_DIMENSION, *ONE_STEP, *LOCAL)

Levels = Callable[[str], list[str]]
SHOWN: dict[str, Levels] = {
    "zip": lambda cell: [cell, f"{cell[:2]}*", f"{cell[:1]}**", "*"],
    "born": lambda cell: [cell, cell[:4], f"{cell[:3]}0s", "*"],
    "sex": lambda cell: [cell, "*"],
}
HIERARCHIES: dict[str, dict[str, Any]] = {
    "zip": {"digits": 3},
    "born": {"dates": ["year", "decade"]},
    "sex": {"suppress": True},
}


def table(rng: random.Random, rows: int) -> pandas.DataFrame:
    """Rows that are numbered, so that it is seen what became of each."""
    return pandas.DataFrame(
        {
            "n": [str(number) for number in range(rows)],
            "zip": [f"{rng.choice('57')}{rng.choice('12')}{rng.choice('01')}" for _ in range(rows)],
            "born": [f"19{rng.choice('67')}{rng.choice('12')}-0{rng.choice('12')}-11" for _ in range(rows)],
            "sex": rng.choices(["f", "m"], weights=[3, 1], k=rows),
            "outcome": rng.choices(["a", "b", "c"], k=rows),
            "who": [str(number // 2) for number in range(rows)],
        }
    )


def between(rng: random.Random) -> dict[str, tuple[int, int | None]]:
    """The lowest and the highest level of each column; at least one of them has a highest one."""
    bounds: dict[str, tuple[int, int | None]] = {}
    for name in SHOWN:
        top = len(SHOWN[name]("1961-01-11")) - 1
        first = rng.choice([0, 0, rng.randrange(top)])
        bounds[name] = first, rng.choice([None, rng.randrange(first, top)])
    if all(last is None for _, last in bounds.values()):
        bounds["zip"] = bounds["zip"][0], 2
    return bounds


def hierarchies(bounds: dict[str, tuple[int, int | None]]) -> dict[str, Any]:
    return {
        name: {**HIERARCHIES[name], **({"from": first} if first else {}), **({} if last is None else {"to": last})}
        for name, (first, last) in bounds.items()
    }


def at_the_top(frame: pandas.DataFrame, bounds: dict[str, tuple[int, int | None]]) -> pandas.DataFrame:
    """The columns that have a highest level, at that."""
    held = {name: last for name, (_, last) in bounds.items() if last is not None}
    return pandas.DataFrame({name: [SHOWN[name](cell)[last] for cell in frame[name]] for name, last in held.items()})


def hopeless(tops: pandas.DataFrame, frame: pandas.DataFrame, *, k: int, values: int = 1) -> int:
    """The rows of groups that no release has."""
    groups = frame["outcome"].groupby([tops[name] for name in tops])
    return int(sum(len(group) for _, group in groups if len(group) < k or group.nunique() < values))


def check_cells(
    released: pandas.DataFrame, frame: pandas.DataFrame, bounds: dict[str, tuple[int, int | None]], steps: bool = False
) -> None:
    """Every cell is one of its row's own at a level that may be; with one step each the value, or the star."""
    source = frame.set_index("n")
    for name, (first, last) in bounds.items():
        for number, cell in zip(released["n"], released[name], strict=True):
            own = SHOWN[name](source[name][number])
            allowed = (
                [own[0], *(["*"] if last is None else [])] if steps else own[first : None if last is None else last + 1]
            )
            assert cell in allowed


def asked(algorithm: str, bounds: dict[str, tuple[int, int | None]], **requirement: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": hierarchies(bounds),
        "identifiers": ["who"],
        "sensitive": ["outcome"],
        "keep": ["n"],
        "algorithm": FURTHER.get(algorithm, {"name": algorithm}),
        "requirement": requirement,
    }


def drawn(algorithm: str, seed: int) -> tuple[pandas.DataFrame, dict[str, tuple[int, int | None]], int, float]:
    """A table, its levels, a k, and the share that may be left out: near what must be, on either side."""
    rng = random.Random(f"{algorithm} {seed}")
    frame, bounds = table(rng, rng.randrange(12, 40)), between(rng)
    if algorithm in ONE_STEP:
        bounds = {name: (0, None if last is None else 0) for name, (_, last) in bounds.items()}
        bounds["zip"] = bounds["born"] = (0, None)
        bounds["sex"] = (0, 0)
    k = rng.randrange(2, 6)
    out = hopeless(at_the_top(frame, bounds), frame, k=k)
    return frame, bounds, k, min(max(out + rng.choice([-1, 0, 0, 1, 3]), 0), len(frame)) / len(frame)


def is_of_nodes(algorithm: str) -> bool:
    return algorithm in (*FULL_DOMAIN, "attribute-suppression")


@pytest.mark.sampled(18)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("algorithm", EVERY)
def test_there_is_a_release_where_the_rest_of_the_rows_may_be_left_out(algorithm: str, seed: int) -> None:
    frame, bounds, k, share = drawn(algorithm, seed)
    job = asked(algorithm, bounds, k=k, suppression=f"{share:.9f}")
    allowed, out = int(len(frame) * float(f"{share:.9f}")), hopeless(at_the_top(frame, bounds), frame, k=k)
    nothing = out == len(frame) and not is_of_nodes(algorithm)  # a node of which nothing is released is a node
    if out > allowed or nothing:
        with pytest.raises(RequirementError):
            sc.run(job, frame=frame)
        return
    release = sc.run(job, frame=frame)
    released = release.to_pandas()
    if released.empty:
        return
    assert out <= len(frame) - len(released) <= allowed
    assert release.result.suppressed_rows == len(frame) - len(released)
    check_cells(released, frame, bounds, steps=algorithm in ONE_STEP)
    assert released.groupby(list(SHOWN)).size().min() >= k
    alike = {name: [name] for name in SHOWN} if algorithm in SINGLE_DIMENSION else {}
    alike |= {name: list(SHOWN) for name in SHOWN} if algorithm in MULTI_DIMENSION else {}
    source = frame.set_index("n").loc[released["n"]].reset_index()
    for name, by in alike.items():  # what is alike in the source stays so
        assert released[name].groupby([source[column] for column in by]).nunique().max() == 1


@pytest.mark.sampled(15)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("algorithm", ["witness", *SINGLE_DIMENSION, *MULTI_DIMENSION, "sweep", "kaca", "kaca2"])
def test_other_models_hold_below_a_highest_level_too(algorithm: str, seed: int) -> None:
    frame, bounds, k, _ = drawn(algorithm, seed)
    job = asked(algorithm, bounds, k=k, l_diversity=[{"attribute": "outcome", "l": 2}], suppression=0.6)
    if algorithm == "tdr":
        job |= {"algorithm": {"name": "tdr", "class": "n"}}
    out = hopeless(at_the_top(frame, bounds), frame, k=k, values=2)
    if out > len(frame) * 0.6:
        with pytest.raises(RequirementError):
            sc.run(job, frame=frame)
        return
    released = sc.run(job, frame=frame).to_pandas()
    assert out <= len(frame) - len(released) <= 0.6 * len(frame)
    check_cells(released, frame, bounds)
    classes = released.groupby(list(SHOWN))["outcome"]
    assert classes.size().min() >= k and classes.nunique().min() >= 2


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("algorithm", ["sweep", "kaca", "mondrian", "full-subtree"])
def test_what_is_left_out_moves_what_the_rest_is_compared_with(algorithm: str, seed: int) -> None:
    """t-closeness is not always to be had; what comes out has it, by the verifier's own count."""
    frame, bounds, k, _ = drawn(algorithm, seed)
    job = asked(algorithm, bounds, k=k, t_closeness=[{"attribute": "outcome", "t": 0.45}], suppression=0.6)
    try:
        released = sc.run(job, frame=frame).to_pandas()
    except RequirementError:
        return
    check_cells(released, frame, bounds)
    whole = released["outcome"].value_counts(normalize=True)
    for _, values in released.groupby(list(SHOWN))["outcome"]:
        own = values.value_counts(normalize=True).reindex(whole.index, fill_value=0)
        assert (own - whole).abs().sum() / 2 <= 0.45 + 1e-9


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("algorithm", ["sweep", "bottom-up"])
def test_persons_as_sets_are_alike_as_far_as_at_the_highest_levels(algorithm: str, seed: int) -> None:
    rng = random.Random(seed)
    frame, bounds, k = table(rng, 30), between(rng), rng.randrange(2, 4)
    tops = at_the_top(frame, bounds).assign(who=frame["who"])
    names = [name for name in tops if name != "who"]
    histories = tops.groupby("who")[names].apply(lambda rows: tuple(sorted(rows.itertuples(index=False, name=None))))
    sizes = histories.groupby(histories).size()
    out = 2 * int(sizes[sizes < k].sum())
    allowed = min(max(out + rng.choice([-2, 0, 2]), 0), 30)
    job = asked(algorithm, bounds, k=k, suppression=f"{allowed / 30:.9f}")
    job |= {"identifiers": [], "sensitive": [], "keep": ["n", "outcome"], "person": {"column": "who", "as": "set"}}
    if out > int(30 * float(f"{allowed / 30:.9f}")) or (out == 30 and algorithm == "sweep"):
        with pytest.raises(RequirementError):
            sc.run(job, frame=frame)
        return
    released = sc.run(job, frame=frame).to_pandas()
    if released.empty:
        return
    check_cells(released, frame, bounds)
    shown = released.assign(who=frame.set_index("n")["who"][released["n"]].tolist())
    shown_histories = shown.groupby("who")[list(SHOWN)].apply(lambda rows: tuple(sorted(map(tuple, rows.to_numpy()))))
    assert shown_histories.groupby(shown_histories).size().min() >= k
    assert out <= 30 - len(released) <= allowed


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["sweep", "mondrian", "full-subtree", "tdr"])
def test_each_of_several_qids_has_its_own_k_below_the_highest_levels(algorithm: str) -> None:
    frame = table(random.Random(3), 60)
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, 2), "born": (0, None), "sex": (0, None)}
    qids = [{"attributes": ["zip", "sex"], "k": 4}, {"attributes": ["born", "sex"], "k": 3}]
    released = sc.run(asked(algorithm, bounds, qids=qids), frame=frame).to_pandas()
    check_cells(released, frame, bounds)
    assert released.groupby(["zip", "sex"]).size().min() >= 4
    assert released.groupby(["born", "sex"]).size().min() >= 3
    few = frame["zip"].str[0].value_counts().min()
    with pytest.raises(
        RequirementError, match=r"rows of the data frame violate the requirement.*the key to of 'zip', and 0 rows may"
    ):
        sc.run(asked(algorithm, bounds, qids=[{**qids[0], "k": int(few) + 1}, qids[1]]), frame=frame)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["sweep", "mondrian", "full-subgraph"])
def test_columns_that_are_held_together_to_the_largest_k_say_what_holds_each_alone(algorithm: str) -> None:
    frame = pandas.DataFrame({"one": list("aabb") * 2, "two": list("cdcd") * 2, "three": list("mmmmffff")})
    kinds = {"one": {"suppress": True, "to": 0}, "two": {"suppress": True, "to": 0}, "three": "suppress"}
    qids = [{"attributes": ["one", "three"], "k": 4}, {"attributes": ["two", "three"], "k": 4}]
    job = {"quasi_identifiers": kinds, "requirement": {"qids": qids}}
    assert len(sc.run({**job, "algorithm": "witness"}, frame=frame).to_pandas()) == 8
    with pytest.raises(
        RequirementError, match=r"requires the largest k for all columns together: algorithm: witness requires"
    ):
        sc.run({**job, "algorithm": algorithm}, frame=frame)


def test_what_no_class_can_have_is_refused_in_a_line() -> None:
    frame = table(random.Random(1), 30).assign(sex=["m"] * 2 + ["f"] * 28)
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, None), "born": (0, None), "sex": (0, 0)}
    with pytest.raises(RequirementError) as refused:
        sc.run(asked("sweep", bounds, k=3, suppression=0.05), frame=frame)
    assert str(refused.value) == (
        "2 rows of the data frame violate the requirement even at the highest levels allowed by the key to of 'sex', "
        "and 1 rows may be suppressed: raise to or suppression, or weaken the requirement"
    )


def test_a_wide_table_has_its_highest_levels_too() -> None:
    """Whose lattice is too large to be visited: classes of neighbours lie within one group, too."""
    rng = random.Random(5)
    frame = pandas.DataFrame({f"c{n}": [str(rng.randrange(100, 400)) for _ in range(200)] for n in range(14)})
    kinds = {name: {"digits": 3, **({"to": 2} if name in ("c0", "c4") else {})} for name in frame}
    for more in ({}, {"time_limit": 0}):
        job = {"quasi_identifiers": kinds, "algorithm": {"name": "sweep", **more}, "requirement": {"k": 4}}
        result = sc.run(job, frame=frame)
        released = result.to_pandas()
        assert not (released[["c0", "c4"]] == "*").any(axis=None)
        assert result.k >= 4 and result.result.search.sweep.clusters > 0


def test_neighbours_of_many_classes_lie_within_one_group() -> None:
    """So many that not all pairs are compared."""
    rng = random.Random(6)
    frame = pandas.DataFrame(
        {
            "zip": [f"{rng.randrange(1, 4)}{rng.randrange(10000):04}" for _ in range(2500)],
            "sex": rng.choices("fm", k=2500),
            "age": [str(rng.randrange(20, 90)) for _ in range(2500)],
        }
    )
    kinds = {"zip": {"digits": 5, "to": 4}, "sex": {"suppress": True, "to": 0}, "age": {"digits": 2}}
    job = {"quasi_identifiers": kinds, "algorithm": {"name": "kaca"}, "requirement": {"k": 5}}
    release = sc.run(job, frame=frame)
    assert release.result.search.clustering.farther is not None
    released = release.to_pandas()
    assert not (released["zip"] == "*").any() and set(released["sex"]) == {"f", "m"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("algorithm", ["full-subtree", "tdr", "sweep", "kaca", "mondrian"])
def test_databases_and_their_scripts_leave_out_what_no_class_can_have(server: Server, algorithm: str) -> None:
    frame = table(random.Random(2), 40)
    server.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, 1), "born": (0, None), "sex": (0, None)}
    k = int(frame["zip"].str[:2].value_counts().min()) + 1
    job = asked(algorithm, bounds, k=k, suppression=0.5)
    described = {**job, "source": {"url": server.url, "table": "people"}, "output": {"table": "cohort"}}
    result = run(described).result
    assert result.suppressed_rows > 0
    read = "select n, zip, born, sex from cohort"
    released = sorted(server.rows(read))
    assert not {row[1] for row in released} & {"*", "5**", "7**"}
    assert 40 - len(released) == result.suppressed_rows
    script = sc.compile(described)
    server.execute("drop table cohort")
    outcome = scripted(client(server), script)
    assert outcome.returncode == 0, outcome.stderr
    assert len(server.rows(read)) == len(released)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["tdr", "sweep", "witness"])
def test_other_rows_are_masked_below_the_highest_level_too(algorithm: str) -> None:
    frame = table(random.Random(7), 60)
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, 2), "born": (0, 2), "sex": (0, None)}
    release = sc.run(asked(algorithm, bounds, k=3), frame=frame)
    others = table(random.Random(8), 60)
    masked = release.apply(others, k=1)
    check_cells(masked, others, bounds)
    strange = others.assign(born=["no day", *others["born"][1:]])
    if algorithm == "tdr":
        with pytest.raises(HierarchyError, match="no leaf"):
            release.apply(strange, k=1)
    else:  # what no class covers waits
        assert "0" not in set(release.apply(strange, k=1)["n"])


def test_a_refinement_leaves_out_of_other_rows_what_it_left_out(caplog: pytest.LogCaptureFixture) -> None:
    """Applied to its own table it makes its release; of others, rows wait whose highest values no released row has."""
    frame = table(random.Random(2), 40)
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, 1), "born": (0, 2), "sex": (0, None)}
    job = asked("tdr", bounds, k=4, suppression=0.5)
    release = sc.run(job, frame=frame)
    assert release.result.suppressed_rows
    released = release.to_pandas()
    applied = release.apply(frame)
    assert applied.sort_values("n").to_numpy().tolist() == released.sort_values("n").to_numpy().tolist()
    assert f"left out: {release.result.suppressed_rows}" in caplog.text
    kept = frame[frame["n"].isin(released["n"])]
    tops = {(SHOWN["zip"](row.zip)[1], SHOWN["born"](row.born)[2]) for row in kept.itertuples()}
    others = table(random.Random(9), 60)
    there = [(SHOWN["zip"](row.zip)[1], SHOWN["born"](row.born)[2]) in tops for row in others.itertuples()]
    assert 0 < sum(there) < 60
    assert release.apply(others, k=1)["n"].tolist() == others["n"][there].tolist()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["full-subtree", "sweep", "mondrian"])
def test_a_second_release_is_held_against_one_that_left_rows_out(tmp_path: Path, algorithm: str) -> None:
    frame = table(random.Random(2), 40)
    frame.to_csv(tmp_path / "t.csv", index=False)
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, 1), "born": (0, None), "sex": (0, None)}
    k = int(frame["zip"].str[:2].value_counts().min()) + 1
    job = {**asked(algorithm, bounds, k=k, suppression=0.5), "source": {"path": str(tmp_path / "t.csv")}}
    first = sc.run({**job, "output": {"path": str(tmp_path / "one.csv")}})
    assert first.result.suppressed_rows
    other = {**job, "quasi_identifiers": {"zip": {"digits": 3}, "born": "suppress", "sex": "suppress"}}
    second = sc.run({**other, "output": {"path": str(tmp_path / "two.csv")}, "algorithm": "witness"})
    assert second.result.joint and min(found.k or 0 for found in second.result.joint) >= 1


def test_a_refresh_keeps_to_the_highest_level(tmp_path: Path) -> None:
    """New rows that no class below it can have wait."""
    frame = table(random.Random(4), 40).assign(zip=lambda rows: "5" + rows["zip"].str[1:])
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, 2), "born": (0, None), "sex": (0, None)}
    job = {**asked("sweep", bounds, k=3), "source": {"path": str(tmp_path / "t.csv")}, "refresh": True}
    job |= {"output": {"path": str(tmp_path / "out.csv")}, "identifiers": ["who"]}
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert sc.run(job).result.suppressed_rows == 0
    new = table(random.Random(5), 12).assign(n=[f"new {n}" for n in range(12)], zip=["711"] * 2 + ["512"] * 10)
    grown = pandas.concat([frame, new])
    grown.to_csv(tmp_path / "t.csv", index=False)
    sc.run(job)
    released = pandas.read_csv(tmp_path / "out.csv", dtype=str)
    assert not {"new 0", "new 1"} & set(released["n"]) and set(frame["n"]) <= set(released["n"])
    check_cells(released, grown, bounds)


def test_a_refresh_of_nothing_but_rows_that_no_class_can_have_has_them_wait(tmp_path: Path) -> None:
    frame = table(random.Random(4), 30).assign(zip=lambda rows: "5" + rows["zip"].str[1:])
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, 2), "born": (0, None), "sex": (0, 0)}
    frame["sex"] = "f"
    job = {**asked("sweep", bounds, k=3), "source": {"path": str(tmp_path / "t.csv")}, "refresh": True}
    job |= {"output": {"path": str(tmp_path / "out.csv")}}
    frame.to_csv(tmp_path / "t.csv", index=False)
    sc.run(job)
    new = table(random.Random(5), 4).assign(n=list("abcd"), zip=["711"] * 2 + ["811"] * 2)
    pandas.concat([frame, new]).to_csv(tmp_path / "t.csv", index=False)
    result = sc.run(job).result
    assert result.refresh is not None and (result.refresh.waiting, result.refresh.new) == (4, 0)


@pytest.mark.parametrize("algorithm", ["witness", "full-subtree", "sweep", "mondrian"])
def test_the_verifier_refuses_a_hierarchy_that_is_not_cut(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is built too high ends in no release, whatever search took it for what the job allows."""
    monkeypatch.setattr(members, "keep_between", lambda place, hierarchy, height: members.ReleasedLevels(height))
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, 2), "born": (0, None), "sex": (0, None)}
    with pytest.raises(VerificationError, match="'zip' has levels above the highest that the job allows"):
        sc.run(asked(algorithm, bounds, k=3), frame=table(random.Random(9), 20))


def test_what_knows_no_levels_has_a_highest_one_alone() -> None:
    frame = table(random.Random(9), 20)
    bounds: dict[str, tuple[int, int | None]] = {"zip": (1, 2), "born": (0, None), "sex": (0, None)}
    with pytest.raises(JobError, match="from forbids the unchanged value"):
        sc.run(asked("cell-suppression", bounds, k=2), frame=frame)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("algorithm", [*SINGLE_DIMENSION, *MULTI_DIMENSION, *LOCAL])
def test_numbers_stay_numbers_where_rows_are_left_out(algorithm: str) -> None:
    frame = table(random.Random(1), 30).assign(sex=[1] * 2 + [2] * 28)
    bounds: dict[str, tuple[int, int | None]] = {"zip": (0, None), "born": (0, None), "sex": (0, 0)}
    release = sc.run(asked(algorithm, bounds, k=3, suppression=0.1), frame=frame)
    released, search = release.to_pandas(), release.result.search
    assert set(released["sex"]) == {2} and len(released) <= 28
    assert search.sweep is None or search.sweep.suppressed == 30 - len(released)
