"""Classes as they arrive from their database, and numbers of records by the size of their class."""

from __future__ import annotations

import pandas
import pytest

import starcloak as sc
from starcloak.privacy.requirement import Demand
from starcloak.statements.statement import Name
from starcloak.store.databases.host import ClassTotals
from starcloak.store.session import Session
from starcloak.verify.classes import Class, ExposedRecords, Sizes, have_arrived


def test_no_record_is_alone_without_a_class_of_one() -> None:
    assert ExposedRecords(((2, 4), (3, 3))).alone == 0
    assert ExposedRecords(((1, 5), (3, 3))).alone == 5


def test_exposed_records_are_counted_by_the_size_of_their_class() -> None:
    exposed = ExposedRecords(((2, 6), (5, 5)))
    assert (exposed.records, exposed.smallest) == (11, 2)
    assert exposed.average_risk == pytest.approx(4 / 11)
    assert [exposed.below(k) for k in (2, 3, 5, 6)] == [0, 6, 6, 11]
    assert ExposedRecords(()).average_risk is None


def test_sizes_of_classes_are_counted_by_size() -> None:
    sizes = Sizes(((2, 3), (5, 1)))
    assert (sizes.rows, sizes.classes, sizes.smallest) == (11, 4, 2)
    assert [sizes.of(size) for size in (1, 2, 3, 5)] == [0, 3, 0, 1]
    assert sizes.exposure == ExposedRecords(((2, 6), (5, 5)))
    assert sizes.itself == (Class(2, 2, 3), Class(5, 5, 1))


def test_the_risk_before_a_run_counts_the_records_that_are_alone() -> None:
    for ages, alone in ((["20", "20", "30", "30"], 0), (["20", "21", "30", "31", "31"], 3)):
        frame = pandas.DataFrame({"age": ages})
        release = sc.run({"quasi_identifiers": {"age": "suppress"}, "requirement": {"k": 1}}, frame=frame)
        assert release.result.insight is not None and release.result.insight.before is not None
        assert release.result.insight.before.alone == alone


@pytest.mark.parametrize(
    ("groups", "arrived"), [((5, 5), True), ((3, 5), False), ((5, 3), False), ((5, 7), False), ((3, 2), False)]
)
def test_a_class_of_two_parts_has_the_rows_that_its_database_counted_for_each(
    groups: tuple[int, int], arrived: bool
) -> None:
    with Session() as session:
        session.connection.execute(
            "create table classes as select * from (values ('x', 'a', 3, ?), ('x', 'b', 2, ?)) "
            "as classes(value_1, value_2, size, group_0)",
            groups,
        )
        demand = Demand(("zip",), ())
        totals = ClassTotals(2, 2, 5)
        assert have_arrived(session, Name("classes"), ["zip", "age"], [demand], totals) is arrived
