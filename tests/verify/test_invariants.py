"""Conditions of the verifier at their edges."""

from __future__ import annotations

import pandas
import pytest

import starcloak as sc

ROWS = pandas.DataFrame({"zip": ["101", "102", "111", "112"]})


@pytest.mark.parametrize("to", [1, 2])
def test_a_release_at_the_highest_level_that_the_job_allows_is_published(to: int) -> None:
    job = {"quasi_identifiers": {"zip": {"digits": 3, "to": to}}, "requirement": {"k": 2 * to}}
    assert sc.run(job, frame=ROWS).result.recoding.levels == {"zip": to}
