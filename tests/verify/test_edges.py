"""The gate and the verifier at their edges: rows as few as k, none, and values that are nearly alike."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pandas
import pytest
import sqlalchemy

import starcloak as sc
from starcloak.base.errors import JobError, SourceError
from starcloak.privacy.delta_presence.model import DeltaPresence
from starcloak.privacy.k_map.model import KMap
from starcloak.privacy.requirement import Demand
from starcloak.store.session import Session
from starcloak.verify import population_classes
from starcloak.verify.claim import Claim
from tests.people import Server
from tests.servers import with_driver


@pytest.mark.parametrize(("rows", "told"), [(1, None), (2, None), (3, 3), (4, 4)])
def test_so_few_rows_of_a_release_are_not_counted(rows: int, told: int | None) -> None:
    """Of several k, the largest hides most; a QID's own hides its classes."""
    frame = pandas.DataFrame({"a": ["x"] * rows, "b": ["y"] * rows})
    verdict = sc.check(frame, qids=[{"attributes": ["a", "b"], "k": 2}, {"attributes": ["a"], "k": 3}]).disclosed()
    assert verdict.rows == told
    assert [qid.classes for qid in verdict.qids] == [None if rows < k else 1 for k in (2, 3)]
    assert [qid.k for qid in verdict.qids] == [None if rows < k else rows for k in (2, 3)]
    assert verdict.holds == (rows >= 3)


def test_a_k_that_no_table_has_is_answered() -> None:
    (qid,) = sc.check(pandas.DataFrame({"a": ["x"] * 3}), ["a"], 2**70).qids
    assert not qid.holds and qid.k is None and (qid.classes, qid.violating_rows) == (1, 3)


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_texts_that_a_database_takes_for_one_are_two_classes(kind: str, request: pytest.FixtureRequest) -> None:
    """Where the collation says so, they are equal; numbers stay numbers."""
    server: Server = request.getfixturevalue(kind)
    collation = {"postgresql": "collate blind", "mariadb": "collate utf8mb4_unicode_ci"}[kind]
    engine = sqlalchemy.create_engine(with_driver(server.url), poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        if kind == "postgresql":
            connection.exec_driver_sql(
                "create collation blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
            )
        connection.exec_driver_sql(f"create table told (a varchar(9) {collation}, n integer)")
        connection.exec_driver_sql("insert into told values ('v', 1), ('V', 1), ('w', 2), ('w', 2)")
    source = {"url": server.url, "table": "told"}
    verdict = sc.check(source, qids=[{"attributes": ["a"], "k": 2}, {"attributes": ["n"], "k": 2}])
    assert [(qid.holds, qid.classes) for qid in verdict.qids] == [(False, 3), (True, 2)]
    (both,) = sc.check(source, ["a", "n"], 1).qids
    assert (both.classes, both.k) == (3, 1)


def test_each_person_counts_once_with_a_model_that_reads_a_column() -> None:
    """However many rows a person has of a value: a share is one of persons."""
    rows = {
        "by rows too much": [("x", "p1", "flu")] * 3 + [("x", "p2", "cold")],
        "by rows little enough": [("y", "p3", "flu"), ("y", "p4", "flu")] + [("y", "p5", "cold")] * 2,
    }
    for (name, listed), holds in zip(rows.items(), (True, False), strict=True):
        frame = pandas.DataFrame(listed, columns=["a", "person", "disease"])
        alpha = [{"attribute": "disease", "alpha": "0.5"}]
        (qid,) = sc.check(frame, ["a"], 2, alpha=alpha, person="person").qids
        assert (qid.of, qid.models[0].holds) == ("persons", holds), name
        (qid,) = sc.check(frame[["a", "disease"]], ["a"], 2, alpha=alpha).qids
        assert (qid.of, qid.models[0].holds) == ("rows", not holds), name


def test_what_is_counted_may_not_be_equal_and_read_otherwise() -> None:
    frame = pandas.DataFrame({"a": ["x"] * 4, "disease": [0.0, 1.0, 2.0, 3.0]})
    diverse = [{"attribute": "disease", "l": 3}]
    assert sc.check(frame, ["a"], 2, l_diversity=diverse).holds
    frame.loc[1, "disease"] = -0.0
    with pytest.raises(SourceError, match="column 'disease'"):
        sc.check(frame, ["a"], 2, l_diversity=diverse)


def test_a_named_value_that_no_number_reads_as_is_refused() -> None:
    frame = pandas.DataFrame({"a": ["x"] * 4, "disease": [0.0, 1.0, 2.0, 3.0]})
    assert sc.check(frame, ["a"], 2, alpha=[{"attribute": "disease", "alpha": "0.5", "values": ["1.0"]}]).holds
    with pytest.raises(JobError, match=r"write '1\.0'"):
        sc.check(frame, ["a"], 2, alpha=[{"attribute": "disease", "alpha": "0.5", "values": ["1"]}])


def test_a_release_without_rows_is_verified() -> None:
    """Every row may be left out, and is one that is told from none."""
    frame = pandas.DataFrame({"a": ["x", "y", "z"], "n": [1, 2, 3]})
    values = {"tree": {"all": ["x", "y", "z"]}, "to": 0}
    release = sc.anonymize(frame, quasi_identifiers={"a": values}, keep=["n"], k=3, suppression=1)
    result = release.result
    assert list(release.to_pandas().columns) == ["a", "n"] and release.to_pandas().empty
    assert (result.released_rows, result.suppressed_rows, result.k, result.measures.classes) == (0, 3, None, 0)
    assert result.measures.discernibility == 9  # of what is left out alone


def test_delta_presence_of_cells_at_several_levels_is_not_verified() -> None:
    """A job with it is refused; without the refusal, the verifier would miss the classes without rows."""
    presence = DeltaPresence.model_validate({"min": "0.2", "max": "0.9"})
    for models in ((presence,), (KMap(k=2), presence), (presence, KMap(k=2))):
        with pytest.raises(sc.VerificationError, match="full-domain"):
            population_classes.classes_of(
                cast(Session, None), cast(Claim, SimpleNamespace(full_domain=False)), Demand(("a",), models)
            )
