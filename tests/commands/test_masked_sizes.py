"""Sizes and shares that an audit of a release shows: no subtraction of them leaves 1 to k - 1 rows or classes."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

from starcloak.commands.audit import attackers, audit, known_release
from starcloak.releases import release_measures
from starcloak.verify.classes import Sizes


@pytest.mark.parametrize("seed", range(40))
def test_what_is_left_when_told_sizes_are_subtracted_is_k_classes_or_all(seed: int) -> None:
    chance = random.Random(seed)
    k = chance.randint(2, 6)
    counted = sorted({chance.randint(1, 12): chance.randint(1, 9) for _ in range(6)}.items())
    sizes = Sizes(tuple(counted))
    told = known_release.masked_sizes(sizes, k)
    apart = {each.size: each.classes for each in told if each.size is not None}
    assert all(size >= k and classes is not None and classes >= k for size, classes in apart.items())
    assert apart.items() <= dict(counted).items()
    left = sizes.classes - sum(classes or 0 for classes in apart.values())
    assert left == 0 or left >= k or not apart
    pooled = [each.classes for each in told if each.size is None]
    more = sizes.rows - sum(size * classes for size, classes in apart.items() if classes) - left
    hidden = left < k or (sizes.smallest < k and 0 < more < k)
    assert pooled == ([] if not left else [None if hidden else left])


@pytest.mark.parametrize("seed", range(40))
def test_uniques_and_pairs_subtracted_from_rows_at_risk_leave_none_or_k_rows(seed: int) -> None:
    chance = random.Random(seed)
    k = chance.choice([3, 4, 5, 8, 11])
    for _ in range(25):
        counted = Counter({chance.choice([1, 2]): chance.randint(k, 20)})
        for _ in range(chance.randint(1, 5)):
            counted[chance.choice([1, 1, 2, 2, 3, 4, 5, 6, 8, 9, 12, 20])] += chance.choice([1, 1, 2, 3, 5, 6, 9, 14])
        sizes = Sizes(tuple(sorted(counted.items())))
        uniques, doubles = known_release.masked_uniques(sizes, k)
        shown = [number for number in (uniques, None if doubles is None else 2 * doubles) if number is not None]
        shown += [sum(shown)]
        risks = [attackers.prosecutor(sizes.itself, threshold) for threshold in map(Fraction, ("0.34", "0.2", "0.1"))]
        shares = [known_release.masked_risk(risk, sizes, k).records_at_risk for risk in risks]
        shares += [audit._threshold(sizes, k, *threshold).records_at_risk for threshold in release_measures.THRESHOLDS]
        wholes = [sizes.rows, *(round(share * sizes.rows) for share in shares if share is not None)]
        separate = [each for each in known_release.masked_sizes(sizes, k) if each.size is not None]
        wholes.append(sizes.rows - sum((each.size or 0) * (each.classes or 0) for each in separate))
        if sizes.smallest < k:
            assert not [(whole, part) for whole in wholes for part in shown if 0 < whole - part < k], (k, counted)
