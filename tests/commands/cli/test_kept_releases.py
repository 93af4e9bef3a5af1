"""What a custodian does with a release that stands: its recoding as a table, and other rows masked as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pandas

import starcloak as sc
from tests.commands.cli.jobs import Command, job, write

QIS = ["zip", "age", "sex"]


def read(path: str) -> pandas.DataFrame:
    return pandas.read_csv(path, dtype=str, keep_default_na=False)


def test_a_mapping_says_what_became_of_every_combination(starcloak: Command) -> None:
    assert starcloak("run", write(job())).code == 0
    done = starcloak("mapping", "release.csv", "--into", "mapping.csv")
    assert (done.code, done.err) == (0, "") and "the file contains raw values" in done.out
    assert os.stat("mapping.csv").st_mode & 0o777 == 0o600
    mapping, source, released = read("mapping.csv"), read("people.csv"), read("release.csv")
    became = mapping.merge(source, on=QIS)
    assert len(became) == len(source)
    named = became[[f"{name}_released" for name in QIS]].to_numpy().tolist()
    assert sorted(named) == sorted(released[QIS].to_numpy().tolist())
    assert starcloak("mapping", "release.csv", "--into", "mapping.parquet").code == 0
    again = pandas.read_parquet("mapping.parquet").fillna("").astype(str)
    assert sorted(map(tuple, again.to_numpy())) == sorted(map(tuple, mapping.to_numpy()))


def test_a_mapping_is_refused_where_it_is_not_kept_or_its_place_is_taken(starcloak: Command) -> None:
    done = starcloak("mapping", "people.csv", "--into", "mapping.csv")
    assert done.code == 2 and "people.csv: the recoding of this release is missing" in done.err
    starcloak("run", write(job()))
    for place, problem in (
        ("people.csv", "people.csv is there already"),
        ("mapping.txt", "give a name that ends in .csv, .parquet or .xlsx"),
        ("nowhere/mapping.csv", "is not a folder"),
    ):
        done = starcloak("mapping", "release.csv", "--into", place)
        assert done.code == 2 and problem in done.err
    assert starcloak("forget", "release.csv").code == 0
    assert starcloak("mapping", "release.csv", "--into", "mapping.csv").code == 2
    assert not Path("mapping.csv").exists()


def test_other_rows_are_masked_as_the_release_is(starcloak: Command) -> None:
    starcloak("run", write(job()))
    read("people.csv").to_csv("june.csv", index=False)
    done = starcloak("apply", "job.yaml", "june.csv", "--into", "masked.csv")
    assert (done.code, done.err) == (0, "") and "of 7 rows" in done.out
    assert sorted(map(tuple, read("masked.csv").to_numpy())) == sorted(map(tuple, read("release.csv").to_numpy()))
    assert starcloak("apply", "job.yaml", "june.csv", "--into", "masked.csv").code == 2


def test_fewer_rows_than_k_are_no_release_and_say_so(starcloak: Command) -> None:
    starcloak("run", write(job()))
    read("people.csv").head(1).to_csv("june.csv", index=False)
    done = starcloak("apply", "job.yaml", "june.csv", "--into", "masked.csv")
    assert done.code == 1 and "fewer than k = 2" in done.err and not Path("masked.csv").exists()
    assert starcloak("apply", "job.yaml", "june.csv", "--into", "masked.csv", "--k", "1").code == 0
    assert len(read("masked.csv")) == 1


def test_what_is_not_counted_of_other_rows_is_not_promised(starcloak: Command) -> None:
    diverse = job(requirement={"k": 2, "suppression": "0.5", "l_diversity": [{"attribute": "illness", "l": 2}]})
    diverse |= {"sensitive": ["illness"], "keep": []}
    assert starcloak("run", write(diverse)).code == 0
    done = starcloak("apply", "job.yaml", "people.csv", "--into", "masked.csv")
    assert done.code == 2 and "the job requires l_diversity" in done.err and not Path("masked.csv").exists()


def test_a_job_that_released_nothing_or_is_another_by_now_is_refused(starcloak: Command) -> None:
    for described in (job(), job(requirement={"k": 3})):
        done = starcloak("apply", write(described), "people.csv", "--into", "masked.csv")
        assert done.code == 2 and "this job has no known release" in done.err
        starcloak("run", write(job()))
    write(job())
    Path("release.csv").write_text(Path("release.csv").read_text() + "1,2,3,4\n")
    assert starcloak("apply", "job.yaml", "people.csv", "--into", "masked.csv").code == 2


def test_columns_that_patterns_name_are_those_of_the_other_rows(starcloak: Command) -> None:
    described = {name: given for name, given in job().items() if name not in ("identifiers", "sensitive")}
    described |= {"identifiers": ["nam?"], "keep": ["ill*"]}
    assert starcloak("run", write(described)).code == 0
    assert starcloak("apply", "job.yaml", "people.csv", "--into", "masked.csv").code == 0
    assert list(read("masked.csv")) == list(read("release.csv"))
    assert sc.check({"path": "masked.csv"}, QIS, k=2).holds
