"""An error of a database carries no error of its driver along, which quotes values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import starcloak as sc
from tests.people import TYPES, Server, people

CANARY = "CANARYx7"


def links_of(error: BaseException | None) -> Iterator[BaseException]:
    if error is not None:
        yield error
        yield from links_of(error.__cause__)
        yield from links_of(error.__context__)


def test_a_query_that_fails_on_a_row_tells_nothing_of_it(server: Server, work: Any) -> None:
    server.fill("people", people(40).assign(note=CANARY), {**TYPES, "note": "varchar(20)"})
    wrong = {
        "postgresql": "cast(note as integer)",
        "mariadb": "json_value(note, '$.a') + cast(note as date) + exp(9999 + length(note))",
        "sqlite": "json_extract(note, '$.a')",
    }[server.url.partition(":")[0].partition("+")[0]]
    source = {"url": server.url, "query": f"select age, {wrong} as broken from people"}
    with pytest.raises(sc.StarcloakError) as raised:
        sc.check(source, ["age", "broken"], 2)
    assert not [link for link in links_of(raised.value) if CANARY in repr(link) + str(link)]
    assert not [link for link in links_of(raised.value) if not isinstance(link, sc.StarcloakError)]
