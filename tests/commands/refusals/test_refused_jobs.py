"""A job that cannot be used is refused in one line on standard error: nothing written, no row's value told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from starcloak.base.errors import JobError
from starcloak.commands import cli
from starcloak.job import load, load_qids
from starcloak.job.document import parse
from tests.commands.refusals.refusing import CANARY, Refused, job, write


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
        ({"algorithm": {"variant": "cube"}}, ("algorithm", "the algorithm has no name", "incognito")),
        ({"algorithm": "incognitoo"}, ("algorithm", "Did you mean 'incognito'?")),
        ({"algorithm": {"name": ["incognito"]}}, ("algorithm", "the algorithm has no name")),
        ({"algorithm": {"name": "bottom-up", "rollup": "yes"}}, ("algorithm.rollup", "boolean")),
        ({"algorithm": {"name": "incognito", "cube": "c.duckdb"}}, ("algorithm", "cube is for variant: cube only")),
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
    refused("run", write(job(requirement=requirement)), says=("job.yaml: requirement: requirement needs k",))


@pytest.mark.parametrize(
    ("qids", "says"),
    [
        ([], "requirement.qids: name at least one"),
        ([{"attributes": [], "k": 2}], "requirement.qids.0.attributes: name at least one"),
        ([{"attributes": ["zip", "sex"], "k": 0}], "requirement.qids.0.k"),
        ([{"attributes": ["zip", "sex"]}], "requirement.qids.0.k: this key is missing"),
        (
            [{"attributes": ["zip", "sexx"], "k": 2}],
            "requirement.qids names 'sexx', which is not a quasi-identifier: correct the name",
        ),
        ([{"attributes": ["zip", "illness"], "k": 2}], "names 'illness', which is not a quasi-identifier"),
        ([{"attributes": ["zip", "sex", "zip"], "k": 2}], "attributes names 'zip' twice"),
        ([{"attributes": ["zip"], "k": 2}], "quasi-identifier 'sex' is in no QID"),
        (
            [{"attributes": ["zip"], "kk": 2}],
            "requirement.qids.0: unknown key 'kk': use one of attributes, k. Did you mean",
        ),
    ],
    ids=repr,
)
def test_qids_that_cannot_be_used_are_refused(refused: Refused, qids: list[dict[str, Any]], says: str) -> None:
    refused("run", write(job(requirement={"qids": qids})), says=("job.yaml: ", says))


TWO = [{"attributes": ["zip"], "k": 2}, {"attributes": ["sex"], "k": 3}]


def test_several_qids_are_refused_with_suppression(refused: Refused) -> None:
    requirement = {"qids": TWO, "suppression": 0.1}
    refused(
        "run",
        write(job(requirement=requirement)),
        says=("job.yaml: requirement.suppression is not possible with several QIDs",),
    )


def test_fewer_rows_than_the_k_of_one_qid_cannot_be_met(refused: Refused) -> None:
    requirement = {"qids": [{"attributes": ["zip"], "k": 2}, {"attributes": ["sex"], "k": 5}]}
    refused("run", write(job(requirement=requirement)), code=1, says=("people.csv has fewer than 5 rows",))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"k": 5}, "people.csv has fewer than 5 rows, and every class must have 5 rows, so no"),
        ({"k": 2, "l": 5}, "has fewer than 5 rows, and every class must have 5 values of illness, so no"),
        ({"k": 5, "l": 5}, "people.csv has fewer than 5 rows, and every class must have 5 rows, so no"),
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
    refused("run", write(job(requirement={"qids": TWO}, algorithm=kept)), says=("algorithm.cube supports one",))


def test_several_qids_are_refused_by_an_algorithm_that_takes_one(refused: Refused) -> None:
    described = job(requirement={"qids": TWO}, algorithm={"name": "kaca"})
    refused("run", write(described), says=("job.yaml: algorithm kaca supports one QID",))


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


@pytest.mark.parametrize("command", [["run"], ["compile"], ["explain"]], ids=" ".join)
def test_a_table_in_the_place_of_a_job_is_told_what_makes_a_job_of_it(refused: Refused, command: list[str]) -> None:
    refused(
        *command,
        "people.csv",
        says=("people.csv is a data file, not a job: write a first job for it with starcloak init people.csv --into",),
    )


def test_a_file_of_a_command_that_is_not_there_is_no_key_of_a_job(refused: Refused) -> None:
    says = refused("check", "nobody.csv", "--qi", "zip", "--k", "2", says=("nobody.csv is not a file: check the path",))
    assert "source" not in says


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
        {"minimize": "heigth"},
        {"weights": {"zip": 1}},
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
        {"path": "release.ods"},
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


@pytest.mark.parametrize(
    "mapping", ["{a: 1, a: 2}", "{~: 1, ? : 2}", "{null: 1, ~: 2}", '{no: 1, "no": 2}', "{1: 1, 0x1: 2}"]
)
def test_a_key_that_is_given_twice_is_refused(mapping: str) -> None:
    with pytest.raises(JobError, match=r"key '.*' is given twice"):
        parse(mapping, where="job.yaml")


def test_a_text_is_another_key_than_what_it_reads_like() -> None:
    assert parse('{null: 1, "null": 2, 1: 3, "1": 4}', where="job.yaml") == {None: 1, "null": 2, 1: 3, "1": 4}


@pytest.mark.parametrize("word", ["no", "yes", "on", "off", "true", "False"])
def test_a_key_that_yaml_reads_as_something_else_is_its_text(word: str) -> None:
    assert parse(f"{{{word}: 1}}", where="job.yaml") == {word: 1}
    assert parse(f"{word}: {{{word}: no}}", where="job.yaml") == {word: {word: False}}
    assert parse(f"[{word}, {{a: [{word}]}}]", where="job.yaml") == [word, {"a": [word]}]


def test_missing_values_are_named_without_quotes_around_the_key() -> None:
    read = parse('source: {path: d.csv, null: ["", NA]}', where="job.yaml")
    assert load({**job(), **read}).source.nulls == ["", "NA"]  # type: ignore[union-attr]


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
    says = ("job.yaml, line 1", "give the job more than 1,000,000 keys")
    if yaml.__version__ not in (
        "6.0",
        "6.0.1",
        "6.0.2",
        "6.0.3",
    ):  # newer: equal keys are merged once, the job is small
        says = ("job.yaml", "unknown key 'a'")
    refused("run", write(f"objective: {text}\n"), says=says)


def test_aliases_and_merge_keys_that_stand_for_few_values_are_taken(folder: Path) -> None:
    hierarchies = f"{{zip: &same {{tree: &tree {{<<: {{north: ['{CANARY} 1']}}, south: ['{CANARY} 2']}}}}}}"
    text = yaml.safe_dump(job(quasi_identifiers="HERE")).replace("HERE", hierarchies)
    loaded = load(yaml.load(text, yaml.SafeLoader) | {"identifiers": ["name", "sex"]})
    assert load(Path(write(text.replace("- name", "- name\n- sex")))).quasi_identifiers == loaded.quasi_identifiers


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize("innermost", [["1", "2", "3"], []], ids=["values", "empty lists"])
def test_shared_references_that_stand_for_too_many_values_are_refused_at_once(innermost: list[str]) -> None:
    shared: Any = innermost
    for _ in range(40):
        shared = [shared] * 9
    for given in (shared, {"a": shared}, (shared, {"b": (shared,)})):
        with pytest.raises(JobError, match=r"^job: quasi_identifiers\.zip\.tree\.north.*: more than 1,000,000 values"):
            load(job(quasi_identifiers={"zip": {"tree": {"north": given}}, "sex": "suppress"}))
    with pytest.raises(JobError, match="qid: attributes: more than 1,000,000 values"):
        load_qids([{"attributes": shared, "k": 2}])


@pytest.mark.sampled(3)
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
