"""k of joined rows, beside an oracle that looks at one person after the other."""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.base.errors import RefusedRelease
from starcloak.commands.cli import cli
from starcloak.job.persons_result import JoinedKey, JoinedRows
from starcloak.verify import joined_rows
from tests.people import Server

CASE = Path(__file__).parents[3] / "shared" / "cases" / "37-hospital-30-columns"
KEPT = ["income", "height", "ward", "illness"]
JOB: dict[str, Any] = {
    "person": "person",
    "quasi_identifiers": {"age": {"intervals": [2, 4]}, "zip": {"digits": 2}},
    "sensitive": ["illness"],
    "keep": ["income", "height", "ward", "row"],
    "requirement": {"k": 3, "suppression": 1},
}


def oracle(
    release: pandas.DataFrame,
    persons: Sequence[Any],
    cells: Sequence[str],
    kept: Sequence[str],
    k: int,
    *,
    singly: bool = False,
) -> tuple[list[str], int, dict[tuple[str, ...], tuple[int, int, int]], int]:
    """The columns by which rows are joined; the least number of persons; that, the persons alone and those below k, by
    key; and all persons below k. If ``singly``, a row that is joined with no other one counts, too: by its class.
    """
    rows: dict[Any, list[int]] = defaultdict(list)
    for at, person in enumerate(persons):
        rows[person].append(at)
    classes = [tuple("" if pandas.isna(cell) else str(cell) for cell in row) for row in release[[*cells]].to_numpy()]
    values = {name: [None if pandas.isna(cell) else str(cell) for cell in release[name]] for name in kept}
    several = [ats for ats in rows.values() if len(ats) > 1]
    joining = [
        name
        for name in kept
        if several
        and 100 * sum(len({values[name][at] for at in ats} - {None}) < 2 for ats in several) >= 95 * len(several)
    ]
    held = {person: {classes[at] for at in ats} for person, ats in rows.items()}
    found: dict[tuple[str, ...], dict[Any, int]] = {}
    for key in [*((name,) for name in joining), *([tuple(joining)] if len(joining) > 1 else [])]:
        of_row = [tuple(values[name][at] for name in key) for at in range(len(classes))]
        sharing: dict[Any, set[Any]] = defaultdict(set)
        for person, ats in rows.items():
            for at in ats:
                sharing[of_row[at]].add(person)
        least: dict[Any, int] = {}
        for person, ats in rows.items():
            for value in {of_row[at] for at in ats}:
                if value == (None,) or len(sharing[value]) >= k:
                    continue
                joined = {classes[at] for at in ats if of_row[at] == value}
                fitting = sum(joined <= other for other in held.values())
                least[person] = min(fitting, least.get(person, fitting))
        found[key] = least
    if singly:
        sizes = {
            person: min(sum(cell in other for other in held.values()) for cell in own) for person, own in held.items()
        }
        found[()] = {person: size for person, size in sizes.items() if size < k}
    figures = [count for least in found.values() for count in least.values()]
    by_key = {
        key: (min(least.values()), sum(n == 1 for n in least.values()), sum(n < k for n in least.values()))
        for key, least in found.items()
        if any(count < k for count in least.values())
    }
    below = {person for least in found.values() for person, count in least.items() if count < k}
    return joining, min(figures, default=k), by_key, len(below)


def table(seed: int, persons: int = 40) -> pandas.DataFrame:
    """One to five rows of each person, some of whose cells are missing or of another person's."""
    chance = random.Random(seed)
    stable, wide, ages = chance.choice([0, 0.01, 0.1]), chance.choice([3, 10, 60]), chance.choice([1, 3, 8])
    rows = []
    for person in range(persons):
        own = {
            "income": chance.randrange(wide) * 100,
            "height": chance.randrange(170, 175),
            "ward": chance.choice("ab"),
        }
        for _ in range(chance.randint(1, 5)):
            row = {"person": f"P{person}", "age": 20 + chance.randrange(ages), "zip": f"{chance.randrange(10, 12)}"}
            row |= {name: None if chance.random() < 0.1 else value for name, value in own.items()}
            if chance.random() < stable:
                row["income"] = chance.randrange(wide) * 100
            row |= {"illness": chance.choice(["flu", "cold", "gout"]), "row": f"{person}/{len(rows)}"}
            rows.append(row)
    frame = pandas.DataFrame(rows)
    return frame.astype({"income": "Int64", "height": "Int64"})


def told(joined: JoinedRows) -> tuple[Any, ...]:
    keys = {tuple(key.columns): (key.k, key.persons_alone, key.persons_below) for key in joined.keys}
    return joined.columns, joined.k, keys, joined.persons_below


def masked(expected: tuple[Any, ...], persons: int, k: int) -> tuple[Any, ...]:
    """Claims that agree with the counts of the oracle."""

    def mask(count: int) -> int | None:
        return None if 0 < count < k or 0 < persons - count < k else count

    joining, least, by_key, below = expected
    keys = {key: (fewest, mask(alone), mask(some)) for key, (fewest, alone, some) in by_key.items()}
    return joining, least, keys, mask(below)


def expected_of(
    release: sc.Release, cells: Sequence[str] = ("age", "zip"), k: int = 3, *, singly: bool = False
) -> tuple[Any, ...]:
    rows = release.to_pandas()
    persons = [row.partition("/")[0] for row in rows["row"]]
    kept = [name for name in rows.columns if name in KEPT]
    return masked(oracle(rows, persons, cells, [*kept, "row"], k, singly=singly), len(set(persons)), k)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(14))
def test_joined_rows_are_counted_as_by_an_oracle(seed: int) -> None:
    chance = random.Random(seed)
    job = {
        **JOB,
        "requirement": {"k": chance.choice([2, 3, 6]), "suppression": 1},
        "algorithm": {"name": chance.choice(["sweep", "incognito", "mondrian"])},
    }
    release = sc.run(job, frame=table(seed))
    (joined,) = release.result.joined_rows
    assert told(joined) == expected_of(release, k=job["requirement"]["k"])


def test_a_column_joins_rows_if_19_of_20_persons_with_several_rows_have_one_value_of_it() -> None:
    """Five persons with one row say nothing about a column. The last person with several rows has two incomes, and the
    last two have two heights. One income is that of two persons: it helps no reader. A person is alone by two incomes.
    """
    chance = random.Random(8)
    rows = [
        {"person": f"P{n}", "age": 20 + chance.randrange(4), "zip": chance.choice(["10", "11"]), "row": f"P{n}/{row}"}
        | {name: max(n, 1) + 100 * (row < 3 and last <= n < 20) for name, last in (("income", 19), ("height", 18))}
        for n in range(25)
        for row in range(6 if n in (18, 19) else 3 if n < 10 else 2 if n < 20 else 1)
    ]
    asked = {**JOB, "sensitive": [], "keep": ["income", "height", "row"], "algorithm": {"name": "sweep"}}
    release = sc.run({**asked, "requirement": {"k": 2, "suppression": 0}}, frame=pandas.DataFrame(rows))
    (joined,) = release.result.joined_rows
    assert (joined.columns, [key.persons_alone for key in joined.keys]) == (["income"], [5])
    assert told(joined) == expected_of(release, k=2)


def test_the_oracle_sees_both_that_rows_are_joined_and_that_they_are_not() -> None:
    figures = [sc.run(JOB, frame=table(seed)).result.joined_rows[0] for seed in range(8)]
    assert len({joined.k for joined in figures}) > 2
    assert len({tuple(joined.columns) for joined in figures}) > 1
    assert any(joined.persons_below is not None and joined.persons_below >= 3 for joined in figures)


def test_each_quasi_identifier_has_a_k_of_joined_rows_of_its_own() -> None:
    qids = [{"attributes": ["age"], "k": 4}, {"attributes": ["zip"], "k": 2}]
    release = sc.run({**JOB, "requirement": {"qids": qids}}, frame=table(3))
    assert [joined.attributes for joined in release.result.joined_rows] == [["age"], ["zip"]]
    for joined in release.result.joined_rows:
        assert told(joined) == expected_of(release, joined.attributes, joined.required_k)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("output", [{"path": "cohort.csv"}, {"table": "cohort"}], ids=str)
def test_every_host_counts_the_same(work: Path, server: Server, output: dict[str, str]) -> None:
    frame = table(3)
    kinds = {"income": "integer", "height": "double precision", "age": "integer"}
    server.fill("visits", frame, {name: kinds.get(name, "varchar(20)") for name in frame})
    release = sc.run({**JOB, "source": {"url": server.url, "table": "visits"}, "output": output})
    here = sc.run(JOB, frame=frame)
    assert release.result.joined_rows == here.result.joined_rows
    assert release.result.joined_rows[0].k == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_count_the_same(work: Path, suffix: str) -> None:
    frame = table(3)
    frame.to_csv("visits.csv", index=False)
    release = sc.run({**JOB, "source": {"path": "visits.csv"}, "output": {"path": f"cohort.{suffix}"}})
    assert release.result.joined_rows == sc.run(JOB, frame=frame).result.joined_rows


def test_a_missing_cell_joins_nothing_by_its_column_alone() -> None:
    """The two rows of P0 are the only ones without an income."""
    rows = [
        {"person": f"P{n // 2}", "age": 20 + n % 2, "zip": "10", "income": None if n < 2 else 7, "row": f"{n // 2}/{n}"}
        for n in range(20)
    ]
    job = {**JOB, "sensitive": [], "keep": ["income", "row"], "requirement": {"k": 3}}
    (joined,) = sc.run(job, frame=pandas.DataFrame(rows).astype({"income": "Int64"})).result.joined_rows
    assert (joined.columns, joined.k, joined.keys) == (["income"], 3, [])


@pytest.mark.parametrize(("others", "expected"), [(0, ["income"]), (1, [])])
def test_only_persons_with_several_rows_say_what_is_constant(others: int, expected: list[str]) -> None:
    """Of ten persons with two rows, some have another income; twenty persons have one row."""
    rows = [
        {"person": f"P{n}", "age": 20, "zip": "10", "income": n + 100 * (row and n < others), "row": f"{n}{row}"}
        for n in range(30)
        for row in range(2 if n < 10 else 1)
    ]
    job = {**JOB, "sensitive": [], "keep": ["income"], "identifiers": ["row"], "requirement": {"k": 3}}
    (joined,) = sc.run(job, frame=pandas.DataFrame(rows)).result.joined_rows
    assert joined.columns == expected


def test_where_rows_are_sets_the_persons_of_a_set_stay_hidden() -> None:
    job = {**JOB, "person": {"column": "person", "as": "set"}, "requirement": {"k": 3, "suppression": 1}}
    for seed in range(3):
        (joined,) = sc.run({**job, "algorithm": {"name": "sweep"}}, frame=table(seed)).result.joined_rows
        assert not joined.is_below and joined.persons_below == 0, seed


@pytest.mark.parametrize(
    ("beside", "most", "warned"),
    [(1, True, True), (2, False, True), (3, False, True), (197, False, True), (198, False, False), (199, False, False)],
)
def test_many_persons_below_k_are_told_apart_from_few(beside: int, most: bool, warned: bool) -> None:
    """Two persons have two classes each, and share one of them; the kept values of the others join no rows."""
    rows = [("p1", "10", "a"), ("p1", "20", "a"), ("p2", "10", "b"), ("p2", "30", "b")]
    rows += [("q1", "20", None), ("q1", "30", None)]
    rows += [(f"q{number}", "10", None) for number in range(2, beside + 1) for _ in range(2)]
    frame = pandas.DataFrame(rows, columns=["person", "zip", "kept"])
    job = {
        "person": "person",
        "quasi_identifiers": {"zip": {"digits": 2, "to": 0}},
        "keep": ["kept"],
        "requirement": {"k": 2},
    }
    result = sc.run(job, frame=frame).result
    (joined,) = result.joined_rows
    assert (joined.k, joined.persons, joined.persons_below) == (1, beside + 2, 2 if beside > 1 else None)
    assert (joined.most_below, joined.is_warned) == (most, warned)


def test_k_of_one_requires_joined_rows_to_fit_one_person() -> None:
    (joined,) = sc.run({**JOB, "requirement": {"k": 1}}, frame=table(3)).result.joined_rows
    assert (joined.required_k, joined.persons_below, joined.is_below) == (1, 0, False)


def test_a_release_without_rows_has_no_joined_rows() -> None:
    as_they_are = {"age": {"intervals": [2, 4], "to": 0}, "zip": {"digits": 2, "to": 0}}
    job = {**JOB, "quasi_identifiers": as_they_are, "requirement": {"k": 30, "suppression": 1}}
    result = sc.run(job, frame=table(3)).result
    assert (result.released_rows, result.joined_rows) == (0, [])


def test_a_job_without_persons_has_no_joined_rows() -> None:
    job = {name: value for name, value in JOB.items() if name != "person"} | {"identifiers": ["person"]}
    assert sc.run(job, frame=table(1)).result.joined_rows == []


def test_too_many_pairs_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = joined_rows.count
    monkeypatch.setattr(joined_rows, "count", lambda *given, **asked: counted(*given, **asked, most_pairs=10))
    release = sc.run(JOB, frame=table(3))
    (joined,) = release.result.joined_rows
    assert joined.k is None and joined.persons_below is None and joined.keys == [] and not joined.is_below
    assert joined.not_counted is not None and joined.not_counted.endswith("more than 10")
    assert not any("joined" in warning for warning in release.result.warnings)


def pairs_of(release: pandas.DataFrame, columns: Sequence[str], k: int) -> int:
    """Persons of the smallest class of each group of joined rows, once for each other class of it."""
    rows = [(row["row"].partition("/")[0], (row["age"], row["zip"]), row) for row in release.to_dict("records")]
    held: dict[Any, set[str]] = defaultdict(set)
    for person, cells, _ in rows:
        held[cells].add(person)
    pairs = 0
    for key in [*((name,) for name in columns), *([tuple(columns)] if len(columns) > 1 else [])]:
        sharing: dict[Any, dict[str, set[Any]]] = defaultdict(lambda: defaultdict(set))
        for person, cells, row in rows:
            value = tuple(None if pandas.isna(row[name]) else row[name] for name in key)
            if value != (None,):
                sharing[value][person].add(cells)
        for persons in sharing.values():
            if len(persons) < k:
                pairs += sum((len(held_by) - 1) * min(len(held[c]) for c in held_by) for held_by in persons.values())
    return pairs


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
def test_pairs_are_counted_before_they_are_made(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    release = sc.run(JOB, frame=table(seed))
    pairs = pairs_of(release.to_pandas(), release.result.joined_rows[0].columns, 3)
    counted = joined_rows.count
    for most, is_counted in ((pairs, True), (pairs - 1, False)):
        monkeypatch.setattr(joined_rows, "count", partial(counted, most_pairs=most))
        (joined,) = sc.run(JOB, frame=table(seed)).result.joined_rows
        assert (joined.not_counted is None) is is_counted, (pairs, joined.not_counted)
        assert is_counted or f"{pairs:,} pairs" in (joined.not_counted or "")


def test_a_run_says_it_in_its_last_lines_and_warns(work: Path) -> None:
    table(3).to_csv("visits.csv", index=False)
    Path("job.yaml").write_text(yaml.safe_dump({**JOB, "source": {"path": "visits.csv"}, "output": {"path": "o.csv"}}))
    done = CliRunner().invoke(cli, ["run", "job.yaml"])
    assert done.exit_code == 0, done.output
    *_, line = [line for line in done.output.splitlines() if line.startswith("joined ")]
    assert "k of joined rows is 1" in line and "by income: " in line
    assert "warning: rows of one person can be joined by 'income'" in done.output
    shown = CliRunner().invoke(cli, ["report", "o.csv", "--into", "report.html"])
    assert shown.exit_code == 0, shown.output
    page = Path("report.html").read_text()
    assert "But rows of one person can be joined by" in page and "Rows of one person" in page
    assert "k of joined rows is fewer than 3" in page and "k of joined rows is 1" not in page


def required(joined_rows: Any, **changes: Any) -> dict[str, Any]:
    """The job, which requires a k of joined rows."""
    return {**JOB, "requirement": {"k": 3, "suppression": 1, "joined_rows": joined_rows}, **changes}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("joined_rows", [1, 2, 3, 5])
def test_a_release_below_the_required_k_of_joined_rows_is_refused(joined_rows: int) -> None:
    """The oracle counts the release of the job without the requirement: values of fewer than both are rare."""
    holds, refused = 0, 0
    for seed in range(6):
        free = sc.run(JOB, frame=table(seed))
        _, least, _, _ = expected_of(free, k=max(3, joined_rows), singly=joined_rows > 3)
        if least >= joined_rows:
            release = sc.run(required(joined_rows), frame=table(seed))
            (joined,) = release.result.joined_rows
            assert (joined.k, joined.required_k) == (least, max(3, joined_rows))
            assert release.result.requirement.joined_rows == joined_rows
            holds += 1
        else:
            with pytest.raises(
                sc.RequirementError, match=f"joined rows is {least}, less than the required {joined_rows}"
            ):
                sc.run(required(joined_rows), frame=table(seed))
            refused += 1
    assert holds + refused == 6 and (joined_rows > 1) == (refused > 0), (holds, refused)
    assert joined_rows > 3 or holds


@pytest.mark.parametrize(
    ("keys", "cause", "mend"),
    [
        ([(["a"], 1), (["b"], 3), (["a", "b"], 1)], r"joined by 'a'\)", "put these columns under identifiers"),
        ([(["a"], 1), (["b"], 2), (["a", "b"], 1)], r"joined by 'a' or 'b'\)", "put these columns under identifiers"),
        ([(["a"], 3), (["a", "b"], 2)], r"joined by 'a', 'b' together\)", "put these columns under identifiers"),
        ([(["a"], 3), ([], 2)], "a class has too few persons for one row", "raise k to 3"),
    ],
)
def test_a_refusal_names_the_columns_that_join_rows_of_too_few_persons(
    keys: list[tuple[list[str], int]], cause: str, mend: str
) -> None:
    listed = [JoinedKey(columns=names, k=k, persons_alone=0, persons_below=4) for names, k in keys]
    least = min(k for _, k in keys)
    counted = JoinedRows(attributes=["zip"], required_k=3, columns=["a", "b"], persons=9, k=least, keys=listed)
    with pytest.raises(RefusedRelease, match=f"{cause}.*{mend}"):
        joined_rows.refuse_below([counted], 3)
    joined_rows.refuse_below([counted], least)  # which it satisfies


def test_a_class_of_too_few_persons_is_no_fault_of_columns_with_a_value_of_all() -> None:
    rows = [("p1", "10"), ("p1", "20"), ("p2", "10"), ("p2", "20"), *[("p3", "10")] * 2, *[("p4", "10")] * 2]
    frame = pandas.DataFrame([(person, zip_, "x", "y") for person, zip_ in rows], columns=["person", "zip", "a", "b"])
    job = {
        "person": "person",
        "quasi_identifiers": {"zip": {"digits": 2, "to": 0}},
        "keep": ["a", "b"],
        "requirement": {"k": 2, "joined_rows": 4},
    }
    with pytest.raises(
        sc.RequirementError, match=r"is 2, .*4 \(a class has too few persons for one row\).*raise k to 4"
    ):
        sc.run(job, frame=frame)


def test_each_quasi_identifier_is_held_to_the_required_k_of_joined_rows() -> None:
    qids = [{"attributes": ["age"], "k": 4}, {"attributes": ["zip"], "k": 2}]
    with pytest.raises(sc.RequirementError, match="joined rows over age is"):
        sc.run({**JOB, "requirement": {"qids": qids, "joined_rows": 4}}, frame=table(3))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("output", [{"path": "o.csv"}, {"path": "o.parquet"}, {"url": "duckdb:///o.db", "table": "o"}])
def test_nothing_is_published_below_the_required_k_of_joined_rows(work: Path, output: dict[str, str]) -> None:
    table(3).to_csv("visits.csv", index=False)
    before = set(work.iterdir())
    job = required(3, source={"path": "visits.csv"}, output=output)
    Path("job.yaml").write_text(yaml.safe_dump(job))
    refusal = CliRunner().invoke(cli, ["run", "job.yaml"]).exception
    assert isinstance(refusal, sc.RequirementError) and refusal.exit_code == 1
    line = str(refusal)
    assert "\n" not in line
    assert "by 'income'" in line and "less than the required 3 (" in line
    left = {path.name for path in set(work.iterdir()) - before} - {"job.yaml", "o.db"}
    assert left <= {".o.csv.lock", ".o.parquet.lock", ".o.db.lock"}, left


@pytest.mark.sampled(3)
@pytest.mark.parametrize("output", [{"path": "cohort.csv"}, {"table": "cohort"}], ids=str)
def test_every_host_holds_joined_rows_to_what_is_required(work: Path, server: Server, output: dict[str, str]) -> None:
    frame = table(3)
    server.fill("visits", frame, {name: "integer" if name == "age" else "varchar(20)" for name in frame})
    job = required(2, source={"url": server.url, "table": "visits"}, output=output)
    with pytest.raises(sc.RequirementError, match="k of joined rows is 1, less than the required 2"):
        sc.run(job)
    sc.run(required(1) | {"source": job["source"], "output": output})


def test_the_persons_of_one_class_are_counted_where_all_joined_rows_are_in_it() -> None:
    """Each person has an income and a class, which two others have, too."""
    rows = [{"person": f"P{n}", "age": 20 + n // 3, "zip": "10", "income": n, "row": n} for n in range(9) for _ in "12"]
    asked = {**JOB, "sensitive": [], "keep": ["income"], "identifiers": ["row"], "algorithm": {"name": "sweep"}}
    (joined,) = sc.run(
        {**asked, "requirement": {"k": 3, "joined_rows": 3}}, frame=pandas.DataFrame(rows)
    ).result.joined_rows
    assert (joined.k, joined.persons_below) == (3, 0)
    with pytest.raises(sc.RequirementError, match="joined rows is 3, less than the required 4"):
        sc.run({**asked, "requirement": {"k": 3, "joined_rows": 4}}, frame=pandas.DataFrame(rows))


@pytest.mark.parametrize("kept", [[], ["income"]], ids=str)
@pytest.mark.parametrize("visits", [1, 2])
def test_a_row_that_joins_no_other_one_fits_the_persons_of_its_class(kept: list[str], visits: int) -> None:
    """Classes of three persons; each income is that of nine persons, so that it joins nothing by its value."""
    rows = [
        {"person": f"P{n}", "age": 20 + n // 3, "zip": "10", "income": 7, "row": f"{n}{visit}"}
        for n in range(9)
        for visit in range(visits)
    ]
    beside = [name for name in ("income", "row") if name not in kept]
    asked = {**JOB, "sensitive": [], "keep": kept, "identifiers": beside, "algorithm": {"name": "sweep"}}
    frame = pandas.DataFrame(rows)
    for least in (2, 3):
        (joined,) = sc.run({**asked, "requirement": {"k": 3, "joined_rows": least}}, frame=frame).result.joined_rows
        assert (joined.k, joined.persons_below, joined.keys) == (3, 0, [])
    with pytest.raises(
        sc.RequirementError, match=r"joined rows is 3, less than the required 5 .* for one row\).* raise k to 5, or"
    ):
        sc.run({**asked, "requirement": {"k": 3, "joined_rows": 5}}, frame=frame)


def test_only_the_quasi_identifier_with_small_classes_is_refused() -> None:
    """By zip all six persons are alike, by age three of them."""
    rows = [{"person": f"P{n}", "age": 20 + n // 3, "zip": "10", "row": n} for n in range(6)]
    qids = [{"attributes": ["age"], "k": 3}, {"attributes": ["zip"], "k": 5}]
    asked = {**JOB, "sensitive": [], "keep": [], "identifiers": ["row"], "algorithm": {"name": "witness"}}
    with pytest.raises(sc.RequirementError, match="joined rows over age is 3, less than the required 5"):
        sc.run({**asked, "requirement": {"qids": qids, "joined_rows": 5}}, frame=pandas.DataFrame(rows))


def test_what_is_not_counted_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = joined_rows.count
    monkeypatch.setattr(joined_rows, "count", lambda *given, **asked: counted(*given, **asked, most_pairs=10))
    with pytest.raises(
        sc.RequirementError, match=r"is not counted \(.* more than 10\); nothing was published: .*'income'"
    ):
        sc.run(required(1), frame=table(3))


def test_joined_rows_are_required_of_a_job_with_person() -> None:
    job = {name: value for name, value in required(3).items() if name != "person"} | {"identifiers": ["person"]}
    with pytest.raises(sc.JobError, match="the job has no person: give person, the column") as refusal:
        sc.run(job, frame=table(1))
    assert "\n" not in str(refusal.value)
    with pytest.raises(sc.JobError, match="joined_rows"):
        sc.run(required(0), frame=table(1))


def test_persons_as_sets_satisfy_joined_rows_and_a_refresh_counts_them_anew(work: Path) -> None:
    job = required(
        3, person={"column": "person", "as": "set"}, algorithm={"name": "sweep"}, refresh=True,
        source={"path": "visits.csv"}, output={"path": "o.csv"},
    )  # fmt: skip
    table(3).to_csv("visits.csv", index=False)
    (first,) = sc.run(job).result.joined_rows
    table(3, persons=60).to_csv("visits.csv", index=False)
    (second,) = sc.run(job).result.joined_rows
    assert first.k == second.k == 3 and second.persons >= first.persons
    released = Path("o.csv").read_bytes()
    job["requirement"]["joined_rows"] = 30
    with pytest.raises(sc.RequirementError, match="less than the required 30"):
        sc.run(job)
    assert Path("o.csv").read_bytes() == released


def test_a_release_that_stays_was_held_to_the_same_requirement(work: Path) -> None:
    table(3).to_csv("visits.csv", index=False)
    places = {"source": {"path": "visits.csv"}, "output": {"path": "o.csv"}}
    assert not sc.run({**JOB, **places}).result.unchanged
    assert sc.run({**JOB, **places}).result.unchanged
    with pytest.raises(sc.RequirementError, match="less than the required 2"):
        sc.run(required(2, **places))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("call", [sc.preview, sc.explain, sc.compare], ids=lambda call: call.__name__)
def test_whatever_shows_a_release_refuses_it_alike(call: Any) -> None:
    if call is sc.compare:
        points = call(required(2), ks=[3], frame=table(3)).points
        assert points and all(
            point.released is None and "less than the required 2" in (point.problem or "") for point in points
        )
        return
    with pytest.raises(sc.RequirementError, match="less than the required 2"):
        call(required(2), frame=table(3))


def test_what_cannot_join_rows_refuses_the_requirement(work: Path) -> None:
    table(3).to_csv("visits.csv", index=False)
    job = required(1, source={"path": "visits.csv"}, output={"path": "o.csv"})
    with pytest.raises(sc.JobError, match=r"requirement\.joined_rows: a script cannot join"):
        sc.compile(job)
    with pytest.raises(sc.OutputError, match=r"requirement\.joined_rows: a script cannot join"):
        sc.run(job).sql()
    Path("project").mkdir()
    Path("project/dbt_project.yml").write_text("name: project\n")
    Path("job.yaml").write_text(yaml.safe_dump(job))
    done = CliRunner().invoke(cli, ["compile", "job.yaml", "--into", "project", "--format", "dbt"])
    assert isinstance(done.exception, sc.JobError) and "a script cannot join the rows" in str(done.exception)
    with pytest.raises(sc.JobError, match="joined_rows needs all released columns"):
        sc.check({"path": "visits.csv"}, ["age"], k=1, person="person", joined_rows=3)
    Path("requirement.yaml").write_text("{k: 1, joined_rows: 3}")
    done = CliRunner().invoke(cli, ["check", "visits.csv", "--qi", "age", "--requirement", "requirement.yaml"])
    assert isinstance(done.exception, sc.JobError) and "joined_rows needs all released" in str(done.exception)


@pytest.mark.skipif(not (CASE / "make.py").exists(), reason="the shared case is not here")
@pytest.mark.long
def test_visits_of_a_hospital(work: Path) -> None:
    """The vector: by income 2,718 persons are alone, though each class has five."""
    for name in ("make.py", "draft-of-today.yaml"):
        Path(name).write_bytes((CASE / name).read_bytes())
    Path("first-hierarchies").mkdir()
    for path in (CASE / "first-hierarchies").iterdir():
        (Path("first-hierarchies") / path.name).write_bytes(path.read_bytes())
    exec(compile(Path("make.py").read_text(), "make.py", "exec"), {})  # its seed is in it
    with Path("visits.csv").open(encoding="utf-8-sig", newline="") as lines:
        assert sum(1 for _ in csv.reader(lines)) == 30_001
    (joined,) = sc.run("draft-of-today.yaml").result.joined_rows
    joining = ["religion", "insurer", "income", "height_cm", "blood_type", "smoker"]
    assert (joined.columns, joined.k, joined.persons, joined.is_warned) == (joining, 1, 5901, True)
    assert {tuple(key.columns): (key.persons_alone, key.persons_below) for key in joined.keys} == {
        ("income",): (2718, 4258),
        ("height_cm",): (6, 10),
        tuple(joining): (2506, 4009),
    }
