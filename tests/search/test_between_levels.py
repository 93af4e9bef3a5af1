"""A hierarchy's levels from one to another: no search releases another, and the verifier sees that none does."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import HierarchyError, JobError, RequirementError
from starcloak.job import load
from tests.people import Server, client, run, scripted

FULL = ("witness", "incognito", "bottom-up", "samarati", "datafly")
LOCAL = (
    "sweep", "kaca", "mondrian", "tdr", "full-subtree", "unrestricted", "ordered-set", "full-subgraph",
    "unrestricted-multi",
)  # fmt: skip


def table(seed: int, rows: int = 60) -> pandas.DataFrame:
    rng = random.Random(seed)
    return pandas.DataFrame(
        {
            "zip": [f"{rng.choice('57')}{rng.choice('12')}{rng.choice('345')}{rng.randrange(10)}" for _ in range(rows)],
            "born": [f"{rng.randrange(1960, 1990)}-0{rng.randrange(1, 9)}-1{rng.randrange(9)}" for _ in range(rows)],
            "sex": rng.choices(["f", "m"], k=rows),
            "outcome": rng.choices(["a", "b"], k=rows),
        }
    )


def job(algorithm: str, k: int = 3, **more: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": {
            "zip": {"digits": 4, "from": 2},
            "born": {"dates": ["month", "year", "decade"], "from": 2},
            "sex": "suppress",
        },
        "sensitive": ["outcome"],
        "algorithm": {"name": algorithm, **({"class": "outcome"} if algorithm == "tdr" else {})},
        "requirement": {"k": k},
        **more,
    }  # fmt: skip


def zip_of(level: int, cell: str) -> str:
    return cell[: 4 - level] + "*" * level if level < 4 else "*"


ZIPS = {
    level: {zip_of(level, f"{a}{b}{c}{d}") for a in "57" for b in "12" for c in "345" for d in range(10)}
    for level in range(5)
}
YEARS = {str(year) for year in range(1960, 1990)}
DECADES = {"1960s", "1970s", "1980s"}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("algorithm", [*FULL, *LOCAL])
def test_no_cell_is_finer_than_the_lowest_level(algorithm: str, seed: int) -> None:
    released = sc.run(job(algorithm), frame=table(seed)).to_native()
    shown = set(released["zip"])
    # A step of its own names several values.
    assert not shown & (ZIPS[0] | ZIPS[1])
    assert all(set(cell) <= set("57*12, {}|") or cell in ZIPS[2] | ZIPS[3] | ZIPS[4] for cell in shown)
    assert set(released["born"]) <= YEARS | DECADES | {"*"}
    sizes = released.groupby(["zip", "born", "sex"], dropna=False).size()
    assert sizes.min() >= 3


def test_a_floor_costs_what_was_to_be_had_beneath_it() -> None:
    frame = pandas.DataFrame({"zip": ["5715"] * 4 + ["5724"] * 4})
    described = {"quasi_identifiers": {"zip": {"digits": 4}}, "requirement": {"k": 4}}
    whole = sc.run(described, frame=frame).result
    floored = sc.run({**described, "quasi_identifiers": {"zip": {"digits": 4, "from": 2}}}, frame=frame)
    assert whole.measures.loss == 0 and whole.measures.modification_rate == 0
    assert floored.measures.modification_rate == 1
    assert sorted(floored.to_native()["zip"]) == ["57**"] * 8
    assert floored.measures.loss == 1  # all leaves are under 57**


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", FULL)
def test_no_cell_is_above_the_highest_level(algorithm: str) -> None:
    described = job(algorithm, quasi_identifiers={"zip": {"digits": 4, "from": 1, "to": 3}, "sex": "suppress"})
    released = sc.run({**described, "identifiers": ["born"]}, frame=table(1)).to_native()
    assert set(released["zip"]) <= ZIPS[1] | ZIPS[2] | ZIPS[3]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", FULL)
def test_one_level_is_all_there_may_be(algorithm: str) -> None:
    described = job(algorithm, quasi_identifiers={"zip": {"digits": 4, "from": 3, "to": 3}, "sex": "suppress"})
    released = sc.run({**described, "identifiers": ["born"]}, frame=table(1)).to_native()
    assert set(released["zip"]) == {"5***", "7***"}


def test_every_node_is_pinned_alike_the_lowest_too() -> None:
    """from: 0 is the hierarchy's own bottom: the job is the one without it."""
    kinds = {"zip": {"digits": 4}, "born": {"dates": ["month", "year", "decade"]}, "sex": {"suppress": True}}
    node = {"zip": 0, "born": 3, "sex": 1}
    pinned = {name: {**kind, "from": node[name], "to": node[name]} for name, kind in kinds.items()}
    released = sc.run(job("witness", k=1, quasi_identifiers=pinned), frame=table(1)).to_native()
    assert set(released["zip"]) <= ZIPS[0] and set(released["born"]) <= DECADES and set(released["sex"]) == {"*"}
    assert load({"quasi_identifiers": {"zip": {"digits": 4, "from": 0}}, "requirement": {"k": 2}}) == load(
        {"quasi_identifiers": {"zip": {"digits": 4}}, "requirement": {"k": 2}}
    )


CAPPED = {"zip": {"digits": 4, "to": 2}, "born": "suppress", "sex": {"suppress": True, "to": 0}}


def test_values_of_a_highest_level_are_told_apart() -> None:
    frame = table(4)
    counted = sc.lattice(job("witness", quasi_identifiers=CAPPED), frame=frame)
    left_out = counted.at(3).left_out
    for place, (of_zip, of_born, _) in enumerate(counted.nodes.tolist()):
        shown = frame.assign(zip=[zip_of(of_zip, cell) for cell in frame["zip"]])
        sizes = shown.groupby(["zip", "sex"] if of_born else ["zip", "born", "sex"]).size()
        assert left_out[place] == sizes[sizes < 3].sum()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", FULL)
def test_every_search_tells_values_of_a_highest_level_apart(algorithm: str) -> None:
    described = job(algorithm, quasi_identifiers=CAPPED)
    assert sc.run({**described, "requirement": {"k": 2, "suppression": 0.2}}, frame=table(4)).k == 2
    with pytest.raises(RequirementError):
        sc.run({**described, "requirement": {"k": 12}}, frame=table(4))


def test_a_ceiling_that_is_too_low_ends_in_an_error() -> None:
    frame = pandas.DataFrame({"zip": ["5715", "7715"]})
    with pytest.raises(RequirementError):
        sc.run({"quasi_identifiers": {"zip": {"digits": 4, "to": 3}}, "requirement": {"k": 2}}, frame=frame)


def test_values_without_a_leaf_are_not_shown_beneath_the_floor() -> None:
    frame = pandas.DataFrame({"zip": ["5715"] * 4 + ["SECRETx7"] * 4})
    zips = {"digits": 4, "from": 1, "nonconforming": "suppress"}
    released = sc.run({"quasi_identifiers": {"zip": zips}, "requirement": {"k": 4}}, frame=frame).to_native()
    assert set(released["zip"]) == {"571*", "*"}


@pytest.mark.parametrize(
    ("zips", "more", "told"),
    [
        ({"digits": 4, "from": 3, "to": 2}, {}, "from is higher than to"),
        ({"digits": 4, "from": 1}, {"algorithm": {"name": "cell-suppression"}}, "only keeps a value or replaces it by"),
        (
            {"digits": 4, "from": 1},
            {"algorithm": {"name": "sweep"}, "refresh": True},
            "refresh recognizes rows by their original values",
        ),
    ],
)
def test_what_cannot_be_promised_is_refused(zips: dict[str, Any], more: dict[str, Any], told: str) -> None:
    with pytest.raises(JobError, match=told):
        sc.run({"quasi_identifiers": {"zip": zips}, "requirement": {"k": 1}, **more}, frame=table(1)[["zip"]])


def test_levels_that_a_hierarchy_does_not_have_are_refused() -> None:
    with pytest.raises(HierarchyError, match="from 7 to 4 is outside the levels 0 to 4 of the hierarchy: "):
        sc.run(
            {"quasi_identifiers": {"zip": {"digits": 4, "from": 7}}, "requirement": {"k": 1}}, frame=table(1)[["zip"]]
        )


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("algorithm", FULL)
def test_a_floor_is_as_if_the_source_had_the_generalized_values(algorithm: str, seed: int) -> None:
    frame = table(seed, rows=40)[["zip", "sex"]]
    least = {"objective": {"minimize": "height"}, "algorithm": {"name": algorithm}}
    asked = {**least, "requirement": {"k": 2 + seed, "suppression": [0, 0.2][seed % 2]}}
    floored = {"zip": {"digits": 4, "from": 2}, "sex": "suppress"}
    of_all = sc.run({**asked, "quasi_identifiers": floored}, frame=frame)
    generalized = frame.assign(zip=[zip_of(2, cell) for cell in frame["zip"]])
    above = {zip_of(2, cell): [zip_of(3, cell), "*"] for cell in frame["zip"]}
    expected = sc.run({**asked, "quasi_identifiers": {"zip": {"levels": above}, "sex": "suppress"}}, frame=generalized)
    levels = expected.result.recoding.levels
    assert of_all.result.recoding.levels == {**levels, "zip": levels["zip"] + 2}
    columns = ["zip", "sex"]
    assert sorted(of_all.to_native()[columns].itertuples(index=False)) == sorted(
        expected.to_native()[columns].itertuples(index=False)
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize("algorithm", ["witness", "sweep", "mondrian", "full-subtree"])
def test_databases_and_their_scripts_have_the_levels_that_may_be(server: Server, algorithm: str) -> None:
    frame = table(3)
    server.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    described = {**job(algorithm), "source": {"url": server.url, "table": "people"}, "output": {"table": "cohort"}}
    run(described)
    read = "select zip, born, sex, outcome from cohort"
    released = sorted(server.rows(read))
    assert not {row[0] for row in released} & (ZIPS[0] | ZIPS[1])
    script = sc.compile(described)
    server.execute("drop table cohort")
    outcome = scripted(client(server), script)
    assert outcome.returncode == 0, outcome.stderr
    assert sorted(row[:3] for row in server.rows(read)) == [row[:3] for row in released]


@pytest.mark.sampled(3)
def test_databases_tell_values_of_a_highest_level_apart(server: Server) -> None:
    frame = table(4)
    server.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    asked = job("witness", quasi_identifiers=CAPPED, requirement={"k": 2, "suppression": 0.2})
    here = sc.run(asked, frame=frame).result
    there = run({**asked, "source": {"url": server.url, "table": "people"}, "output": {"table": "cohort"}}).result
    assert there.recoding.levels == here.recoding.levels and there.suppressed_rows == here.suppressed_rows


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["witness", "sweep", "kaca", "mondrian"])
def test_sensitive_values_and_persons_are_counted_above_the_floor(algorithm: str) -> None:
    frame = table(4).assign(who=[number // 2 for number in range(60)])
    for more in ({"requirement": {"k": 2, "l_diversity": [{"attribute": "outcome", "l": 2}]}}, {"person": "who"}):
        released = sc.run({**job(algorithm), "identifiers": ["who"] * ("person" not in more), **more}, frame=frame)
        assert not set(released.to_native()["zip"]) & (ZIPS[0] | ZIPS[1])


def test_a_refinement_above_a_floor_is_applied() -> None:
    applied = sc.run(job("tdr"), frame=table(5)).apply(table(5), k=1)
    assert len(applied) == 60
    assert not set(applied["zip"]) & (ZIPS[0] | ZIPS[1])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("hierarchy", "labels"),
    [
        ({"digits": 3}, ["as it is", "2 digits", "1 digit", "*"]),
        ({"digits": 3, "from": 1, "to": 2}, ["as it is", "2 digits", "1 digit", "*"]),
        ({"intervals": [5, 10.5 * 10]}, ["as it is", "ranges of 5", "ranges of 105", "*"]),
        ({"levels": {"312": ["a", "Any"], "407": ["b", "Any"]}}, ["as it is", "level 1", "the top"]),
        ("suppress", ["as it is", "*"]),
    ],
)
def test_levels_are_called_by_what_they_show(hierarchy: Any, labels: list[str]) -> None:
    frame = pandas.DataFrame({"code": ["312", "407"]})
    result = sc.run({"quasi_identifiers": {"code": hierarchy}, "requirement": {"k": 1}}, frame=frame).result
    assert result.recoding.labels == {"code": labels}


def test_whole_dates_and_codes_are_said_where_the_job_names_no_lowest_level() -> None:
    frame = pandas.DataFrame({"born": [f"19{year}-01-{day}" for year in range(10, 50) for day in range(10, 15)]})
    described = {"quasi_identifiers": {"born": {"dates": ["month", "year"]}}, "requirement": {"k": 1}}

    def said(given: dict[str, Any]) -> list[str]:
        insight = sc.run(given, frame=frame).result.insight
        return [remark for remark in insight.remarks if "shows whole dates, with 200 values" in remark]

    assert len(said(described)) == 1
    assert not said({**described, "requirement": {"k": 5}})
    assert not said({**described, "quasi_identifiers": {"born": {"dates": ["month", "year"], "from": 1}}})


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "more",
    [
        {"algorithm": {"name": "incognito", "variant": "cube"}},
        {"algorithm": {"name": "incognito", "variant": "super-roots"}},
        {"person": {"column": "who", "as": "set"}, "algorithm": {"name": "sweep"}},
        {"person": {"column": "who", "as": "set"}, "algorithm": {"name": "bottom-up"}},
        {"requirement": {"qids": [{"attributes": ["zip", "sex"], "k": 3}, {"attributes": ["born"], "k": 4}]}},
        {"requirement": {"k": 2, "k_map": 4, "population": "register"}},
        {"requirement": {"k": 2, "k_map": 4, "population": "register"}, "algorithm": {"name": "sweep"}},
    ],
)
def test_nothing_beneath_the_floor_whatever_else_is_asked(more: dict[str, Any], tmp_path: Path) -> None:
    frame = table(8).assign(who=[number // 2 for number in range(60)])
    described = {**job("witness"), "sensitive": [], "others": "identifiers", **more}
    if "population" in described["requirement"]:
        frame[["zip", "born", "sex"]].to_csv(tmp_path / "register.csv", index=False)
        table(9)[["zip", "born", "sex"]].to_csv(tmp_path / "register.csv", index=False, mode="a", header=False)
        register = {"population": {"path": str(tmp_path / "register.csv")}}
        described["requirement"] = {**described["requirement"], **register}
    shown = set(sc.run(described, frame=frame).to_native()["zip"])
    assert shown and not shown & (ZIPS[0] | ZIPS[1])


@pytest.mark.parametrize("few", [0, 2])
def test_a_sweep_below_a_ceiling_is_told_where_it_keeps_all_rows(few: int) -> None:
    zips = ["5715", "5715", "5716", "5724", "5724", "5724"] * 6000 + ["7724"] * few
    frame = pandas.DataFrame({"zip": zips, "sex": ["f", "m"] * (len(zips) // 2)})
    asked = {"zip": {"digits": 4, "to": 3}, "sex": "suppress"}
    frame.loc[0, "zip"] = "5717"
    job = {"quasi_identifiers": asked, "requirement": {"k": 4, "suppression": "0.0001" if few else 0}}
    insight = sc.run({**job, "algorithm": "incognito"}, frame=frame).result.insight
    assert insight is not None
    told = [line for line in insight.otherwise if "name: sweep" in line]
    assert bool(told) is not bool(few), insight.otherwise


@pytest.mark.parametrize(
    ("sex", "released"),
    [
        ("suppress", ["*", "*"]),
        ({"suppress": True, "from": 1}, ["*", "*"]),
        ({"suppress": True, "to": 0}, ["f", "m"]),
    ],
)
def test_a_hierarchy_that_goes_by_a_word_has_levels_to_choose_from_too(sex: Any, released: list[str]) -> None:
    frame = pandas.DataFrame({"sex": ["f", "m"] * 3, "age": [30, 40] * 3})
    k = 3 if released == ["f", "m"] else 4
    asked = {"quasi_identifiers": {"sex": sex, "age": "suppress"}, "requirement": {"k": k}}
    assert sorted(sc.run(asked, frame=frame).to_pandas()["sex"].unique()) == sorted(set(released))


def test_a_word_with_levels_makes_another_job(tmp_path: Path) -> None:
    """What is not run again where nothing changed goes by it."""
    pandas.DataFrame({"sex": ["f", "m"] * 3, "age": [30, 40] * 3}).to_csv(tmp_path / "t.csv", index=False)
    asked = {"source": {"path": str(tmp_path / "t.csv")}, "output": {"path": str(tmp_path / "o.csv")},
             "keep": ["age"], "requirement": {"k": 2}}  # fmt: skip
    done = [
        sc.run({**asked, "quasi_identifiers": {"sex": sex}}).result
        for sex in ("suppress", "suppress", {"suppress": True, "from": 1}, {"suppress": True, "from": 1})
    ]
    assert [result.unchanged for result in done] == [False, True, False, True]
    assert (tmp_path / "o.csv").read_text().count("*") == 6


@pytest.mark.parametrize("sex", [{"suppress": 1}, {"suppress": True, "from": 2, "to": 1}, {"numeric": True, "from": 1}])
def test_a_word_takes_levels_and_nothing_else(sex: Any) -> None:
    frame = pandas.DataFrame({"sex": ["f", "m"]})
    with pytest.raises(JobError):
        sc.run({"quasi_identifiers": {"sex": sex}, "requirement": {"k": 1}}, frame=frame)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("algorithm", [*FULL, *LOCAL, "cell-suppression", "attribute-suppression"])
def test_no_more_cells_are_suppressed_than_may_be_or_nothing_is_written(algorithm: str, tmp_path: Path) -> None:
    """Just enough is taken, and one row less refused; the release of before stays."""
    place, frame = tmp_path / "released.csv", table(3)

    def released(most: str) -> float:
        hierarchies = {"zip": {"digits": 4, "max_suppressed": most}, "born": {"dates": ["year", "decade"]},
                       "sex": {"suppress": True, "max_suppressed": 1}}  # fmt: skip
        asked = {**job(algorithm), "quasi_identifiers": hierarchies, "output": {"path": str(place)}}
        sc.run(asked, frame=frame)
        return float((pandas.read_csv(place, dtype=str)["zip"] == "*").mean())

    share = released("1")
    before = place.read_bytes()
    assert released(f"{min(share + 1e-6, 1):.7f}") == share
    if share:
        with pytest.raises(RequirementError, match=r"of the released cells of 'zip' are suppressed"):
            released(f"{share - 1 / 120:.4f}")
        assert place.read_bytes() == before


def test_as_many_cells_are_suppressed_as_may_be() -> None:
    def released(most: str) -> list[str]:
        hierarchies = {"sex": {"suppress": True, "max_suppressed": most}}
        frame = pandas.DataFrame({"sex": ["f", "f", "m", "x"]})
        asked = {"quasi_identifiers": hierarchies, "requirement": {"k": 2}, "algorithm": {"name": "unrestricted"}}
        return sorted(sc.run(asked, frame=frame).to_pandas()["sex"])

    assert released("0.5") == ["*", "*", "f", "f"]
    with pytest.raises(RequirementError, match=r"50\.0% of the released cells of 'sex' are suppressed"):
        released("0.499")


@pytest.mark.parametrize(
    ("zip_", "said"),
    [({"to": 2, "max_suppressed": 0.1}, "no cell becomes the top level"), ({"max_suppressed": 1.1}, "max_suppressed")],
)
def test_a_share_of_suppressed_cells_that_nobody_could_hold_is_refused(zip_: dict[str, Any], said: str) -> None:
    asked = {"quasi_identifiers": {"zip": {"digits": 4, **zip_}}, "others": "identifiers", "requirement": {"k": 1}}
    with pytest.raises(JobError, match=said):
        sc.run(asked, frame=table(1))


def test_no_script_is_written_that_would_not_count_suppressed_cells() -> None:
    asked = {"quasi_identifiers": {"zip": {"digits": 4, "max_suppressed": 1}}, "others": "identifiers"}
    with pytest.raises(JobError, match="a script cannot check max_suppressed when it runs"):
        sc.compile({**asked, "requirement": {"k": 1}}, frame=table(1))


ALONE = {"zip": {"digits": 4, "from": 4}, "sex": {"suppress": True, "to": 0}}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("algorithm", [*FULL, *LOCAL, "kaca", "cell-suppression", "attribute-suppression"])
def test_columns_of_one_level_each_have_one_release(algorithm: str) -> None:
    """Whose measures are numbers: those of the level that there is."""
    zips = {"digits": 4, "to": 0} if "suppression" in algorithm else ALONE["zip"]
    frame = pandas.DataFrame({"zip": ["5715"] * 6, "sex": ["f", "m"] * 3, "outcome": ["a", "b", "b"] * 2})
    described = job(algorithm, quasi_identifiers={**ALONE, "zip": zips})
    release = sc.run(described, frame=frame)
    assert sorted(set(release.to_native()["sex"])) == ["f", "m"]
    measures = release.result.measures
    share = 0 if "suppression" in algorithm else ALONE["zip"]["from"] / 4 / 2
    assert (measures.precision, measures.distortion, measures.distortion_ratio) == (1 - share, 12 * share, share)
    weights = [1 / 4, 1 / 3, 1 / 2, 1]
    ratio = 0 if "suppression" in algorithm else sum(weights[: ALONE["zip"]["from"]]) / sum(weights) / 2
    assert measures.height_distortion == pytest.approx(12 * ratio)
    assert measures.height_distortion_ratio == pytest.approx(ratio)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("minimize", ["precision", "distortion", "loss", "height"])
def test_no_objective_asks_how_far_a_column_of_one_level_climbs(minimize: str) -> None:
    described = job("witness", quasi_identifiers={"zip": {"digits": 4}, "sex": ALONE["sex"]}, others="identifiers")
    frame = pandas.DataFrame({"zip": ["5715", "5716"] * 6, "sex": ["f", "m"] * 6, "outcome": ["a", "b"] * 6})
    recoding = sc.run({**described, "objective": {"minimize": minimize}}, frame=frame).result.recoding
    assert recoding.levels == {"zip": 0, "sex": 0}


def test_persons_as_sets_are_not_shown_beneath_the_floor_where_nothing_else_changes() -> None:
    frame = pandas.DataFrame({"zip": ["5715", "5724"] * 4 + ["7715"], "who": list("aabbccdde")})
    asked = {"quasi_identifiers": {"zip": {"digits": 4, "from": 2}}, "person": {"column": "who", "as": "set"},
             "algorithm": {"name": "bottom-up"}, "requirement": {"k": 4, "suppression": 0.2}}  # fmt: skip
    assert set(sc.run(asked, frame=frame).to_native()["zip"]) == {"57**"}


def test_a_cell_is_modified_where_one_of_the_values_that_the_floor_makes_one_reads_otherwise() -> None:
    levels = {"a": ["a", "x"], "b": ["a", "x"], "c": ["c", "x"]}
    asked = {"quasi_identifiers": {"v": {"levels": levels, "from": 1}}, "requirement": {"k": 2}}
    rates = [
        sc.run(asked, frame=pandas.DataFrame({"v": list(order)})).result.measures.modification_rate
        for order in ("aabbcc", "bbaacc")
    ]
    assert rates == [pytest.approx(4 / 6)] * 2
