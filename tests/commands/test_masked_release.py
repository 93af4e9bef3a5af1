"""Masked rows are a release: measured with the one whose recoding they have, refused below k, known to later ones."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import yaml
from click.testing import CliRunner, Result

import starcloak as sc
from starcloak.base.errors import OutputError, RequirementError
from starcloak.commands import kept_release
from starcloak.commands.cli import cli
from starcloak.job import load_source
from starcloak.releases.recodings import saved_recodings
from tests.companions.test_earlier import COLUMNS, job

FEMALE, MALE = ("20", "10", "f", "flu"), ("30", "11", "m", "cold")


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    return work


def rows(female: int, male: int) -> pandas.DataFrame:
    return pandas.DataFrame([FEMALE] * female + [MALE] * male, columns=COLUMNS)


def released(frame: pandas.DataFrame, **more: Any) -> dict[str, Any]:
    frame.to_csv("people.csv", index=False)
    described = job(**{"requirement": {"k": 5}, **more})
    Path("job.yaml").write_text(yaml.safe_dump(described))
    assert apply_command("run", "job.yaml").exit_code == 0
    return described


def apply_command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def masked(into: str = "masked.csv", source: str = "people.csv", *more: str) -> Result:
    return apply_command("apply", "job.yaml", source, "--into", into, *more)


def test_one_new_row_is_not_singled_out() -> None:
    released(rows(8, 9))
    for source in ("people.csv", "grown.csv"):  # wherever the grown table is
        rows(9, 9).to_csv(source, index=False)
        done = masked(source=source)
        assert isinstance(done.exception, RequirementError) and "a.csv is by estimate less" in str(done.exception)
        assert not Path("masked.csv").exists()
    rows(7, 9).to_csv("people.csv", index=False)  # nor one who left
    assert masked().exit_code == 1
    rows(13, 9).to_csv("people.csv", index=False)
    assert masked().exit_code == 0 and len(pandas.read_csv("masked.csv")) == 22


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", [{"name": "sweep"}, {"name": "tdr", "class": "illness"}, {"name": "kaca"}])
def test_one_new_row_of_a_frame_is_not_singled_out(algorithm: dict[str, Any]) -> None:
    described = job(requirement={"k": 5}, algorithm=algorithm)
    del described["source"], described["output"]
    release = sc.run(described, frame=rows(8, 9))
    with pytest.raises(RequirementError, match="joint k with"):
        release.apply(rows(9, 9))
    assert len(release.apply(rows(13, 9))) == 22
    assert len(release.apply(rows(9, 9), k=1)) == 18
    with pytest.raises(RequirementError, match="less than 2"):
        release.apply(rows(9, 9), k=2)
    assert len(release.apply(rows(10, 9), k=2)) == 19


def with_missing(count: int, missing: str | None = "NA") -> pandas.DataFrame:
    frame = rows(count, 9)
    return frame.assign(sex=frame["sex"].replace({"f": missing}))


def test_rows_with_other_texts_for_missing_cells_are_not_compared_with_the_release() -> None:
    """A combination with a missing cell would count as gone, and the same one with the text as new."""
    with_missing(8).to_csv("people.csv", index=False)
    release = sc.run(job(source={"path": "people.csv", "null": ["NA", "-"]}, requirement={"k": 5}))
    with_missing(13).to_csv("june.csv", index=False)
    for other in ({"path": "june.csv"}, {"path": "june.csv", "null": "-"}, with_missing(13), with_missing(13, "-")):
        with pytest.raises(RequirementError, match=r"was cleaned differently.*give the columns the types and the"):
            release.apply(other)
    for other in ({"path": "june.csv", "null": ["-", "NA"]}, with_missing(13, None)):
        assert len(release.apply(other)) == 22
        with pytest.raises(RequirementError, match="less than 5"):  # five rows are new, and a sixth one
            release.apply(with_missing(14, None))


def test_the_command_reads_a_file_with_the_missing_texts_of_the_job() -> None:
    described = released(rows(8, 9), source={"path": "people.csv", "null": ["NA"]})
    assert described["source"]["null"] == ["NA"]
    with_missing(8).to_csv("people.csv", index=False)
    assert apply_command("run", "job.yaml", "--force").exit_code == 0
    with_missing(9).to_csv("june.csv", index=False)
    assert "less than 5" in str(masked(source="june.csv").exception)
    assert "cleaned differently" in str(masked("masked.csv", "june.csv", "--null", "-").exception)
    assert not Path("masked.csv").exists()
    with_missing(13).to_csv("june.csv", index=False)
    assert masked(source="june.csv").exit_code == 0
    with_missing(13, "-").to_csv("dashes.csv", index=False)
    assert "cleaned differently" in str(masked("two.csv", "dashes.csv", "--null", "-").exception)


@pytest.mark.parametrize("kind", ["float64", "int8", "str"])
def test_rows_of_another_type_are_compared_with_the_release_if_their_texts_are_the_same(kind: str) -> None:
    """A frame of pandas has floating-point numbers where some of the whole numbers are missing."""
    described = job(requirement={"k": 5}, quasi_identifiers={"age": {"intervals": [5]}, "sex": "suppress"})
    del described["source"], described["output"], described["sensitive"]
    frame = rows(13, 9)[["age", "sex"]].astype({"age": "int64"})
    release = sc.run(described, frame=frame[5:])
    if kind == "float64":
        with pytest.raises(RequirementError, match=r"'age' had another type.*give the columns the types"):
            release.apply(frame.astype({"age": kind}))
    else:
        assert len(release.apply(frame.astype({"age": kind}))) == 22


def test_masked_rows_are_known_to_later_ones_and_to_later_runs_of_either_source() -> None:
    described = released(rows(8, 9))
    rows(13, 9).to_csv("grown.csv", index=False)
    assert masked("one.csv", "grown.csv").exit_code == 0
    # With the first release alone six rows are new; with one.csv, too, five of these and a sixth.
    rows(14, 9).to_csv("grown.csv", index=False)
    done = masked("two.csv", "grown.csv")
    assert isinstance(done.exception, RequirementError) and "one.csv" in str(done.exception)
    for source in ("grown.csv", "people.csv"):
        rows(14, 9).to_csv(source, index=False)
        run = sc.run({**described, "source": {"path": source}, "output": {"path": f"b-{source}"}}).result
        pairs = {Path(pair.release).name: pair.k for pair in run.joint}
        assert pairs["one.csv"] == 1, pairs


def test_masked_rows_of_a_python_session_are_known_where_the_release_is() -> None:
    described = released(rows(8, 9))
    release = sc.run(described)
    release.apply(rows(13, 9))
    with pytest.raises(RequirementError, match="rows masked as"):
        release.apply(rows(14, 9))
    rows(14, 9).to_csv("people.csv", index=False)
    run = sc.run({**described, "output": {"path": "b.csv"}}).result
    assert any(pair.release.startswith("rows masked as") for pair in run.joint)


def test_masked_rows_can_be_named_under_against_and_forgotten() -> None:
    described = released(rows(8, 9))
    rows(13, 9).to_csv("grown.csv", index=False)
    assert masked("one.csv", "grown.csv").exit_code == 0
    rows(14, 9).to_csv("other.csv", index=False)
    again = {**described, "source": {"path": "other.csv"}, "output": {"path": "b.csv"}, "against": ["one.csv"]}
    with pytest.raises(RequirementError, match="joint k with"):
        sc.run(again)
    assert "erased" in apply_command("forget", "one.csv").output
    assert not any(each.release.endswith("one.csv") for each in saved_recodings.every())


def test_releases_of_another_source_under_against_are_counted() -> None:
    """Each class of the first release has two rows; of two of its classes, one row is masked."""
    tree = {f"pair {pair}": [str(2 * pair), str(2 * pair + 1)] for pair in range(5)}

    def described(source: str, output: str, **more: Any) -> dict[str, Any]:
        return {"source": {"path": source}, "quasi_identifiers": {"x": {"tree": tree, **more.pop("x", {})}},
                "requirement": {"k": 2}, "output": {"path": output}, **more}  # fmt: skip

    for name in ("people.csv", "copy.csv"):
        pandas.DataFrame({"x": range(8)}).to_csv(name, index=False)
    pandas.DataFrame({"x": [0, 2, 8, 9]}).to_csv("other.csv", index=False)
    sc.run(described("copy.csv", "fine.parquet"))
    later = described("people.csv", "coarse.parquet", x={"from": 2}, against=["fine.parquet"])
    Path("job.yaml").write_text(yaml.safe_dump(later))
    assert apply_command("run", "job.yaml").exit_code == 0
    done = masked("masked.parquet", "other.csv")
    assert isinstance(done.exception, RequirementError) and "fine.parquet" in str(done.exception)
    assert not Path("masked.parquet").exists()
    Path("job.yaml").write_text(yaml.safe_dump({**later, "accept": {"joint_k": 1}}))
    assert apply_command("run", "job.yaml").exit_code == 0
    assert masked("masked.parquet", "other.csv").exit_code == 0


def test_rows_for_the_custodian_alone_are_not_counted_and_say_so(caplog: pytest.LogCaptureFixture) -> None:
    released(rows(8, 9))
    rows(9, 9).to_csv("grown.csv", index=False)
    before = len(saved_recodings.every())
    done = masked("masked.csv", "grown.csv", "--k", "1")
    assert done.exit_code == 0 and "custodian" in caplog.text
    assert os.stat("masked.csv").st_mode & 0o777 == 0o600 and len(saved_recodings.every()) == before


def test_other_people_are_released_where_the_job_says_so() -> None:
    described = released(rows(8, 9))
    rows(9, 9).to_csv("june.csv", index=False)
    assert masked(source="june.csv").exit_code == 1
    Path("job.yaml").write_text(yaml.safe_dump({**described, "accept": {"joint_k": 1}}))
    assert masked(source="june.csv").exit_code == 0


def test_what_is_refused_or_fails_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    released(rows(8, 9))
    before = [each.run for each in saved_recodings.every()]
    rows(9, 9).to_csv("grown.csv", index=False)
    assert masked(source="grown.csv").exit_code == 1
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError()))
    assert isinstance(masked().exception, OutputError)
    assert [each.run for each in saved_recodings.every()] == before and not Path("masked.csv").exists()


@pytest.mark.parametrize(
    ("kind", "cell", "said"),
    [
        ("parquet", "interval '1234 microseconds'", "Parquet cannot keep column 'v' of type INTERVAL"),
        ("parquet", "12345678901234567890123::hugeint", "Parquet cannot keep column 'v' of type HUGEINT"),
        ("xlsx", "'\\x00a'::blob", "a workbook cannot keep column 'v' of type BLOB"),
    ],
)
def test_a_file_of_masked_rows_refuses_the_columns_that_a_run_refuses(kind: str, cell: str, said: str) -> None:
    with duckdb.connect("s.duckdb") as database:
        database.execute(f"create table t as select i % 2 as a, {cell} as v from range(10) r(i)")
    place = {"url": "duckdb:///s.duckdb", "table": "t"}
    described = job(source=place, quasi_identifiers={"a": "suppress"}, sensitive=[], keep=["v"], requirement={"k": 2})
    job_in_database = {**described, "output": {"url": "duckdb:///r.duckdb", "table": "r"}}
    Path("job.yaml").write_text(yaml.safe_dump(job_in_database))
    sc.run("job.yaml")
    for attempt in (
        lambda: sc.run({**described, "output": {"path": f"run.{kind}"}}),
        lambda: kept_release.masked(Path("job.yaml"), (), load_source(place), into=Path(f"masked.{kind}"), k=None),
    ):
        with pytest.raises(OutputError, match=re.escape(said)):
            attempt()
    assert not Path(f"masked.{kind}").exists()


def test_a_file_of_masked_rows_has_no_line_that_readers_skip() -> None:
    Path("people.csv").write_text("a\n" + "1\n2\n\n" * 6)
    described = job(quasi_identifiers={"a": "suppress"}, sensitive=[], requirement={"k": 3})
    Path("job.yaml").write_text(yaml.safe_dump({**described, "output": {"path": "a.parquet"}}))
    assert apply_command("run", "job.yaml").exit_code == 0
    done = masked()
    assert isinstance(done.exception, OutputError) and "empty lines that readers of CSV skip" in str(done.exception)
    assert [path.name for path in Path().glob("masked*")] == []
    assert masked("masked.parquet").exit_code == 0 and len(pandas.read_parquet("masked.parquet")) == 18


def test_rows_of_a_frame_are_masked_whatever_other_frames_were_released() -> None:
    described = job(requirement={"k": 5})
    del described["source"], described["output"]
    others = [("61", "20", "f", "flu")] * 8
    one = sc.run({**described, "output": {"path": "one.csv"}}, frame=pandas.DataFrame(others, columns=COLUMNS))
    two = sc.run({**described, "output": {"path": "two.csv"}}, frame=rows(8, 9))
    assert len(two.apply(rows(8, 9))) == 17 and len(one.apply(pandas.DataFrame(others, columns=COLUMNS))) == 8
    # Rows of this frame that were masked before count, and so do releases of this frame by another job.
    assert len(two.apply(rows(13, 9))) == 22
    with pytest.raises(RequirementError, match="rows masked as"):
        two.apply(rows(14, 9))
    three = sc.run({**described, "output": {"path": "three.csv"}}, frame=rows(8, 9))
    with pytest.raises(RequirementError, match="rows masked as"):
        three.apply(rows(14, 9))
