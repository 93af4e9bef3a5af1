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
        "pad": 5,
        "map": {"m": "male"},
        "case": "lower",
        "missing": -1,
        "trim": True,
    }
    cleaning = check(Cleaning, given, where="clean")
    assert cleaning.rules == ("trim", "missing", "case", "map", "pad", "unit", "number", "valid")
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
        ({}, "clean has no rule for this column"),
        ({"unit": " cm"}, "unit is ' cm': write only the text behind the number"),
        (
            {"unit": "CM", "case": "lower"},
            "unit is 'CM', but case: lower changes these letters in every cell first: write 'cm'",
        ),
        (
            {"map": {"M": "male"}, "case": "lower"},
            "map has 'M', but case: lower changes these letters in every cell first: write 'm'",
        ),
        ({"map": {" m": "male"}, "trim": True}, "map has ' m', but trim removes these spaces"),
        ({"missing": ["NA "], "trim": True}, "missing has 'NA ', but trim removes these spaces"),
        ({"missing": ["x"], "map": {"x": "y"}}, "map and missing both have 'x'"),
        ({"valid": [120, 0]}, "valid goes from 120 down to 0"),
        ({"valid": [None, None]}, "valid has no bound"),
        ({"thousands": ".", "decimal": "."}, "thousands and decimal are both '.'"),
        ({"map": {"x": "a\0"}}, "contains the character NUL"),
        ({"trimm": True}, "Did you mean 'trim'?"),
    ],
)
def test_what_contradicts_itself_is_refused_in_one_line(given: dict[str, Any], told: str) -> None:
    with pytest.raises(JobError) as error:
        check(Cleaning, given, where="clean")
    assert told in str(error.value)
    assert "\n" not in str(error.value)
