"""Visits of persons released again: whoever has all nights finds k persons or more of one history."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from contextlib import chdir, nullcontext, suppress
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import JobError, OutputError, RequirementError, VerificationError
from starcloak.companions.refresh import refresh
from starcloak.companions.refresh.identities import Persons
from starcloak.job.result import Refreshing
from starcloak.releases import state
from starcloak.releases.recodings import saved_recodings
from starcloak.star.recoding.mapped import MAPPING
from starcloak.statements.statement import Hole, Statement

pytestmark = pytest.mark.usefixtures("work")

QUASI = ["age", "zip", "sex"]
#: What a row reads in a release, and in all of them: one entry for each night, None where it is not shown.
Cells = tuple[str, ...]
Seen = tuple[Cells | None, ...]


def job(**more: Any) -> dict[str, Any]:
    return {
        "source": {"path": "visits.csv"},
        "person": {"column": "whose", "as": "set"},
        "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 2}, "sex": "suppress"},
        "keep": ["id", "note"],
        "requirement": {"k": 3, "suppression": 1},
        "algorithm": {"name": "sweep"},
        "output": {"path": "a.csv"},
        "insight": "off",
        "refresh": True,
        **more,
    }


class Clinic:
    """Persons with visits, each with a number that a release keeps, so that whoever has all of them knows it again.

    With ``of_persons`` it is the person who has a number, and visits of a person may be alike in all cells.
    """

    def __init__(self, seed: int, *, of_persons: bool = False) -> None:
        self.of_persons = of_persons
        self.random = random.Random(seed)
        self.visits: list[dict[str, str]] = []
        self.whose: dict[str, str] = {}
        self.persons = 0
        self.ages = self.random.sample(range(20, 60), self.random.choice((2, 4, 12)))
        self.places = self.random.sample(range(10, 40), self.random.choice((1, 3, 6)))

    def visit(self, person: str) -> None:
        number = person[1:] if self.of_persons else str(len(self.whose))
        self.whose[number] = person
        self.visits.append(
            {
                "whose": person,
                "age": str(self.random.choice(self.ages)) if self.random.random() < 0.95 else "",
                "zip": str(self.random.choice(self.places)),
                "sex": self.random.choice("fm"),
                "id": number,
                "note": self.random.choice(("a", "a", "a", "b", "")),
            }
        )

    def come(self, count: int) -> None:
        for _ in range(count):
            self.persons += 1
            for _ in range(self.random.choice((1, 1, 2, 3))):
                self.visit(f"p{self.persons}")

    def there(self) -> list[str]:
        return sorted({visit["whose"] for visit in self.visits})

    def some(self, count: int) -> list[str]:
        there = self.there()
        return self.random.sample(there, min(count, len(there)))

    def come_again(self, count: int) -> None:
        for person in self.some(count):
            self.visit(person)

    def go(self, count: int) -> None:
        gone = set(self.some(count))
        self.visits = [visit for visit in self.visits if visit["whose"] not in gone]

    def lose(self, count: int) -> None:
        for visit in self.random.sample(self.visits, min(count, len(self.visits))):
            self.visits.remove(visit)

    def change(self, count: int) -> None:
        for visit in self.random.sample(self.visits, min(count, len(self.visits))):
            column = self.random.choice(("age", "note"))
            visit[column] = str(self.random.choice(self.ages)) if column == "age" else "c"

    def live(self) -> None:
        """What happens in a day."""
        much = self.random.choice((1, 4, 12))
        self.come(self.random.randrange(0, 15))
        for happens in (self.come_again, self.go, self.lose, self.change):
            if self.random.random() < 0.4:
                happens(self.random.randrange(0, much + 1))
        if self.random.random() < 0.2:
            self.come_again(len(self.there()))
        if not self.visits:
            self.come(5)

    def write(self) -> None:
        self.random.shuffle(self.visits)
        pandas.DataFrame(self.visits).to_csv("visits.csv", index=False)


def released() -> dict[str, Cells]:
    """What each visit reads in the release that is there."""
    return {row["id"]: tuple(row[name] for name in QUASI) for row in rows()}


def rows() -> list[dict[str, str]]:
    """The release that is there."""
    frame = pandas.read_csv("a.csv", dtype=str, keep_default_na=False)
    assert "whose" not in frame.columns
    return frame.to_dict("records")


def histories(nights: list[dict[str, Cells]], whose: dict[str, str]) -> Counter[tuple[tuple[Seen, int], ...]]:
    """How many persons have each history: of their visits what each read in every night, whichever visit it was."""
    seen: dict[str, Counter[Seen]] = defaultdict(Counter)
    for visit in set().union(*nights):
        seen[whose[visit]][tuple(night.get(visit) for night in nights)] += 1
    return Counter(tuple(sorted(visits.items(), key=repr)) for visits in seen.values())


def histories_of_persons(nights: list[list[dict[str, str]]]) -> Counter[tuple[Any, ...]]:
    """The same where persons are known again: of each night what their visits read, each as often."""
    seen = [defaultdict[str, list[Cells]](list) for _ in nights]
    for night, shown in zip(nights, seen, strict=True):
        for row in night:
            shown[row["id"]].append(tuple(row[name] for name in QUASI))
    return Counter(tuple(tuple(sorted(shown[person])) for shown in seen) for person in set().union(*seen))


def told(release: sc.Release) -> Refreshing:
    assert release.result.refresh is not None
    return release.result.refresh


def live_through(seed: int, *, nights: int = 6, k: int = 3, departures: str = "tell") -> Counter[str]:
    """A random history, held against the oracle night for night; returns what happened in it."""
    place = Path(f"{seed} {departures}")
    place.mkdir()
    with chdir(place):
        return _live(seed, nights, k, departures)


def _live(seed: int, nights: int, k: int, departures: str) -> Counter[str]:
    clinic, shown, happened = Clinic(seed), list[dict[str, Cells]](), Counter[str]()
    shown_as: dict[str, dict[str, str]] = {}
    clinic.come(clinic.random.choice((15, 40, 80)))
    for _ in range(nights):
        clinic.write()
        try:
            release = sc.run(job(requirement={"k": k, "suppression": 1}, departures=departures))
        except RequirementError:
            happened["refused"] += 1
            assert not shown
            clinic.live()
            continue
        shown.append(released())
        if release.result.unchanged:
            continue
        found = histories(shown, clinic.whose)
        assert min(found.values(), default=k) >= k
        there = {visit["id"]: dict(visit) for visit in clinic.visits}
        before, now = (shown[-2] if len(shown) > 1 else {}), shown[-1]
        shown_as |= {visit: there[visit] for visit in now.keys() - before.keys()}
        held = sum(there.get(visit) != shown_as[visit] for visit in now)
        assert all(now[visit] == cells for visit, cells in before.items() if visit in now)
        assert {row["id"]: row["note"] for row in rows()} == {visit: shown_as[visit]["note"] for visit in now}
        stayed = len(before.keys() & now.keys())
        assert (told(release).stayed, told(release).new) == (stayed, len(now) - stayed)
        assert (told(release).gone, told(release).waiting) == (len(before) - stayed, len(there) + held - len(now))
        assert (told(release).held, release.result.rows) == (held, len(there) + held)
        assert not held or departures == "hold"
        happened["held"] += held
        if len(shown) > 1:
            (together,) = release.result.joint_together
            assert (together.k, together.groups, together.exact) == (
                min(found.values(), default=None),
                len(found),
                True,
            )
            ever, known = set().union(*shown), set().union(*shown[:-1])
            assert (together.rows, together.rows_gone) == (len(ever), len(ever - now.keys()))
            assert (together.rows_new, len(together.runs)) == (len(now.keys() - known), len(shown) - 1)
            assert not release.result.joint
            known = {clinic.whose[visit] for visit in known}
            gained = {clinic.whose[visit] for visit in now.keys() - before.keys()}
            happened["come"] += len(gained - known)
            happened["gained"] += len(gained & known)
        happened["gone"] += told(release).gone
        happened["waiting"] += told(release).waiting
        clinic.live()
    return happened


def know_again(seed: int, *, nights: int = 6, k: int = 3, departures: str = "tell") -> None:
    """A random history where visits of a person may be alike in all cells."""
    clinic, shown = Clinic(seed, of_persons=True), list[list[dict[str, str]]]()
    clinic.come(clinic.random.choice((15, 40, 80)))
    Path(str(seed)).mkdir()
    with chdir(str(seed)):
        for _ in range(nights):
            clinic.write()
            with suppress(RequirementError) if not shown else nullcontext():
                sc.run(job(requirement={"k": k, "suppression": 1}, departures=departures))
                shown.append(rows())
            assert min(histories_of_persons(shown).values(), default=k) >= k
            there = {visit["id"] for visit in clinic.visits}
            assert departures == "hold" or all(row["id"] in there for night in shown[-1:] for row in night)
            clinic.live()


#: So many histories at once; the daily ones are a part of them.
_MANY = 100


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("seed", "departures"), [(0, "tell"), (5, "hold")])
def test_whoever_has_all_nights_finds_k_persons_of_one_history(seed: int, departures: str) -> None:
    happened = live_through(seed, k=2 + seed % 2, departures=departures)
    assert happened["come"] and happened["waiting"] and (happened["held"] > 0) == (departures == "hold")


def test_whoever_knows_persons_again_finds_k_of_one_history() -> None:
    for seed in (1, 2):
        know_again(seed, k=2 + seed % 2, departures="hold" if seed // 2 else "tell")


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_whoever_has_all_nights_finds_k_persons_of_one_history_in_many(part: int) -> None:
    happened = Counter[str]()
    for seed in range(_MANY * part, _MANY * (part + 1)):
        if seed % 4:
            happened += live_through(1000 + seed, k=2 + seed % 3, departures="hold" if seed % 2 else "tell")
        else:
            know_again(1000 + seed, k=2 + seed // 4 % 3, departures="hold" if seed % 8 else "tell")
    assert all(happened[what] for what in ("come", "gained", "gone", "held", "waiting"))


# ------------------------------------------------------------------------------------------------ night by night


def visit(person: str, number: str, **more: str) -> dict[str, str]:
    return {"whose": person, "age": "20", "zip": "10", "sex": "f", "id": number, "note": "a", **more}


def alike(count: int, **more: str) -> list[dict[str, str]]:
    """Persons with a visit each."""
    named = more.get("age", "20")
    return [visit(f"{named}-{number}", f"{named}.{number}", **more) for number in range(count)]


def write(*visits: dict[str, str]) -> None:
    pandas.DataFrame(visits).to_csv("visits.csv", index=False)


def run(*visits: dict[str, str], **more: Any) -> sc.Release:
    write(*visits)
    return sc.run(job(**more))


def again(*persons: int, turn: str, **more: str) -> list[dict[str, str]]:
    """A further visit of some persons."""
    return [visit(f"20-{number}", f"{turn}.{number}", zip="11", **more) for number in persons]


def test_a_new_visit_of_a_known_person_waits_until_k_of_one_history_gain_one() -> None:
    there, found = alike(6), []
    run(*there)
    for persons in ((0, 1), (2,), (3,), (4, 5)):
        there += again(*persons, turn="new")
        release = run(*there)
        found.append((told(release).new, told(release).waiting))
    # Three gain together, as three are left behind; of these nobody does before all of them can.
    assert found == [(0, 2), (3, 0), (0, 1), (3, 0)]
    assert released().keys() == {visit["id"] for visit in there}


def test_where_fewer_than_k_would_be_left_behind_nobody_gains_a_visit() -> None:
    there = alike(5)
    run(*there)
    release = run(*there, *again(0, 1, 2, turn="new"))
    assert (told(release).new, told(release).waiting) == (0, 3)
    release = run(*there, *again(*range(5), turn="new"))
    assert (told(release).new, told(release).waiting) == (5, 0)


def test_of_several_new_visits_a_person_gains_one_each_night() -> None:
    there = alike(3)
    run(*there)
    there += again(0, 1, 2, turn="a") * 2 + again(0, 1, turn="c")
    found = [told(run(*there, note)).waiting for note in (alike(1, age="50")[0], alike(1, age="55")[0])]
    assert found == [3 + 2 + 1, 2 + 1]


def test_with_a_person_who_goes_others_of_the_same_history_leave_for_good() -> None:
    there = alike(9)
    run(*there)
    release = run(*there[1:])
    assert (told(release).left, told(release).gone, len(released())) == (3, 3, 6)
    shown = released().keys()
    first = next(visit for visit in there if visit["id"] in shown)
    release = run(*(visit for visit in there[1:] if visit is not first))
    assert (told(release).left, len(released())) == (3, 3)
    # The others are too few for some of them to leave and some to stay. Whoever left does not come back.
    shown = released().keys()
    changed = next(visit for visit in there if visit["id"] in shown)
    release = run(*(visit for visit in there[1:] if visit is not changed), {**changed, "note": "b"})
    assert (told(release).left, told(release).stayed, release.result.released_rows) == (3, 0, 0)
    release = run(*there, *alike(3, age="50"))
    assert (told(release).new, told(release).waiting) == (3, 9)
    assert {visit.partition(".")[0] for visit in released()} == {"50"}


def test_k_who_go_together_take_nobody_with_them() -> None:
    there = alike(9)
    run(*there)
    release = run(*there[4:])
    assert (told(release).left, len(released())) == (4, 5)
    assert released().keys() == {visit["id"] for visit in there[4:]}


def test_whoever_loses_a_visit_leaves_with_all_of_them() -> None:
    there = [*alike(9), *again(*range(9), turn="second")]
    run(*there)
    release = run(*there[3:])
    assert (told(release).left, told(release).gone, told(release).new, told(release).waiting) == (3, 6, 0, 3)


def test_a_person_is_held_until_k_of_one_history_or_all_can_go_together() -> None:
    there, sizes = alike(7), []
    for many in (7, 6, 5, 4, 3, 2, 0):
        release = run(*there[:many], *alike(3, age="50"), departures="hold")
        shown = sum(cells[0] == "20" for cells in released().values())
        sizes.append((shown, told(release).held, told(release).left))
    # Three go together as soon as there are three; with two of four left, no three can; in the end, all do.
    assert sizes == [(7, 0, 0), (7, 1, 0), (7, 2, 0), (4, 0, 3), (4, 1, 0), (4, 2, 0), (0, 0, 4)]
    with pytest.raises(OutputError, match="person"):
        release.sql()


def test_a_visit_that_changed_is_shown_as_it_was_and_its_person_gains_none() -> None:
    there = [*alike(6), *again(*range(6), turn="second")]
    run(*there, departures="hold")
    before = released()
    changed = [{**visit, "note": "b"} if visit["id"] == "second.2" else visit for visit in there]
    changed += again(1, 2, 3, 4, turn="new")
    release = run(*changed, departures="hold")
    assert (told(release).held, told(release).new, told(release).waiting, told(release).left) == (1, 3, 2, 0)
    assert {row["id"]: row["note"] for row in rows()}["second.2"] == "a"
    assert released().items() >= before.items() and "new.2" not in released()
    # What comes back as it was is held no more.
    release = run(*there, *again(1, 2, 3, 4, turn="new"), departures="hold")
    assert (told(release).held, told(release).stayed) == (0, 15)


def test_what_is_held_of_persons_goes_when_it_is_told_again() -> None:
    there = alike(6)
    run(*there, departures="hold")
    assert told(run(*there[1:], departures="hold")).held == 1
    telling = run(*there[1:])
    assert (told(telling).held, told(telling).left, len(released())) == (0, 3, 3)
    with pytest.raises(JobError, match="hold is not possible after a release without it"):
        run(*there[1:], *alike(3, age="50"), departures="hold")


def test_persons_of_two_columns_and_of_a_frame_are_known_again() -> None:
    more = {"person": {"column": ["clinic", "whose"], "as": "set"}}
    frame = pandas.DataFrame(alike(5)).assign(clinic=1)
    frame = pandas.concat([frame, frame.assign(clinic=11, age="50", id=frame["id"] + "b")], ignore_index=True)
    asked = {name: value for name, value in job(**more).items() if name != "source"}
    first = sc.run(asked, frame=frame)
    assert (told(first).new, told(first).left) == (10, 0)
    later = pandas.concat([frame.iloc[1:], frame.iloc[5:].assign(zip="11", id=frame["id"] + "c")])
    release = sc.run(asked, frame=later)
    assert (told(release).stayed, told(release).new, told(release).left, told(release).waiting) == (5, 5, 5, 4)


def test_persons_of_two_columns_are_held_whatever_the_order_of_the_columns() -> None:
    there = [{**seen, "clinic": f"c{at % 2}"} for at, seen in enumerate(alike(6))]
    names = ["clinic", "whose"]
    for night, order in enumerate((names, names[::-1], names)):
        release = run(*there[night:], departures="hold", person={"column": order, "as": "set"})
        assert (told(release).held, len(rows())) == (night, 6)


def test_what_is_kept_of_persons_tells_nobody_who_they_are() -> None:
    there = alike(3, age="SECRETx7")
    for name in ("a.csv", "b.csv"):
        run(*there, quasi_identifiers={"zip": {"digits": 2}, "sex": "suppress"}, keep=["note"],
            identifiers=["id", "age"], output={"path": name}, insight="auto")  # fmt: skip
    known = []
    for about in saved_recodings.every():
        kept = saved_recodings.read(about)
        assert kept is not None and kept.shown is not None
        tables = (kept.tuples, kept.classes, kept.held, kept.shown)
        assert "SECRETx7" not in json.dumps([table.reader().read_all().to_pylist() for table in tables])
        known.append({row["whose"] for row in kept.shown.reader().read_all().to_pylist()})
        assert about.identity is not None and about.identity.key == state.keyed("")[: state.KEYED_BY]
    # Each chain of releases has hashes of its own.
    assert list(map(len, known)) == [3, 3] and not known[0] & known[1]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"requirement": {"k": 4}}, "fewer than k = 4 persons have the same rows"),
        ({"keep": ["id"], "identifiers": ["note"]}, "has other columns"),
        (
            {"person": {"column": ["whose", "note"], "as": "set"}, "keep": ["id"]},
            "counts persons by 'whose', and this one persons by 'note', 'whose'",
        ),
        ({"person": None, "identifiers": ["whose"]}, "the last release counts persons, and this job has no person"),
        ({"departures": "hold"}, "hold is not possible after a release without it"),
    ],
    ids=["k", "kept", "person", "rows", "hold"],
)
def test_what_was_shown_otherwise_is_refused(more: dict[str, Any], problem: str) -> None:
    run(*alike(3))
    before = Path("a.csv").read_bytes()
    with pytest.raises(JobError, match=problem):
        run(*alike(7), **more)
    assert Path("a.csv").read_bytes() == before


def test_persons_are_not_refreshed_from_a_release_that_counted_rows() -> None:
    run(*alike(3), person=None, identifiers=["whose"])
    with pytest.raises(
        JobError, match="the last release counts rows, and this job has person: give person as in that release"
    ):
        run(*alike(4))


def test_without_the_secret_nobody_is_taken_for_a_new_person() -> None:
    run(*alike(3))
    (state.folder() / "secret").unlink()
    with pytest.raises(JobError, match=r"hashed with another secret for the earlier release.* with the secret in"):
        run(*alike(7))
    assert told(run(*alike(7), refresh="first")).new == 7


def test_a_release_afresh_says_that_it_was_not_measured_with_those_before() -> None:
    run(*alike(3))
    run(*alike(7))
    afresh = run(*alike(9), refresh="first")
    assert [pair.unknown is not None for pair in afresh.result.joint] == [True, True]
    later = run(*alike(12))
    assert later.result.joint_together[0].runs == [afresh.result.run] and len(later.result.joint) == 2
    with pytest.raises(OutputError, match="person: a script cannot compare"):
        later.sql()


# ---------------------------------------------------------------------------------- the verifier counts by itself


def refuses(problem: str, *visits: dict[str, str]) -> None:
    before = Path("a.csv").read_bytes()
    with pytest.raises(VerificationError, match=problem) as refused:
        run(*visits)
    assert refused.value.clause == "nights"
    assert Path("a.csv").read_bytes() == before


def test_the_verifier_counts_again_who_left(monkeypatch: pytest.MonkeyPatch) -> None:
    there = alike(9)
    run(*there)
    monkeypatch.setattr(Persons, "going", Statement.of_text("as_they_please", "case when $k > 0 then absent end"))
    refuses("over all releases, fewer than k = 3 persons have the same history", *there[1:])


def test_the_verifier_counts_again_who_gained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four gain a visit of whom two are known since the first night and two since the second: alike in each alone."""
    there, pool = alike(10), Persons.pool
    run(*there[:5])
    run(*there)
    there += again(0, 1, 5, 6, turn="new")
    of_no_cohort = "select * replace (cast(0 as bigint) as cohort) from ({rows})"
    with monkeypatch.context() as patched:
        patched.setattr(
            Persons,
            "pool",
            lambda self, rows: (Statement.of_text("of_no_cohort", of_no_cohort, rows=pool(self, rows)[0]), {}),
        )
        refuses("over all releases, fewer than k = 3 persons have the same history", *there)
    assert told(run(*there)).new == 0


def forgetful(**instead: Hole) -> Any:
    """A story that lacks some of what it is made of."""
    tell = refresh._story

    def told_without(*of: Any) -> Statement:
        made = tell(*of)
        return Statement(made.path, **{**made.holes, **instead})

    return told_without


def test_the_verifier_holds_what_is_told_to_later_nights_against_what_was_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = alike(9)
    run(*there)
    nothing = Statement.of_text("nothing_ended", "union all by name\nselect $turn as turn\nwhere false")
    monkeypatch.setattr(refresh, "_story", forgetful(ended=nothing))
    refuses("the saved rows of persons in earlier releases have changed", *there[4:])


def test_the_verifier_holds_what_is_told_to_later_nights_against_the_staged_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    empty = Statement("store/no_rows", rows=Statement("store/relation", relation=MAPPING))
    monkeypatch.setattr(refresh, "_story", forgetful(mapping=Statement("store/relation#nested", rows=empty)))
    with pytest.raises(
        VerificationError, match="the rows of persons saved for later releases differ from the released rows"
    ):
        run(*alike(9))
    assert not Path("a.csv").exists()
