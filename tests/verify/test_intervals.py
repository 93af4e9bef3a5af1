"""Intervals that became a level of a hierarchy: the verifier reads them itself."""

from __future__ import annotations

from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.search.single_dimension import cuts
from starcloak.star.star import Star


@pytest.mark.sampled(3)
@pytest.mark.parametrize("forged", ["< 40", "< 20", "[20, 25)", ">= 10", "any", "> 25", "*", None])
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
    with pytest.raises(
        sc.VerificationError,
        match="intervals of column 'n' do not contain the numbers of their rows, or end at such a number",
    ):
        sc.anonymize(frame, quasi_identifiers={"n": "numeric"}, keep=["Class"], k=6, algorithm=algorithm)


@pytest.mark.parametrize(
    ("rows", "told", "forged"),
    [
        (1, ">= 25 or missing", [">= 25"]),
        (6, None, ["< 25", ">= 25"]),
    ],
    ids=["with the largest", "alone"],
)
def test_the_missing_value_goes_to_itself_or_to_an_interval_that_says_so(
    rows: int, told: str | None, forged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it goes to an interval of numbers alone, a reader would take it for one of them."""
    numbers = [10.0, 20.0, 30.0, 40.0] * 3
    frame = pandas.DataFrame({"n": numbers + [None] * rows, "Class": list("YYNN") * 3 + ["M"] * rows})
    job: dict[str, Any] = {"quasi_identifiers": {"n": "numeric"}, "keep": ["Class"], "k": 6, "suppression": 0}
    algorithm = {"name": "tdr", "class": "Class"}
    released = sc.anonymize(frame, algorithm=algorithm, **job).to_pandas()
    cells = released.loc[released["Class"] == "M", "n"]
    assert len(cells) == rows and {None if pandas.isna(cell) else cell for cell in cells} == {told}
    honest = cuts._with_intervals
    for other in forged:

        def lying(star: Star, dimension: Any, mask: Any, other: str = other) -> Any:
            made = honest(star, dimension, mask)
            binds = {"other": other, "told": told}
            star.session.connection.execute(
                "update dimension_n set level_1 = $other where number is null or level_1 = $told", binds
            )
            return made

        monkeypatch.setattr(cuts, "_with_intervals", lying)
        with pytest.raises(
            sc.VerificationError, match="intervals of column 'n' do not contain the numbers of their rows"
        ):
            sc.anonymize(frame, algorithm=algorithm, **job)
