"""The OpenLineage event of a run has the fields that the specification requires, and tells what happened."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pandas
import pytest
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.base.errors import OutputError, RequirementError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from starcloak.commands.cli.commands.run import _certificate_lines
from starcloak.companions.lineage import openlineage
from starcloak.releases.disclosure import disclosure_of


def shape(required: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": {**required, **more}}


# What https://openlineage.io/spec/2-0-2/OpenLineage.json and the facets' own schemas require, by hand, and closed: a
# field that is not here is an error. A test below asks OpenLineage's own classes.
TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
URI = {"type": "string", "pattern": "^(https|urn):"}
INPUT_FIELD = shape(
    {"namespace": TEXT, "name": TEXT, "field": TEXT},
    transformations={
        "type": "array",
        "items": shape(
            {"type": {"enum": ["DIRECT", "INDIRECT"]}},
            subtype={"enum": ["IDENTITY", "TRANSFORMATION", "FILTER"]},
            description=TEXT,
            masking={"type": "boolean"},
        )
        | {"additionalProperties": False},
    },
) | {"additionalProperties": False}
INPUT_FIELDS = {"type": "array", "minItems": 1, "items": INPUT_FIELD}


def facet(name: str, required: dict[str, Any], **more: Any) -> dict[str, Any]:
    own = {"type": "string", "pattern": rf"^https://openlineage\.io/spec/facets/\d-\d-\d/{name}\.json#/\$defs/{name}$"}
    return shape({"_producer": URI, "_schemaURL": own, **required}, **more) | {"additionalProperties": False}


ASSERTION = shape(
    {"assertion": TEXT, "success": {"type": "boolean"}},
    **{name: TEXT for name in ("column", "name", "expected", "actual")},
    params={"type": "object"},
) | {"additionalProperties": False}
FACETS = shape(
    {
        "schema": facet("SchemaDatasetFacet", {"fields": {"type": "array", "items": shape({"name": TEXT})}}),
        "columnLineage": facet(
            "ColumnLineageDatasetFacet",
            {"fields": {"type": "object", "additionalProperties": shape({"inputFields": INPUT_FIELDS})}},
            dataset=INPUT_FIELDS,
        ),
        "dataQualityAssertions": facet(
            "DataQualityAssertionsDatasetFacet", {"assertions": {"type": "array", "items": ASSERTION}}
        ),
    },
    version=facet("DatasetVersionDatasetFacet", {"datasetVersion": TEXT}),
)
DATASET = shape({"namespace": TEXT, "name": TEXT})
COUNT = {"rowCount": {"type": "integer", "minimum": 0}}
WRITTEN = shape({"outputStatistics": facet("OutputStatisticsOutputDatasetFacet", {}, **COUNT)})
EVENT = shape(
    {
        "eventType": {"enum": ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]},
        "eventTime": {"type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT.*\+00:00$"},
        "producer": URI,
        "schemaURL": {"const": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"},
        "run": shape({"runId": {"type": "string", "format": "uuid"}}),
        "job": shape({"namespace": TEXT, "name": TEXT}),
        "inputs": {"type": "array", "items": DATASET},
        "outputs": {
            "type": "array",
            "items": shape({**DATASET["properties"], "facets": FACETS, "outputFacets": WRITTEN}),
        },
    }
)

CLASSES = Path(sys.prefix) / "openlineage" / "bin" / "python"

JOB: dict[str, Any] = {
    "source": {"path": "people.csv"},
    "identifiers": ["name"],
    "quasi_identifiers": {"zip": {"digits": 2}, "sex": {"suppress": True, "importance": 100}},
    "sensitive": ["illness"],
    "requirement": {"k": 4, "suppression": "0.2"},
    "objective": {"minimize": "height"},
    "output": {"path": "release.csv"},
}


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    rows = [f"Ann x7 {i},{10 + i % 4},{'fm'[i % 2]},flu x7\n" for i in range(12)]
    (work / "people.csv").write_text("name,zip,sex,illness\n" + "".join(rows) + "Bob x7,99,m,flu x7\n")
    return work


def valid(event: dict[str, Any]) -> dict[str, Any]:
    jsonschema.Draft202012Validator(EVENT, format_checker=jsonschema.FormatChecker()).validate(event)
    return event


def transformations(event: dict[str, Any]) -> dict[str, tuple[str, bool]]:
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    told = {name: field["inputFields"][0]["transformations"][0] for name, field in fields.items()}
    assert all(field["inputFields"][0]["field"] == name for name, field in fields.items())
    return {name: (each["subtype"], each["masking"]) for name, each in told.items()}


def test_the_event_tells_what_became_of_every_released_column() -> None:
    release = pipeline.run(JOB)
    event = valid(release.openlineage())
    assert release.result.suppressed_rows == 1
    assert release.result.recoding.levels == {"zip": 1, "sex": 0}
    assert transformations(event) == {
        "zip": ("TRANSFORMATION", True),
        "sex": ("IDENTITY", False),
        "illness": ("IDENTITY", False),
    }
    (output,) = event["outputs"]
    left_out = output["facets"]["columnLineage"]["dataset"]
    assert [field["field"] for field in left_out] == ["zip", "sex"]
    assert [each["masking"] for field in left_out for each in field["transformations"]] == [False, False]
    (assertion,) = output["facets"]["dataQualityAssertions"]["assertions"]
    assert (assertion["success"], assertion["expected"], assertion["actual"]) == (True, "4", "6")
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 12
    assert output["facets"]["version"]["datasetVersion"] == release.result.hashes.release
    assert uuid.UUID(event["run"]["runId"]).hex == release.result.run


def test_the_event_tells_no_row_no_small_count_and_no_hash_of_the_source() -> None:
    release = pipeline.run(JOB)
    text = json.dumps(release.openlineage())
    (read,) = release.openlineage()["inputs"]
    assert [field["name"] for field in read["facets"]["schema"]["fields"]] == ["zip", "sex", "illness"]
    assert "x7" not in text
    assert "identifiers" not in text.replace("quasi_identifiers", "") and '"name": "name"' not in text
    assert str(release.result.hashes.source) not in text
    assert "suppressed_rows" not in text


def test_a_column_with_cleaned_cells_is_not_called_identical() -> None:
    event = valid(pipeline.run({**JOB, "clean": {"illness": {"map": {"flu x7": "flu"}}}}).openlineage())
    assert transformations(event)["illness"] == ("TRANSFORMATION", False) and "x7" not in json.dumps(event)
    joined = {key: value for key, value in JOB.items() if key != "sensitive"}
    joined |= {"quasi_identifiers": {"zip": JOB["quasi_identifiers"]["zip"]}, "keep": ["place"]}
    event = valid(pipeline.run({**joined, "clean": {"place": {"join": ["sex", "illness"]}}}).openlineage())
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]["place"]["inputFields"]
    assert [field["field"] for field in fields] == ["sex", "illness"]


def test_cells_of_a_local_recoding_are_masked() -> None:
    described = {key: value for key, value in JOB.items() if key != "objective"}
    event = pipeline.run({**described, "algorithm": {"name": "kaca"}}).openlineage()
    assert transformations(valid(event))["sex"] == ("TRANSFORMATION", True)


def test_a_place_is_named_without_user_or_password() -> None:
    from starcloak.companions.lineage import openlineage
    from starcloak.job import load
    from starcloak.store.databases.url import Url

    told = openlineage._table(Url("postgresql://ann:SECRETx7@db.example:5433/clinic"), "public.people")
    assert told == {"namespace": "postgresql://db.example:5433", "name": "clinic.public.people"}
    frame = load({key: value for key, value in JOB.items() if key not in ("source", "output")})
    assert openlineage._origin(frame)["namespace"] == "memory"


def test_the_command_writes_the_event_beside_the_release(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "clinic")
    Path("job.yaml").write_text(yaml.safe_dump(JOB))
    events = []
    for _ in range(2):
        assert CliRunner().invoke(cli, ["run", "job.yaml", "--openlineage", "event.json"]).exit_code == 0
        events.append(valid(json.loads(Path("event.json").read_text())))
    assert events[0]["job"] == {"namespace": "clinic", "name": "starcloak.release.csv"}
    # The second run did nothing: a run of its own, which wrote no row.
    assert events[0]["run"] != events[1]["run"]
    assert events[1]["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 0
    with pytest.raises(OutputError, match="nowhere is not a writable folder: check --openlineage"):
        pipeline.run("job.yaml", lineage="nowhere/event.json")
    assert not [path for path in folder.iterdir() if "staging" in path.name]


@pytest.mark.long
@pytest.mark.skipif(not CLASSES.exists(), reason="OpenLineage is not installed: make test-long installs it")
def test_the_classes_of_the_published_schemas_take_every_event() -> None:
    """Built by OpenLineage's own Python client, whose classes are generated of its schemas."""

    def taken(events: str) -> subprocess.CompletedProcess[str]:
        command = [str(CLASSES), str(Path(__file__).with_name("classes.py")), events]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    pipeline.run(JOB, lineage="events.jsonl")
    with pytest.raises(RequirementError):
        pipeline.run({**JOB, "requirement": {"k": 99}}, lineage="events.jsonl")
    done = taken("events.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        *["START", "COMPLETE", "SchemaDatasetFacet", "SchemaDatasetFacet", "ColumnLineageDatasetFacet"],
        *["DataQualityAssertionsDatasetFacet", "DatasetVersionDatasetFacet", "OutputStatisticsOutputDatasetFacet"],
        *["START", "FAIL", "ErrorMessageRunFacet"],
    ]
    text = Path("events.jsonl").read_text()
    for right, wrong in (("rowCount", "rows"), ("2-0-2", "2-0-1"), ('"masking": true', '"masking": "yes"')):
        Path("wrong.jsonl").write_text(text.replace(right, wrong))
        assert taken("wrong.jsonl").returncode == 1


def started(event: dict[str, Any]) -> dict[str, Any]:
    """An event of a run that is not complete, whose output has no facets."""
    described = {**EVENT["properties"], "outputs": {"type": "array", "items": DATASET}}
    facets = shape({}, errorMessage=facet("ErrorMessageRunFacet", {"message": TEXT, "programmingLanguage": TEXT}))
    described["run"] = shape({"runId": {"type": "string", "format": "uuid"}}, facets=facets)
    schema = {**EVENT, "properties": described}
    jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(event)
    return event


def test_every_run_has_an_event_for_its_begin_and_one_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline.run(JOB, lineage="events.jsonl")
    pipeline.run(JOB, lineage="events.jsonl")
    with pytest.raises(RequirementError):
        pipeline.run({**JOB, "requirement": {"k": 99}}, lineage="events.jsonl")

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("starcloak.releases.run.propose", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pipeline.run({**JOB, "seed": 2}, lineage="events.jsonl")
    events = [json.loads(line) for line in Path("events.jsonl").read_text().splitlines()]
    kinds = [event["eventType"] for event in events]
    assert kinds == ["START", "COMPLETE", "START", "COMPLETE", "START", "FAIL", "START", "ABORT"]
    for begin, end in zip(events[::2], events[1::2], strict=True):
        started(begin)
        (valid if end["eventType"] == "COMPLETE" else started)(end)
        assert begin["run"]["runId"] == end["run"]["runId"] and begin["job"] == end["job"]
    assert len({event["run"]["runId"] for event in events}) == 4
    assert events[5]["run"]["facets"]["errorMessage"]["message"] == "RequirementError: see the messages of the run"


def test_the_last_event_of_a_run_stays_where_there_is_one_file_for_it() -> None:
    with pytest.raises(RequirementError):
        pipeline.run({**JOB, "requirement": {"k": 99}}, lineage="event.json")
    assert started(json.loads(Path("event.json").read_text()))["eventType"] == "FAIL"
    pipeline.run(JOB, lineage="event.json")
    assert valid(json.loads(Path("event.json").read_text()))["eventType"] == "COMPLETE"
    Path("mine.jsonl").write_text("{}\n")
    with pytest.raises(OutputError, match=r"the event would replace .*mine.jsonl, which starcloak did not write"):
        pipeline.run(JOB, lineage="mine.jsonl")


def test_a_file_longer_than_any_event_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline.run(JOB, lineage="event.json")
    monkeypatch.setattr(openlineage, "_LONGEST", Path("event.json").stat().st_size)
    pipeline.run(JOB, lineage="event.json", force=True)
    monkeypatch.setattr(openlineage, "_LONGEST", Path("event.json").stat().st_size - 1)
    with pytest.raises(OutputError, match="which starcloak did not write"):
        pipeline.run(JOB, lineage="event.json", force=True)


def test_a_run_that_cannot_tell_that_it_begins_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr("starcloak.companions.lineage.openlineage._write", full)
    with pytest.raises(
        OutputError, match=r"^event.json cannot be written \(OSError\): check the path under --openlineage$"
    ):
        pipeline.run(JOB, lineage="event.json")
    assert not Path("release.csv").exists()


def test_columns_that_a_hierarchy_reads_are_told_beside_the_attribute() -> None:
    described = {**JOB, "quasi_identifiers": {"zip": {"columns": ["sex"]}}, "identifiers": ["name", "sex"]}
    Path("people.csv").write_text("name,zip,sex,illness\n" + "a,1,f,flu\nb,2,f,flu\n" * 3)
    event = pipeline.run({**described, "objective": {"minimize": "height"}}).openlineage()
    read = event["outputs"][0]["facets"]["columnLineage"]["fields"]["zip"]["inputFields"]
    assert [each["field"] for each in read] == ["zip", "sex"]


def test_a_query_goes_by_the_name_of_its_release_and_no_hash_of_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who knows a query but for the value that it leaves out would try values until the hash is that."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("clinic.duckdb") as connection:
        connection.execute("create table people as select cast(i as varchar) as zip from range(9) as rows (i)")
    named = set()
    for gone in ("7", "8"):
        described = {
            "source": {"url": "duckdb:///clinic.duckdb", "query": f"select zip from people where zip <> '{gone}'"},
            "quasi_identifiers": {"zip": "suppress"},
            "requirement": {"k": 2},
            "output": {"path": "released.csv", "replace": True},
        }
        pipeline.run(described, lineage="event.json")
        (read,) = json.loads(Path("event.json").read_text())["inputs"]
        named.add((read["namespace"], read["name"]))
    assert named == {(f"duckdb://{tmp_path}/clinic.duckdb", "query-for-released.csv")}


def test_no_event_and_no_line_of_a_run_has_an_order_with_values_of_suppressed_rows() -> None:
    """An order names every value of the source, also one that only a suppressed row has."""
    rows = [*[("a", "low"), ("a", "mid")] * 2, *[("b", "low"), ("b", "mid")] * 2, ("c", "x-alone")]
    closeness = {"attribute": "s", "t": "0.4", "distance": "ordered", "order": ["low", "mid", "x-alone"]}
    job = {"quasi_identifiers": {"g": "suppress"}, "sensitive": ["s"],
           "requirement": {"k": 4, "suppression": "0.2", "t_closeness": [closeness]}}  # fmt: skip
    release = sc.run(job, frame=pandas.DataFrame(rows, columns=["g", "s"]))
    assert release.result.suppressed_rows == 1
    assert "x-alone" not in json.dumps(release.openlineage())
    assert "x-alone" not in disclosure_of(release.result).result.model_dump_json()
    assert "x-alone" not in "\n".join(_certificate_lines(release.result))
