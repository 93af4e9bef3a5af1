"""How cells are cleaned, as a job declares it."""

from __future__ import annotations

from typing import Any

import pytest

from starcloak.base.errors import JobError
from starcloak.base.settings import check
from starcloak.job.cleaning import LARGE, SMALL, Cleaning


def test_rules_are_followed_in_one_order_whatever_the_job_writes_first() -> None:
    given = {
        "valid": [0, 1],
        "decimal": ",",
        "unit": "cm",
        "map": {"m": "male"},
        "case": "lower",
        "missing": -1,
        "trim": True,
    }
    cleaning = check(Cleaning, given, where="clean")
    assert cleaning.rules == ("trim", "missing", "case", "map", "unit", "number", "valid")
    assert cleaning.missing == ["-1"]


@pytest.mark.parametrize(
    ("given", "marks"),
    [({"thousands": "."}, (".", ",")), ({"thousands": ","}, (",", ".")), ({"decimal": ","}, ("", ","))],
)
def test_one_mark_of_numbers_leaves_the_other(given: dict[str, Any], marks: tuple[str, str]) -> None:
    assert check(Cleaning, given, where="clean").marks == marks


def test_every_letter_has_one_partner() -> None:
    assert len(LARGE) == len(SMALL) == len(set(SMALL))
    assert SMALL.upper() == LARGE


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "says nothing"),
        ({"unit": " cm"}, "unit is ' cm': write what stands behind the number alone"),
        ({"unit": "CM", "case": "lower"}, "unit is 'CM', which no cell has after case: lower: write 'cm'"),
        ({"map": {"M": "male"}, "case": "lower"}, "map has 'M', which no cell is after case: lower: write 'm'"),
        ({"map": {" m": "male"}, "trim": True}, "map has ' m', which no cell is after trim"),
        ({"missing": ["NA "], "trim": True}, "missing has 'NA ', which no cell is after trim"),
        ({"missing": ["x"], "map": {"x": "y"}}, "map and missing both have 'x'"),
        ({"valid": [120, 0]}, "valid is upside down, from 120 to 0"),
        ({"valid": [None, None]}, "valid has no bound"),
        ({"thousands": ".", "decimal": "."}, "thousands and decimal are both '.'"),
        ({"map": {"x": "a\0"}}, "no text here may have a NUL"),
        ({"trimm": True}, "Did you mean 'trim'?"),
    ],
)
def test_what_contradicts_itself_is_refused_in_one_line(given: dict[str, Any], told: str) -> None:
    with pytest.raises(JobError) as error:
        check(Cleaning, given, where="clean")
    assert told in str(error.value)
    assert "\n" not in str(error.value)
