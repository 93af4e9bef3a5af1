"""A frame that changes while a run reads it: the release is of what was read first, whole, and shares no memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import starcloak as sc
from tests.daily import some_daily

AGES = numpy.arange(20, 60, dtype="int64")
SECRETS = AGES + 1000  # each tells its row
STAGES = ("compress", "search", "recode", "verify", "insight", "joint", "fingerprint", "publish")

Change = Callable[[], object]


def of_pandas() -> tuple[Any, Change]:
    frame = pandas.DataFrame({"age": AGES.copy(), "secret": SECRETS.copy()})
    return frame, lambda: frame.__setitem__("secret", frame["secret"].to_numpy()[::-1].copy())


def of_pandas_in_place() -> tuple[Any, Change]:
    frame = pandas.DataFrame({"age": AGES.copy(), "secret": SECRETS.copy()})

    def change() -> None:
        frame.loc[:, "secret"] = frame["secret"].to_numpy()[::-1].copy()
        frame.insert(0, f"first {frame.shape[1]}", 0)

    return frame, change


def of_numpy() -> tuple[Any, Change]:
    """pandas over somebody's arrays, the quasi-identifier, too."""
    cells = numpy.array([AGES, SECRETS]).T.copy()

    def change() -> None:
        cells[:, 1] = cells[::-1, 1].copy()

    return pandas.DataFrame(cells, columns=["age", "secret"], copy=False), change


def of_objects() -> tuple[Any, Change]:
    secrets = numpy.array(list(map(str, SECRETS)), dtype=object)

    def change() -> None:
        secrets[:] = secrets[::-1].copy()

    return pandas.DataFrame({"age": AGES.copy(), "secret": pandas.Series(secrets, dtype=object, copy=False)}), change


def of_gaps() -> tuple[Any, Change]:
    secrets, gaps = SECRETS.copy(), numpy.zeros(len(SECRETS), bool)

    def change() -> None:
        secrets[:] = secrets[::-1].copy()

    return pandas.DataFrame({"age": AGES.copy(), "secret": pandas.arrays.IntegerArray(secrets, gaps)}), change


def of_pandas_over_arrow() -> tuple[Any, Change]:
    secrets = SECRETS.copy()

    def change() -> None:
        secrets[:] = secrets[::-1].copy()

    cells = pandas.arrays.ArrowExtensionArray(pyarrow.array(secrets))
    return pandas.DataFrame({"age": AGES.copy(), "secret": cells}), change


def of_polars() -> tuple[Any, Change]:
    frame = polars.DataFrame({"age": AGES.copy(), "secret": SECRETS.copy()})
    return frame, lambda: frame.replace_column(1, frame["secret"].reverse())


def of_polars_in_place() -> tuple[Any, Change]:
    ages, secrets = AGES.copy(), SECRETS.copy()
    frame = polars.DataFrame({"age": polars.Series(ages), "secret": polars.Series(secrets)})

    def change() -> None:
        secrets[:] = secrets[::-1].copy()

    return frame, change


def of_lazy() -> tuple[Any, Change]:
    frame, change = of_polars_in_place()
    return frame.lazy(), change


def of_arrow() -> tuple[Any, Change]:
    ages, secrets = AGES.copy(), SECRETS.copy()

    def change() -> None:
        secrets[:] = secrets[::-1].copy()

    return pyarrow.table({"age": pyarrow.array(ages), "secret": pyarrow.array(secrets)}), change


def of_nested_arrow() -> tuple[Any, Change]:
    secrets = SECRETS.copy()

    def change() -> None:
        secrets[:] = secrets[::-1].copy()

    cells = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(secrets), 1)
    return pyarrow.table({"age": pyarrow.array(AGES.copy()), "secret": cells}), change


def of_stream() -> tuple[Any, Change]:
    table, change = of_arrow()

    class Stream:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return table.__arrow_c_stream__(requested_schema)

    return Stream(), change


def of_duckdb() -> tuple[Any, Change]:
    connection = duckdb.connect()
    connection.execute("create table people as select * from (select unnest($1) as age, unnest($2) as secret)",
                       [AGES.tolist(), SECRETS.tolist()])  # fmt: skip
    return connection.table("people"), lambda: connection.execute("update people set secret = 2079 - secret")


FRAMES = (
    of_pandas, of_pandas_in_place, of_numpy, of_objects, of_gaps, of_pandas_over_arrow, of_polars, of_polars_in_place,
    of_lazy, of_arrow, of_nested_arrow, of_stream, of_duckdb,
)  # fmt: skip


@pytest.fixture(params=FRAMES, ids=lambda made: made.__name__)
def made(request: pytest.FixtureRequest) -> tuple[Any, Change]:
    found: tuple[Any, Change] = request.param()
    return found


def at(stage: str, change: Change) -> sc.Resources:
    """What changes something when a stage of a run begins, once."""
    left = [change]

    def progress(text: str) -> None:
        if text == stage and left:
            left.pop()()

    return sc.Resources(progress=progress)


def pairs(release: sc.Release) -> set[tuple[str, int]]:
    rows = release.to_arrow().to_pylist()
    return {(row["age"], int(row["secret"][0] if isinstance(row["secret"], list) else row["secret"])) for row in rows}


def expected() -> set[tuple[str, int]]:
    return {(f"[{age // 10 * 10}, {age // 10 * 10 + 10})", age + 1000) for age in AGES.tolist()}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("made", "stage"),
    some_daily(FRAMES, STAGES, each=3),
    indirect=["made"],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_a_frame_that_changes_is_released_as_it_was(made: tuple[Any, Change], stage: str) -> None:
    frame, change = made
    release = sc.anonymize(
        frame,
        quasi_identifiers={"age": sc.intervals(10)},
        sensitive=["secret"],
        k=10,
        resources=at(stage, change),
    )
    assert pairs(release) == expected()
    change()
    assert pairs(release) == expected()


def test_what_would_not_leave_as_it_was_verified_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The frame that is handed out is read again, whatever its kind."""
    from starcloak.sources import in_arrow, in_pandas, in_polars

    take = in_pandas._take
    monkeypatch.setattr(in_pandas, "_take", lambda series, positions: take(series, positions[::-1]))
    gather = in_polars._take
    monkeypatch.setattr(in_polars, "_take", lambda series, positions: gather(series, positions[::-1]))
    monkeypatch.setattr(in_arrow.ArrowFrame, "_take", lambda self, number, at: self._kept[number].take(at[::-1]))
    for made in (of_pandas, of_objects, of_polars, of_arrow, of_nested_arrow):
        with pytest.raises(sc.VerificationError, match="'secret' would differ from the verified release"):
            sc.anonymize(made()[0], quasi_identifiers={"age": sc.intervals(10)}, sensitive=["secret"], k=10)


TREE = {"young": list(range(20, 40)), "old": list(range(40, 60))}


def hierarchies() -> dict[str, tuple[Any, Change]]:
    """Hierarchies that their owner changes: what was a group of twenty is alone, and all others are one group."""
    tree = {name: list(members) for name, members in TREE.items()}
    levels = {str(age): ["young" if age < 40 else "old"] for age in AGES.tolist()}
    groups = numpy.array([20 if age < 40 else 40 for age in AGES])
    pandas_frame = pandas.DataFrame({"age": AGES, "group": groups}, copy=False)
    polars_frame = polars.DataFrame({"age": AGES, "group": groups})
    table = pyarrow.table({"age": pyarrow.array(AGES), "group": pyarrow.array(groups)})
    regroup = lambda: groups.__setitem__(slice(None), numpy.where(AGES == 20, 20, 40))  # noqa: E731
    return {
        "tree": (
            {"tree": tree},
            lambda: (tree["old"].extend(tree["young"][1:]), tree["young"].__delitem__(slice(1, 99))),
        ),
        "tree in python": (sc.tree(tree), lambda: tree["young"].clear()),
        "levels": ({"levels": levels}, lambda: [one.__setitem__(0, "old") for one in levels.values()]),
        "pandas": (pandas_frame, lambda: (regroup(), pandas_frame.__setitem__("group", 1))),
        "polars": (polars_frame, lambda: (regroup(), polars_frame.replace_column(1, polars.Series("group", AGES)))),
        "arrow": ({"frame": table}, regroup),
    }


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "stage"), some_daily(hierarchies(), ["open", "search", "publish"], each=3))
def test_a_job_that_changes_is_the_one_that_was_given(name: str, stage: str) -> None:
    hierarchy, change = hierarchies()[name]
    job: dict[str, Any] = {
        "quasi_identifiers": {"age": hierarchy},
        "sensitive": ["secret"],
        "requirement": {"k": 2, "suppression": 0},
    }
    frame = pandas.DataFrame({"age": AGES, "secret": SECRETS})

    def change_all() -> None:
        change()
        job["requirement"]["k"] = 1
        job["requirement"]["suppression"] = 1
        job["sensitive"].append("age")
        job["quasi_identifiers"].clear()

    before = sc.run(job, frame=frame)
    release = sc.run(job, frame=frame, resources=at(stage, change_all))
    assert pairs(release) == pairs(before)
    assert (release.k, release.result.recoding.levels) == (20, {"age": 1})
    assert release.result.hashes.hierarchies == before.result.hashes.hierarchies
    assert None not in release.result.hashes.hierarchies.values()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("stage", STAGES)  # opening reads it, as it reads the frame
def test_a_population_that_changes_is_as_it_was(stage: str) -> None:
    people = AGES.copy()
    population = pandas.DataFrame({"age": people}, copy=False)
    frame = pandas.DataFrame({"age": AGES, "secret": SECRETS})
    job = {
        "quasi_identifiers": {"age": {"intervals": [10]}},
        "sensitive": ["secret"],
        "requirement": {"k_map": {"k": 10}, "k": 10},
    }

    def change() -> None:
        people[:] = 20

    release = sc.run(job, frame=frame, population=population, resources=at(stage, change))
    assert pairs(release) == expected()


@pytest.mark.sampled(3)
def test_a_release_that_is_changed_is_not_the_next_one(made: tuple[Any, Change]) -> None:
    """What is handed out is the caller's: neither the source nor what is handed out next changes with it."""
    frame, _ = made
    release = sc.anonymize(frame, quasi_identifiers={"age": sc.intervals(10)}, sensitive=["secret"], k=10)
    for handed_out in (release.to_pandas(), release.to_native(), release.to_polars()):
        if isinstance(handed_out, pandas.DataFrame):
            handed_out["secret"] = 0
        elif isinstance(handed_out, polars.DataFrame):
            handed_out.replace_column(1, polars.Series("secret", [0] * len(AGES)))
    assert pairs(release) == expected()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", [of_pandas, of_polars, of_polars_in_place, of_arrow, of_duckdb])
def test_the_sql_of_an_unchanged_release_is_of_what_it_was_made_of(
    kind: Callable[[], tuple[Any, Change]], tmp_path: Path
) -> None:
    """It is searched again: in a frame that is another one by now, that would be another release's."""
    frame, change = kind()
    job = {
        "quasi_identifiers": {"age": {"intervals": [10]}},
        "sensitive": ["secret"],
        "requirement": {"k": 10},
        "output": {"path": str(tmp_path / "released.parquet")},
    }
    first = sc.run(job, frame=frame)
    again = sc.run(job, frame=frame)
    assert again.result.unchanged and again.sql() == first.sql()
    change()
    with pytest.raises(sc.SourceError, match=r"has changed since the release was made: run the job again$"):
        again.sql()


def test_the_sql_of_an_unchanged_release_of_a_file_is_of_what_it_was_made_of(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    of_pandas()[0].to_csv(source, index=False)
    (tmp_path / "age.csv").write_text("".join(f"{age};{age // 10}0;*\n" for age in AGES))
    job = {
        "source": {"path": str(source)},
        "quasi_identifiers": {"age": {"csv": str(tmp_path / "age.csv")}},
        "sensitive": ["secret"],
        "requirement": {"k": 10},
        "output": {"path": str(tmp_path / "released.csv")},
    }
    sc.run(job)
    again = sc.run(job)
    for changed in (source, tmp_path / "age.csv"):
        content = changed.read_text()
        changed.write_text(content.replace("59", "58", 1) if changed == source else content.replace("50;*", "5x;*"))
        with pytest.raises(sc.SourceError, match=r"run the job again$"):
            again.sql()
        changed.write_text(content)
    assert "released.csv" in again.sql()
