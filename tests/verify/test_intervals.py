"""Intervals that became a level of a hierarchy: the verifier reads them itself."""

from __future__ import annotations

from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.search.shared import cuts
from starcloak.star.star import Star


@pytest.mark.parametrize("forged", ["< 40", "< 20", "[20, 25)", "any", "> 25", None])
@pytest.mark.parametrize("algorithm", [{"name": "tdr", "class": "Class"}, {"name": "ordered-set"}], ids=["tdr", "set"])
def test_the_verifier_reads_intervals_itself(
    algorithm: dict[str, Any], forged: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that ends at somebody's number, does not hold its own, or is none: though it is of the hierarchy's level."""
    frame = pandas.DataFrame({"n": [10, 20, 30, 40] * 3, "Class": list("YYNN") * 3})
    honest = cuts._with_intervals

    def lying(star: Star, dimension: Any, mask: Any) -> Any:
        made = honest(star, dimension, mask)
        binds = {"forged": forged}
        star.session.connection.execute("update dimension_n set level_1 = $forged where level_1 = '< 25'", binds)
        return made

    monkeypatch.setattr(cuts, "_with_intervals", lying)
    with pytest.raises(sc.VerificationError, match="intervals of column 'n' do not hold their numbers, or end at one"):
        sc.anonymize(frame, quasi_identifiers={"n": "numeric"}, keep=["Class"], k=6, algorithm=algorithm)
