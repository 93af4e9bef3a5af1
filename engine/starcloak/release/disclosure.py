"""What may be read of a release's result by whoever is not the custodian of its source: no count between 1 and k - 1.

Where fewer than k rows were left out, what counts them as lost would tell how many they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starcloak import few
from starcloak.measures.measure import every
from starcloak.result import Result


@dataclass(frozen=True)
class Disclosure:
    """What is told: ``k`` is the largest that was required, ``rows`` are those of the source, ``left_out`` in words.

    ``loss`` and ``attribute_loss`` (0 … 1) and the ``measures`` are of the released rows alone, and ``rows`` is None,
    where ``is_few``: from 1 to k - 1 rows were left out.
    """

    k: int
    is_few: bool
    rows: int | None
    left_out: str
    loss: float
    attribute_loss: Mapping[str, float]
    measures: tuple[str, ...]


def disclosure_of(result: Result) -> Disclosure:
    """What may be told of a release."""
    k = max(qid.k for qid in result.requirement.qids)
    left_out = few.mask(result.suppressed_rows, k)
    is_few = left_out is None
    measures = result.measures

    def of_released(loss: float) -> float:
        """The cells of a row that is left out are lost whole."""
        if not (is_few and result.released_rows):
            return loss
        return max(0.0, loss * result.rows - result.suppressed_rows) / result.released_rows

    return Disclosure(
        k=k,
        is_few=is_few,
        rows=None if is_few else result.rows,
        left_out=few.words(left_out, k),
        loss=of_released(measures.loss),
        attribute_loss={name: of_released(lost) for name, lost in measures.attribute_loss.items()},
        measures=tuple(each.name for each in every() if each.of_released or not is_few),
    )
