"""Figures of a report, counted from tables: persons once, withheld cells, missing cells, the values of the source."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.job.result import RiskBefore


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text_of(release: sc.Release) -> str:
    return release.report("r.html").read_text()


def before_of(release: sc.Release) -> RiskBefore:
    insight = release.result.insight
    assert insight is not None and insight.before is not None
    return insight.before


def visits() -> pandas.DataFrame:
    """Visits of 60 patients on days of their own, but for those of a clinic day."""
    chance = random.Random(5)
    rows = [
        (f"p{patient}", f"2020-{month:02}-{chance.randrange(1, 29):02}", "w" if patient % 2 else "m")
        for patient in range(60)
        for month in range(1, 13)
    ]
    rows += [(f"p{patient}", "2021-01-04", "w" if patient % 2 else "m") for patient in range(60)]
    return pandas.DataFrame(rows, columns=["patient", "day", "sex"])


def smallest_classes(frame: pandas.DataFrame, by: list[str]) -> pandas.Series:
    """The persons of the smallest class of each person."""
    sizes = frame.groupby(by, dropna=False)["patient"].transform("nunique")
    return sizes.groupby(frame["patient"]).min()


JOB: dict[str, Any] = {
    "person": "patient",
    "quasi_identifiers": {"day": {"dates": ["month", "year"]}, "sex": "suppress"},
    "requirement": {"k": 5},
}


def test_a_person_counts_once_in_the_risk_whatever_classes_he_is_in() -> None:
    frame = visits()
    release = sc.run(JOB, frame=frame)
    seen, before = release.result.insight, before_of(release)
    assert seen is not None
    least = smallest_classes(frame, ["day", "sex"])
    assert len(least) == 60 and before.alone == int((least == 1).sum()) > 5
    assert before.average == pytest.approx((1 / least).mean())
    for threshold in before.thresholds:
        assert threshold.records_at_risk == pytest.approx((least < threshold.k).mean())
    # Rows of a release have no patient: its classes are counted from the source, generalized alike.
    levels = release.result.recoding.levels
    coarse = frame.assign(
        day=frame["day"].str[: {0: 10, 1: 7, 2: 4, 3: 0}[levels["day"]]], sex=frame["sex"] if not levels["sex"] else "*"
    )
    least = smallest_classes(coarse, ["day", "sex"])
    assert release.k == least.min()
    assert seen.average_risk == pytest.approx((1 / least).mean())
    for threshold in seen.thresholds:
        assert threshold.records_at_risk == pytest.approx((least < threshold.k).mean())
    told = re.search(r"at least ([\d,]+) persons", text_of(release))
    assert told is not None and int(told[1].replace(",", "")) <= 60


def test_a_count_that_protects_another_is_withheld_and_not_called_small() -> None:
    """Three classes of 5 rows or so, 30 of 20, 60 of 40: beside the number of all, two of the counts tell the third."""
    classes = [5] * 3 + [20] * 30 + [40] * 60
    ages = [str(age) for age, size in enumerate(classes) for _ in range(size)]
    release = sc.anonymize(pandas.DataFrame({"age": ages}), quasi_identifiers={"age": "suppress"}, k=5)
    table = text_of(release).partition('<h2 id="sizes">')[2].partition("</table>")[0]
    cells = re.findall(r'<td class="n">([^<]*)</td><td class="n">([^<]*)</td>', table)
    assert cells == [("fewer than 5", "15"), ("withheld", "600"), ("60", "2,400")]


def test_rows_of_few_persons_that_are_left_out_are_not_called_few() -> None:
    """Two patients with ten visits each are left out."""
    rows = [(f"p{who}", "30") for who in range(40)] + [
        (f"q{who}", f"{50 + who}") for who in range(2) for _ in range(10)
    ]
    frame = pandas.DataFrame(rows, columns=["patient", "age"])
    job = {"person": "patient", "quasi_identifiers": {"age": "suppress"}, "algorithm": {"name": "sweep"}}
    release = sc.run({**job, "requirement": {"k": 5, "suppression": 0.5}}, frame=frame)
    assert release.result.suppressed_rows == 20
    assert "<b>not shown</b>rows left out" in text_of(release)


def dates(missing: int = 6) -> pandas.DataFrame:
    days = pandas.date_range("1930-01-01", periods=297, freq="37D").strftime("%Y-%m-%d")
    return pandas.DataFrame({"born": [*days, *[None] * missing], "sex": "w"})


def test_missing_cells_show_no_whole_dates() -> None:
    """The missing ones are a class of their own, which no level changes; all others are decades."""
    job = {"quasi_identifiers": {"born": {"dates": ["decade"]}, "sex": "suppress"}, "requirement": {"k": 5}}
    release = sc.run({**job, "algorithm": {"name": "sweep"}}, frame=dates())
    assert release.to_pandas()["born"].isna().sum() == 6
    insight = release.result.insight
    assert insight is not None and insight.columns[0].values == 298
    assert not [line for line in insight.lines if "shows whole dates" in line]
    text = text_of(release)
    assert "missing (6 rows)" in text and "as it is (6 rows)" not in text


def test_whole_dates_are_counted_by_what_the_release_shows() -> None:
    """Of 297 days, 120 are those of five people; the others become decades."""
    frame = dates()
    frame = pandas.concat([frame, *[frame[:120]] * 4])
    job = {"quasi_identifiers": {"born": {"dates": ["decade"]}, "sex": "suppress"}, "requirement": {"k": 5}}
    release = sc.run({**job, "algorithm": {"name": "sweep"}}, frame=frame)
    shown = release.to_pandas()["born"].dropna()
    whole = shown[shown.str.fullmatch(r"\d{4}-\d\d-\d\d")].nunique()
    assert 100 <= whole < 297
    insight = release.result.insight
    assert insight is not None
    assert [line for line in insight.lines if f"shows whole dates, with {whole} values" in line]


@pytest.mark.parametrize("algorithm", ["witness", "sweep"])
def test_a_column_whose_other_cells_are_all_top_is_said_to_be_lost(algorithm: str) -> None:
    job = {"quasi_identifiers": {"born": "suppress", "sex": "suppress"}, "requirement": {"k": 5}}
    release = sc.run({**job, "algorithm": {"name": algorithm}}, frame=dates())
    insight = release.result.insight
    assert insight is not None
    assert [line for line in insight.otherwise if line.startswith("column 'born' became * in every row")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["witness", "sweep"])
@pytest.mark.parametrize("suppression", [0, 0.1])
def test_before_has_the_values_of_the_source_where_none_may_be_released(suppression: float, algorithm: str) -> None:
    chance = random.Random(3)
    days = [f"{1980 + row % 4}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}" for row in range(400)]
    frame = pandas.DataFrame({"born": days, "sex": [chance.choice("wm") for _ in range(400)]})
    frame.loc[:2, "born"] = ["1911-05-05", "1922-05-05", "1933-05-05"]
    job = {
        "quasi_identifiers": {"born": {"dates": ["month", "year"], "from": 2}, "sex": "suppress"},
        "requirement": {"k": 8, "suppression": suppression},
        "algorithm": {"name": algorithm},
    }
    release = sc.run(job, frame=frame)
    assert bool(release.result.suppressed_rows) == bool(suppression)
    stayed = frame[3:] if suppression else frame
    assert release.result.released_rows == len(stayed)
    insight, before = release.result.insight, before_of(release)
    assert insight is not None
    assert insight.columns[0].values == stayed["born"].nunique() > 200
    assert insight.columns[0].released_values == release.to_pandas()["born"].nunique() <= 5
    sizes = stayed.groupby(["born", "sex"]).size()
    assert before.alone == int((sizes == 1).sum())
    assert before.average == pytest.approx(len(sizes) / len(stayed))


def test_a_threshold_is_named_by_its_exact_risk() -> None:
    frame = pandas.DataFrame({"age": ["30", "40"] * 3})
    release = sc.anonymize(frame, quasi_identifiers={"age": "suppress"}, k=3)
    text = release.report("r.html", profile="hipaa").read_text()
    assert "Highest risk: 0.3333" in text and "No risk is above the threshold 1/3 (0.33), k = 3." in text


def test_a_report_lists_no_hash_that_readers_never_get(work: Path) -> None:
    """The hash of a job is for the custodian; as a row of the report it always read "not known"."""
    frame = pandas.DataFrame({"age": ["1", "1", "2", "2"]})
    release = sc.anonymize(frame, quasi_identifiers={"age": "suppress"}, k=2)
    text = Path(release.report("report.html")).read_text()
    hashes = text.partition("<summary>Hashes</summary>")[2].partition("</table>")[0]
    assert re.findall(r'scope="row">(\w+)<', hashes) == ["program", "release"]
    assert release.result.hashes.job and release.result.hashes.job not in text
