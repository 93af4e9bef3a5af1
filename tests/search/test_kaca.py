"""KACA against the worked numbers of its papers, its lemmas, and the definitions in plain Python."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import JobError, RequirementError
from starcloak.commands import pipeline
from starcloak.releases import release_measures
from starcloak.search.kaca import classes, merge, nearest, trees, weights
from starcloak.search.kaca import search as kaca
from starcloak.search.kaca.classes import CLASSES, NEAREST
from starcloak.search.kaca.settings import Kaca
from starcloak.star.recoding import local
from starcloak.statements.statement import Name, Statement
from starcloak.verify.recount import Classes
from tests import demands, weighed
from tests.daily import some_daily
from tests.full_domain import opened
from tests.oracle import HIERARCHIES, TREES
from tests.search.clusterings import (
    EXECUTIONS,
    GENERALIZED,
    MARRIED,
    PEOPLE,
    POSTCODE,
    RAW_2006,
    RAW_2008,
    ROWS,
    SEEDS,
    TABLE_2,
    TABLE_3,
    Tuple_,
    climbed,
    clustering_of,
    common,
    described,
    distance,
    read_classes,
    rows_of,
    table,
)

RAW_2006 += [("female", "old", "4353")] * 2


@pytest.mark.parametrize(("beta", "expected"), [(1, 0.087), (2, 0.0273)])
def test_weighted_hierarchical_distance(beta: int, expected: float) -> None:
    """Definition 5: WHD(6, 4) = 0.4, WHD(2, 1) = 1, and WHD(6, 5) = 0.087 for height weights of beta 1."""
    qis = {"birth": {"dates": ["month", "year", "decade", "century"]}, "sex": "suppress"}
    with opened(described(qis, 1), table(qis, [("1976-01-21", "m")])) as built:
        uniform = weights.exact(built, Kaca().weights, most=1)
        assert Fraction(uniform.climbed[0][2], uniform.one) == Fraction(2, 5)
        assert Fraction(uniform.climbed[1][1], uniform.one) == 1
        height = Kaca.model_validate({"weights": {"scheme": "height", "beta": beta}})
        scale = weights.exact(built, height.weights, most=1)
        assert scale.climbed[0][1] / scale.one == pytest.approx(expected, abs=0.001)
        assert scale.climbed[0][5] == scale.climbed[1][1] == scale.one


def test_weights_of_levels_and_importance_of_attributes() -> None:
    """Han et al. 2014, section 2.2.2: 0.7 and 1.4.

    Its formula divides by the number of levels, the root's included, where Li et al. divide by the number of steps:
    1/2 + 1/5 instead of 1/1 + 1/4. With importance 1/2 and 4/5 that is the same distance.
    """
    qis = {"gender": "suppress", "pcode": POSTCODE}
    rows = [("female", "4661"), ("male", "4663")]
    important = weighed.beside(qis, {"gender": "0.5", "pcode": "0.8"})
    with opened(described(important, 2), table(qis, rows)) as built:
        scale = weights.exact(built, Kaca().weights, most=2)
        assert Fraction(scale.climbed[0][1] + scale.climbed[1][1], scale.one) == Fraction(7, 10)
        done = kaca.cluster(built, demands.rows(2, built), Kaca(), allowed=0, seed=1)
        assert done.distortion == pytest.approx(1.4)
    with opened(described(qis, 2), table(qis, rows)) as built:
        own = Kaca.model_validate({"weights": {"levels": {"pcode": [1, 2, 3, 4]}}})
        scale = weights.exact(built, own.weights, most=2)
        assert [Fraction(level, scale.one) for level in scale.climbed[1]] == [
            0,
            *(Fraction(x, 10) for x in (1, 3, 6)),
            1,
        ]


def test_an_irrational_weight_is_rounded_finely() -> None:
    qis = {"pcode": POSTCODE}
    with opened(described(qis, 2), table(qis, [("4661",), ("4662",)])) as built:
        chosen = Kaca.model_validate({"weights": {"scheme": "height", "beta": "1.5"}})
        scale = weights.exact(built, chosen.weights, most=2)
    steps = [j**-1.5 for j in (4, 3, 2, 1)]
    assert scale.climbed[0][2] / scale.one == pytest.approx(sum(steps[:2]) / sum(steps), abs=1e-8)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("variant", ["kaca", "kaca1"])
@pytest.mark.parametrize(
    ("raw", "view", "modified", "cost"),
    [
        (RAW_2006, RAW_2006[:2] + [("*", "young", "435*")] * 2 + RAW_2006[4:], 4 / 18, 2.5),
        # Table 1d: the class of three is split into a stub of one and a trunk of two.
        (RAW_2008, RAW_2008[:2] + [("*", "middle", "435*")] * 2 + RAW_2008[4:], 4 / 18, 2.5),
    ],
)
def test_table_1(raw: list[Any], view: list[Any], modified: float, cost: float, variant: str, execution: str) -> None:
    """Table 1b of 2006 (modification rate 22.2 %, distortion 2.5) and Table 1d of 2008."""
    job = described(PEOPLE, 2, variant=variant, execution=execution)
    release = pipeline.run(job, frame=table(PEOPLE, raw))
    assert Counter(release.to_pandas().itertuples(index=False, name=None)) == Counter(view)
    assert release.measures.modification_rate == pytest.approx(modified)
    assert release.measures.distortion == pytest.approx(cost)
    assert release.result.search.clustering is not None
    assert release.result.search.clustering.distortion == pytest.approx(cost)
    assert release.result.search.clustering.splits == (raw is RAW_2008)
    assert release.result.recoding.model == "local"


def test_distance_of_the_worked_example() -> None:
    """Definition 9: {male, young, 4351} and {female, young, 4352} are 2.5 apart."""
    rows = [("male", "young", "4351"), ("female", "young", "4352")]
    with opened(described(PEOPLE, 2), table(PEOPLE, rows)) as built:
        scale = weights.exact(built, Kaca().weights, most=2)
        clustering = classes.form(built, scale, levels=(0, 0, 0), demand=demands.rows(2), seed=1)
        found = built.session.run(nearest.all_pairs(clustering, seekers=CLASSES), {"seed": 1})
    assert {(a, b): Fraction(d, scale.one) for a, d, b in found} == {(1, 2): Fraction(5, 2), (2, 1): Fraction(5, 2)}


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_racing_attributes_of_table_2(execution: str) -> None:
    """Both views are reachable, at the same distortion."""
    views = set()
    for seed in range(6):
        job = described(MARRIED, 2, execution=execution) | {"seed": seed}
        release = pipeline.run(job, frame=table(MARRIED, TABLE_2))
        assert release.measures.distortion == 4
        views.add(tuple(sorted(release.to_pandas().itertuples(index=False, name=None))))
        if len(views) == 2:
            break
    one = [("*", "married")] * 2 + [("*", "unmarried")] * 2
    other = [("female", "*")] * 2 + [("male", "*")] * 2
    assert views == {tuple(one), tuple(other)}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_racing_attributes_of_table_3(execution: str) -> None:
    """Table 3b has an inconsistency of 50 %; priority for marriage makes it Table 3c, 0 %."""
    seen = set()
    for seed in range(12):
        job = described(MARRIED, 2, execution=execution) | {"seed": seed}
        measures = pipeline.run(job, frame=table(MARRIED, TABLE_3)).measures
        assert measures.data_set_inconsistency == max(measures.inconsistency.values())
        seen.add(tuple(measures.inconsistency.values()))
        if (0.5, 0.5) in seen:
            break
    for seed in range(2):
        job = described(MARRIED, 2, execution=execution, priority=["marriage"]) | {"seed": seed}
        release = pipeline.run(job, frame=table(MARRIED, TABLE_3))
        assert release.measures.inconsistency == {"gender": 0, "marriage": 0}
        assert release.measures.data_set_inconsistency == 0
        view = Counter(release.to_pandas().itertuples(index=False, name=None))
        assert view == {("male", "*"): 4, ("female", "*"): 4}
    assert (0.5, 0.5) in seen


@given(GENERALIZED, GENERALIZED, GENERALIZED)
def test_lemma_1(one: Tuple_, two: Tuple_, three: Tuple_) -> None:
    """The distance between tuples is a metric. (That between classes is not: it breaks the triangle inequality.)"""
    assert distance(one, 1, one, 1) == 0
    assert distance(one, 1, two, 1) == distance(two, 1, one, 1)
    assert distance(one, 1, three, 1) <= distance(one, 1, two, 1) + distance(two, 1, three, 1)


@given(GENERALIZED, GENERALIZED, GENERALIZED)
def test_lemma_2(one: Tuple_, two: Tuple_, three: Tuple_) -> None:
    """The order of generalization does not matter."""
    left = distance(one, 1, two, 1) + distance(common(one, two), 2, three, 1)
    assert left == distance(two, 1, three, 1) + distance(one, 1, common(two, three), 2)


@given(ROWS, SEEDS, st.integers(2, 4), st.sampled_from(["uniform", "height"]), st.sampled_from([400, 0, 10]))
@settings(max_examples=4)
def test_nearest_is_exactly_nearest(rows: list[Any], seed: int, k: int, scheme: str, tabulated: int) -> None:
    """All pairs find, at every round, what plain Python finds.

    Also where hierarchies have too many values for a table of their pairs.
    """
    with (
        pytest.MonkeyPatch.context() as patched,
        opened(described(HIERARCHIES, k), table(HIERARCHIES, rows)) as built,
    ):
        patched.setattr(trees, "_TABULATED", tabulated)
        clustering = clustering_of(built, k, seed, weights={"scheme": scheme})
        unit = weights.exact(built, Kaca(weights={"scheme": scheme}).weights, most=k).one
        session, number = built.session, 0
        while clustering.progress()[1]:
            number += 1
            nearest.nearest(clustering, number=number, pairs=0)
            found = rows_of(session, NEAREST)
            standing = read_classes(built)
            assert {id for id, *_ in found} == {id for id, (_, size) in standing.items() if size < k}
            if scheme == "uniform":
                for id, distance_found, partner in found:
                    one, size = standing[id]
                    best = min(distance(one, size, *other, k) for at, other in standing.items() if at != id)
                    assert Fraction(distance_found, unit) == best == distance(one, size, *standing[partner], k)
            session.create(merge.OFFERS, merge.offers(clustering, NEAREST), {"seed": seed, "round": number})
            assert merge.independent(clustering) > 0
            merge.merge(clustering)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_class_gives_stubs_as_long_as_k_of_its_rows_are_left(seed: int) -> None:
    """Definition 14, of small and large classes."""
    random, k, qis = Random(seed), 5, {"a": {"digits": 2}, "b": {"digits": 3}, "c": {"digits": 2}}
    domains = [["".join(digits) for digits in product("0123", repeat=digits["digits"])] for digits in qis.values()]
    # Many tuples of a row, and a few of many rows.
    tuples = [tuple(domain[int(len(domain) * random.random() ** 2)] for domain in domains) for _ in range(150)]
    rows = [row for row in tuples for _ in range(random.choice([1, 1, 1, 1, 2, 3, 12, 40]))]
    with opened(described(qis, k), table(qis, rows)) as built:
        clustering = clustering_of(built, k, seed)
        session, number, binds = built.session, 0, {"seed": seed}
        while clustering.progress()[1]:
            number += 1
            sizes = dict(session.connection.execute("select id, frequency from kaca_classes").fetchall())
            nearest.nearest(clustering, number=number, pairs=0)
            session.create(merge.OFFERS, merge.offers(clustering, NEAREST), {**binds, "round": number})
            offered = session.connection.execute(f"select id, partner from {merge.OFFERS.sql()}").fetchall()
            assert merge.independent(clustering) > 0
            mergers = session.connection.execute("select id, partner, whole, taken from kaca_mergers").fetchall()
            given = Counter[int]()
            for id, partner, whole, taken in mergers:
                assert whole == (sizes[id] + sizes[partner] < 2 * k)
                assert taken == (sizes[partner] if whole else k - sizes[id])
                given[partner] += taken
            touched = Counter(part for id, partner, whole, _ in mergers for part in ((id, partner) if whole else (id,)))
            assert set(touched.values()) == {1} and not touched.keys() & {each[1] for each in mergers if not each[2]}
            assert all(sizes[partner] - rows >= k for partner, rows in given.items() if partner not in touched)
            # Whatever was not accepted meets what was, or would leave too little.
            taking_part = touched.keys() | given.keys()
            assert all(id in taking_part or partner in taking_part for id, partner in offered)
            merge.merge(clustering)


@given(ROWS, SEEDS, st.integers(2, 4), st.sampled_from(EXECUTIONS))
@settings(max_examples=4)
def test_every_class_has_k_rows_and_distortions_agree(rows: list[Any], seed: int, k: int, execution: str) -> None:
    """Distortion counted from rows, from classes and as reported agree; Lemmas 3 and 4 hold for the result."""
    with opened(described(HIERARCHIES, k), table(HIERARCHIES, rows)) as built:
        done = kaca.cluster(built, demands.rows(k, built), Kaca(execution=execution), allowed=0, seed=seed)
        session = built.session
        whole = Classes(1, len(rows), len(rows), 1, ())
        measured = release_measures.complete_measures(
            release_measures.measure_recoding(built), whole, k=k, rows=len(rows), suppressed=0
        )
        connection = session.connection
        sizes = [rows for (rows,) in connection.execute("select frequency from kaca_classes").fetchall()]
        shares = connection.execute("select class, sum(frequency) from kaca_shares group by 1").fetchall()
        standing = dict(connection.execute("select id, frequency from kaca_classes").fetchall())
        cells = connection.execute("select level_1, level_2, level_3, frequency from recoding").fetchall()
        local.recode(built, seed=seed)
        mapped = connection.execute("select sum(upper - lower), count(*), count(upper) from mapping").fetchone()
    assert min(sizes) >= k and sum(sizes) == len(rows)
    assert dict(shares) == standing
    assert mapped is not None and mapped[1:] == (len(cells), len(cells) - len(set(rows)))
    from_rows = sum(
        (
            frequency * climbed(height)[level]
            for *levels, frequency in cells
            for level, height in zip(levels, (1, 2, 3), strict=True)
        ),
        Fraction(0),
    )
    assert done.distortion == pytest.approx(float(from_rows))
    assert measured["distortion"] == pytest.approx(float(from_rows))
    for place, name in enumerate(HIERARCHIES):
        spread: Counter[int] = Counter()
        for *levels, frequency in cells:
            spread[levels[place]] += frequency
        inconsistent = 1 - Fraction(max(spread.values()), len(rows))
        portion = 1 - Fraction(spread[min(spread)], len(rows))
        assert measured["inconsistency"][name] == pytest.approx(float(inconsistent))
        if portion < Fraction(1, 2):  # Lemma 3
            assert inconsistent == portion
        values = Counter(row[place] for row in rows)
        bound = sum(count for count in values.values() if count < k)
        # Lemma 4, of the portion above the leaves, the base domain it speaks of.
        assert sum(count for level, count in spread.items() if level) >= bound


@given(ROWS, SEEDS, st.integers(2, 4), st.sampled_from(EXECUTIONS), st.sampled_from(["0", "0.1", "0.34", "1"]))
@settings(max_examples=4)
def test_kaca2_keeps_the_maximum_inconsistency(rows: list[Any], seed: int, k: int, execution: str, most: str) -> None:
    job = described(HIERARCHIES, k, variant="kaca2", execution=execution, max_inconsistency=most) | {"seed": seed}
    release = pipeline.run(job, frame=table(HIERARCHIES, rows))
    assert release.k is not None and release.k >= k
    assert max(release.measures.inconsistency.values()) <= float(most) + 1e-9
    done = release.result.search.clustering
    assert done is not None
    for place, tree in enumerate(TREES):
        # Lines 1 to 3: the first level whose lower bound is below the maximum, or 0.
        height = len(next(iter(tree.values()))) - 1
        for level in range(height + 1):
            counts = Counter(tree[row[place]][level] for row in rows)
            bound = sum(count for count in counts.values() if count < k)
            if not bound or Fraction(bound, len(rows)) < Fraction(most):
                break
        assert done.global_levels[place] == level
        assert done.lowest_levels[place] >= level


@given(ROWS, SEEDS, st.sampled_from(EXECUTIONS))
@settings(max_examples=4)
def test_a_seed_decides_everything(rows: list[Any], seed: int, execution: str) -> None:
    found = []
    for order, threads in ((rows, 1), (rows[::-1], 2)):
        with opened(described(HIERARCHIES, 3), table(HIERARCHIES, order), threads=threads) as built:
            kaca.cluster(built, demands.rows(3, built), Kaca(execution=execution), allowed=0, seed=seed)
            found.append(sorted(rows_of(built.session, Name("recoding"))))
    assert found[0] == found[1]


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_one_class_that_violates_is_refused_as_nothing_is_left_to_join(execution: str) -> None:
    qis = dict(HIERARCHIES)
    rows = [("m", "a", "000"), ("f", "b", "000"), ("f", "c", "110"), ("f", "d", "001"), ("m", "d", "111")]
    with (
        opened(described(qis, 2), table(qis, rows)) as built,
        pytest.raises(RequirementError, match="the last rows fit no class"),
    ):
        kaca.cluster(built, demands.rows(6, built), Kaca(execution=execution), allowed=0, seed=1)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("execution", "suppressed"), some_daily(EXECUTIONS, range(3), each=3))
def test_outliers_are_suppressed_within_the_share(suppressed: int, execution: str) -> None:
    """Li et al. 2006, section 5: far classes are suppressed instead of generalized."""
    suppression = ("0", "0.1", "0.5")[suppressed]
    rows = [("m", "a", "000")] * 4 + [("m", "b", "000")] * 4 + [("f", "c", "110"), ("f", "d", "001")]
    qis = dict(HIERARCHIES)
    job = described(qis, 3, suppression, distance_threshold=2, execution=execution)
    release = pipeline.run(job, frame=table(qis, rows))
    assert release.result.suppressed_rows == suppressed
    done = release.result.search.clustering
    assert done is not None and (done.outliers, done.suppressed) == (suppressed, suppressed)
    if suppressed == 2:
        assert Counter(release.to_pandas().itertuples(index=False, name=None)) == Counter(rows[:8])
    # Farther than anything: nobody is an outlier.
    job = described(qis, 3, suppression, distance_threshold=100, execution=execution)
    assert pipeline.run(job, frame=table(qis, rows)).result.suppressed_rows == 0


@given(ROWS, SEEDS)
@settings(max_examples=4)
def test_kept_cells_stay_with_a_tuple_of_their_own_rows(rows: list[Any], seed: int) -> None:
    """Copies of a row included, and a column called copy."""
    frame = table(HIERARCHIES, rows)
    frame["copy"] = [f"{number % 3}" for number in range(len(rows))]
    job = described(HIERARCHIES, 3) | {"seed": seed, "sensitive": ["copy"]}
    release = pipeline.run(job, frame=frame)
    made = release.to_pandas()
    assert sorted(made["copy"]) == sorted(frame["copy"])
    parents = Counter()  # every released row lies above some source row of the same kept cell
    for *cells, kept in made.itertuples(index=False, name=None):
        parents[kept] += any(
            all(cell in tree[leaf] for cell, tree, leaf in zip(cells, TREES, row, strict=True)) and kept == own
            for row, own in zip(rows, frame["copy"], strict=True)
        )
    assert sum(parents.values()) == len(rows)


def test_the_script_runs_in_the_databases_own_client(tmp_path: Path) -> None:
    rows = [("m", "a", "000")] * 9 + [("m", "b", "000"), ("f", "c", "110"), ("f", "d", "001")] * 2
    file = tmp_path / "there.duckdb"
    with duckdb.connect(str(file)) as connection:
        frame = table(HIERARCHIES, rows)  # noqa: F841 - read by the statement
        connection.execute("create table people as select * from frame")
    place = {"source": {"url": f"duckdb:///{file}", "table": "people"}, "output": {"table": "released"}}
    job = described(HIERARCHIES, 4, "0.2", distance_threshold=5) | place
    script = pipeline.compile(job)
    expected = pipeline.run(job).to_pandas()
    with duckdb.connect(str(file)) as connection:
        connection.execute("drop table released")
        connection.execute(script)
        made = connection.execute("select * from released").fetchall()
        assert len(made) == len(expected) < len(rows)
        assert Counter(made) == Counter(expected.itertuples(index=False, name=None))
        connection.execute("drop table released")
        connection.execute("insert into people values ('m', 'a', '000')")
    with duckdb.connect(str(file)) as connection, pytest.raises(duckdb.Error, match="not the source"):
        connection.execute(script)


def test_a_release_that_is_not_the_recodings_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verifier compares the tuples of the release with those of the recoding."""
    from starcloak.base.errors import VerificationError

    whole = local.Local.release

    def other(self: local.Local, read: Any) -> Statement:
        # All rows of the first class' tuples at the root: still k-anonymous, still values of the hierarchy.
        self.star.session.connection.execute("update mapping set level_1 = 1, level_2 = 1, level_3 = 4")
        return whole(self, read)

    monkeypatch.setattr(local.Local, "release", other)
    rows = RAW_2008 * 2 + [("male", "old", "1111"), ("female", "young", "2222")]
    with pytest.raises(VerificationError, match="rows differ from the recoding"):
        pipeline.run(described(PEOPLE, 2), frame=table(PEOPLE, rows))


@pytest.mark.parametrize(
    ("algorithm", "problem"),
    [
        ({"weights": {"scheme": "height", "beta": 0.5}}, "algorithm.weights.beta: must be greater than or equal to 1"),
        ({"weights": {"attributes": {"age": 2}}}, r"unknown key 'attributes'.* Write quasi_identifiers: .*importance"),
        ({"weights": {"levels": {"age": [-1]}}}, "algorithm.weights.levels.age.0: must be greater than or equal to 0"),
        ({"weights": {"levels": {"age": [1, 1]}}}, "algorithm.weights.levels.age: give 1 weights"),
        ({"weights": {"levels": {"agee": [1]}}}, "algorithm.weights.levels names 'agee'.*Did you mean 'age'"),
        ({"max_inconsistency": 1.1}, "algorithm.max_inconsistency: must be less than or equal to 1"),
        ({"max_inconsistency": -0.1}, "algorithm.max_inconsistency: must be greater than or equal to 0"),
        ({"priority": ["sex"]}, "algorithm.priority names 'sex'"),
        ({"distance_threshold": -1}, "algorithm.distance_threshold: must be greater than or equal to 0"),
        ({"variant": "kaca3"}, "algorithm.variant: must be 'kaca', 'kaca1' or 'kaca2'"),
        ({"beta": 1}, "unknown key 'beta'"),
    ],
)
def test_bad_input(algorithm: dict[str, Any], problem: str) -> None:
    with pytest.raises(JobError, match=problem) as raised:
        pipeline.run(described(PEOPLE, 2, **algorithm), frame=table(PEOPLE, RAW_2008))
    assert "\n" not in str(raised.value)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("levels", [{}, {"variant": "kaca2", "max_inconsistency": 0}])
def test_distances_whose_sum_has_more_than_31_bits_are_added_up(levels: dict[str, Any], execution: str) -> None:
    """Each of the two fits into 32 bits, as which DuckDB takes a number that is written out; their sum does not."""
    weights = {"scheme": "height", "beta": 2}
    job = described({"zip": POSTCODE, "code": {"digits": 3}}, 3, execution=execution, weights=weights, **levels)
    job["algorithm"]["priority"] = ["zip"]
    release = pipeline.run(job, frame=table({"zip": 0, "code": 0}, [("1111", "111"), ("1111", "222"), ("2222", "222")]))
    assert release.to_pandas().values.tolist() == [["*", "*"]] * 3
    assert release.measures.distortion == 6


def test_progress_tells_the_small_classes() -> None:
    told: list[str] = []
    resources = sc.Resources(progress=told.append)
    pipeline.run(described(PEOPLE, 2), frame=table(PEOPLE, RAW_2006), resources=resources)
    assert "search: 2 of 4 classes are small, 0 rounds" in told
