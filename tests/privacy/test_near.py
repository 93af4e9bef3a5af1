"""Classes at a bound, or as near to it as its digits go: what floats cannot tell, the verifier decides exactly."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.job.check_result import ModelVerdict
from starcloak.privacy.beta_likeness.model import BetaLikeness
from starcloak.privacy.beta_likeness.recount import holds as beta_holds
from starcloak.privacy.delta_disclosure.recount import holds as delta_holds
from starcloak.privacy.entropy_l.recount import holds as entropy_holds
from tests.privacy.histograms import Histogram, shares

# Enough digits to tell any two of these numbers apart, and those that are the same.
DIGITS, SAME = 90, Decimal(1).scaleb(-60)


def decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def gain(counts: Histogram, table: Histogram) -> Decimal:
    return decimal(max(here / there - 1 for here, there in shares(counts, table)))


def power(counts: Histogram, table: Histogram) -> Decimal | None:
    if any(not here for here, _ in shares(counts, table)):
        return None
    return max(abs(decimal(here / there).ln() / Decimal(2).ln()) for here, there in shares(counts, table))


def diversity(counts: Histogram, table: Histogram) -> Decimal:
    size = sum(counts.values())
    return (-sum(decimal(Fraction(rows, size)) * decimal(Fraction(rows, size)).ln() for rows in counts.values())).exp()


def within(value: Decimal | None, bound: Decimal) -> bool:
    return value is not None and value <= bound + SAME


def below(value: Decimal | None, bound: Decimal) -> bool:
    return value is not None and value < bound - SAME


def reached(value: Decimal | None, bound: Decimal) -> bool:
    return value is not None and value >= bound - SAME


#: What is measured of a class, when it holds, which of several is the worst, and how it is asked for.
MODELS: dict[str, tuple[Callable[..., Decimal | None], Callable[..., bool], Any, Callable[[str], dict[str, Any]]]] = {
    "beta": (gain, within, max, lambda bound: {"beta_likeness": [{"attribute": "d", "beta": bound}]}),
    "delta": (power, below, max, lambda bound: {"delta_disclosure": [{"attribute": "d", "delta": bound}]}),
    "entropy": (
        diversity, reached, min, lambda bound: {"l_diversity": [{"kind": "entropy", "attribute": "d", "l": bound}]}
    ),
}  # fmt: skip


def table_of(classes: Mapping[str, Histogram]) -> pandas.DataFrame:
    rows = [(name, value) for name, counts in classes.items() for value, count in counts.items() for _ in range(count)]
    return pandas.DataFrame(rows, columns=["q", "d"])


def verdict(classes: Mapping[str, Histogram], asked: Mapping[str, Any]) -> ModelVerdict:
    (told,) = sc.check(table_of(classes), ["q"], 1, **asked).qids[0].models
    return told


def drawn(seed: int) -> dict[str, Histogram]:
    """Classes, of which two are alike, and one may lack a value."""
    chance = random.Random(seed)
    found: dict[str, Histogram] = {
        name: {value: chance.randint(1, 9) for value in "xyz"[: chance.choice((2, 3, 3))]} for name in "ABC"
    }
    return {**found, "D": found["A"]}


def ends(value: Decimal) -> set[str]:
    """The bounds of fifteen digits that are next to a number, and one of the fewest digits if that is the number."""
    digits = Decimal(1).scaleb(max(value.adjusted() - 14, -15))
    return {str(value.quantize(digits, rounding=each).normalize()) for each in (ROUND_FLOOR, ROUND_CEILING)}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 9))])
@pytest.mark.parametrize("name", MODELS)
def test_a_class_next_to_its_bound_is_told_from_it(name: str, seed: int) -> None:
    measure, holds, worst, asked = MODELS[name]
    classes = drawn(seed)
    table: Counter[str] = Counter()
    for counts in classes.values():
        table.update(counts)
    with localcontext(prec=DIGITS):
        measured = {of: measure(counts, table) for of, counts in classes.items()}
        bounds = {end for value in measured.values() if value is not None for end in ends(value)}
        expected = {
            bound: [of for of, value in measured.items() if not holds(value, Decimal(bound))]
            for bound in bounds
            if Decimal(bound) > (1 if name == "entropy" else 0)
        }
    assert expected
    for bound, violating in expected.items():
        told = verdict(classes, asked(bound))
        rows = sum(sum(classes[of].values()) for of in violating)
        assert (told.holds, told.violating_classes, told.violating_rows) == (not violating, len(violating), rows), bound
        if not violating:
            assert told.achieved == pytest.approx(float(worst(measured.values())), rel=1e-9)


@pytest.mark.parametrize(
    ("share", "beneath", "above"),
    [
        (Fraction(1, 4), Fraction(26_813, 44_945), Fraction(17_028, 28_543)),
        (Fraction(1, 2), Fraction(22_496, 26_573), Fraction(39_717, 46_915)),
    ],
)
def test_a_gain_next_to_the_logarithm_of_a_share_is_told_from_it(
    share: Fraction, beneath: Fraction, above: Fraction
) -> None:
    """Enhanced β-likeness: of 60,000 rows the nearest fractions, on both sides, are nearer than floats are asked."""
    with localcontext(prec=DIGITS):
        most = Fraction(-decimal(share).ln())
    for here, is_held in ((above, False), (beneath, True)):
        assert (here / share - 1 <= most) == is_held
        assert abs(here / share - 1 - most) < 1e-9 * (1 + most)
        value, size = here.numerator, here.denominator
        whole = value * share.denominator
        classes = {"A": {"x": value, **spread(size - value)}, "B": spread(whole - size)}
        told = verdict(classes, {"beta_likeness": [{"attribute": "d", "beta": 9, "enhanced": True}]})
        assert told.holds == is_held
        assert (told.violating_classes, told.violating_rows) == ((0, 0) if is_held else (1, size))


def spread(rows: int) -> dict[str, int]:
    """Rows that have ten other values, as evenly as it goes."""
    return {f"other {number}": rows // 10 + (number < rows % 10) for number in range(10)}


@pytest.mark.parametrize("apart", [Fraction(1, 10**digits) for digits in (20, 40, 50, 70)])
def test_as_many_digits_are_taken_as_it_needs(apart: Fraction) -> None:
    enhanced = BetaLikeness(attribute="d", beta=Decimal(99), enhanced=True)
    for share in (Fraction(1, 4), Fraction(2, 3), Fraction(123_456, 1_234_567)):
        with localcontext(prec=DIGITS):
            most = Fraction(-decimal(share).ln())
        assert beta_holds(share * (1 + most - apart), share, enhanced)
        assert not beta_holds(share * (1 + most + apart), share, enhanced)
    for ratio in (Fraction(3), Fraction(1, 3), Fraction(123_456, 1_234_567)):
        with localcontext(prec=DIGITS):
            power_of = Fraction(abs(decimal(ratio).ln()) / Decimal(2).ln())
        assert (delta_holds(ratio, power_of + apart), delta_holds(ratio, power_of - apart)) == (True, False)
    for counts in ([1, 2], [3, 5, 7], [2, 2, 2], [97, 101]):
        with localcontext(prec=DIGITS):
            number = Fraction(diversity({str(place): rows for place, rows in enumerate(counts)}, {}))
        assert (entropy_holds(counts, number - apart), entropy_holds(counts, number + apart)) == (True, False)
