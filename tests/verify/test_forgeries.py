"""Forged releases, each of which one clause of the verifier alone refuses: by every recoding model, at every host.

What is tried comes from the list of the clauses: one without a forgery fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import pytest

from starcloak.base.errors import VerificationError
from starcloak.companions.refresh.recount import Departures, Nights
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.l_diversity.model import LDiversity
from starcloak.privacy.model import Model as Privacy
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.releases import proposal
from starcloak.releases.targets.database_table import DatabaseTable
from starcloak.releases.targets.duckdb_table import DuckDBTable
from starcloak.releases.targets.file import File
from starcloak.releases.targets.memory import Memory
from starcloak.releases.targets.target import Target
from starcloak.star.recoding.recoding import Model as Recoding
from starcloak.statements.statement import Literal, Name, Number, Statement
from starcloak.store.session import Session
from starcloak.verify import invariants
from starcloak.verify.claim import Claim
from starcloak.verify.classes import STAGED
from starcloak.verify.recount import Reading
from tests.verify.staged import BY_NAME, FETCHED, LEAF, MODELS, PEOPLE, PLACES, SENT, K, Place, Recoded, Staged

# -------------------------------------------------------------------------------------------------------- the forgeries


def one_more_column(staged: Staged) -> Claim:
    staged.stage(also=", 'SECRETx7' as name")
    return staged.claim


def another_type(staged: Staged) -> Claim:
    """What stays as it is becomes a text that reads the same."""
    staged.stage(ward=staged.text("ward"))
    return staged.claim


def another_type_in_the_database(staged: Staged) -> Claim:
    """Its values are equal in the type of the release."""
    kind = {"postgresql": "numeric", "mariadb": "double", "sqlite": "real"}[staged.dialect]
    staged.stage(n=f"cast(n as {kind})")
    return staged.claim


def a_class_of_one_that_joins_another_on_its_way_home(staged: Staged) -> Claim:
    value = f"value_{staged.dimension.position}"
    staged.stage(**_marked(staged, 1))
    counted = [f"values_{place}" for place, _ in enumerate(staged.claim.looked_at, 1)]
    others = f"* exclude ({', '.join([value, 'checksum', 'size', *counted])}), replace({value}, '~', '') as {value}"
    staged.bring(
        STAGED.parts[0],
        f"select {others}, sum(checksum) as checksum, sum(size) as size from staged_classes group by all",
    )
    return staged.claim


def two_classes_that_become_alike_on_their_way_home(staged: Staged) -> Claim:
    """Neither of them is too small."""
    value = f"value_{staged.dimension.position}"
    staged.stage(**_marked(staged, K))
    staged.bring(STAGED.parts[0], f"select * replace (replace({value}, '~', '') as {value}) from staged_classes")
    return staged.claim


def two_groups_of_one_of_several_qids_that_become_alike(staged: Staged) -> Claim:
    """Over all attributes together, every class comes home as it was."""
    ward = next(dimension for dimension in staged.claim.dimensions if dimension.attribute == "ward")
    cell, value = min(staged.cells.values()), f"value_{ward.position}"
    one, two = staged.written(1), staged.written(2)
    staged.stage(ward=f"case when {staged.cell} = '{cell}' then {two} else ward end")
    alike = f"case when {value} = {two} then {one} else {value} end as {value}"
    staged.bring(STAGED.parts[0], f"select * replace ({alike}) from staged_classes")
    whole = Demand(tuple(staged.claim.levels), (KAnonymity(k=K),))
    return replace(staged.claim, requirement=Requirement((whole, Demand(("ward",), (KAnonymity(k=len(PEOPLE)),)))))


def _marked(staged: Staged, rows: int) -> dict[str, str]:
    """The cells of some rows of the largest class read otherwise."""
    marked = ", ".join(staged.largest[:rows])
    return {staged.cell: f"case when {staged.row} in ({marked}) then {staged.cell} || '~' else {staged.cell} end"}


def two_classes_that_become_one_with_what_a_model_reads(staged: Staged) -> Claim:
    """Their group has as many rows as before."""
    number, one, other = _read(staged)
    more = f"case when {number} = '{other}' then size + 1 else size end"
    staged.bring("staged_values", f"select * replace ({more} as size) from staged_values where {number} <> '{one}'")
    return _asking(staged, LDiversity(attribute="n", l=2))  # every class of two rows has that


def a_class_that_comes_to_another_group_with_what_a_model_reads(staged: Staged) -> Claim:
    """There are as many classes as before, and as large ones."""
    number, one, _ = _read(staged)
    names = [column.name for column in staged.claim.source.released if column.name in ("n", "ward", staged.cell)]
    value, group = f"value_{names.index(staged.cell) + 1}", min(staged.cells.values(), key=staged.sizes.__getitem__)
    moved = f"case when {number} = '{one}' then '{group}' else {value} end"
    staged.bring("staged_values", f"select * replace ({moved} as {value}) from staged_values")
    return _asking(staged, LDiversity(attribute="n", l=2))


def _read(staged: Staged) -> tuple[str, str, str]:
    """The column of n where models read it, as text, and two of its values in the largest class."""
    staged.stage()
    names = [column.name for column in staged.claim.source.released if column.name in ("n", "ward", staged.cell)]
    one, other = (n for n in range(1, len(PEOPLE) + 1) if staged.number(n) in staged.largest[:2])
    return f"value_{names.index('n') + 1}::varchar", str(one), str(other)


def smaller_classes_than_the_job_asks(staged: Staged) -> Claim:
    staged.stage()
    return _asking(staged, KAnonymity(k=min(staged.sizes.values()) + 1))


def smaller_groups_of_one_of_several_qids_than_the_job_asks(staged: Staged) -> Claim:
    """The classes over all attributes are asked for less."""
    staged.stage()
    whole = Demand(tuple(staged.claim.levels), (KAnonymity(k=1),))
    part = Demand((staged.cell,), (KAnonymity(k=min(staged.sizes.values()) + 1),))
    return replace(staged.claim, requirement=Requirement((whole, part)))


def fewer_values_in_a_class_than_the_job_asks(staged: Staged) -> Claim:
    """Each class has as many rows."""
    staged.stage()
    return _asking(staged, KAnonymity(k=K), LDiversity(attribute="illness", l=3))


def _asking(staged: Staged, *models: Privacy) -> Claim:
    """The claim of a job that asks more than was searched for."""
    (demand,) = staged.claim.requirement.demands
    return replace(staged.claim, requirement=Requirement((Demand(demand.attributes, models),)))


def more_rows_left_out_than_the_job_allows(staged: Staged) -> Claim:
    """One more, and nobody says otherwise."""
    left_out = _left_out(staged)
    return replace(staged.claim, suppressed=left_out, allowed=left_out - 1)


def rows_that_were_lost_from_the_beginning(staged: Staged) -> Claim:
    """The search did not know them."""
    _left_out(staged)
    return staged.claim


def _left_out(staged: Staged) -> int:
    """Leave a whole class out, of what was searched as of what is staged; returns how many rows it had."""
    leaf, position = LEAF[staged.cell], staged.dimension.position
    rows = [staged.number(n) for n, value in enumerate(PEOPLE[staged.cell], 1) if str(value) == leaf]
    staged.stage(f"{staged.row} not in ({', '.join(rows)})")
    relation, code = ("recoding", f"code_{position}")
    if staged.model.model == "full-domain":
        relation, code = "star", staged.dimension.column(0).sql()
    known = f"select code from {staged.dimension.table.sql()} where level_0 = '{leaf}'"
    staged.say(relation, f"select * from memory.main.{relation} where {code} <> ({known})")
    return len(rows)


def cells_of_other_levels_than_the_job_says(staged: Staged) -> Claim:
    """They are less general than that."""
    staged.stage()
    if not staged.model.ranged:
        levels = {**staged.claim.levels, staged.cell: (staged.dimension.height,)}
        return replace(staged.claim, levels=levels)
    return _other_range(staged, _FURTHER)


def a_hierarchy_with_a_level_above_the_highest_that_the_job_allows(staged: Staged) -> Claim:
    staged.stage()
    return replace(staged.claim, highest={staged.cell: staged.dimension.height - 1})


def levels_above_the_highest_that_the_job_allows(staged: Staged) -> Claim:
    """Of which its hierarchy has none."""
    staged.stage()
    least = max(staged.claim.levels[staged.cell])
    dimensions = [d if d.attribute != staged.cell else replace(d, height=0) for d in staged.claim.dimensions]
    highest = {staged.cell: least - 1}
    return replace(staged.claim, dimensions=tuple(dimensions), highest=highest)


def ranges_that_do_not_hold_their_numbers(staged: Staged) -> Claim:
    return _other_range(staged, _BESIDE)


# An end beyond all numbers; and the numbers on the other side of an end.
_FURTHER = {"<": "< 9{}", ">=": ">= -9{}"}
_BESIDE = {"<": ">= {}", ">=": "< {}"}


def _other_range(staged: Staged, others: Mapping[str, str]) -> Claim:
    """Have the search and the release say another range."""
    old = next(cell for cell in staged.ranges if cell.split()[0] in others)
    new, text = others[old.split()[0]].format(old.split()[1]), f"text_{staged.dimension.position}"
    staged.stage(**{staged.cell: f"case when {staged.cell} = '{old}' then '{new}' else {staged.cell} end"})
    said = f"case when {text} = '{old}' then '{new}' else {text} end as {text}"
    staged.say("recoding", f"select * replace ({said}) from memory.main.recoding")
    return staged.claim


def rows_of_another_class(staged: Staged) -> Claim:
    """All go to one value, which is known; no sums of kept cells tell, as where two databases computed them."""
    staged.stage(**{staged.cell: staged.text(f"'{max(staged.cells.values())}'")})
    return replace(staged.claim, checksums=False)


def another_kept_cell(staged: Staged) -> Claim:
    """Or, of a frame, a row that is taken twice, and one that is not."""
    number, other = staged.number(2), staged.number(1)
    changed, becomes = ("illness", "'SECRETx7'") if staged.row == "n" else (staged.row, other)
    staged.stage(**{changed: f"case when {staged.row} = {number} then {becomes} else {changed} end"})
    return staged.claim


def kept_cells_that_change_places(staged: Staged) -> Claim:
    """Between two classes, so that all together are those of the source."""
    one, other = staged.number(1), staged.number(len(PEOPLE))
    cells = staged.cells
    assert cells[one] != cells[other]
    staged.stage(
        **{staged.row: f"case {staged.row} when {one} then {other} when {other} then {one} else {staged.row} end"}
    )
    return staged.claim


def another_release_than_the_one_whose_persons_were_counted(staged: Staged) -> Claim:
    """Each class has as many rows and persons as before; two rows go to each other's."""
    staged.stage()
    claim = replace(staged.claim, checksums=False)
    counted = claim.source.host.keep(Name("counted"), staged.goal.read_back(staged.session))
    release = Statement("store/relation", relation=counted)
    stage = VERIFY(staged.session, release, replace(claim, as_sent=lambda: True))
    return replace(kept_cells_that_change_places(staged), checksums=False, stage=stage)


def a_row_that_went_alone(staged: Staged) -> Claim:
    """The release before has shown one more of a class, of which as many stay as a class must have."""
    staged.stage()
    line = "select 0 as turn, 'x' as cell_1, 1 as row, 'y' as value_1, {} as rows, null as until"
    return departing(staged, line.format(K + 1), line.format(K), f"select 1 as row, {K} as rows")


def a_row_that_is_known_by_its_kept_cells_in_another_class(staged: Staged) -> Claim:
    """One of k that went of a class, of which as many stay, is among k new ones of another."""
    staged.stage()
    line = "select {} as turn, '{}' as cell_1, {} as row, '{}' as value_1, {} as rows, null as until"
    stay, new = line.format(0, "x", 1, "y", K), line.format(1, "z", 2, "z", K - 1)
    went = f"{line.format(0, 'x', 3, 'y', K - 1)} union all {line.format(0, 'x', 4, 'y', 1)}"
    return departing(
        staged,
        f"{stay} union all {went}",
        f"{stay} union all {new} union all {line.format(1, 'z', 4, 'z', 1)}",
        f"from (values (1, {K}), (2, {K - 1}), (4, 1)) as there(row, rows)",
    )


def departing(staged: Staged, before: str, now: str, there: str) -> Claim:
    staged.say("hold_before", before)
    staged.say("refresh_shown_now", now)
    staged.say("hold_there", there)
    relation = Statement("store/relation", relation=Name("hold_there"))
    departures = Departures(Name("hold_before"), Name("refresh_shown_now"), relation, 1, K)
    return replace(staged.claim, clauses=(departures.clause,))


def persons_whose_cells_were_shown_are_told_otherwise(staged: Staged) -> Claim:
    """The releases before have shown a row of somebody, of whom nothing is told now."""
    staged.stage()
    return by_night(staged, before="select 'somebody' as whose, CELLS, 0 as turn, null as until, 1 as rows", k=1)


def persons_are_told_to_be_shown_who_are_not(staged: Staged) -> Claim:
    staged.stage()
    shown = "select 'somebody' as whose, CELLS, 0 as turn, null as until, 1 as rows"
    return by_night(staged, before=shown, story=shown, k=1)


def one_person_of_a_history(staged: Staged) -> Claim:
    """All that is told is shown, and all of it of one person."""
    staged.stage()
    cells = ", ".join(
        f"cast({column.name} as varchar) as cell_{place}"
        for place, column in enumerate(staged.claim.source.quasi_identifiers, 1)
    )
    release = staged.goal.read_back(staged.session).sql()
    shown = (
        f"select 'somebody' as whose, 0 as row, {cells}, 1 as turn, null as until, count(*) as rows from ({release})"
    )
    return by_night(staged, story=f"{shown} group by all", k=K)


def by_night(staged: Staged, *, before: str = "", story: str = "", k: int) -> Claim:
    """What releases have shown of persons, of whom the staged one has one."""
    cells = ", ".join(f"'x' as cell_{place}" for place, _ in enumerate(staged.claim.dimensions, 1))
    nothing = f"select 'x' as whose, 0 as row, {cells}, 0 as turn, 0 as until, 1 as rows limit 0"
    for name, rows in (("nights_before", before), ("nights_story", story)):
        staged.say(name, rows.replace("CELLS", f"0 as row, {cells}") or nothing)
    told = Nights(Name("nights_before"), Name("nights_story"), Literal("somebody"), Number(0), k)
    return replace(staged.claim, clauses=(told.clause,))


@dataclass(frozen=True)
class Forgery:
    """A forged release, and where it can be: with what recoding model, at what place."""

    forge: Callable[[Staged], Claim]
    where: Callable[[Recoded, str], bool] = lambda model, place: True


AT_HOME = ("duckdb", "csv", "parquet", "frame")
FORGERIES: dict[str, list[Forgery]] = {
    # A frame's kept columns are taken by their names; sent ones are compared before the verifier reads them.
    "columns": [Forgery(one_more_column, lambda _, place: place not in ("frame", *SENT))],
    # What was sent is read in the types of the release: its own clause compares those of the database.
    "types": [Forgery(another_type, lambda _, place: place not in ("csv", *FETCHED, *SENT))],
    "as sent": [Forgery(another_type_in_the_database, lambda _, place: place in SENT)],
    "home": [
        Forgery(a_class_of_one_that_joins_another_on_its_way_home),
        Forgery(two_classes_that_become_one_with_what_a_model_reads),
        Forgery(a_class_that_comes_to_another_group_with_what_a_model_reads),
    ],
    "torn": [
        Forgery(two_classes_that_become_alike_on_their_way_home),
        Forgery(two_groups_of_one_of_several_qids_that_become_alike),
    ],
    "anonymity": [
        Forgery(smaller_classes_than_the_job_asks),
        Forgery(smaller_groups_of_one_of_several_qids_than_the_job_asks),
    ],
    "models": [Forgery(fewer_values_in_a_class_than_the_job_asks)],
    "suppression": [Forgery(more_rows_left_out_than_the_job_allows)],
    "rows": [Forgery(rows_that_were_lost_from_the_beginning)],
    "levels": [Forgery(cells_of_other_levels_than_the_job_says)],
    "ceilings": [
        Forgery(a_hierarchy_with_a_level_above_the_highest_that_the_job_allows),
        Forgery(levels_above_the_highest_that_the_job_allows),
    ],
    "ranges": [Forgery(ranges_that_do_not_hold_their_numbers, lambda model, _: model.ranged)],
    "tuples": [Forgery(rows_of_another_class)],
    # Kept cells are compared tuple by tuple or, where that cannot be, all together.
    "kept": [
        Forgery(another_kept_cell, lambda model, place: model.sums and place not in FETCHED),
        Forgery(kept_cells_that_change_places, lambda model, place: model.sums and place not in FETCHED),
    ],
    "invented": [Forgery(another_kept_cell, lambda model, place: not model.sums or place in FETCHED)],
    "departures": [
        Forgery(a_row_that_went_alone),
        Forgery(a_row_that_is_known_by_its_kept_cells_in_another_class),
    ],
    # Rows of a database are at home where persons are shown again.
    "nights": [
        Forgery(persons_whose_cells_were_shown_are_told_otherwise),
        Forgery(persons_are_told_to_be_shown_who_are_not, lambda _, place: place in AT_HOME),
        Forgery(one_person_of_a_history, lambda _, place: place in AT_HOME),
    ],
    "projection": [Forgery(another_release_than_the_one_whose_persons_were_counted)],
}


# -------------------------------------------------------------------------------------------------------------- tests


@dataclass
class Forger:
    """Takes the verifier's place in a run: forges what is staged in every way, and leaves the last one there."""

    model: Recoded
    place: Place
    last: int
    tried: list[str] = field(default_factory=list)
    goals: list[Target] = field(default_factory=list)
    models: list[str] = field(default_factory=list)

    @property
    def forgeries(self) -> list[tuple[str, Forgery]]:
        """By the clause that refuses them. The last one is another one in every run."""
        each = [
            (clause, forgery)
            for clause, forgeries in FORGERIES.items()
            for forgery in forgeries
            if forgery.where(self.model, self.place.name)
        ]
        turn = self.last % len(each)
        return each[turn:] + each[:turn]

    def verify(self, session: Session, _: Statement, claim: Claim) -> Reading:
        with pytest.MonkeyPatch.context() as patched:
            staged = Staged(self.goals[-1], session, claim, self.model, patched)
            for clause, forgery in self.forgeries:
                staged.honest()
                forged = forgery.forge(staged)
                reading = Reading(session, staged.goal.read_back(session), forged)
                refusing = [other.name for other in invariants.clauses_of(forged) if any(other.problems(reading))]
                assert refusing == [clause]
                self.tried.append(clause)
            return VERIFY(session, staged.goal.read_back(session), forged)


VERIFY = invariants.verify


@pytest.fixture
def forging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Forger], None]]:
    """Has a forger take part in the next run."""

    def begin(forger: Forger) -> None:
        stages = {kind: kind.stage for kind in (File, DuckDBTable, Memory, DatabaseTable)}
        search = proposal.search

        def stage(self: Target, session: Session, release: Statement) -> None:
            forger.goals.append(self)
            next(stages[kind] for kind in type(self).__mro__ if kind in stages)(self, session, release)

        def searched(*arguments: Any) -> Any:
            answer = search(*arguments)
            forger.models.append(answer.recoding.model)
            return answer

        for kind in stages:
            monkeypatch.setattr(kind, "stage", stage)
        monkeypatch.setattr(proposal, "search", searched)
        monkeypatch.setattr(invariants, "verify", forger.verify)

    yield begin


def quick(model: Recoded, place: str) -> bool:
    """Every model where DuckDB has the rows; every clause once at each other place, which takes two of them."""
    known = ["csv", "frame", "mariadb", "duckdb to postgresql", "postgresql to csv"]
    one, other = ("full-domain", "local ranges") if place in known else ("single-dimension", "multi-dimension ranges")
    return place == "duckdb" or (model.name in (one, other) and place != "mariadb to csv")


CASES = [
    pytest.param(name, model, id=f"{name}-{model.name}", marks=[] if quick(model, name) else [pytest.mark.long])
    for name in PLACES
    for model in MODELS
]


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("name", "model"), CASES)
def test_one_clause_alone_refuses_what_is_forged(
    name: str, model: Recoded, made: Callable[[str], Place], forging: Callable[[Forger], None]
) -> None:
    """Without that clause the release passes; with it, it is refused, and what stands published stays as it is."""
    place = made(name)
    before = place.published()
    forger = Forger(model, place, last=PLACES.index(name) + 2 * MODELS.index(model))
    forging(forger)
    with pytest.raises(VerificationError, match="was not published") as refused:
        place.run(model)
    assert forger.models == [model.model]
    assert refused.value.clause == forger.tried[-1]
    assert place.published() == before


# Where a clause has nothing to refuse, by the place or by the recoding model.
NOTHING = {
    "columns": {"frame", *SENT},
    "types": {"csv", *FETCHED, *SENT},
    "as sent": {*PLACES} - {*SENT},
    "ranges": {model.name for model in MODELS if not model.ranged},
    "kept": {*FETCHED, *(model.name for model in MODELS if not model.sums)},
    "nights": {*PLACES} - {*AT_HOME},
}


@pytest.mark.parametrize("every", [True, False], ids=["all", "without the long ones"])
def test_every_clause_is_forged_with_every_recoding_model_and_at_every_host(every: bool) -> None:
    *own, last = (clause.name for clause in invariants.CLAUSES)
    assert list(FORGERIES) == [*own, "departures", "nights", last]
    assert {model.model for model in MODELS} == set(get_args(Recoding))
    for clause, forgeries in FORGERIES.items():
        for forgery in forgeries:
            tried = {
                (model.name, place)
                for model in MODELS
                for place in PLACES
                if (every or quick(model, place)) and forgery.where(model, place)
            }
            wanted = {*PLACES, *(BY_NAME if every or clause != "as sent" else ())} - NOTHING.get(clause, set())
            assert {each for pair in tried for each in pair} >= wanted - (set() if every else {"mariadb to csv"})
