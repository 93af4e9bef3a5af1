"""Whatever cannot be used is refused in one line on standard error: nothing written, no row's value told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.parquet
import pytest
import yaml

from starcloak import cli, extent
from starcloak.errors import JobError
from starcloak.job import load, load_qids

CANARY = "CANARYx7"  # in every raw cell of every source here

PEOPLE = f"""name,zip,sex,illness
{CANARY} Ann,{CANARY} 1,{CANARY} f,{CANARY} flu
{CANARY} Bob,{CANARY} 1,{CANARY} m,{CANARY} cold
{CANARY} Cem,{CANARY} 2,{CANARY} m,{CANARY} flu
{CANARY} Dee,{CANARY} 2,{CANARY} f,{CANARY} flu
"""

Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    """A working folder with a usable source."""
    (work / "people.csv").write_text(PEOPLE)
    return work


@pytest.fixture
def refused(folder: Path, capfd: pytest.CaptureFixture[str]) -> Refused:
    """Runs the command line in this process and asserts a refusal; returns the line."""

    def refuse(*arguments: str, code: int = 2, says: tuple[str, ...] = ()) -> str:
        before = contents(folder)
        capfd.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["starcloak", *arguments])
            with pytest.raises(SystemExit) as ended:
                cli.main()
        out, err = capfd.readouterr()
        assert_refused(ended.value.code, out, err, code=code, says=says)
        assert contents(folder) == before
        assert not list(folder.parent.glob("private/starcloak-*/run-*"))
        return err

    return refuse


def assert_refused(status: object, out: str, err: str, *, code: int = 2, says: tuple[str, ...] = ()) -> None:
    """The promise of every refusal: the exit code, exactly one line, nothing of the data, no traceback."""
    assert "Traceback" not in err
    assert CANARY not in out + err
    assert err.startswith("starcloak: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert out == ""
    assert status == code, err
    for phrase in says:
        assert phrase in err


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every path under a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def job(**changes: Any) -> dict[str, Any]:
    """A job that runs, with some of its keys changed, or left out where the change is None."""
    usable = {
        "source": {"path": "people.csv"},
        "identifiers": ["name"],
        "quasi_identifiers": {"zip": "suppress", "sex": "suppress"},
        "sensitive": ["illness"],
        "requirement": {"k": 2},
        "output": {"path": "release.csv"},
    }
    return {key: value for key, value in (usable | changes).items() if value is not None}


def write(described: Any) -> str:
    """The path of a job file."""
    Path("job.yaml").write_text(described if isinstance(described, str) else yaml.safe_dump(described))
    return "job.yaml"


def database(*statements: str, file: str = "hospital.duckdb") -> str:
    """The URL of a database with the people as a table, and whatever the statements make."""
    with duckdb.connect(file) as connection:
        connection.execute("create table people as select * from read_csv('people.csv', all_varchar = true)")
        for statement in statements:
            connection.execute(statement)
    return f"duckdb:///{file}"


def test_the_job_of_these_tests_is_usable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that each refusal below is due to its one change."""
    monkeypatch.setattr(sys, "argv", ["starcloak", "run", write(job())])
    cli.main()
    assert (folder / "release.csv").read_text().count("\n") == 5


# ---------------------------------------------------------------------------------------------------------------- job


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"requirment": {"k": 2}}, ("requirment", "Did you mean 'requirement'?")),
        ({"requirement": {"k": 2, "supression": 0}}, ("supression", "Did you mean 'suppression'?")),
        ({"source": {"path": "people.csv", "delimeter": ";"}}, ("delimeter", "Did you mean 'delimiter'?")),
        ({"algorithm": {"name": "incognitoo"}}, ("algorithm", "Did you mean 'incognito'?")),
        ({"algorithm": {"name": "incognito", "variant": "basik"}}, ("algorithm", "Did you mean 'basic'?")),
        ({"algorithm": {"name": "samarty"}}, ("algorithm", "Did you mean 'samarati'?", "bottom-up")),
        ({"algorithm": {"name": "Witness"}}, ("algorithm", "Did you mean 'witness'?")),
        ({"algorithm": {"name": "bottom-up", "rolup": True}}, ("algorithm", "Did you mean 'rollup'?")),
        ({"algorithm": {"name": "datafly", "variant": "basic"}}, ("algorithm", "unknown key 'variant'")),
        ({"algorithm": {"variant": "cube"}}, ("algorithm", "it needs a name", "incognito")),
        ({"algorithm": "incognito"}, ("algorithm", "it needs a name")),
        ({"algorithm": {"name": ["incognito"]}}, ("algorithm", "it needs a name")),
        ({"algorithm": {"name": "bottom-up", "rollup": "yes"}}, ("algorithm.rollup", "boolean")),
        ({"algorithm": {"name": "incognito", "cube": "c.duckdb"}}, ("algorithm", "only variant: cube keeps a cube")),
        ({"objective": {"minimize": "hight"}}, ("objective", "Did you mean 'height'?")),
        ({"schema": "adult/incognito-2006"}, ("schema", "Did you mean 'adult/incognito-2005'?")),
        ({"source": {"dataset": "adlt"}}, ("source", "Did you mean 'adult'?")),
        ({"quasi_identifiers": {"zip": "supress", "sex": "suppress"}}, ("zip", "Did you mean 'suppress'?")),
        ({"quasi_identifiers": {"zip": {"digit": 5}, "sex": "suppress"}}, ("zip", "Did you mean 'digits'?")),
        ({"quasi_identifiers": {"zip": {"dates": ["decad"]}, "sex": "suppress"}}, ("zip", "Did you mean 'decade'?")),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_unknown_names_are_refused_with_the_near_one(
    refused: Refused, changes: dict[str, Any], says: tuple[str, ...]
) -> None:
    refused("run", write(job(**changes)), says=("job.yaml", *says))


@pytest.mark.parametrize("k", [0, -1, 2.5, 2.0, "2", "two", True, [2], float("nan")], ids=repr)
def test_k_that_is_not_a_positive_whole_number_is_refused(refused: Refused, k: object) -> None:
    refused("run", write(job(requirement={"k": k})), says=("job.yaml", "requirement.k"))


@pytest.mark.parametrize(
    "requirement", [{}, {"k": None}, {"k": 2, "qids": [{"attributes": ["age", "sex", "zip"], "k": 2}]}], ids=repr
)
def test_a_requirement_without_one_form_is_refused(refused: Refused, requirement: dict[str, Any]) -> None:
    refused("run", write(job(requirement=requirement)), says=("job.yaml: requirement: give exactly one of k and qids",))


@pytest.mark.parametrize(
    ("qids", "says"),
    [
        ([], "requirement.qids: name at least one"),
        ([{"attributes": [], "k": 2}], "requirement.qids.0.attributes: name at least one"),
        ([{"attributes": ["zip", "sex"], "k": 0}], "requirement.qids.0.k"),
        ([{"attributes": ["zip", "sex"]}], "requirement.qids.0.k: this key is missing"),
        (
            [{"attributes": ["zip", "sexx"], "k": 2}],
            "requirement.qids names 'sexx', which is not a quasi-identifier. Did",
        ),
        ([{"attributes": ["zip", "illness"], "k": 2}], "names 'illness', which is not a quasi-identifier"),
        ([{"attributes": ["zip", "sex", "zip"], "k": 2}], "attribute 'zip' is named twice"),
        ([{"attributes": ["zip"], "k": 2}], "quasi-identifier 'sex' is in no QID"),
        (
            [{"attributes": ["zip"], "kk": 2}],
            "requirement.qids.0: unknown key 'kk'. Known: attributes, k. Did you mean",
        ),
    ],
    ids=repr,
)
def test_qids_that_cannot_be_used_are_refused(refused: Refused, qids: list[dict[str, Any]], says: str) -> None:
    refused("run", write(job(requirement={"qids": qids})), says=("job.yaml: ", says))


TWO = [{"attributes": ["zip"], "k": 2}, {"attributes": ["sex"], "k": 3}]


def test_several_qids_are_refused_with_suppression(refused: Refused) -> None:
    requirement = {"qids": TWO, "suppression": 0.1}
    refused("run", write(job(requirement=requirement)), says=("job.yaml: requirement.suppression is for one QID",))


def test_fewer_rows_than_the_k_of_one_qid_cannot_be_met(refused: Refused) -> None:
    requirement = {"qids": [{"attributes": ["zip"], "k": 2}, {"attributes": ["sex"], "k": 5}]}
    refused("run", write(job(requirement=requirement)), code=1, says=("people.csv has fewer than k = 5 rows",))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"k": 5}, "people.csv has fewer than k = 5 rows: no"),
        ({"k": 2, "l": 5}, "people.csv has fewer than the 5 rows that a class with 5 values of illness takes: no"),
        ({"k": 5, "l": 5}, "people.csv has fewer than k = 5 rows: no"),
    ],
)
def test_fewer_rows_than_a_class_takes_are_told_by_what_takes_them(
    refused: Refused, more: dict[str, int], says: str
) -> None:
    requirement: dict[str, Any] = {"k": more["k"]}
    if "l" in more:
        requirement["l_diversity"] = [{"attribute": "illness", "l": more["l"]}]
    refused("run", write(job(requirement=requirement)), code=1, says=(says,))


def test_a_kept_cube_is_refused_with_several_qids(refused: Refused) -> None:
    kept = {"name": "incognito", "variant": "cube", "cube": "cube.duckdb"}
    refused(
        "run", write(job(requirement={"qids": TWO}, algorithm=kept)), says=("algorithm.cube keeps the cube of one",)
    )


def test_several_qids_are_refused_by_an_algorithm_that_takes_one(refused: Refused) -> None:
    described = job(requirement={"qids": TWO}, algorithm={"name": "kaca"})
    refused("run", write(described), says=("job.yaml: algorithm kaca takes one QID: give requirement.k, or choose",))


@pytest.mark.parametrize(
    "asked",
    [
        ["--qi", "zip"],
        ["--k", "2"],
        ["--qi", "zip", "--k", "2", "--qid", "sex:2"],
        ["--qid", "zip"],
        ["--qid", "zip:"],
        ["--qid", "zip:two"],
        ["--qid", "zip:²"],
        ["--qid", ":2"],
        ["--qid", "zip:0"],
        ["--qid", "zip,zip:2"],
        ["--qid", "zip:2", "--qid", "sexx:2"],
    ],
    ids=" ".join,
)
def test_a_check_of_no_usable_qid_is_refused(refused: Refused, asked: list[str]) -> None:
    refused("check", "people.csv", *asked)


@pytest.mark.parametrize("share", [-0.1, 1.0001, "nan", float("nan"), float("inf"), "half", None, [0], "1%"], ids=repr)
def test_suppression_outside_0_to_1_is_refused(refused: Refused, share: object) -> None:
    refused("run", write(job(requirement={"k": 2, "suppression": share})), says=("requirement.suppression",))


@pytest.mark.parametrize("none", [{}, [], "zip", ["zip", "sex"]], ids=repr)
def test_a_job_without_quasi_identifiers_is_refused(refused: Refused, none: object) -> None:
    refused("run", write(job(quasi_identifiers=none)), says=("quasi_identifiers",))


def test_quasi_identifiers_left_out_are_refused(refused: Refused) -> None:
    refused("run", write(job(quasi_identifiers=None)), says=("quasi_identifiers",))


@pytest.mark.parametrize(
    "changes",
    [
        {"identifiers": ["name", "nam"]},
        {"quasi_identifiers": {"zip": "suppress", "sex": "suppress", "zipp": "suppress"}},
        {"sensitive": ["illness", "ilness"]},
        {"keep": ["illnes"]},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_column_that_the_source_lacks_is_refused_with_the_near_one(refused: Refused, changes: dict[str, Any]) -> None:
    refused("run", write(job(**changes)), says=("is not in people.csv", "Did you mean"))


def test_a_column_in_another_case_is_refused(refused: Refused) -> None:
    refused("run", write(job(sensitive=["Illness"])), says=("'Illness'", "Did you mean 'illness'?"))


def test_a_column_named_nowhere_is_refused(refused: Refused) -> None:
    refused("run", write(job(sensitive=None)), says=("'illness'", "named nowhere"))


def test_a_column_with_two_roles_is_refused(refused: Refused) -> None:
    refused("run", write(job(keep=["illness"])), says=("'illness'", "sensitive", "keep"))


def test_a_column_twice_in_one_role_is_refused(refused: Refused) -> None:
    refused("run", write(job(sensitive=["illness", "illness"])), says=("'illness'",))


@pytest.mark.parametrize(
    "hierarchy",
    [
        {"intervals": []},
        {"intervals": [0]},
        {"intervals": [-5]},
        {"intervals": [float("inf")]},
        {"intervals": [float("nan")]},
        {"intervals": "wide"},
        {"digits": 0},
        {"digits": 1000},
        {"digits": "five"},
        {"digits": 2.5},
        {"dates": []},
        {"dates": "year"},
        {"tree": []},
        {"tree": {}},
        {"tree": {"north": []}},
        {"tree": {"north": "one"}},
        {"tree": None},
        {"csv": None},
        {"csv": "zip.csv", "delimiter": ";;"},
        {"csv": "zip.csv", "delimiter": ""},
        {"table": ""},
        {"digits": 5, "dates": ["year"]},
        {},
        None,
        5,
        ["suppress"],
    ],
    ids=repr,
)
def test_a_hierarchy_of_no_known_form_is_refused(refused: Refused, hierarchy: object) -> None:
    refused("run", write(job(quasi_identifiers={"zip": hierarchy, "sex": "suppress"})), says=("zip",))


@pytest.mark.parametrize(
    "objective",
    [
        {},
        {"minimize": "height", "weights": {"zip": 1}},
        {"weights": {"zipp": 1}},
        {"weights": {"illness": 1}},
        {"weights": {"zip": -1}},
        {"weights": {"zip": float("nan")}},
        {"weights": {"zip": float("inf")}},
        {"weights": {"zip": "heavy"}},
        "height",
    ],
    ids=repr,
)
def test_an_objective_that_cannot_be_minimized_is_refused(refused: Refused, objective: object) -> None:
    refused("run", write(job(objective=objective)), says=("objective",))


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"path": "people.csv", "dataset": "patients"},
        {"path": "people.csv", "table": "people"},
        {"url": "duckdb:///hospital.duckdb"},
        {"url": "duckdb:///hospital.duckdb", "table": "people", "query": "select 1"},
        {"path": "people.csv", "delimiter": ""},
        {"path": "people.csv", "delimiter": ";;"},
        {"path": 5},
        "people.csv",
    ],
    ids=repr,
)
def test_a_source_that_is_not_one_place_is_refused(refused: Refused, source: object) -> None:
    refused("run", write(job(source=source)), says=("source",))


def test_a_job_without_a_source_is_refused(refused: Refused) -> None:
    refused("run", write(job(source=None)), says=("source",))


@pytest.mark.parametrize(
    "output",
    [
        {},
        {"path": "release.csv", "table": "release"},
        {"path": "release.csv", "url": "duckdb:///release.duckdb"},
        {"url": "duckdb:///release.duckdb"},
        {"path": "release.xlsx"},
        {"path": "release"},
        {"table": "release"},
        {"table": ""},
        {"table": "", "url": "duckdb:///release.duckdb"},
        {"table": "main.", "url": "duckdb:///release.duckdb"},
        {"table": "re\0lease", "url": "duckdb:///release.duckdb"},
        "release.csv",
    ],
    ids=repr,
)
def test_an_output_that_is_not_one_place_is_refused(refused: Refused, output: object) -> None:
    refused("run", write(job(output=output)), says=("output",))


def test_a_job_without_an_output_is_refused(refused: Refused) -> None:
    refused("run", write(job(output=None)), says=("output",))


@pytest.mark.parametrize("seed", ["one", 1.5, True, None], ids=repr)
def test_a_seed_that_is_not_a_whole_number_is_refused(refused: Refused, seed: object) -> None:
    refused("run", write({**job(), "seed": seed}), says=("seed",))


# --------------------------------------------------------------------------------------------------------------- YAML


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just a sentence",
        "- a\n- list\n",
        "source: {path: people.csv\n",
        "source:\n\tpath: people.csv\n",
        "a: 1\n---\na: 2\n",
        "source: *nowhere\n",
        "source: \0\n",
        "source: {path: !!python/object/apply:os.system [touch hacked]}\n",
        "source: !include people.csv\n",
        "source: !!python/name:os.system\n",
        "source: {path: people.csv, path: other.csv}\n",
        "requirement: {k: 2}\nrequirement: {k: 3}\n",
        "quasi_identifiers: {zip: suppress, zip: {digits: 5}}\n",
        "? [a, b]\n: c\n",
        "? {a: b}\n: c\n",
        "seed: 2001-99-99\n",
        "seed: 0x_\n",
        "<<: 5\n",
        "[" * 5000,
        "quasi_identifiers: {zip: {tree: &again {north: *again}}}\n",
        "quasi_identifiers: {zip: {tree: {north: &again [*again]}}}\n",
    ],
    ids=lambda text: repr(text[:40]),
)
def test_yaml_that_is_no_job_is_refused(refused: Refused, text: str) -> None:
    refused("run", write(text), says=("job.yaml",))
    refused("compile", write(text), says=("job.yaml",))


@pytest.mark.parametrize("tree", ["&again {north: *again}", "{north: &again [*again]}"])
def test_a_tree_within_itself_is_refused(refused: Refused, tree: str) -> None:
    text = yaml.safe_dump(job(quasi_identifiers={"sex": "suppress", "zip": {"tree": "TREE"}})).replace("TREE", tree)
    refused("run", write(text), says=("zip",))


def nested(depth: int, *, innermost: str = "[0, 1, 2, 3, 4, 5, 6, 7, 8]") -> str:
    """YAML of a few hundred bytes that stands for 9 ** (depth + 1) values, by aliases."""
    text = f"&a0 {innermost}"
    for level in range(1, depth + 1):
        text = f"&a{level} [{', '.join([text] + [f'*a{level - 1}'] * 8)}]"
    return text


@pytest.fixture
def in_time() -> Iterator[None]:
    """Ends a test that goes on for too long."""

    def end(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize("key", ["quasi_identifiers.zip.tree.north", "quasi_identifiers.zip", "keep", "schema", "foo"])
@pytest.mark.parametrize("as_schema", [False, True])
def test_aliases_that_stand_for_too_many_values_are_refused_at_once(
    refused: Refused, key: str, as_schema: bool
) -> None:
    described = job(quasi_identifiers={"sex": "suppress", "zip": "suppress"})
    *path, last = key.split(".")
    place = described
    for part in path:
        place[part] = dict(place[part]) if isinstance(place.get(part), dict) else {}
        place = place[part]
    place[last] = "BOMB"
    text = yaml.safe_dump(described).replace("BOMB", nested(8))
    assert len(text) < 600
    path_of_job = write(text)
    if as_schema:
        Path("schema.yaml").write_text(text)
        path_of_job = write(job(schema="schema.yaml", quasi_identifiers=None))
    refused("run", path_of_job, says=(f".yaml: {key}: more than 1,000,000 values",))
    refused("compile", path_of_job, says=(f".yaml: {key}: more than 1,000,000 values",))


@pytest.mark.usefixtures("in_time")
def test_merge_keys_that_repeat_too_many_are_refused_at_once(refused: Refused) -> None:
    text = "&m0 {a: 1, b: 2, c: 3}"
    for level in range(1, 12):
        text = f"&m{level} {{<<: [{', '.join([text] + [f'*m{level - 1}'] * 8)}]}}"
    refused("run", write(f"objective: {text}\n"), says=("job.yaml, line 1", "more than 1,000,000 keys by merges"))


def test_aliases_and_merge_keys_that_stand_for_few_values_are_taken(folder: Path) -> None:
    hierarchies = f"{{zip: &same {{tree: &tree {{<<: {{north: ['{CANARY} 1']}}, south: ['{CANARY} 2']}}}}}}"
    text = yaml.safe_dump(job(quasi_identifiers="HERE")).replace("HERE", hierarchies)
    loaded = load(yaml.load(text, yaml.SafeLoader) | {"identifiers": ["name", "sex"]})
    assert load(Path(write(text.replace("- name", "- name\n- sex")))).quasi_identifiers == loaded.quasi_identifiers


@pytest.mark.usefixtures("in_time")
def test_shared_references_that_stand_for_too_many_values_are_refused_at_once() -> None:
    shared: Any = ["1", "2", "3"]
    for _ in range(40):
        shared = [shared] * 9
    for given in (shared, {"a": shared}, (shared, {"b": (shared,)})):
        with pytest.raises(JobError, match=r"^job: quasi_identifiers\.zip\.tree\.north.*: more than 1,000,000 values"):
            load(job(quasi_identifiers={"zip": {"tree": {"north": given}}, "sex": "suppress"}))
    with pytest.raises(JobError, match="qid: attributes: more than 1,000,000 values"):
        load_qids([{"attributes": shared, "k": 2}])


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize(
    "changes",
    [
        {"requirement": {"k": 2, "suppression": "1e-99999999"}},
        {"algorithm": {"name": "kaca", "variant": "kaca2", "max_inconsistency": "1e-99999999"}},
        {"requirement": {"qids": [{"attributes": ["zip", "sex"], "k": k} for k in range(1, 1100)]}},
        {"quasi_identifiers": {"zip": {"intervals": list(range(1, 70))}, "sex": "suppress"}},
        {"quasi_identifiers": {"zip": {"dates": ["year"] * 8}, "sex": "suppress"}},
        {"quasi_identifiers": {f"column {number}": "suppress" for number in range(256)}},
        {"keep": {f"column {number}": 1 for number in range(30_000)}},
        {"keep": ["\ud800"]},
        {"quasi_identifiers": {"zip": {"tree": {"\udfff": [f"{CANARY} 1", f"{CANARY} 2"]}}, "sex": "suppress"}},
    ],
    ids=lambda changes: repr(changes)[:50],
)
def test_what_would_take_for_ever_or_fail_later_is_refused_at_once(refused: Refused, changes: dict[str, Any]) -> None:
    refused("run", write(yaml.dump(job(**changes), allow_unicode=False)))


@pytest.mark.parametrize("key", ["requirement: {{k: 2}}\nseed: {}", "requirement: {{k: {}}}"])
def test_a_number_of_thousands_of_digits_is_refused(refused: Refused, key: str) -> None:
    """PyYAML reads hexadecimals of any length, which Python does not write as decimals."""
    text = yaml.safe_dump(job(requirement=None)) + key.format("0x" + "f" * 5000)
    refused("run", write(text), says=("job.yaml: ", "more than 4,000 digits"))


def test_a_job_file_that_is_missing_is_refused(refused: Refused) -> None:
    refused("run", "nowhere.yaml", says=("nowhere.yaml",))
    refused("compile", "nowhere.yaml", says=("nowhere.yaml",))


def test_a_folder_as_job_is_refused(refused: Refused) -> None:
    refused("run", ".")


def test_a_job_in_another_encoding_is_refused(refused: Refused) -> None:
    Path("job.yaml").write_bytes("source: {path: café.csv}".encode("latin-1"))
    refused("run", "job.yaml", says=("job.yaml",))


@pytest.mark.parametrize(
    "changes",
    [
        {"source": {"path": "peo\0ple.csv"}},
        {"output": {"path": "re\0lease.csv"}},
        {"quasi_identifiers": {"zip": {"csv": "z\0ip.csv"}, "sex": "suppress"}},
        {"source": {"path": "~nobody-of-that-name/people.csv"}},
        {"output": {"path": "~nobody-of-that-name/release.csv"}},
        {"quasi_identifiers": {"zip": {"csv": "~nobody-of-that-name/zip.csv"}, "sex": "suppress"}},
        {"source": {"url": "duckdb:///~nobody-of-that-name/hospital.duckdb", "table": "people"}},
        {"source": {"url": "duckdb:///hos\0pital.duckdb", "table": "people"}},
        {"output": {"url": "duckdb:///re\0lease.duckdb", "table": "release"}},
        {"source": {"path": "x" * 5000 + ".csv"}},
        {"output": {"path": "x" * 250 + ".csv"}},
        {"output": {"path": "re\\le*se.csv"}},
        {"output": {"path": "x" * 5000 + ".csv"}},
    ],
    ids=lambda changes: repr(changes)[:70],
)
def test_a_path_that_no_system_has_is_refused(refused: Refused, changes: dict[str, Any]) -> None:
    refused("run", write(job(**changes)))


# ------------------------------------------------------------------------------------------------------- source files


def test_a_missing_source_is_refused(refused: Refused) -> None:
    refused("run", write(job(source={"path": "nowhere.csv"})), says=("nowhere.csv",))
    refused("compile", write(job(source={"path": "nowhere.csv"})), says=("nowhere.csv",))
    refused("check", "nowhere.csv", "--qi", "zip", "--k", "2", says=("nowhere.csv",))


@pytest.mark.parametrize("path", [".", "*.csv", "people.[c]sv", "https://example.org/people.csv"])
def test_a_source_that_is_no_file_is_refused(refused: Refused, path: str) -> None:
    refused("run", write(job(source={"path": path})), says=("source.path",))


@pytest.mark.parametrize(
    "content",
    {
        "short row": PEOPLE + f"{CANARY},{CANARY}\n",
        "long row": PEOPLE + ",".join([CANARY] * 5) + "\n",
        "short row amid many": PEOPLE + PEOPLE.split("\n", 1)[1] * 3000 + f"{CANARY},{CANARY}\n" + PEOPLE * 100,
        "unterminated quote": PEOPLE + f'{CANARY},"{CANARY},{CANARY},{CANARY}\n',
        "unterminated quote on the first line": f'"name,zip,sex,illness\n{CANARY},{CANARY},{CANARY},{CANARY}\n',
        "text after a quote": PEOPLE + f'{CANARY},"{CANARY}"{CANARY},{CANARY},{CANARY}\n',
        "another delimiter": PEOPLE.replace(",", "#"),
        "a column too many in the rows": PEOPLE.replace("name,zip,sex,illness", "name,zip,sex", 1),
        "a column too few in the rows": PEOPLE.replace("illness", "illness,visits", 1),
        "an empty file": "",
        "a blank line": "\n",
        "only blank lines": "\n\n\n",
        "a header alone": PEOPLE.split("\n")[0],
        "a header line alone": PEOPLE.split("\n")[0] + "\n",
    }.items(),
    ids=lambda item: item[0],
)
def test_a_malformed_csv_is_refused(refused: Refused, content: tuple[str, str]) -> None:
    Path("people.csv").write_text(content[1])
    refused("run", write(job()), says=("people.csv",))
    refused("compile", write(job()), says=("people.csv",))
    refused("check", "people.csv", "--qi", "zip", "--k", "2", says=("people.csv",))


def test_a_further_column_of_one_name_needs_a_role_of_its_own(refused: Refused) -> None:
    """A name of one letter is one object to Python, however often it is read."""
    Path("people.csv").write_text(f"a,b,b,\n{CANARY},{CANARY},{CANARY},{CANARY}\n")
    described = job(identifiers=None, sensitive=None, quasi_identifiers={"a": "suppress", "b": "suppress"})
    refused(
        "run", write(described | {"requirement": {"k": 1}}), says=("people.csv", "'b_2', 'column 4'", "named nowhere")
    )


@pytest.mark.parametrize(
    "content",
    {
        "Latin-1 and UTF-8": PEOPLE.encode() + f"{CANARY},{CANARY} café,ÁÍ{CANARY},{CANARY}\n".encode() + b"\xe9",
        "Latin-1 in the header": PEOPLE.replace("illness", "intérêt").encode("latin-1"),
        "UTF-16 without its mark": PEOPLE.encode("utf-16-le"),
        "not text": bytes(range(256)) * 10,
        "a cut character": PEOPLE.encode() + f"{CANARY},{CANARY},{CANARY},{CANARY}".encode() + b"\xe2\x82",
    }.items(),
    ids=lambda item: item[0],
)
def test_a_csv_that_is_not_utf_8_is_refused(refused: Refused, content: tuple[str, bytes]) -> None:
    Path("people.csv").write_bytes(content[1])
    refused("run", write(job()), says=("people.csv",))
    refused("check", "people.csv", "--qi", "zip,illness", "--k", "2", says=("people.csv",))


def test_a_malformed_row_is_told_by_its_line(refused: Refused) -> None:
    Path("people.csv").write_text(PEOPLE + f"{CANARY},{CANARY}\n")
    refused("run", write(job()), says=("people.csv", "line 6"))


@pytest.mark.parametrize("delimiter", ['"', "\n", "\r", "\0", "é", " "], ids=repr)
def test_a_delimiter_that_cannot_delimit_is_refused(refused: Refused, delimiter: str) -> None:
    refused("run", write(job(source={"path": "people.csv", "delimiter": delimiter})))


@pytest.mark.parametrize("content", [PEOPLE.encode(), b"", b"PAR1", b"PAR1" + CANARY.encode() * 9 + b"PAR1"], ids=len)
def test_a_parquet_file_that_is_none_is_refused(refused: Refused, content: bytes) -> None:
    Path("people.parquet").write_bytes(content)
    refused("run", write(job(source={"path": "people.parquet"})), says=("people.parquet",))


def test_a_parquet_file_cut_short_is_refused(refused: Refused) -> None:
    pyarrow.parquet.write_table(pyarrow.table({name: [CANARY] * 9 for name in ("zip", "sex")}), "people.parquet")
    whole = Path("people.parquet").read_bytes()
    Path("people.parquet").write_bytes(whole[:8] + b"\0" * 40 + whole[48:])
    described = job(source={"path": "people.parquet"}, identifiers=None, sensitive=None)
    refused("run", write(described), says=("people.parquet",))


def test_an_empty_parquet_file_is_refused(refused: Refused) -> None:
    empty = pyarrow.table({name: pyarrow.array([], pyarrow.string()) for name in ("name", "zip", "sex", "illness")})
    pyarrow.parquet.write_table(empty, "people.parquet")
    refused("run", write(job(source={"path": "people.parquet"})), says=("people.parquet", "no rows"))
    refused("check", "people.parquet", "--qi", "zip", "--k", "2", says=("people.parquet", "no rows"))


# --------------------------------------------------------------------------------------------------- source databases


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:secretx9@db.example.org/hospital",
        "postgresql://ann:secretx9@db.example.org:port/hospital",
        "mysql+pymysql://ann:secretx9@db.example.org/hospital",
        "sqlite:///hospital.db",
        "duckdb://",
        "duckdb:///",
        "duckdb:///:memory:",
        "not a url, secretx9",
        "",
        "://secretx9",
        "duckdb:///nowhere.duckdb",
    ],
)
def test_a_url_that_cannot_be_opened_is_refused_without_its_password(refused: Refused, url: str) -> None:
    told = refused("run", write(job(source={"url": url, "table": "people"})))
    told += refused("run", write(job(output={"url": url, "table": "release"}))) if "nowhere" not in url else ""
    if "://" in url:
        told += refused("check", url, "--table", "people", "--qi", "zip", "--k", "2")
    assert "secretx9" not in told


def test_a_file_that_is_no_database_is_refused(refused: Refused) -> None:
    refused("run", write(job(source={"url": "duckdb:///people.csv", "table": "people"})), says=("people.csv",))
    Path("notes.csv").write_text("somebody's work")
    refused(
        "run", write(job(output={"url": "duckdb:///notes.csv", "table": "release"})), says=("notes.csv", "database")
    )


@pytest.mark.parametrize("table", ["peple", "main.peple", "nowhere.people", "a.b.c.d", "people; drop table people"])
def test_an_unknown_table_is_refused(refused: Refused, table: str) -> None:
    refused("run", write(job(source={"url": database(), "table": table})), says=(table,))


@pytest.mark.parametrize("table", ["", ".", "main.", ".people", "peo\0ple"], ids=repr)
def test_a_table_name_that_no_database_has_is_refused(refused: Refused, table: str) -> None:
    refused("run", write(job(source={"url": database(), "table": table})))
    refused("run", write(job(quasi_identifiers={"zip": {"table": table}, "sex": "suppress"})))
    refused(
        "run",
        write(
            job(
                source={"url": "duckdb:///hospital.duckdb", "table": "people"},
                quasi_identifiers={"zip": {"table": table}, "sex": "suppress"},
            )
        ),
    )


@pytest.mark.parametrize(
    "query",
    [
        "",
        "selec * from people",
        "select * from peple",
        "select zipp from people",
        "select cast(zip as integer) as zip, sex, name, illness from people",
        "select error(zip) as zip, sex, name, illness from people",
        "drop table people",
        "delete from people",
        "update people set zip = 'x' returning *",
        "copy people to 'stolen.csv'",
        "select * from people; copy people to 'stolen.csv'",
        "select * from read_csv('people.csv')",
        "select * from read_text('people.csv')",
        "attach 'stolen.duckdb' as stolen",
        "select 1 as zip, 2 as zip",
        "peo\0ple",
    ],
)
def test_a_query_that_fails_is_refused(refused: Refused, query: str) -> None:
    refused("run", write(job(source={"url": database(), "query": query})))


def test_a_view_that_fails_on_its_rows_is_refused_without_them(refused: Refused) -> None:
    url = database("create view patients as select * replace (cast(zip as integer) as zip) from people")
    refused("run", write(job(source={"url": url, "table": "patients"})), says=("patients",))
    refused("check", url, "--table", "patients", "--qi", "zip", "--k", "2", says=("patients",))


def test_a_kept_column_that_fails_on_its_rows_is_refused_without_them(refused: Refused) -> None:
    """The search never reads it: the failure comes when the release is written, and is still the source's."""
    url = database("create view patients as select * replace (cast(illness as integer) as illness) from people")
    for output in ({"path": "release.csv"}, {"table": "release"}, {"url": "duckdb:///new.duckdb", "table": "release"}):
        refused("run", write(job(source={"url": url, "table": "patients"}, output=output)), says=("patients",))


def test_an_empty_table_is_refused(refused: Refused) -> None:
    url = database("create table patients as select * from people limit 0")
    refused("run", write(job(source={"url": url, "table": "patients"})), says=("patients", "no rows"))
    refused("compile", write(job(source={"url": url, "table": "patients"})), says=("patients", "no rows"))
    refused("check", url, "--table", "patients", "--qi", "zip", "--k", "2", says=("patients", "no rows"))


@pytest.mark.parametrize(
    "expression",
    [
        "[zip]",
        "array_value(zip, zip)",
        "array_value(1, 2)",
        "{'a': zip}",
        "map {zip: zip}",
        "encode(zip)",
        "cast('101' as bit)",
        "interval 1 day",
        f"cast([zip] as enum('{CANARY} 1', '{CANARY} 2')[])",
        "union_value(a := zip)",
    ],
    ids=lambda expression: expression.replace(CANARY, ""),
)
def test_a_quasi_identifier_of_a_type_without_a_hierarchy_is_refused(refused: Refused, expression: str) -> None:
    url = database(f"create table patients as select * replace ({expression} as zip) from people")
    refused("run", write(job(source={"url": url, "table": "patients"})), says=("'zip'", "type"))
    refused("check", url, "--table", "patients", "--qi", "zip", "--k", "2", says=("'zip'", "type"))


def test_a_parquet_column_without_a_hierarchy_is_refused(refused: Refused) -> None:
    for cell in ([CANARY], {"a": CANARY}, CANARY.encode()):
        columns = {"name": [CANARY] * 2, "zip": [cell] * 2, "sex": [CANARY] * 2, "illness": [CANARY] * 2}
        pyarrow.parquet.write_table(pyarrow.table(columns), "people.parquet")
        refused("run", write(job(source={"path": "people.parquet"})), says=("people.parquet", "'zip'", "type"))


@pytest.mark.parametrize("kind", ["double", "float"])
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-0.0"])
def test_a_number_that_compares_oddly_is_refused(refused: Refused, kind: str, value: str) -> None:
    url = database(f"create table patients as select * replace (cast('{value}' as {kind}) as zip) from people")
    refused("run", write(job(source={"url": url, "table": "patients"})), says=("'zip'", "4 values"))
    refused("check", url, "--table", "patients", "--qi", "zip", "--k", "2", says=("'zip'", "4 values"))


# -------------------------------------------------------------------------------------------------------- hierarchies

LEAVES = f"{CANARY} 1;north;*\n{CANARY} 2;south;*\n"


def zip_by(**hierarchy: object) -> dict[str, Any]:
    return job(quasi_identifiers={"zip": hierarchy, "sex": "suppress"})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (f"{CANARY} 1;north;*\n", ("1 value",)),
        ("51;north;*\n52;south;*\n", ("2 values",)),
        (f"{CANARY} 1 ;north;*\n{CANARY} 2;south;*\n", ("1 value",)),
        (f"{CANARY.lower()} 1;north;*\n{CANARY} 2;south;*\n", ("1 value",)),
        (LEAVES + f"{CANARY} 1;south;*\n", ("two parents",)),
        (f"{CANARY} 1;north;*\n{CANARY} 2;south;+\n", ("last level has 2 values",)),
        (f"{CANARY} 1;north\n{CANARY} 2;south\n", ("last level has 2 values",)),
        (f"{CANARY} 1;a;north;*\n{CANARY} 2;a;south;*\n", ("level 1", "two parents")),
        (f"{CANARY} 1;a;north;*\n{CANARY} 2;b;north;+\n", ("two parents",)),
        (f"{CANARY} 1\n{CANARY} 2\n", ("line 1",)),
        (f"{CANARY} 1;north;*\n{CANARY} 2;*\n", ("line 2",)),
        (f"{CANARY} 1;north;*\n{CANARY} 2;a;south;*\n", ("line 2",)),
        (f'{CANARY} 1;north;*\n"{CANARY} 2;south;*\n', ("zip.csv",)),
        ("", ("no leaf",)),
        ("\n\n", ("no leaf",)),
    ],
    ids=lambda value: repr(value).replace(CANARY, "")[:50],
)
def test_a_hierarchy_file_that_is_no_hierarchy_is_refused(
    refused: Refused, content: str, says: tuple[str, ...]
) -> None:
    Path("zip.csv").write_text(content)
    refused("run", write(zip_by(csv="zip.csv")), says=("'zip'", *says))


def test_a_hierarchy_file_that_cannot_be_read_is_refused(refused: Refused) -> None:
    Path("zip.csv").write_bytes(f"{CANARY} 1;café;*\n".encode("latin-1"))
    for path in ("nowhere.csv", ".", "zip.csv"):
        refused("run", write(zip_by(csv=path)), says=("'zip'", "cannot be read"))


@pytest.mark.parametrize("delimiter", ["\n", "\r", "\0", '"', "é"], ids=repr)
def test_a_hierarchy_file_with_a_delimiter_that_cannot_delimit_is_refused(refused: Refused, delimiter: str) -> None:
    Path("zip.csv").write_text(LEAVES)
    refused("run", write(zip_by(csv="zip.csv", delimiter=delimiter)), says=("zip",))


def test_a_hierarchy_of_too_many_levels_is_refused(refused: Refused) -> None:
    names = [f"name {level}" for level in range(65)]
    tree: Any = [f"{CANARY} 1", f"{CANARY} 2"]
    for name in names[1:]:
        tree = {name: tree}
    refused("run", write(zip_by(tree=tree)), says=("'zip'", "more than 64 levels above its leaves"))
    Path("zip.csv").write_text("".join(";".join([f"{CANARY} {leaf}", *names]) + "\n" for leaf in (1, 2)))
    refused("run", write(zip_by(csv="zip.csv")), says=("'zip'", "more than 64 levels above its leaves"))
    levels = ", ".join(f"'{name}' as \"{name}\"" for name in names)
    url = database(f"create table dim as select distinct zip, {levels} from people")
    described = zip_by(table="dim") | {"source": {"url": url, "table": "people"}}
    refused("run", write(described), says=("'zip'", "more than 64 levels above its leaves"))


def test_a_hierarchy_of_64_levels_is_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"name {level}" for level in range(64)]
    Path("zip.csv").write_text("".join(";".join([f"{CANARY} {leaf}", *names]) + "\n" for leaf in (1, 2)))
    monkeypatch.setattr(sys, "argv", ["starcloak", "run", write(zip_by(csv="zip.csv"))])
    cli.main()
    assert Path("release.csv").exists()


@pytest.mark.parametrize("bound", ["MOST_LEAVES", "MOST_CHARACTERS"])
def test_a_hierarchy_that_builds_too_much_is_refused(
    refused: Refused, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long name is written out for every leaf under it, and a leaf near the top at every level."""
    Path("zip.csv").write_text(LEAVES)
    tree = {"north": [f"{CANARY} 1"], "south": [f"{CANARY} 2"]}
    built = {"MOST_LEAVES": 2, "MOST_CHARACTERS": len(LEAVES.replace(";", "").replace("\n", ""))}[bound]
    monkeypatch.setattr(extent, bound, built - 1)
    for described in (zip_by(csv="zip.csv"), zip_by(tree=tree)):
        refused("run", write(described), says=("'zip'", "more than", "leaves, or", "characters over all levels"))
    monkeypatch.setattr(extent, bound, built)
    for described in (zip_by(csv="zip.csv"), zip_by(tree=tree)):
        monkeypatch.setattr(sys, "argv", ["starcloak", "run", write(described), "--force"])
        cli.main()


@pytest.mark.usefixtures("in_time")
def test_a_hierarchy_file_without_an_end_is_refused(refused: Refused) -> None:
    refused("run", write(zip_by(csv="/dev/zero")), says=("'zip'", "/dev/zero cannot be read: it is not a file"))


@pytest.mark.parametrize(
    ("tree", "says"),
    [
        ({"north": [f"{CANARY} 1"]}, ("1 value",)),
        ({"north": [f"{CANARY} 1"], "south": [f"{CANARY} 1", f"{CANARY} 2"]}, ("two parents",)),
        ({"north": {"a": [f"{CANARY} 1"]}, "south": {"a": [f"{CANARY} 2"]}}, ("level 1", "two parents")),
    ],
    ids=["no leaf", "two parents", "level with two parents"],
)
def test_a_tree_that_is_no_hierarchy_is_refused(refused: Refused, tree: object, says: tuple[str, ...]) -> None:
    refused("run", write(zip_by(tree=tree)), says=("'zip'", *says))


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("create table dim as select zip, '*' as top from people limit 1", ("1 value",)),
        ("create table dim as select zip, sex as up, '*' as top from people", ("two parents",)),
        ("create table dim as select distinct zip, sex from people", ("two parents",)),
        ("create table dim as select distinct zip, zip as top from people", ("last level has 2 values",)),
        ("create table dim as select distinct zip from people", ("no level",)),
        ("create table dim as select distinct zip, '*' as top from people limit 0", ("2 values",)),
        ("create table dimm as select distinct zip, '*' as top from people", ("'dim'", "not in")),
        ("create view dim as select distinct zip, error(zip) as top from people", ("'dim'",)),
    ],
)
def test_a_dimension_table_that_is_no_hierarchy_is_refused(
    refused: Refused, statement: str, says: tuple[str, ...]
) -> None:
    place = {"url": database(statement), "table": "people"}
    refused("run", write(zip_by(table="dim") | {"source": place}), says=("'zip'", *says))


def test_a_dimension_table_of_a_source_without_a_database_is_refused(refused: Refused) -> None:
    refused("run", write(zip_by(table="dim")), says=("'zip'", "'dim'"))


@pytest.mark.parametrize("kind", ["csv", "tree", "table"])
def test_a_missing_value_without_a_declared_member_is_refused(refused: Refused, kind: str) -> None:
    url = database(
        "insert into people (sex) values ('f')",
        "create table dim as select distinct zip, '*' as top from people where zip is not null",
    )
    Path("zip.csv").write_text(LEAVES)
    hierarchies: dict[str, object] = {"csv": "zip.csv", "tree": {"all": [f"{CANARY} 1", f"{CANARY} 2"]}, "table": "dim"}
    place = {"url": url, "table": "people"}
    refused("run", write(zip_by(**{kind: hierarchies[kind]}) | {"source": place}), says=("'zip'", "missing values"))


def test_a_missing_value_declared_twice_is_refused(refused: Refused) -> None:
    Path("zip.csv").write_text(LEAVES + ";north;*\n;south;*\n")
    refused("run", write(zip_by(csv="zip.csv")), says=("'zip'", "two parents"))
    refused("run", write(zip_by(tree={"a": [None, f"{CANARY} 1"], "b": [None, f"{CANARY} 2"]})), says=("'zip'",))


def test_an_empty_text_is_not_the_missing_value(refused: Refused) -> None:
    Path("people.csv").write_text(PEOPLE + f'{CANARY},"",{CANARY},{CANARY}\n')
    Path("zip.csv").write_text(LEAVES + ";north;*\n")
    refused("run", write(zip_by(csv="zip.csv")), says=("'zip'", "1 value"))


@pytest.mark.parametrize("rule", [{"digits": 5}, {"dates": ["month"]}, {"intervals": [5, 10]}], ids=repr)
def test_values_that_do_not_fit_a_rule_are_refused(refused: Refused, rule: dict[str, object]) -> None:
    refused("run", write(zip_by(**rule)), says=("'zip'", "2 values"))


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ({"digits": 3}, "'1234'"),
        ({"digits": 3}, "'12'"),
        ({"digits": 3}, "''"),
        ({"digits": 3}, "1234"),
        ({"digits": 3}, "-12"),
        ({"digits": 3}, "1.5::double"),
        ({"digits": 3}, "12.5::decimal(3, 1)"),
        ({"digits": 3}, "true"),
        ({"digits": 3}, "date '2001-01-01'"),
        ({"dates": ["year"]}, "'2001-02-30'"),
        ({"dates": ["year"]}, "'31.12.2001'"),
        ({"dates": ["year"]}, "''"),
        ({"dates": ["year"]}, "'infinity'::date"),
        ({"dates": ["year"]}, "'infinity'::timestamp"),
        ({"dates": ["year"]}, "5"),
        ({"dates": ["year"]}, "true"),
        ({"dates": ["year"]}, "time '12:00'"),
        ({"intervals": [5]}, "'five'"),
        ({"intervals": [5]}, "'NaN'"),
        ({"intervals": [5]}, "'Infinity'"),
        ({"intervals": [5]}, "''"),
        ({"intervals": [5]}, "1e300"),
        ({"intervals": [5]}, "date '2001-01-01'"),
    ],
    ids=repr,
)
def test_a_value_that_does_not_fit_a_rule_is_refused(refused: Refused, rule: dict[str, object], values: str) -> None:
    url = database(f"create table patients as select * replace ({values} as zip) from people")
    refused("run", write(zip_by(**rule) | {"source": {"url": url, "table": "patients"}}), says=("'zip'",))


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ({"intervals": [10, 15]}, "(10 + 3 * (row_number() over ()))::integer"),
        ({"intervals": [10, 5]}, "(5 * (row_number() over ()))::integer"),
        ({"dates": ["year", "month"]}, "date '2001-01-01' + 40 * (row_number() over ())::integer"),
        ({"dates": ["week", "month"]}, "date '2024-01-28' + (row_number() over ())::integer"),
    ],
    ids=repr,
)
def test_levels_that_do_not_nest_are_refused(refused: Refused, rule: dict[str, object], values: str) -> None:
    url = database(f"create table patients as select * replace ({values} as zip) from people")
    refused(
        "run",
        write(zip_by(**rule) | {"source": {"url": url, "table": "patients"}}),
        says=("'zip'", "level 1", "two parents"),
    )


# ------------------------------------------------------------------------------------------------------------- output


@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_a_file_that_is_not_ours_is_not_replaced(refused: Refused, name: str) -> None:
    Path(name).write_bytes(b"somebody's work")
    refused("run", write(job(output={"path": name})), says=(name, "not a release"))
    refused("compile", write(job(output={"path": name})), says=(name, "not a release"))


def test_a_folder_of_the_outputs_name_is_not_replaced(refused: Refused) -> None:
    Path("release.csv").mkdir()
    refused("run", write(job()), says=("release.csv",))


def test_a_release_that_somebody_changed_is_not_replaced(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["starcloak", "run", write(job())])
    cli.main()
    with open("release.csv", "a") as release:
        release.write("a line added by hand\n")
    refused("run", write(job()), says=("release.csv", "not a release"))


@pytest.mark.parametrize(
    "ledger", ["", "{}", "[]", '{"releases": [5]}', '{"releases": [{"sha256": 5}]}', "\0", '{"releases": {"a": 1}}']
)
def test_a_ledger_that_is_none_makes_no_file_ours(refused: Refused, ledger: str) -> None:
    Path("release.csv").write_text("somebody's work")
    Path("release.csv.starcloak.json").write_text(ledger)
    refused("run", write(job()), says=("release.csv",))


@pytest.mark.parametrize("statement", ["create table release (a int)", "create view release as select 1 as a"])
@pytest.mark.parametrize("name", ["release", "RELEASE", "main.release"])
@pytest.mark.parametrize("file", ["hospital.duckdb", "other.duckdb"])
def test_a_relation_that_is_not_ours_is_not_replaced(refused: Refused, statement: str, name: str, file: str) -> None:
    database()
    if file == "other.duckdb":
        database(file=file)
    with duckdb.connect(file) as connection:
        connection.execute(statement)
    place = {"url": "duckdb:///hospital.duckdb", "table": "people"}
    output = {"url": f"duckdb:///{file}", "table": name}
    refused("run", write(job(source=place, output=output)), says=(name.removeprefix("main."), "not a release"))


@pytest.mark.parametrize(
    "output",
    [
        {"path": "nowhere/release.csv"},
        {"path": "people.csv/release.csv"},
        {"path": "nowhere/release.parquet"},
        {"url": "duckdb:///nowhere/release.duckdb", "table": "release"},
        {"url": "duckdb:///people.csv/release.duckdb", "table": "release"},
        {"url": "duckdb:///release.duckdb", "table": "nowhere.release"},
        {"url": "duckdb:///other.duckdb", "table": "nowhere.release"},
        {"url": "duckdb:///other.duckdb", "table": "a.b.release"},
        {"url": "duckdb:///folder", "table": "release"},
    ],
    ids=lambda output: str(output.get("path", output.get("url", "") + " " + output.get("table", ""))),
)
def test_an_output_that_cannot_be_written_is_refused(refused: Refused, output: dict[str, str]) -> None:
    database(file="other.duckdb")
    Path("folder").mkdir()
    refused("run", write(job(output=output)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(refused: Refused, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o500)
    refused("run", write(job(output={"path": "closed/release.csv"})), says=("closed",))


def test_a_release_over_its_source_file_is_refused(refused: Refused) -> None:
    Path("link.csv").symlink_to("people.csv")
    os.link("people.csv", "twin.csv")
    Path("sub").mkdir()
    for path in ("people.csv", "link.csv", "twin.csv", "sub/../people.csv"):
        refused("run", write(job(output={"path": path})))
    refused("run", write(job(source={"path": "link.csv"}, output={"path": "people.csv"})))


@pytest.mark.parametrize("name", ["people", "PEOPLE", "main.people", "Main.People"])
@pytest.mark.parametrize("output_url", [None, "duckdb:///hospital.duckdb", "duckdb:///sub/../hospital.duckdb"])
def test_a_release_over_its_source_table_is_refused(refused: Refused, name: str, output_url: str | None) -> None:
    Path("sub").mkdir()
    output = {"table": name} | ({"url": output_url} if output_url else {})
    refused("run", write(job(source={"url": database(), "table": "people"}, output=output)))


@pytest.mark.parametrize("source", ["people", "main.people", "People"])
@pytest.mark.parametrize("name", ["people", "PEOPLE", "main.people"])
def test_a_release_over_its_source_is_refused_even_where_that_is_a_release(
    refused: Refused, source: str, name: str
) -> None:
    """A release of a release must not eat the release it reads, nor be verified against itself."""
    url = database("comment on table people is 'starcloak release'")
    refused("run", write(job(source={"url": url, "table": source}, output={"table": name})), says=("is the source",))


def test_a_source_held_open_for_writing_by_another_program_is_refused(refused: Refused, folder: Path) -> None:
    database()
    hold = "import duckdb, sys; c = duckdb.connect('hospital.duckdb'); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        place = {"url": "duckdb:///hospital.duckdb", "table": "people"}
        refused("run", write(job(source=place)), says=("hospital.duckdb", "other program"))
        holder.communicate("")


# -------------------------------------------------------------------------------------------------------- requirement


@pytest.mark.parametrize("k", [5, 10**9, 10**25, 10**50], ids=repr)
def test_k_larger_than_the_table_cannot_be_met(refused: Refused, k: int) -> None:
    refused("run", write(job(requirement={"k": k})), code=1, says=("people.csv",))
    refused("compile", write(job(requirement={"k": k})), code=1, says=("people.csv",))


def test_k_larger_than_the_table_cannot_be_met_by_suppressing_all(refused: Refused) -> None:
    refused("run", write(job(requirement={"k": 5, "suppression": 1})), code=1)


# ------------------------------------------------------------------------------------------------------- command line


@pytest.mark.parametrize(
    "arguments",
    [
        ["rnu", "job.yaml"],
        ["run"],
        ["run", "job.yaml", "another.yaml"],
        ["run", "job.yaml", "--jsn"],
        ["run", "job.yaml", "--threads", "0"],
        ["run", "job.yaml", "--threads", "many"],
        ["run", "job.yaml", "--memory-limit", "much"],
        ["check", "people.csv"],
        ["check", "people.csv", "--qi", "zip"],
        ["check", "people.csv", "--k", "2"],
        ["check", "people.csv", "--qi", "zip", "--k", "0"],
        ["check", "people.csv", "--qi", "zip", "--k", "-1"],
        ["check", "people.csv", "--qi", "zip", "--k", "two"],
        ["check", "people.csv", "--qi", "zip", "--k", "2.5"],
        ["check", "people.csv", "--qi", "", "--k", "2"],
        ["check", "people.csv", "--qi", "zip,,sex", "--k", "2"],
        ["check", "people.csv", "--qi", "zip", "--k", "2", "--table", "people"],
        ["check", "duckdb:///hospital.duckdb", "--qi", "zip", "--k", "2"],
        ["check", "", "--qi", "zip", "--k", "2"],
        ["demo", "--data", "nowhere"],
    ],
    ids=" ".join,
)
def test_a_command_that_cannot_be_used_is_refused(refused: Refused, arguments: list[str]) -> None:
    write(job())
    refused(*arguments)


def test_check_names_the_near_column(refused: Refused) -> None:
    refused("check", "people.csv", "--qi", "zip,sexx", "--k", "2", says=("'sexx'", "Did you mean 'sex'?"))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"source": {"path": "nowhere.csv"}}, 2),
        ({"requirment": {}}, 2),
        ({"quasi_identifiers": {"zip": {"digits": 5}, "sex": "suppress"}}, 2),
        ({"output": {"path": "people.csv"}}, 2),
        ({"requirement": {"k": 50}}, 1),
    ],
    ids=["missing", "key", "leaf", "output", "k"],
)
def test_the_real_command_refuses_in_one_line(folder: Path, changes: dict[str, Any], code: int) -> None:
    path = write(job(**changes))
    before = contents(folder)
    done = subprocess.run([sys.executable, "-m", "starcloak", "run", path], capture_output=True, text=True, timeout=60)
    assert_refused(done.returncode, done.stdout, done.stderr, code=code)
    assert contents(folder) == before


def test_the_real_command_refuses_rows_it_cannot_read_in_one_line(folder: Path) -> None:
    Path("people.csv").write_text(PEOPLE + f'{CANARY},"{CANARY}\n')
    before = contents(folder)
    for arguments in (["run", write(job())], ["check", "people.csv", "--qi", "zip", "--k", "2"]):
        before |= contents(folder)
        done = subprocess.run(
            [sys.executable, "-m", "starcloak", *arguments], capture_output=True, text=True, timeout=60
        )
        assert_refused(done.returncode, done.stdout, done.stderr)
        assert contents(folder) == before
