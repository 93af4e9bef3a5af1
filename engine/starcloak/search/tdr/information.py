"""Entropy, information gain and the best split of an interval (Fung, Wang, Yu 2007, section 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"


def entropy(classes: Integers) -> Floats:
    """I(R) in bits, from 0 to log2 of the number of classes (Equation 3).

    ``classes`` has one column per class and any number of rows, one per record set. The entropy of no records is 0.
    """
    records = classes.sum(axis=-1, keepdims=True)
    shares = classes / np.maximum(records, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(shares > 0, shares * np.log2(shares), 0.0)
    total: Floats = np.maximum(-bits.sum(axis=-1), 0.0)
    return total


def gain(classes: Integers) -> float:
    """InfoGain in bits of a refinement of a value into several values (Equation 2).

    ``classes`` has a row per new value and a column per class: the number of records.
    """
    records = classes.sum(axis=1)
    left = float((records * entropy(classes)).sum() / max(records.sum(), 1))
    return max(float(entropy(classes.sum(axis=0))) - left, 0.0)


def gains_of_two(first: Integers, whole: Integers) -> Floats:
    """InfoGain in bits of every refinement of a record set into two (Equations 2 and 5).

    ``whole`` has the number of records of the set by class. ``first`` has a row per refinement: the numbers of the
    first of the two sets.
    """
    rest = whole - first
    left = first.sum(axis=1) * entropy(first) + rest.sum(axis=1) * entropy(rest)
    gained: Floats = np.maximum(entropy(whole) - left / max(int(whole.sum()), 1), 0.0)
    return gained
