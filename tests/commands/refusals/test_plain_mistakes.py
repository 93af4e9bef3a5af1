"""Plausible mistakes of a first hour: each is answered by a line that shows what to write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import JobError
from starcloak.job import load
from tests.commands.refusals.refusing import Refused, job, write

JOB = """source: {path: people.csv}
identifiers: [name]
quasi_identifiers:
  zip: {digits: 5}
  sex: suppress
sensitive: [illness]
requirement: {k: 2}
output: {path: release.csv}
"""
ZIP, K = "{digits: 5}", "requirement: {k: 2}"
SOURCE = "{path: people.csv}"
DIGITS, DATES, INTERVALS = "{digits: 5}", "{dates: [month, year, decade]}", "{intervals: [5, 10, 20]}"
IMPORTANT = "quasi_identifiers: {zip: {digits: 5, importance: 2}}"
DIVERSE = "l_diversity: [{attribute: disease, l: 2}]"

PERSONS_OTHERWISE = ["{column: pid, as: column}", "{columns: pid, as: set}", "{column: pid}", "[pid, 1]", "[]", "3"]
PERSON = (
    "write person: patient_id, or person: [clinic, number] for several columns, to count persons; or write person: {"
)

IN_THE_JOB = [
    # Hierarchies by names that suggest themselves
    (ZIP, "digits", "hierarchy 'digits' has a wrong form"),
    (ZIP, "{digit: 5}", f"Did you mean 'digits'? Write {DIGITS}"),
    (ZIP, "{digits: five}", "write digits: 5"),
    (ZIP, "{postcode: 5}", f"Write {DIGITS}"),
    (ZIP, "{zipcode: 5}", f"Write {DIGITS}"),
    (ZIP, "{prefix: 3}", f"Write {DIGITS}"),
    (ZIP, "zip", f"Write {DIGITS}"),
    (ZIP, "{truncate: 2}", f"Write {DIGITS}"),
    (ZIP, "{mask: 2}", "Did you mean 'suppress'? Write suppress"),
    (ZIP, "redact", "Write suppress"),
    (ZIP, "generalize", "Write suppress"),
    (ZIP, "age", f"Write {INTERVALS}"),
    (ZIP, "{ranges: [10, 20]}", f"Did you mean 'intervals'? Write {INTERVALS}"),
    (ZIP, "{interval: [10]}", f"Write {INTERVALS}"),
    (ZIP, "{bins: 10}", f"Write {INTERVALS}"),
    (ZIP, "{below: 18}", f"Write {INTERVALS}"),
    (ZIP, "{numeric: 10}", "Write numeric"),
    (ZIP, "{intervals: 10}", "write intervals: [5, 10, 20]"),
    (ZIP, "{intervals: [20, 10]}", "write intervals: [10, 20]"),
    (ZIP, "{intervals: [10, 25]}", "write intervals: [10, 20]"),
    (ZIP, "{intervals: [0]}", "write intervals: [5, 10, 20]"),
    (ZIP, "date", f"Did you mean 'dates'? Write {DATES}"),
    (ZIP, "{years: 10}", f"Write {DATES}"),
    (ZIP, "{dates: month}", "write dates: [month]"),
    (ZIP, "{dates: [year, month]}", "write dates: [month, year]"),
    (ZIP, "{dates: [week, month]}", "write dates: [month]"),
    (ZIP, "{dates: [months]}", "Did you mean 'month'?"),
    (ZIP, "{digits: 5, importance: 0}", "write importance: 2, from 0.001 to 1000"),
    (ZIP, "{digits: 5, importance: high}", "write importance: 2, from 0.001 to 1000"),
    (ZIP, "{digits: 5, weight: 2}", "Write importance: 2"),
    (ZIP, "{numeric: true, to: 1}", "numeric makes ranges from the data and has no levels"),
    (ZIP, "{numeric: true, nonconforming: missing}", "numeric makes ranges of numbers alone"),
    (ZIP, "whatever", f"Write {DIGITS} or {DATES} or {INTERVALS} or suppress"),
    # Requirements
    (K, "requirement: {k: 0}", "write k: 5"),
    (K, 'requirement: {k: "5"}', "a whole number without quotes: write k: 5"),
    (K, "requirement: {k: 2.5}", "write k: 5"),
    (K, "requirement: 5", "must be a mapping: write requirement: {k: 5}"),
    (K, "k: 2", "Write requirement: {k: 5}"),
    (K, "requirement: {k: 2, l_diversity: 2}", f"write {DIVERSE}"),
    (K, "requirement: {k: 2, l: 2}", f"Write {DIVERSE}"),
    (K, "requirement: {k: 2, t_closeness: 0.2}", "write t_closeness: [{attribute: disease, t: 0.2}]"),
    (K, "requirement: {k: 2, entropy_l: 2}", "kind: entropy"),
    (K, "requirement: {k: 2, person: name}", "Write person: patient_id at the top"),
    (K, "requirement: {k: 2, suppression: 5%}", "write suppression: 0.05, which is 5 %"),
    (K, "requirement: {k: 2, suppression: 1%}", "write suppression: 0.01, which is 1 %"),
    (K, 'requirement: {k: 2, suppression: "0,025"}', "write suppression: 0.025, which is 2.5 %"),
    (K, "requirement: {k: 2, suppression: some}", "write suppression: 0.05, which is 5 %"),
    (K, "requirement: {k: 2, suppression: 5}", "write suppression: 0.05, which is 5 %"),
    # Roles and columns
    ("sensitive: [illness]", "sensitive: illness", "write sensitive: [illness]"),
    ("identifiers: [name]", "identifiers: name", "write identifiers: [name]"),
    ("sensitive: [illness]", "sensitive: [ilness]", "Did you mean 'illness'?"),
    ("sensitive: [illness]", "sensitive: [illness, zip]", "name it under one of the two"),
    ("sensitive: [illness]\n", "", "put it under identifiers (never released), quasi_identifiers, sensitive or keep"),
    ("identifiers: [name]", "identifier: [name]", "Did you mean 'identifiers'?"),
    # Places
    (SOURCE, "people.csv", "must be a mapping: write source: {path: patients.csv}"),
    (SOURCE, "{file: people.csv}", "Write path: patients.csv"),
    (SOURCE, "{path: peple.csv}", "Did you mean 'people.csv'?"),
    (SOURCE, "{path: .}", "it is a folder: give a file in it"),
    (SOURCE, "{path: job.yaml}", "is a job or another text without rows: give the file with the rows"),
    (SOURCE, '{path: people.csv, delimiter: ";"}', "check that the first line has the names of the columns"),
    (
        SOURCE,
        '{url: "postgresql://me@localhost:1/hospital", table: people}',
        "hospital at localhost:1 cannot be reached",
    ),
    (SOURCE, '{url: "mariadb://me@localhost:1/hospital", table: people}', "hospital at localhost:1 cannot be reached"),
    (SOURCE, '{url: "postgres://me@localhost/hospital", table: people}', "Did you mean 'postgresql'?"),
    ("{path: release.csv}", "release.csv", "write output: {path: patients-k5.csv}"),
    ("{path: release.csv}", "{path: people.csv}", "check output.path"),
    ("{path: release.csv}", "{path: release.ods}", "must end in .csv, .parquet or .xlsx"),
    (ZIP, "{digits: 3}", "a tree in place of digits for words"),
    (ZIP, "{tree: [north, south]}", "must be a mapping: write tree: {north: [10115, 10117]"),
    (K, "requirement: {k: 2, t_closeness: [{attribute: illness, t: 20}]}", "write t: 0.2, from 0 to 1"),
    (SOURCE, "{path: https://example.org/people.csv}", "files are not read over a network: download the file"),
    (SOURCE, "{path: people.csv, table: people}", "leave table and query out for a file"),
    (SOURCE, "{url: clinic.duckdb, table: people}", "write duckdb:///clinic.duckdb"),
    (SOURCE, "{url: duckdb:///clinic.duckdb}", "give table: patients, or query: select"),
    # YAML and the rest
    (
        "identifiers: [name]",
        "identifier: [name]\nrequirment: 2",
        "Nor is 'requirment' known. Did you mean 'requirement'?",
    ),
    ("[illness]", "[illness", "has no end, or a comma is missing: close it"),
    ("  sex: suppress", "    sex: suppress", "the line does not continue the lines above"),
    (
        SOURCE,
        "{path: @people.csv}",
        "a text begins with a character that has a meaning in YAML: put the text in quotes",
    ),
    (
        K,
        f"{K}\nclean: {{sex: {{map: {{f: }}}}}}",
        "map replaces 'f' by nothing, as YAML reads the unquoted word: write the replacement in quotes",
    ),
    (
        K,
        f"{K}\nclean: {{sex: {{map: {{f: no}}}}}}",
        "map replaces 'f' by false, as YAML reads the unquoted word: write the replacement in quotes",
    ),
    ("  sex: suppress", "\tsex: suppress", "line 5: the line has a tab: indent with spaces"),
    ("  sex: suppress", "  sex suppress", "line 5: the line has no colon and space after its key: write sex: suppress"),
    (
        "  sex: suppress",
        "  sex  # left out",
        "line 5: the line has no colon and space after its key: write sex: suppress",
    ),
    *((K, f"{K}\nperson: {form}", f"job.yaml: person: {PERSON}") for form in PERSONS_OTHERWISE),
    (JOB, "- source\n- k\n", "write lines of the form key: value"),
    (K, f"{K}\nperson: pid\nrefresh: true", "{column: pid, as: set} and algorithm: {name: sweep}, or leave refresh"),
    (
        K,
        "requirement: {k: 2, " + DIVERSE.replace("disease", "illness") + "}\nperson: pid\nrefresh: true",
        "{name: sweep} and k as the only requirement, or leave",
    ),
    (K, f"{K}\nalgorithm: sweeep", "Did you mean 'sweep'?"),
    (K, f"{K}\nobjective: loss", "write objective: {minimize: loss}"),
    (K, f"{K}\nobjective: {{weights: {{zip: 2}}}}", f"Write {IMPORTANT}, with objective: {{minimize: height}}"),
    (K, f"{K}\nalgorithm: {{name: kaca, weights: {{attributes: {{zip: 2}}}}}}", f"Write {IMPORTANT}"),
    (K, f"{K}\nalgorithm: {{name: sweep, weights: {{attributes: {{zip: 2}}}}}}", f"Write {IMPORTANT}"),
]


@pytest.mark.parametrize(("right", "wrong", "answer"), IN_THE_JOB, ids=[wrong for _, wrong, _ in IN_THE_JOB])
def test_a_mistake_in_a_job_is_answered_by_the_right_line(
    refused: Refused, right: str, wrong: str, answer: str
) -> None:
    assert right in JOB
    refused("run", write(JOB.replace(right, wrong)), says=(answer,))


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("chek", "people.csv"), "Did you mean 'check'?"),
        (("anonymize", "people.csv"), "Did you mean 'run'?"),
        (("run", "job.yaml", "--set", "k=3"), "--set requirement.k=5"),
        (("run", "job.yaml", "-k", "3"), "Write --set requirement.k=5"),
        (("check", "people.csv", "--qi", "zip", "-k", "2"), "Did you mean '--k'?"),
        (("check", "people.csv", "--qi", "zip", "--k", "five"), "--k takes a whole number from 1: write --k 5"),
        (("check", "people.csv", "--qi", "zip", "--k", "0"), "--k takes a whole number from 1: write --k 5"),
        (("audit", "people.csv", "--qi", "zip", "--sets", "9"), "--sets takes a whole number from 0 to 4: write"),
        (("run", "job.yaml", "--jsn"), "Did you mean '--json'?"),
        (("run", "job.yml"), "Did you mean 'job.yaml'?"),
        (("run",), "Usage: starcloak run [OPTIONS] JOB"),
        (("run", "job.yaml", "people.csv"), "(people.csv). Usage: starcloak run [OPTIONS] JOB"),
        (("run", "."), ". is a folder: give the path of a job in this folder, such as job.yaml"),
        (("run", "nowhere/job.yaml"), "nowhere/job.yaml is not there: check the path"),
        (("run", "latin.yaml"), "latin.yaml is not a text in UTF-8"),
        (("run", "job.yaml", "--threads", "1000000000000"), "--threads takes a whole number from 1 to 256"),
        (("check", "people.csv", "--qi", "zip", "--qi", "sex", "--k", "2"), "give it once, as in --qi zip,sex"),
        (("init", "people.csv", "--into", "release.csv"), "--into takes a name that ends in .yaml"),
        (("init", "people.csv", "--into", "."), ". is a folder: name a file in it, such as --into job.yaml"),
        (("check", "people.csv", "--l-diversity", "illness:2"), "Did you mean '--l'?"),
        (("audit", "people.csv", "--sampling-fraction", "10%"), "takes a number such as 0.1, without %"),
        (("check", "people.csv", "--qi", "zip", "--k", "2", "--delimiter", ";;"), "must have at most 1 character"),
        (("compile", "job.yaml", "--into", "release.sql"), "write starcloak compile job.yaml > release.sql"),
        (("report", "release.csv", "--into", "report.pdf"), "give it a name that ends in .html"),
        (("help",), "Did you mean '--help'?"),
        (("run", "people.csv"), "starcloak init people.csv --into job.yaml"),
        (("run", "job.yaml", "--memory-limit", "1"), "such as --memory-limit 1GB"),
        (("audit", "people.csv"), "may know of a person, out of name,zip,sex,illness; `starcloak init`"),
        (("audit", "people.csv", "--qi", "zipp"), "Did you mean 'zip'?"),
        (("audit", "people.csv", "--qi", "zip;sex"), "Name several with commas: zip,sex."),
        (("init", "empty.csv", "--into", "j.yaml"), "empty.csv is empty, without a header and rows"),
        (("init", "nowhere.csv", "--into", "j.yaml"), "nowhere.csv is not a file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistake_in_a_command_is_answered_by_the_right_one(
    refused: Refused, arguments: tuple[str, ...], answer: str
) -> None:
    write(JOB)
    Path("empty.csv").touch()
    Path("latin.yaml").write_bytes("sensitive: [größe]".encode("latin-1"))
    refused(*arguments, says=(answer,))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", [sc.run, sc.compile, sc.compare, sc.explain, sc.attack, sc.lattice, sc.preview])
def test_rows_in_the_place_of_a_job_are_named(command: Callable[..., object]) -> None:
    frame = pandas.DataFrame({"zip": ["1", "1"]})
    release = sc.anonymize(frame, quasi_identifiers={"zip": "suppress"}, k=2)
    for rows, kind in ((frame, "DataFrame"), (release, "Release")):
        with pytest.raises(JobError, match=rf"and it is a {kind}: give the job as a mapping .* frame=frame"):
            command(rows)


def test_a_call_without_a_job_says_what_a_job_is() -> None:
    for value, kind in ((None, "NoneType"), ([1], "list")):
        with pytest.raises(JobError, match=rf"and it is a {kind}: give the job as a mapping or as the path"):
            sc.run(value)  # type: ignore[arg-type]


def test_a_table_with_fewer_rows_than_k_is_told(refused: Refused) -> None:
    refused("run", write(JOB.replace("k: 2", "k: 9")), code=1, says=("fewer than 9 rows",))


def test_an_algorithm_without_settings_is_named_by_a_word() -> None:
    assert load({**job(), "algorithm": "sweep"}).algorithm == load({**job(), "algorithm": {"name": "sweep"}}).algorithm


def test_no_sql_stands_above_the_line(refused: Refused, folder: Path) -> None:
    """The statement that shows values without a leaf is in the JSON alone."""
    err = refused("run", write(JOB), says=("no leaf", "--json has it"))
    assert err.count("\n") == 1
