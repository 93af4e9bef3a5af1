"""compare: algorithms, k and suppression side by side, each verified like a release, and none published."""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pandas
import pytest
from click.testing import CliRunner, Result

import starcloak as sc
from starcloak.base import installation
from starcloak.base.drawing.labels import label_places
from starcloak.commands.cli import cli
from starcloak.job import load
from starcloak.releases import stage
from starcloak.search.sweep.settings import Sweep
from tests.daily import drawn_today
from tests.people import Server

JOB: dict[str, Any] = {
    "source": {"path": "t.csv"},
    "quasi_identifiers": {"age": {"intervals": [5, 20]}, "zip": {"digits": 3}, "sex": "suppress"},
    "sensitive": ["disease"],
    "requirement": {"k": 3},
    "output": {"path": "out.csv"},
}


def table(rows: int = 120, seed: int = 1) -> pandas.DataFrame:
    chance = random.Random(seed)
    return pandas.DataFrame(
        {
            "age": [chance.randint(20, 60) for _ in range(rows)],
            "zip": [f"5{chance.randint(0, 2)}{chance.randint(0, 9)}" for _ in range(rows)],
            "sex": [chance.choice("fm") for _ in range(rows)],
            "disease": [chance.choice("abcd") for _ in range(rows)],
        }
    ).astype(str)


@pytest.fixture
def folder(work: Path) -> Path:
    table().to_csv("t.csv", index=False)
    Path("job.yaml").write_text(json.dumps(JOB))
    return work


def compared(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["compare", "job.yaml", *arguments])


def test_every_point_is_what_a_run_would_release(folder: Path) -> None:
    found = sc.compare(JOB, ks=[2, 7], algorithms=["witness", "mondrian"], suppressions=["0", "0.05"])
    assert len(found.points) == 8 and not list(Path().glob("out*"))
    for point in drawn_today(found.points, every=4):
        requirement = {"k": point.k, "suppression": str(point.suppression)}
        job = {**JOB, "requirement": requirement, "algorithm": {"name": point.algorithm}, "output": None}
        release = sc.run(job).result
        told = point.released
        assert told is not None and told.k is not None and told.k >= point.k
        assert (told.k, told.released_rows, told.suppressed_rows, told.levels) == (
            release.k,
            release.released_rows,
            release.suppressed_rows,
            release.recoding.levels,
        )
        for measure in ("loss", "precision", "discernibility", "classes"):
            assert getattr(told, measure) == getattr(release.measures, measure)
        assert told.average_risk == told.classes / told.released_rows


def test_the_source_is_compressed_once(folder: Path) -> None:
    seen: list[str] = []
    sc.compare(JOB, ks=[2, 3, 5], algorithms=["witness", "datafly"], resources=sc.Resources(trace=seen.append))
    assert len([sql for sql in seen if re.search(r'create or replace (temporary )?table "base"', sql)]) == 1


def test_a_job_that_is_at_hand_is_compared_as_its_file(folder: Path) -> None:
    loaded = load(folder / "job.yaml")
    loaded = loaded.model_copy(update={"algorithm": Sweep()})
    assert not load(loaded).algorithm.model_fields_set  # what it did not say it does not say now
    assert [point.problem for point in sc.compare(loaded, ks=[2]).points] == [None]


def test_every_point_passes_the_verifier(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def refuse(*_: object) -> object:
        seen.append(1)
        raise sc.VerificationError("no")

    monkeypatch.setattr(stage.invariants, "verify", refuse)
    with pytest.raises(sc.VerificationError):
        sc.compare(JOB, ks=[2])
    assert seen == [1]


def test_a_point_that_cannot_be_released_says_why_and_the_others_are_told(folder: Path) -> None:
    done = compared("--k", "2,500", "--algorithm", "witness", "--json")
    assert done.exit_code == 0
    told = json.loads(done.output)
    jsonschema.validate(told, json.loads((installation.schemas() / "comparison.json").read_text()))
    few, many = told["points"]
    assert few["released"]["k"] >= 2 and few["problem"] is None
    assert many["released"] is None and "fewer than 500 rows" in many["problem"]
    done = compared("--k", "500", "--suppression", "0,0.01")
    problems = [line.partition(": ")[0] for line in done.output.splitlines()[3:]]
    assert done.exit_code == 1 and problems == [f"witness, k = 500, suppression {share}" for share in ("0", "0.01")]
    limited = {**JOB, "quasi_identifiers": {"sex": {"suppress": True, "max_suppressed": 0}}, "keep": ["age", "zip"]}
    (point,) = sc.compare(limited, ks=[110]).points
    assert point.problem is not None and "allow more suppressed" in point.problem and "published" not in point.problem


def test_a_comparison_says_that_the_releases_under_against_are_not_counted(folder: Path) -> None:
    (note,) = sc.compare({**JOB, "against": ["earlier.csv"]}, ks=[3]).notes
    assert note.startswith("against: only a run counts joint k with earlier releases")


def test_points_of_a_job_with_refresh_are_new_releases(folder: Path) -> None:
    job = {**JOB, "algorithm": {"name": "sweep"}}
    afresh = sc.compare(job, ks=[3])
    Path("job.yaml").write_text(json.dumps({**job, "refresh": True}))
    sc.run("job.yaml")
    done = compared("--k", "3")
    assert done.exit_code == 0 and "refresh: every point is a new release" in done.output and afresh.notes == []
    (point,) = sc.compare("job.yaml", ks=[3]).points
    assert point.released == afresh.points[0].released


def test_a_run_alone_says_that_nothing_was_published(folder: Path) -> None:
    limited = {
        **JOB, "quasi_identifiers": {"sex": {"suppress": True, "max_suppressed": 0}}, "keep": ["age", "zip"],
        "requirement": {"k": 110},
    }  # fmt: skip
    messages = []
    for command in (sc.run, sc.preview):
        with pytest.raises(sc.RequirementError) as refused:
            command(limited)
        messages.append(str(refused.value))
    of_run, of_preview = messages
    assert "more than the allowed 0.0%; nothing was published: allow more suppressed rows" in of_run
    assert of_preview == of_run.replace("; nothing was published", "")


def test_csv_and_plots_have_every_point(folder: Path) -> None:
    done = compared("--k", "2,5", "--algorithm", "witness,kaca", "--csv", "c.csv", "--plot", "c.svg")
    assert done.exit_code == 0
    assert [line.split()[:2] for line in done.stdout.splitlines()[1:]] == [
        [name, k] for name in ("witness", "kaca") for k in ("2", "5")
    ]
    with open("c.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["algorithm"], row["k"]) for row in rows] == [
        (name, k) for name in ("witness", "kaca") for k in ("2", "5")
    ]
    assert all(float(row["loss"]) > 0 for row in rows)
    drawing = ElementTree.parse("c.svg").getroot()
    titles = [title.text or "" for title in drawing.iter("{http://www.w3.org/2000/svg}title")]
    assert len([title for title in titles if "average risk 0." in title]) == 4
    assert compared("--k", "2", "--plot", "c.png").exit_code == 0
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")
    assert compared("--k", "2,5", "--csv", "c.csv", "--plot", "c.svg").exit_code == 0  # again, over its own files


def test_hostile_names_stay_text_in_the_plot(folder: Path) -> None:
    Path("<b>&x.csv").write_text(Path("t.csv").read_text())
    Path("job.yaml").write_text(json.dumps({**JOB, "source": {"path": "<b>&x.csv"}}))
    assert compared("--k", "2", "--plot", "c.svg").exit_code == 0
    assert "&lt;b&gt;&amp;x.csv" in Path("c.svg").read_text()
    ElementTree.parse("c.svg")


@pytest.mark.any_database
def test_a_frame_and_a_database_are_compared_as_a_file_is(server: Server) -> None:
    frame = table()
    server.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    there = {"url": server.url, "table": "people"}
    asked: dict[str, Any] = {"ks": [2, 5], "algorithms": ["witness", "kaca"]}
    job = {key: value for key, value in JOB.items() if key not in ("source", "output")}
    from_frame = sc.compare(job, **asked, frame=frame).points
    from_database = sc.compare({**job, "source": there}, **asked).points
    assert [point.released for point in from_frame] == [point.released for point in from_database]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--k", "x"), "give numbers with commas between them"),
        (("--k", "0"), "a list of whole numbers from 1 on"),
        (("--suppression", "2"), "a share of the rows from 0 to 1"),
        (("--suppression", "nan"), "give numbers with commas between them"),
        (("--algorithm", "witnes"), "Did you mean 'witness'?"),
        (("--algorithm", "tdr"), "algorithm tdr has settings without defaults"),
        (("--plot", "c.pdf"), "a plot must be an .svg or .png file"),
        (("--plot", "no/c.svg"), "is not a writable folder"),
        (("--csv", "t.csv"), "would replace the source"),
        (("--csv", "other.csv"), "starcloak did not write"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(folder: Path, arguments: tuple[str, ...], says: str) -> None:
    Path("other.csv").write_text("mine\n")
    done = compared(*arguments)
    assert isinstance(done.exception, sc.InputError) and says in str(done.exception)
    assert "\n" not in str(done.exception) and Path("other.csv").read_text() == "mine\n"


def test_several_qids_are_not_compared(folder: Path) -> None:
    qids = [{"attributes": ["age", "zip"], "k": 2}, {"attributes": ["sex"], "k": 3}]
    with pytest.raises(sc.JobError, match="several QIDs"):
        sc.compare({**JOB, "requirement": {"qids": qids}})


def _of_population(**further: Any) -> dict[str, Any]:
    people = [f"{age},{sex}" for age in range(1, 5) for sex in "fm" for _ in range(10)]
    Path("people.csv").write_text("\n".join(["age,sex", *people]))
    rows = [f"{age},{sex},flu" for age in range(1, 4) for sex in "fm" for _ in range(4)]  # nobody of age 4
    Path("sample.csv").write_text("\n".join(["age,sex,disease", *rows]))
    return {
        "source": {"path": "sample.csv"},
        "quasi_identifiers": {"age": "suppress", "sex": "suppress"},
        "sensitive": ["disease"],
        "requirement": {"k": 2, "population": {"path": "people.csv"}, **further},
    }


def _with_lowest_level() -> dict[str, Any]:
    zip_ = {"digits": 3, "from": 1}
    return {**JOB, "quasi_identifiers": {**JOB["quasi_identifiers"], "zip": zip_}, "output": None}


@pytest.mark.parametrize("algorithm", ["sweep", "cell-suppression", "mondrian", "kaca"])
@pytest.mark.parametrize("kind", ["absent people", "ranges", "lowest level"])
def test_a_point_refused_as_a_job_has_the_refusal_as_its_problem(folder: Path, kind: str, algorithm: str) -> None:
    if kind == "lowest level":
        job = _with_lowest_level()
    elif kind == "ranges":
        job = _of_population(k_map=4)
        job["quasi_identifiers"] = {"age": "numeric", "sex": "suppress"}
    else:
        job = _of_population(delta_presence=[0.2, 0.9])
    try:
        sc.run({**job, "algorithm": {"name": algorithm}})
    except sc.JobError as error:
        refusal = str(error)
    else:
        refusal = ""
    (point,) = sc.compare(job, ks=[job["requirement"]["k"]], algorithms=[algorithm]).points
    if refusal:
        assert point.released is None and point.problem is not None and refusal.endswith(point.problem)
    else:
        assert (kind, algorithm) not in {("absent people", "sweep"), ("lowest level", "cell-suppression")}
        assert point.problem is None


def test_a_point_with_suppression_refused_as_a_job_has_the_refusal_as_its_problem(folder: Path) -> None:
    job = _of_population(delta_presence=["0.2", "0.9"])
    Path("people.csv").write_text(Path("people.csv").read_text().replace("4,", "3,"))
    without, with_suppression = sc.compare(job, ks=[2], suppressions=["0", "0.5"]).points
    assert without.problem is None and without.released is not None
    assert with_suppression.released is None and "does not go with suppression" in (with_suppression.problem or "")
    (more,) = (one for one in sc.explain(job).weaker if one.suppression)
    assert more.released is None and "does not go with suppression" in (more.problem or "")


def test_a_comparison_is_a_frame_and_a_figure(folder: Path) -> None:
    found = sc.compare(JOB, ks=[2, 5, 1000], algorithms=["witness", "mondrian"])
    assert compared("--k", "2,5,1000", "--algorithm", "witness,mondrian", "--csv", "c.csv").exit_code == 0
    frame, file = found.to_pandas(), pandas.read_csv("c.csv")
    seconds = ["seconds"]
    pandas.testing.assert_frame_equal(frame.drop(columns=seconds), file.drop(columns=seconds), check_dtype=False)
    assert frame["problem"].notna().sum() == 2 and frame["loss"].isna().sum() == 2
    (axes,) = found.plot().axes
    drawn = {line.get_label(): [*map(float, line.get_ydata())] for line in axes.lines}  # type: ignore[arg-type]
    for algorithm in ("witness", "mondrian"):
        losses = frame[(frame["algorithm"] == algorithm) & frame["loss"].notna()]["loss"]
        assert drawn[f"{algorithm}, suppression 0"] == [*losses]
    for k in (2, 5):
        least = frame[frame["k"] == k].sort_values("loss", kind="stable").iloc[0]
        assert f"least loss with k = {k}: {least['loss']:.4f}, {least['algorithm']}" in found.summary.lines
    assert not any("k = 1000" in line for line in found.summary.lines)


def test_cells_of_the_terminal_do_not_touch(folder: Path) -> None:
    head, *lines = compared("--k", "2,5", "--algorithm", "witness,mondrian").output.splitlines()
    assert len(lines) == 4
    assert {len(re.split(" {2,}", line)) for line in (head, *lines)} == {len(re.split(" {2,}", head))} == {10}


def test_no_label_of_a_plot_covers_another_one(folder: Path) -> None:
    figure = sc.compare(JOB, ks=[2, 3, 4, 5, 6, 7], algorithms=["witness", "mondrian", "sweep"]).plot()
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) > 6
    assert not [(one, two) for at, one in enumerate(boxes) for two in boxes[:at] if one.overlaps(two)]
    marks = [(10.0, 50.0, "2")] * 6
    places = label_places(marks)
    assert len({*places} - {None}) == len([place for place in places if place]) < 6
