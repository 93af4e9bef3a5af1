"""Releases know the same persons only if they tell these apart in the same way: else joint k is unknown."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest

import starcloak as sc
from starcloak.base.errors import JobError, RequirementError, SourceError
from starcloak.job import load
from starcloak.job.result import Joint
from starcloak.releases import state
from starcloak.releases.recodings import saved_recodings
from tests import weighed

pytestmark = pytest.mark.usefixtures("work")

QUASI: dict[str, Any] = {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 2}, "sex": "suppress"}
OTHER = weighed.beside(QUASI, {"zip": 9})
LOWER = {"pid": {"case": "lower"}}


def visits(
    persons: int = 60, *, seed: int = 0, name: Callable[[int], str] = "P{:04}".format, ages: int = 20
) -> pandas.DataFrame:
    """One or two visits of each person, which agree in what is known of the person."""
    chosen, rows = random.Random(seed), list[dict[str, str]]()
    for person in range(persons):
        known = {
            "age": str(ages + chosen.randrange(20)),
            "zip": f"{chosen.randrange(10, 14)}",
            "sex": chosen.choice("fm"),
        }
        rows += [{"pid": name(person), **known}] * chosen.choice((1, 2))
    for number, row in enumerate(rows):
        rows[number] = {**row, "note": str(number)}
    return pandas.DataFrame(rows)


def write(frame: pandas.DataFrame) -> None:
    frame.to_csv("visits.csv", index=False)


def job(into: str, **more: Any) -> dict[str, Any]:
    return {
        "source": {"path": "visits.csv"},
        "person": "pid",
        "quasi_identifiers": QUASI,
        "keep": ["note"],
        "requirement": {"k": 3},
        "algorithm": {"name": "sweep"},
        "output": {"path": into},
        "insight": "off",
        **more,
    }


def groups(frame: pandas.DataFrame, *paths: str) -> list[int]:
    """The persons of each joint group, by the file of visits and the releases alone."""
    cells = []
    for path in paths:
        release = pandas.read_csv(path, dtype=str)
        cells.append({row["note"]: tuple(row[name] for name in QUASI) for row in release.to_dict("records")})
    persons: dict[Any, set[str]] = {}
    for row in frame.to_dict("records"):
        both = tuple(each.get(row["note"]) for each in cells)
        if any(both):
            persons.setdefault(both, set()).add(row["pid"])
    return sorted(map(len, persons.values()))


def found(release: sc.Release) -> Joint:
    (joint,) = release.result.joint
    return joint


def is_unknown(joint: Joint, why: str) -> None:
    assert joint.unknown is not None and why in joint.unknown, joint.unknown
    assert joint.k is None and joint.exact is not True


OTHERWISE: dict[str, dict[str, Any]] = {
    "clean": {"clean": LOWER},
    "columns": {"person": ["pid", "note"], "keep": []},
    "rows": {"person": None, "identifiers": ["pid"]},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("otherwise", OTHERWISE)
def test_joint_k_is_unknown_between_releases_that_tell_persons_apart_otherwise(otherwise: str) -> None:
    write(visits())
    sc.run(job("one.csv"))
    second = job("two.csv", quasi_identifiers=OTHER, **OTHERWISE[otherwise])
    release = sc.run(second)
    is_unknown(found(release), "person")
    assert "joint k with" in " ".join(release.result.warnings)
    assert not release.result.joint_together
    named = {**second, "output": {"path": "three.csv"}, "against": ["one.csv"]}
    for accept in ({}, {"accept": {"joint_k": 1}}):
        with pytest.raises(RequirementError, match=r"not known.*accept: \{joint_k: unknown\}"):
            sc.run({**named, **accept})
    assert not Path("three.csv").exists()
    accepted = sc.run({**named, "accept": {"joint_k": "unknown"}}).result
    (pair,) = [each for each in accepted.joint if each.required]
    is_unknown(pair, "person")


def test_unknown_is_accepted_and_a_small_joint_k_beside_it_is_not() -> None:
    write(visits())
    sc.run(job("one.csv"))
    sc.run(job("two.csv", quasi_identifiers=OTHER, clean=LOWER))
    both = {"against": ["one.csv", "two.csv"], "accept": {"joint_k": "unknown"}}
    with pytest.raises(RequirementError, match=r"two\.csv is less than 3"):
        sc.run(job("three.csv", clean=LOWER, **both))


WRITTEN: dict[str, Callable[[int], str]] = {
    "without zeros": "P{}".format,
    "a blank behind": "P{:04} ".format,
    "small letters": "p{:04}".format,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("written", WRITTEN)
def test_joint_k_is_unknown_if_the_source_writes_persons_otherwise(written: str) -> None:
    write(visits(200))
    sc.run(job("one.csv"))
    frame = visits(200, name=WRITTEN[written])
    frame = frame[~frame["pid"].isin([WRITTEN[written](person) for person in range(3)])]
    frame = pandas.concat([frame, visits(3)])  # three of 200 are written as before
    write(frame)
    second = job("two.csv", quasi_identifiers=OTHER)
    release = sc.run(second)
    is_unknown(found(release), "share at least half of their combinations and fewer than 5 % of their persons")
    with pytest.raises(RequirementError, match="not known"):
        sc.run({**second, "output": {"path": "three.csv"}, "against": ["one.csv"]})


def typed(frame: pandas.DataFrame, age: str) -> None:
    """Write a source whose ages are numbers of a type."""
    frame.assign(age=frame["age"].astype(age)).to_parquet("visits.parquet", index=False)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("with_both", [False, True])
def test_joint_k_is_unknown_if_persons_and_the_type_of_numbers_are_others(with_both: bool) -> None:
    """No combination is in both releases, as ages read 30.0: that tells nothing of the persons."""
    source = {"source": {"path": "visits.parquet"}}
    typed(visits(200), "int64")
    sc.run({**job("one.csv"), **source})
    if with_both:
        sc.run({**job("two.csv", quasi_identifiers=OTHER), **source})
    typed(visits(200, name="Q{}".format), "float64")
    release = sc.run(third := {**job("three.csv", quasi_identifiers=OTHER), **source})
    assert len(release.result.joint) == 1 + with_both and not release.result.joint_together
    for each in release.result.joint:
        is_unknown(each, "fewer than 5 % of their persons, and a quasi-identifier had another type")
    with pytest.raises(RequirementError, match="not known"):
        sc.run({**third, "output": {"path": "four.csv"}, "against": ["one.csv"]})


@pytest.mark.parametrize("rows", ["one", "several", "more later"])
def test_joint_k_is_known_for_another_type_of_numbers_if_each_person_has_one_row(rows: str) -> None:
    """Several rows of a person are matched by their texts."""
    source = {"source": {"path": "visits.parquet"}}
    single = visits(200).drop_duplicates("pid")
    typed(visits(200) if rows == "several" else single, "int64")
    sc.run({**job("one.csv"), **source})
    typed(visits(200) if rows == "several" else single, "float64")
    release = sc.run({**job("two.csv", quasi_identifiers=OTHER), **source})
    if rows == "several":
        is_unknown(found(release), "'age' had another type")
        return
    assert found(release).unknown is None and (found(release).rows_gone, found(release).rows_new) == (0, 0)
    if rows == "more later":  # the partition of both releases was saved, and its persons have several rows now
        typed(visits(200), "float64")
        pairs = {Path(pair.release).name: pair for pair in sc.run({**job("three.csv"), **source}).result.joint}
        is_unknown(pairs["one.csv"], "'age' had another type")
        assert pairs["two.csv"].unknown is None


def numbered(kind: Any, persons: int = 60) -> None:
    """Write visits of persons with whole numbers of a type, or with texts of these numbers."""
    frame = visits(persons, name="{}".format)
    if kind is not str:
        frame["pid"] = frame["pid"].astype(int).astype(pandas.ArrowDtype(kind))
    frame.to_parquet("visits.parquet", index=False)


SAME_TEXTS = [(pyarrow.int32(), pyarrow.int64()), (pyarrow.decimal128(22, 2), pyarrow.decimal128(24, 2))]
OTHER_TEXTS = [(pyarrow.int32(), pyarrow.decimal128(22, 2)), (pyarrow.int32(), str)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("first", "second"), [*SAME_TEXTS, *OTHER_TEXTS])
def test_joint_k_is_known_between_types_with_the_same_texts_of_persons(first: Any, second: Any) -> None:
    source = {"source": {"path": "visits.parquet"}}
    numbered(first)
    sc.run({**job("one.csv"), **source})
    numbered(second)
    joint = found(sc.run({**job("two.csv", quasi_identifiers=OTHER), **source}))
    if (first, second) in OTHER_TEXTS:
        is_unknown(joint, "'pid', which identifies persons, had another type")
        return
    sizes = groups(visits(name="{}".format), "one.csv", "two.csv")
    assert (joint.unknown, joint.k, joint.groups) == (None, sizes[0], len(sizes))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("departures", ["tell", "hold"])
@pytest.mark.parametrize(("first", "second"), [*SAME_TEXTS, (pyarrow.int64(), pyarrow.int32())])
def test_a_refresh_knows_persons_of_types_with_the_same_texts(first: Any, second: Any, departures: str) -> None:
    asked = of_sets(departures=departures, source={"path": "visits.parquet"})
    numbered(first)
    sc.run(asked)
    numbered(second, 59)  # one person left
    told = sc.run(asked).result.refresh
    assert told is not None and told.new == 0 and told.stayed > 0


def test_a_refresh_is_refused_whose_type_is_too_small_for_a_held_person() -> None:
    asked = of_sets(departures="hold", source={"path": "visits.parquet"})
    frame = visits(name=lambda person: str(person + 2**31 - 59)).astype({"pid": "int64"})
    frame.to_parquet("visits.parquet", index=False)
    sc.run(asked)
    frame[frame["pid"] < 2**31].astype({"pid": "int32"}).to_parquet("visits.parquet", index=False)
    with pytest.raises(JobError, match=r"refresh: visits\.parquet has a column of another type .*refresh: first"):
        sc.run(asked)


def test_later_releases_are_measured_with_those_of_the_same_persons() -> None:
    """The kept partition of all releases is made anew without releases of unknown persons."""
    old, new = visits(200), visits(200, name="{}".format)
    write(old)
    first, second = sc.run(job("one.csv")).result.run, sc.run(job("two.csv", quasi_identifiers=OTHER)).result.run
    write(new)
    third = sc.run(job("three.csv"))
    assert {each.run: each.unknown is not None for each in third.result.joint} == {first: True, second: True}
    assert not third.result.joint_together
    fourth = sc.run(job("four.csv", quasi_identifiers=OTHER))
    (pair,) = [each for each in fourth.result.joint if each.unknown is None]
    sizes = groups(new, "three.csv", "four.csv")
    assert (pair.run, pair.exact, pair.k, pair.groups) == (third.result.run, True, sizes[0], len(sizes))
    (together,) = fourth.result.joint_together
    assert (together.runs, together.k) == ([third.result.run], sizes[0])
    write(old)
    fifth = sc.run(job("five.csv", quasi_identifiers={**QUASI, "age": "suppress"}))
    assert {each.run for each in fifth.result.joint if each.unknown is None} == {first, second}
    (together,) = fifth.result.joint_together
    sizes = groups(old, "one.csv", "two.csv", "five.csv")
    assert (together.k, together.groups, together.exact) == (sizes[0], len(sizes), True)


def test_other_people_with_other_combinations_are_known() -> None:
    write(visits(60))
    sc.run(job("one.csv"))
    write(visits(60, seed=1, name="Q{}".format, ages=60))
    joint = found(sc.run(job("two.csv")))
    assert joint.unknown is None and joint.exact and joint.k is not None and joint.k >= 3


def test_some_who_are_in_both_releases_are_known() -> None:
    """A tenth of the persons is enough, of 60 with the same combinations."""
    write(visits(60))
    sc.run(job("one.csv"))
    write(visits(60, name=lambda person: f"{'PQ'[person > 5]}{person:04}"))
    assert found(sc.run(job("two.csv", quasi_identifiers=OTHER))).unknown is None


def test_the_order_of_columns_that_tell_persons_apart_is_no_matter() -> None:
    frame = visits().assign(clinic=lambda rows: rows["pid"].str[-1])
    write(frame)
    sc.run(job("one.csv", person=["clinic", "pid"]))
    write(frame.iloc[:-1])  # whose the rows were is read from what is kept
    joint = found(sc.run(job("two.csv", quasi_identifiers=OTHER, person=["pid", "clinic"])))
    sizes = groups(frame, "one.csv", "two.csv")
    assert (joint.unknown, joint.k, joint.groups) == (None, sizes[0], len(sizes))


def test_what_older_versions_kept_does_not_say_who_its_persons_are() -> None:
    write(visits())
    sc.run(job("one.csv"))
    (about,) = saved_recodings.every()
    recoded = saved_recodings.read(about)
    assert recoded is not None and recoded.persons is not None
    file = saved_recodings.file_of(state.folder(), about)
    told = json.loads(about.model_dump_json())
    del told["identity"]
    state.write_tables(file, json.dumps(told), [recoded.tuples, recoded.classes, recoded.held, recoded.persons], "0")
    is_unknown(found(sc.run(job("two.csv", quasi_identifiers=OTHER))), "older version")


def test_accept_takes_a_number_or_unknown() -> None:
    for given in (0, "any", None, True):
        with pytest.raises(JobError, match="joint_k"):
            load(job("two.csv", against=["one.csv"], accept={"joint_k": given}))


def test_a_named_release_whose_recoding_is_gone_is_unknown_and_may_be_accepted() -> None:
    write(visits())
    sc.run(job("one.csv"))
    saved_recodings.forget(saved_recodings.every()[0])
    named = job("two.csv", against=["one.csv"])
    with pytest.raises(
        SourceError,
        match=r"recoding is not saved on this machine \(its recoding was forgotten\): .*accept: \{joint_k: unknown\}",
    ):
        sc.run(named)
    (pair,) = sc.run({**named, "accept": {"joint_k": "unknown"}}).result.joint
    is_unknown(pair, "its recoding was forgotten")
    assert pair.required


# Quasi-identifiers that are cleaned otherwise.


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "more", [{"clean": {"sex": {"case": "upper"}}}, {"source": {"path": "visits.csv", "null": "f"}}]
)
def test_joint_k_is_unknown_if_quasi_identifiers_are_cleaned_otherwise(more: dict[str, Any]) -> None:
    write(visits())
    sc.run(job("one.csv"))
    second = job("two.csv", quasi_identifiers=OTHER, **more)
    is_unknown(found(sc.run(second)), "'sex'" if "clean" in more else "was cleaned differently")
    with pytest.raises(RequirementError, match="not known"):
        sc.run({**second, "output": {"path": "three.csv"}, "against": ["one.csv"]})


def nightly(**more: Any) -> dict[str, Any]:
    rows: dict[str, Any] = {"person": None, "identifiers": ["pid"], "refresh": True}
    return job("a.csv", **{**rows, **more})


CLEANED: dict[str, dict[str, Any]] = {
    "quasi-identifier": {"clean": {"sex": {"case": "upper"}}},
    "missing": {"clean": {"age": {"missing": ["20"]}}},
    "valid": {"clean": {"age": {"valid": [21, None]}}},
    "null": {"source": {"path": "visits.csv", "null": "f"}},
    "kept": {"clean": {"note": {"missing": ["0"]}}},
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("of_persons", [False, True])
@pytest.mark.parametrize("cleaned", CLEANED)
def test_a_refresh_is_refused_that_reads_values_otherwise(cleaned: str, of_persons: bool) -> None:
    sets = {"person": {"column": "pid", "as": "set"}, "identifiers": [], "requirement": {"k": 3, "suppression": 1}}
    first = nightly(**(sets if of_persons else {}))
    write(visits())
    before = sc.run(first)
    released = Path("a.csv").read_bytes()
    write(visits(70))
    with pytest.raises(JobError, match=r"refresh: .* cleaned differently .*refresh: first"):
        sc.run({**first, **CLEANED[cleaned]})
    assert Path("a.csv").read_bytes() == released and before.result.refresh is not None
    assert sc.run(first).result.refresh is not None


@pytest.mark.parametrize("more", [{"nonconforming": "suppress"}, {"intervals": [10, 20]}])
def test_a_refresh_is_refused_whose_hierarchy_is_another(more: dict[str, Any]) -> None:
    write(visits())
    sc.run(nightly())
    with pytest.raises(sc.StarcloakError, match="refresh: a hierarchy has changed since the last release"):
        sc.run(nightly(quasi_identifiers={**QUASI, "age": {"intervals": [5, 10, 20], **more}}))


@pytest.mark.parametrize(
    ("first", "same", "other"),
    [
        (pyarrow.int64(), pyarrow.int16(), pyarrow.float64()),
        (pyarrow.decimal128(22, 2), pyarrow.decimal128(24, 2), pyarrow.decimal128(24, 1)),
    ],
)
def test_a_refresh_is_refused_whose_numbers_read_otherwise(first: Any, same: Any, other: Any) -> None:
    def write_as(kind: Any) -> None:
        ages = visits()["age"].astype(int).astype(pandas.ArrowDtype(kind))
        visits().assign(age=ages).to_parquet("visits.parquet")

    asked = nightly(source={"path": "visits.parquet"}, quasi_identifiers={**QUASI, "age": {"intervals": [5, 10, 20]}})
    for kind in (first, same):  # its texts are the same
        write_as(kind)
        released = sc.run(asked).result
    assert released.refresh is not None and released.refresh.new == 0
    write_as(other)
    with pytest.raises(JobError, match=r"refresh: .*'age' is of another type.*refresh: first"):
        sc.run(asked)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kept", [1, 2])
def test_persons_are_measured_though_recodings_of_older_releases_are_gone(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together with the releases whose recodings are gone, too: all together stays, each of them does not."""
    monkeypatch.setattr(saved_recodings, "MOST", kept)
    for size in (60, 61, 62, 63):
        write(visits(size))
        last = sc.run(job("one.csv"))
    assert last.k is not None and len(saved_recodings.every()) == kept
    sc.run(job("gone.csv"))
    saved_recodings.forget(saved_recodings.every()[0])
    named = job("two.csv", against=["gone.csv"], accept={"joint_k": "unknown"})
    assert any(pair.unknown is not None for pair in sc.run(named).result.joint)


# Refreshes of persons.


def of_sets(**more: Any) -> dict[str, Any]:
    sets = {"person": {"column": "pid", "as": "set"}, "requirement": {"k": 3, "suppression": 1}, "refresh": True}
    return job("a.csv", **{**sets, **more})


def test_a_refresh_is_refused_if_persons_are_cleaned_otherwise() -> None:
    write(visits())
    sc.run(of_sets())
    write(visits(70))
    with pytest.raises(JobError, match=r"refresh: .*'pid'.* cleaned differently .*refresh: first"):
        sc.run(of_sets(clean=LOWER))
    assert sc.run(of_sets()).result.refresh is not None
    assert sc.run(of_sets(clean=LOWER, refresh="first")).result.refresh is not None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("departures", ["tell", "hold"])
@pytest.mark.parametrize("written", WRITTEN)
def test_a_refresh_is_refused_if_the_source_writes_persons_otherwise(written: str, departures: str) -> None:
    write(visits())
    sc.run(of_sets(departures=departures))
    write(visits(name=WRITTEN[written]))
    with pytest.raises(JobError, match=r"fewer than 5 % of their persons.*refresh: first"):
        sc.run(of_sets(departures=departures))


def test_a_refresh_knows_persons_by_several_columns_in_any_order() -> None:
    frame = visits().assign(clinic=lambda rows: rows["pid"].str[-1])
    write(frame)
    sc.run(of_sets(person={"column": ["clinic", "pid"], "as": "set"}))
    write(pandas.concat([frame, visits(10, name="Q{}".format).assign(clinic="0", note="more")]))
    told = sc.run(of_sets(person={"column": ["pid", "clinic"], "as": "set"})).result.refresh
    assert told is not None and (told.gone, told.stayed) == (0, len(pandas.read_csv("a.csv")) - told.new)
