"""Attacks by the three criteria of WP 216: what a release adds to what a control group tells."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from starcloak.exports.report import attacked
from starcloak.job.attack_result import Attack, Attacks, Trials
from starcloak.releases import state

CLIMBING = {"age": {"intervals": [5, 20]}, "zip": {"digits": 5}, "region": "suppress"}


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same halves in every run of the tests."""
    monkeypatch.setattr(state, "keyed", lambda text: f"keyed {text}")


def people(rows: int = 600) -> pandas.DataFrame:
    """Everybody alone by zip, diseases by nothing, and an income that the region tells of everybody."""
    numbers = range(rows)
    return pandas.DataFrame(
        {
            "age": [str(18 + number * 7 % 60) for number in numbers],
            "zip": [str(10_000 + number * 7919 % 90_000) for number in numbers],
            "region": ["north" if number % 3 else "south" for number in numbers],
            "disease": [str(number * number // 7 % 5) for number in numbers],
            "income": ["low" if number % 3 else "high" for number in numbers],
        }
    )


def attacks(k: int, frame: pandas.DataFrame | None = None, **job: Any) -> Attacks:
    asked = {
        "quasi_identifiers": CLIMBING,
        "sensitive": ["disease"],
        "keep": ["income"],
        "requirement": {"k": k},
        **job,
    }
    return sc.attack(asked, frame=people() if frame is None else frame)


def risks(found: Attacks) -> dict[str, Attack]:
    return {attack.what if attack.criterion != "Linkability" else "link": attack for attack in found.attacks}


def rate_by_chance(attack: Attack) -> float:
    assert attack.baseline is not None
    return attack.baseline.rate


def test_what_protects_nobody_is_told_at_full_risk() -> None:
    of = risks(attacks(1))
    for what in ("cells of the quasi-identifiers", "all cells of a row", "disease"):
        assert of[what].risk > 0.95 and of[what].interval[0] > 0.9, what
    assert of["link"].released.rate > 10 * max(of["link"].control.rate, rate_by_chance(of["link"]))


def test_what_is_all_suppressed_adds_nothing() -> None:
    suppressed = dict.fromkeys(CLIMBING, "suppress")
    for attack in attacks(250, quasi_identifiers=suppressed).attacks:
        assert attack.interval[0] == 0 and attack.risk < 0.1, attack
        assert attack.criterion == "Inference" or attack.released.succeeded == attack.risk == 0


def test_what_the_population_tells_is_not_held_against_the_release() -> None:
    income = risks(attacks(1))["income"]
    assert income.released.rate == income.control.rate == 1 and income.risk == 0
    assert rate_by_chance(income) == pytest.approx(2 / 3, abs=0.05)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "job",
    [
        {"algorithm": "witness", "requirement": {"k": 5, "suppression": 0.05}},
        {"algorithm": "datafly"},
        {"algorithm": "mondrian", "quasi_identifiers": {**CLIMBING, "age": "numeric"}},
        {"algorithm": "kaca"},
        {"algorithm": "sweep"},
        {"algorithm": "cell-suppression"},
        {"algorithm": "full-subtree"},
        {"algorithm": {"name": "tdr", "class": "disease"}, "quasi_identifiers": {**CLIMBING, "age": "numeric"}},
        {"quasi_identifiers": {**CLIMBING, "zip": {"digits": 5, "from": 2}}},
        {"requirement": {"qids": [{"attributes": ["age", "zip"], "k": 5}, {"attributes": ["zip", "region"], "k": 5}]}},
    ],
    ids=lambda job: str(job.get("algorithm", "") or next(iter(job))),
)
def test_cells_of_every_recoding_cover_the_people_in_their_classes(job: dict[str, Any]) -> None:
    """Nobody is missed, or no attack would be tried; and a class of k is nobody's alone."""
    frame = people(300)
    frame.loc[::50, "region"] = None
    found = attacks(5, frame, **job)
    left_out = 10 if job.get("algorithm") == "witness" else 0  # the people without a region
    assert found.people == found.control == 150 - left_out / 2
    if "qids" not in job.get("requirement", {}):
        assert risks(found)["cells of the quasi-identifiers"].released.succeeded == 0


def test_a_missing_cell_covers_the_people_of_values_without_a_leaf() -> None:
    frame = people(300)
    frame.loc[::3, "age"] = "unknown"
    age = {"intervals": [5, 20], "nonconforming": "missing"}
    asked = {"algorithm": "incognito", "quasi_identifiers": {"age": age, "region": "suppress"}}
    found = attacks(3, frame, **asked, sensitive=["disease"], identifiers=["zip"])
    assert found.people == found.control == 150


def test_persons_are_held_out_whole_and_counted_once() -> None:
    visits = pandas.concat([people(200)] * 3)
    visits["patient"] = [str(number) for number in range(200)] * 3
    found = attacks(1, visits, person="patient", sensitive=["disease"])
    assert (found.people, found.control, found.counted) == (100, 100, "persons")
    of = risks(found)
    assert of["cells of the quasi-identifiers"].released.rate == 1 and of["disease"].released.tried == 100
    assert risks(attacks(1, visits, person=None, identifiers=["patient"]))["all cells of a row"].released.rate < 0.6


def test_a_release_of_a_database_is_attacked_and_its_cells_are_clean(tmp_path: Path) -> None:
    frame = people(300)
    frame["region"] = [f" {region.upper()}" for region in frame["region"]]
    with sqlite3.connect(tmp_path / "people.db") as connection:
        frame.to_sql("people", connection, index=False)
    connection.close()
    job = {
        "source": {"url": f"sqlite:///{tmp_path}/people.db", "table": "people"},
        "clean": {"region": {"trim": True, "case": "lower"}},
        "quasi_identifiers": {**CLIMBING, "region": {"levels": {"north": ["*"], "south": ["*"]}}},
        "sensitive": ["disease"], "others": "identifiers", "requirement": {"k": 1},
    }  # fmt: skip
    of = risks(sc.attack(job))
    assert of["all cells of a row"].released.rate == of["disease"].released.rate == 1 and "income" not in of


def test_attacks_are_the_same_each_time_and_of_other_halves_by_another_seed() -> None:
    once = attacks(5)
    assert attacks(5) == once and attacks(5, seed=2) != once


def test_intervals_are_those_of_wilson_and_risk_that_of_giomi() -> None:
    low, high = Trials(100, 10).interval
    assert (round(low, 4), round(high, 4)) == (0.0552, 0.1744)
    attack = Attack("Inference", "disease", Trials(100, 60), Trials(100, 20), None)
    assert attack.risk == pytest.approx(0.5)
    assert attack.interval == pytest.approx((0.3655, 0.6207), abs=2e-4)
    nothing = Attack("Inference", "disease", Trials(100, 20), Trials(100, 60), None)
    assert nothing.risk == nothing.interval[0] == 0


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ({"requirement": {"k": 200}}, "this half has no release: .*fewer than 200"),
        ({"person": {"column": "income", "as": "set"}, "keep": [], "algorithm": "sweep"}, "do not support person"),
    ],
)  # fmt: skip
def test_what_cannot_be_attacked_is_refused(job: dict[str, Any], said: str) -> None:
    with pytest.raises(sc.StarcloakError, match=said):
        attacks(5, people(300), **job)


def test_what_was_not_tried_is_said() -> None:
    found = sc.attack(
        {"quasi_identifiers": {"age": "suppress"}, "identifiers": ["zip", "region", "disease", "income"],
         "requirement": {"k": 5}}, frame=people(),
    )  # fmt: skip
    assert [criterion for criterion, _ in found.untried] == ["Linkability", "Inference"]
    assert "highest risk 0.000" in repr(found) and "<table" in found._repr_html_()


def test_the_report_tells_shares_and_no_small_count(work: Path) -> None:
    people().to_csv("people.csv", index=False)
    job = {"source": {"path": "people.csv"}, "quasi_identifiers": CLIMBING, "sensitive": ["disease"],
           "keep": ["income"], "requirement": {"k": 5}, "algorithm": "sweep"}  # fmt: skip
    Path("job.yaml").write_text(json.dumps(job))
    done = CliRunner().invoke(cli, ["report", "job.yaml", "--into", "r.html", "--profile", "article-29"])
    assert done.exit_code == 0, done.output
    text = Path("r.html").read_text().partition('<h2 id="profile">')[2].partition("</section>")[0]
    assert "drawn at random, were the control group" in text and "The test does not cover" in text
    lines = [line for line in re.findall(r"<li>(.*?)</li>", text) if "control group" in line]
    assert len(lines) == 5
    assert all(re.search(r"Risk \d+% \(\d+% to \d+%\)\.$", line) for line in lines[:-1])
    assert re.search("in the control group (98|100)%", lines[-1])
    bare = [re.sub(r"\d+%( \(\d+% to \d+%\)|, exactly)", "", line) for line in lines]
    assert not any("%" in line for line in bare)
    sc.run("job.yaml").report("other.html", profile="article-29")
    assert attacked.NOT_TRIED in Path("other.html").read_text()


def test_fewer_than_k_successes_are_told_at_worst_for_the_release() -> None:
    attack = Attack("Inference", "disease", Trials(100, 3), Trials(100, 4), Trials(100, 7))
    found = Attacks("people", 100, 100, "rows", 5, (attack,))
    (line,) = attacked.lines(found, "Inference", k=10)
    assert (
        "a person's class: 10% (6% to 17%), in the control group 0% (0% to 4%); by the most frequent value 0% (0%"
        in line
    )
    assert "Risk 10%" in line
    sure = Attack("Inference", "disease", Trials(100, 97), Trials(100, 98), Trials(100, 50))
    (line,) = attacked.lines(Attacks("people", 100, 100, "rows", 5, (sure,)), "Inference", k=10)
    assert "a person's class: 100% (96% to 100%), in the control group 90% (83% to 94%);" in line and "Risk" not in line


#: Two rows that are alone by their region, and are left out: their tuples differ, and so do their other cells.
_LONERS = (
    {"age": "18", "zip": "10000", "region": "east", "disease": "0", "income": "low"},
    {"age": "77", "zip": "99999", "region": "east", "disease": "4", "income": "high"},
)


def article_29(rows: pandas.DataFrame, **job: Any) -> tuple[str, pandas.DataFrame]:
    """What a report says of attacks on a job's source, and the rows that it releases."""
    rows.to_csv("people.csv", index=False)
    asked = {"source": {"path": "people.csv"}, "quasi_identifiers": CLIMBING, "sensitive": ["disease"],
             "keep": ["income"], "requirement": {"k": 5, "suppression": 0.05}, **job}  # fmt: skip
    Path("job.yaml").write_text(json.dumps(asked))
    done = CliRunner().invoke(cli, ["report", "job.yaml", "--into", "r.html", "--profile", "article-29"])
    assert done.exit_code == 0, done.output
    text = Path("r.html").read_text().partition('<h2 id="profile">')[2].partition("</section>")[0]
    alone = {key: value for key, value in asked.items() if key not in ("source", "output", "refresh")}
    return text, sc.run(alone, frame=rows).to_pandas()


@pytest.mark.sampled(9)
@pytest.mark.parametrize("persons", [False, True], ids=["rows", "persons"])
@pytest.mark.parametrize("algorithm", ["witness", "sweep", "mondrian", "cell-suppression"])
def test_rows_that_are_left_out_decide_nothing_of_the_attacks(work: Path, algorithm: str, persons: bool) -> None:
    """Else whoever knows all other rows could try what the one that was left out may be."""
    kept = people(120)
    texts, released = [], []
    for some in ([_LONERS[0]], [_LONERS[1]], [_LONERS[1], {**_LONERS[1], "age": "30"}]):
        rows = pandas.concat([kept, pandas.DataFrame(some)], ignore_index=True)
        regions = {"levels": {region: ["*"] for region in ("north", "south", "east")}, "to": 0}
        job: dict[str, Any] = {"algorithm": algorithm, "quasi_identifiers": {**CLIMBING, "region": regions}}
        if persons:
            rows["patient"] = [str(number) for number in range(len(rows))]
            job["person"] = "patient"
        text, shown = article_29(rows, **job)
        texts.append(text)
        released.append(sorted(shown.itertuples(index=False, name=None)))
        assert "east" not in shown["region"].tolist()
    assert released[0] == released[1] == released[2]
    assert texts[0] == texts[1] == texts[2]
    assert "Half of the released" in texts[0]


def test_rows_that_wait_for_a_refresh_decide_nothing_of_the_attacks(work: Path) -> None:
    kept, regions = people(120), {"levels": {region: ["*"] for region in ("north", "south", "east")}, "to": 0}
    job = {"algorithm": "sweep", "quasi_identifiers": {**CLIMBING, "region": regions}, "refresh": True,
           "output": {"path": "out.csv"}}  # fmt: skip
    article_29(kept, **job)
    sc.run("job.yaml")
    texts = [article_29(pandas.concat([kept, pandas.DataFrame([lone])]), **job)[0] for lone in _LONERS]
    assert texts[0] == texts[1] and "Half of the released" in texts[0]
