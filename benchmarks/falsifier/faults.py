"""Jobs that must be refused, each with the error that is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.falsifier.case import Case
from benchmarks.falsifier.privacy import COMPARING
from benchmarks.falsifier.trees import Refusal

if TYPE_CHECKING:
    from benchmarks.falsifier.places import Places

Job = dict[str, Any]


def _nothing(*_: Any) -> None:
    return None


def _always(_: Case) -> bool:
    return True


@dataclass(frozen=True)
class Fault:
    """A fault of a job, or beside it: what is right to say, what is done, and to which cases it can be done."""

    right: Refusal
    breaks: Callable[[Job, Case, Places], None] = _nothing
    plants: Callable[[Case, Places], None] = _nothing
    applies: Callable[[Case], bool] = _always


def _forgettable(case: Case) -> list[str]:
    """The columns that a job can leave out without another fault."""
    needed = {column.name for column in case.quasi_identifiers} | {
        *dict(case.l_diversity),
        *(model["attribute"] for _, model in case.models),
        case.algorithm.get("class"),
        *case.levels,
    }
    return [column.name for column in case.columns if column.name not in needed]


def _forget(job: Job, case: Case, _: Places) -> None:
    for role in ("identifiers", "sensitive", "keep"):
        job[role] = [name for name in job[role] if name != _forgettable(case)[0]]


def _add(role: str, name: str) -> Callable[[Job, Case, Places], None]:
    def breaks(job: Job, case: Case, _: Places) -> None:
        job[role] = [*job[role], name]

    return breaks


def _twice(job: Job, case: Case, _: Places) -> None:
    job["identifiers"] = [*job["identifiers"], case.quasi_identifiers[0].name]


def _set(*path: str, value: Any) -> Callable[[Job, Case, Places], None]:
    def breaks(job: Job, case: Case, _: Places) -> None:
        held: Any = job
        for key in path[:-1]:
            held = held[key]
        held[path[-1]] = value

    return breaks


def _foreign(job: Job, case: Case, _: Places) -> None:
    job["requirement"] = {"qids": [{"attributes": [*job["quasi_identifiers"], "nowhere"], "k": 2}]}


def _uncovered(job: Job, case: Case, _: Places) -> None:
    job["requirement"] = {"qids": [{"attributes": list(job["quasi_identifiers"])[1:], "k": 2}]}


def _over_the_source(job: Job, case: Case, spot: Places) -> None:
    job["output"] = {"path": job["source"]["path"]}


def _no_folder(job: Job, case: Case, spot: Places) -> None:
    job["output"] = {"path": str(spot.outputs / "nowhere" / "cohort.csv")}


def _no_file(job: Job, case: Case, spot: Places) -> None:
    job["source"] = {"path": str(spot.inputs / "nowhere.csv")}


def _no_table(job: Job, case: Case, spot: Places) -> None:
    job["source"]["table"] = "nowhere"


def _rename(job: Job, case: Case, _: Places) -> None:
    job["source"]["rename"] = {"nowhere": "somewhere"}


def _twins(job: Job, case: Case, _: Places) -> None:
    named = {name: made for made, name in case.renamed.items()}
    first, second = case.names[:2]
    job["source"]["rename"] = {**case.renamed, named.get(first, first): second}


def _no_query(job: Job, case: Case, spot: Places) -> None:
    job["source"]["query"] = "selec 1"


def _occupied(case: Case, spot: Places) -> None:
    from benchmarks.falsifier.places import RELEASE

    home = spot.home(case)
    if home is not None:
        home.run(*home.made(RELEASE, {"a": "int"}, [(1,)]))
    elif (path := spot.file(case)) is not None:
        path.write_text("not a release")


def _written(line: str) -> Callable[[Case, Places], None]:
    """Have the files of JSON lines end in another line."""

    def plants(case: Case, spot: Places) -> None:
        for path in spot.inputs.glob(f"*.{case.suffix or case.source}"):
            path.write_text(path.read_text(encoding="utf-8") + line, encoding="utf-8")

    return plants


def _is_open(case: Case) -> bool:
    """Whether lines can be added, and what they hold of a number that all rows have is read."""
    return case.source == "jsonl" and case.files != "packed" and bool(case.rows) and "id" in case.names


def _unread(line: str, part: str) -> Fault:
    return Fault(Refusal("SourceError", part), plants=_written(line), applies=_is_open)


def _job(part: str) -> Refusal:
    return Refusal("JobError", part)


FAULTS = {
    "unnamed": Fault(
        Refusal("SourceError", "is named nowhere in the job: put it under identifiers"),
        _forget,
        applies=lambda case: bool(_forgettable(case)),
    ),
    "nowhere": Fault(Refusal("SourceError", "keep: column 'nowhere' is not in "), _add("keep", "nowhere")),
    "two roles": Fault(_job(": name it under one of the two"), _twice),
    "k of 0": Fault(_job("requirement"), _set("requirement", value={"k": 0})),
    "k in words": Fault(_job("requirement"), _set("requirement", value={"k": "2"})),
    "key": Fault(_job("unknown key 'suppresion'"), _set("requirement", "suppresion", value=0)),
    "algorithm": Fault(_job("Did you mean 'witness'?"), _set("algorithm", value={"name": "witnes"})),
    "share": Fault(_job("requirement.suppression"), _set("requirement", "suppression", value="1.01")),
    "foreign": Fault(_job("names 'nowhere', which is not a quasi-identifier"), _foreign),
    "uncovered": Fault(_job(" is in no QID: "), _uncovered, applies=lambda case: len(case.quasi_identifiers) > 1),
    "diversity": Fault(
        _job("the requirement uses column 'nowhere', which is not under sensitive"),
        _set("requirement", "l_diversity", value=[{"attribute": "nowhere", "l": 2}]),
        applies=lambda case: not case.as_set,
    ),
    "l of 1": Fault(_job("l_diversity"), _set("requirement", "l_diversity", value=[{"attribute": "nowhere", "l": 1}])),
    "reference": Fault(
        _job("reference: source is given, but no model compares classes with a whole table: "),
        _set("requirement", "reference", value="source"),
        applies=lambda case: not any(key in COMPARING for key, _ in case.models),
    ),
    "class": Fault(
        _job("is not released unchanged"),
        _set("algorithm", value={"name": "tdr", "class": "nowhere"}),
        applies=lambda case: not case.as_set and not case.of_population,
    ),
    "source": Fault(
        Refusal("OutputError", " the source"),
        _over_the_source,
        applies=lambda case: case.source in ("csv", "parquet") and case.files != "packed" and not case.suffix,
    ),
    "folder": Fault(Refusal("OutputError", "is not a writable folder"), _no_folder),
    "file": Fault(Refusal("SourceError", ": check the path"), _no_file, applies=lambda case: case.is_file),
    "renamed": Fault(
        Refusal("SourceError", "source.rename: column 'nowhere' is not in "),
        _rename,
        applies=lambda case: case.source == "csv",
    ),
    "renamed elsewhere": Fault(
        _job("source.rename: "), _rename, applies=lambda case: case.source in ("parquet", "jsonl") and bool(case.rows)
    ),
    "twins": Fault(
        Refusal("SourceError", " differ at most in case: rename one"),
        _twins,
        applies=lambda case: case.source == "csv" and len(case.columns) > 1,
    ),
    "table": Fault(Refusal("SourceError", ""), _no_table, applies=lambda case: case.host == case.source),
    "query": Fault(Refusal("SourceError", ""), _no_query, applies=lambda case: case.source.endswith("query")),
    "no object": _unread('["id"]', "the line is not a JSON object in UTF-8: check the file"),
    "two on a line": _unread('{"id": 1}{"id": 2}', "the line is not a JSON object in UTF-8: check the file"),
    "kinds of values": _unread('{"id": "1"}', "column 'id' has numbers and texts: convert all values to one of these"),
    "inner": _unread('{"id": [1]}', "column 'id' has objects or arrays: "),
    "name twice": _unread('{"id": 1, "id": 1}', "column 'id' is in a line twice: "),
    "digits": _unread('{"id": 9007199254740993.5}', "column 'id' has numbers with too many digits to be read exactly"),
    "occupied": Fault(
        Refusal("OutputError", "is there already and is not a release of starcloak"),
        plants=_occupied,
        applies=lambda case: case.target not in ("memory", "fresh"),
    ),
}
