"""Measures against the worked numbers of Li, Wong, Fu, Pei (2006 and 2008)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from starcloak.job.result import Measures
from starcloak.releases import release_measures
from starcloak.star.star import Star
from starcloak.statements.statement import Name, Statement
from starcloak.verify.recount import Classes
from tests import weighed

GENDER = {"tree": {"person": ["male", "female"]}}
AGE = {"tree": {"person": ["young", "middle", "old"]}}
POSTCODE = {"digits": 4}  # 4350, 435*, 43**, 4***, *

RAW_2006 = [("male", "middle", "4350")] * 2 + [("male", "young", "4351"), ("female", "young", "4352")]
RAW_2006 += [("female", "old", "4353")] * 2
RAW_2008 = [("male", "middle", "4350")] * 3 + [("female", "middle", "4352")] + [("female", "old", "4353")] * 2


def job(k: int = 2) -> dict[str, Any]:
    return {
        "quasi_identifiers": {"gender": "suppress", "age": "suppress", "postcode": POSTCODE},
        "requirement": {"k": k},
    }


def frame(rows: list[tuple[str, ...]]) -> pandas.DataFrame:
    return pandas.DataFrame(rows, columns=["gender", "age", "postcode"], dtype=object)


def measured(star: Star, levels: list[tuple[int, int, int]], k: int = 2) -> Measures:
    """Measures of a recoding that gives each row of the source the levels of the same position."""
    connection = star.session.connection
    connection.execute("create or replace table numbered as select *, row_number() over () as line from frame")
    connection.execute(
        "create or replace table chosen (line bigint, level_1 utinyint, level_2 utinyint, level_3 utinyint)"
    )
    connection.executemany("insert into chosen values (?, ?, ?, ?)", [(i, *row) for i, row in enumerate(levels, 1)])
    connection.execute(
        """
        create or replace table recoding as
        select d1.code as code_1, d2.code as code_2, d3.code as code_3,
            chosen.level_1, chosen.level_2, chosen.level_3, 1 as frequency, false as suppressed
        from numbered
        join chosen using (line)
        join dimension_gender as d1 on d1.value = gender
        join dimension_age as d2 on d2.value = age
        join dimension_postcode as d3 on d3.value = postcode
        """
    )
    found = release_measures.measure_recoding(star)
    return Measures(
        **release_measures.complete_measures(
            found, Classes(3, len(levels), 2, 12, (2,)), k=k, rows=len(levels), suppressed=0
        )
    )


@pytest.fixture
def raw_2006(star_of: Callable[..., Star]) -> Star:
    return star_of(job(), frame(RAW_2006))


def test_local_recoding_of_table_1b_2006(raw_2006: Star) -> None:
    """Modification rate 22.2 %, distortion 1.25 per changed tuple and 2.5 in all."""
    result = measured(raw_2006, [(0, 0, 0)] * 2 + [(1, 0, 1)] * 2 + [(0, 0, 0)] * 2)
    assert result.modification_rate == pytest.approx(4 / 18)
    assert result.distortion == pytest.approx(2.5)
    assert result.distortion_ratio == pytest.approx(2.5 / 18)
    assert result.inconsistency == pytest.approx({"gender": 1 / 3, "age": 0, "postcode": 1 / 3})
    assert result.generalization_portion == result.inconsistency  # Lemma 3: less than a half is


def test_global_recoding_of_table_1c_2006(raw_2006: Star) -> None:
    result = measured(raw_2006, [(1, 0, 1)] * 6)
    assert result.modification_rate == pytest.approx(0.667, abs=0.001)
    assert result.inconsistency == result.generalization_portion == {"gender": 0, "age": 0, "postcode": 0}


def test_views_of_table_1_2008(star_of: Callable[..., Star]) -> None:
    """(b) global: 66.7 %, 1.25 per tuple, 7.5; (c) multidimensional: 33.3 %."""
    star = star_of(job(), frame(RAW_2008))
    everywhere = measured(star, [(1, 0, 1)] * 6)
    assert everywhere.modification_rate == pytest.approx(12 / 18)
    assert everywhere.distortion == pytest.approx(7.5)
    multidimensional = measured(star, [(0, 0, 0)] * 3 + [(0, 1, 1)] * 3)
    assert multidimensional.modification_rate == pytest.approx(6 / 18)


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_weighted_hierarchical_distance(beta: float, star_of: Callable[..., Star]) -> None:
    """Definition 5: WHD(6, 4) = 0.4 and WHD(2, 1) = 1 uniform; WHD(6, 5) = 0.087 with height weights of beta 1."""
    dates = {"dates": ["month", "year", "decade", "century"]}
    star = star_of(
        {"quasi_identifiers": {"birth": dates, "sex": "suppress"}, "requirement": {"k": 1}},
        pandas.DataFrame({"birth": ["1976-01-21"], "sex": ["male"]}),
    )
    hierarchies = release_measures.hierarchies_of(star)
    star.session.create(Name("distance"), Statement("measures/distance", hierarchies=hierarchies), {"beta": beta})
    sql = "select dimension, level, uniform, height from distance"
    rows = {(d, level): (u, h) for d, level, u, h in star.session.connection.execute(sql).fetchall()}
    assert rows[1, 2][0] == pytest.approx(0.4)
    assert rows[2, 1] == (1, 1)
    weights = [1 / j**beta for j in (5, 4, 3, 2, 1)]
    assert rows[1, 1][1] == pytest.approx(weights[0] / sum(weights))
    assert rows[1, 5][1] == pytest.approx(1)
    if beta == 1:
        assert rows[1, 1][1] == pytest.approx(0.087, abs=0.001)
        # "the distortion of one cell from M/F to * is more than that of 11 cells from D/M/Y to M/Y"
        assert rows[2, 1][1] > 11 * rows[1, 1][1]


def test_the_base_of_an_attribute_is_the_most_specific_level_in_use(star_of: Callable[..., Star]) -> None:
    """Definition 13's dates of birth: 0, 20, 40, 20 and 20 % at their levels; Definition 12 of the same, 60 %."""
    star = star_of(
        {"quasi_identifiers": {"birth": {"dates": ["month", "year", "decade"]}}, "requirement": {"k": 1}},
        pandas.DataFrame({"birth": [f"197{year}-01-21" for year in range(5)]}),
    )
    star.session.connection.execute(
        """
        create or replace table recoding as
        select code as code_1, [1, 2, 2, 3, 4][row_number() over (order by value)]::utinyint as level_1,
            1 as frequency, false as suppressed
        from dimension_birth
        """
    )
    classes = Classes(1, 5, 5, 25, (5,))
    found = Measures(
        **release_measures.complete_measures(
            release_measures.measure_recoding(star), classes, k=1, rows=5, suppressed=0
        )
    )
    assert found.generalization_portion == {"birth": pytest.approx(0.8)}
    assert found.inconsistency == {"birth": pytest.approx(0.6)}


def test_a_release_measures_as_its_definition() -> None:
    """DM and CAVG (2008, section 4) of Table 1 (b): classes of 4 and 2 rows."""
    report = pipeline.run(weighed.by_height(job(), {"age": 5}), frame=frame(RAW_2008)).result
    assert report.recoding.levels == {"gender": 1, "age": 0, "postcode": 1}
    assert report.measures.discernibility == 4**2 + 2**2
    assert report.measures.average_class_size == pytest.approx((6 / 2) / 2)
    assert report.measures.classes == 2


def test_a_suppressed_row_counts_as_fully_generalized() -> None:
    rows = [("male", "old", "4350")] * 5 + [("female", "young", "9999")]
    described = job() | {"requirement": {"k": 2, "suppression": "0.2"}}
    report = pipeline.run(described, frame=frame(rows)).result
    assert report.recoding.levels == {"gender": 0, "age": 0, "postcode": 0}
    assert report.suppressed_rows == 1
    measured = report.measures
    assert measured.distortion == measured.height_distortion == 3
    assert measured.modification_rate == measured.distortion_ratio == measured.loss == pytest.approx(1 / 6)
    assert measured.precision == pytest.approx(5 / 6)
    assert measured.discernibility == 5**2 + 6
    assert measured.average_class_size == 5 / 1 / 2
    assert measured.rows_per_class == 5
    assert measured.attribute_loss == pytest.approx(dict.fromkeys(("gender", "age", "postcode"), 1 / 6))
    assert measured.level_shares == {"gender": {"0": 1}, "age": {"0": 1}, "postcode": {"0": 1}}


def test_levels_and_loss_are_told_per_attribute(raw_2006: Star) -> None:
    result = measured(raw_2006, [(0, 0, 0)] * 2 + [(1, 0, 1)] * 2 + [(0, 0, 0)] * 2)
    mixed = pytest.approx({"0": 2 / 3, "1": 1 / 3})
    assert result.level_shares == {"gender": mixed, "age": {"0": 1}, "postcode": mixed}
    assert result.attribute_loss["age"] == 0
    assert result.loss == pytest.approx(sum(result.attribute_loss.values()) / 3)
    assert 0 < result.attribute_loss["postcode"] <= result.attribute_loss["gender"] == pytest.approx(1 / 3)


def test_a_summary_tells_shares_of_levels_where_rows_differ_and_minimal_nodes_have_names(tmp_path: Path) -> None:
    rows = pandas.DataFrame({"zip": ["11", "11", "21", "22"], "sex": ["m", "m", "f", "f"]})
    rows.to_csv(tmp_path / "p.csv", index=False)
    described = {
        "source": {"path": str(tmp_path / "p.csv")},
        "quasi_identifiers": {"zip": {"digits": 2}, "sex": "suppress"},
        "requirement": {"k": 2},
        "output": {"path": str(tmp_path / "o.csv")},
    }
    told = {}
    for name in ("kaca", "witness"):
        (tmp_path / "job.yaml").write_text(yaml.safe_dump({**described, "algorithm": {"name": name}}, sort_keys=False))
        done = CliRunner().invoke(cli, ["run", str(tmp_path / "job.yaml")])
        assert done.exit_code == 0, done.exception
        told[name] = done.output
    assert "levels      zip 50.0% as it is + 50.0% 1 digit, sex as it is\n" in told["kaca"]
    assert "levels      zip 1 digit, sex as it is\n" in told["witness"]
    assert "2 classes of 2.0 rows on average" in told["kaca"]
    (tmp_path / "job.yaml").write_text(yaml.safe_dump({**described, "requirement": {"k": 4}}, sort_keys=False))
    assert "1 class of 4 rows, " in CliRunner().invoke(cli, ["run", str(tmp_path / "job.yaml"), "--force"]).output
    (tmp_path / "o.csv").unlink()
    search = pipeline.run(described).result.search
    assert search.minimal == [[1, 0]] and search.minimal_levels == [{"zip": 1, "sex": 0}]
    every = [{"zip": 1, "sex": 0}, {"zip": 1, "sex": 1}, {"zip": 2, "sex": 0}, {"zip": 2, "sex": 1}]
    assert search.anonymous_levels == every and search.anonymous_nodes == len(every)
    assert sc.read_release(tmp_path / "o.csv").search == search
    (tmp_path / "o.csv").write_text("zip,sex\n")
    with pytest.raises(sc.SourceError, match="was changed after its run"):
        sc.read_release(tmp_path / "o.csv")


@pytest.mark.parametrize("insight", ["auto", "off"])
def test_a_result_tells_class_sizes_and_no_few_classes(insight: str, tmp_path: Path) -> None:
    sizes = {"a": 3, "b": 3, "c": 3, "d": 4, "e": 13}
    rows = pandas.DataFrame({"x": [value for value, times in sizes.items() for _ in range(times)]})
    job = {"quasi_identifiers": {"x": "suppress"}, "requirement": {"k": 3}, "insight": insight}
    output = {"path": str(tmp_path / "o.parquet")}
    told = [each.model_dump() for each in sc.run({**job, "output": output}, frame=rows).result.class_sizes]
    assert told == [
        {"least": 3, "most": 5, "classes": 4, "rows": 13},
        {"least": 12, "most": 23, "classes": None, "rows": 13},
    ]
    assert [each.model_dump() for each in sc.read_release(tmp_path / "o.parquet").class_sizes] == told


def test_a_result_lists_a_hundred_nodes_at_most() -> None:
    names = [f"a{number}" for number in range(7)]
    rows = pandas.DataFrame({name: ["x", "y"] * 4 for name in names})
    search = sc.anonymize(rows, quasi_identifiers=dict.fromkeys(names, "suppress"), k=2).result.search
    assert (search.anonymous_nodes, len(search.anonymous_levels)) == (128, 100)
    heights = [sum(levels.values()) for levels in search.anonymous_levels]
    assert heights == sorted(heights) and heights[0] == 0


def test_measures_of_a_release_without_rows_are_those_of_rows_left_out() -> None:
    rows = [("male", "old", "4350"), ("female", "young", "9999")]
    fixed = {name: {"tree": {"any": sorted({row[at] for row in rows})}} for at, name in enumerate(("gender", "age"))}
    described = {
        "quasi_identifiers": {**fixed, "postcode": POSTCODE},
        "requirement": {"k": 2, "suppression": "1"},
        "objective": {"minimize": "height"},
    }
    found = pipeline.run(described, frame=frame(rows)).result.measures
    assert found.classes == 0
    assert found.rows_per_class is None and found.level_shares == {"gender": {}, "age": {}, "postcode": {}}
    assert set(found.attribute_loss.values()) == {1} and set(found.inconsistency.values()) == {0}
