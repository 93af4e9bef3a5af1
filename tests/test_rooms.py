"""One room per concern: a toy of each kind is registered from one place, runs in a job and is found everywhere."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import duckdb
import pandas
import pytest
from click.testing import CliRunner
from pydantic import Field, StrictInt

import starcloak as sc
from starcloak import documentation, paths, recoding, schema
from starcloak.algorithms import table
from starcloak.cli import cli
from starcloak.hierarchy import builder
from starcloak.hierarchy.builder import Place
from starcloak.hierarchy.rule import Rule
from starcloak.hosts import registry as hosts
from starcloak.hosts.duckdb import DuckDB
from starcloak.measures import measure
from starcloak.measures.measure import Counted, Measure
from starcloak.privacy import model as privacy
from starcloak.privacy.model import Model, Released
from starcloak.result import Search
from starcloak.search import algorithm as search
from starcloak.search.algorithm import Algorithm, Answer, Run
from starcloak.search.shared.lattice import Lattice
from starcloak.statement import Hole, Name, Number, Statement

if TYPE_CHECKING:
    from starcloak.privacy.requirement import Requirement
    from starcloak.star import Star

PEOPLE = pandas.DataFrame({"sex": list("mmffm"), "zip": ["10", "11", "10", "10", "20"], "job": list("abcda")})
JOB: dict[str, Any] = {"quasi_identifiers": {"sex": "suppress", "zip": {"digits": 2}}, "sensitive": ["job"]}


# ------------------------------------------------------------------------------------------- a privacy model, in a file


class Even(Model):
    """Every class has an even number of rows, at least ``least``: nobody is the odd one out."""

    key: ClassVar[str] = "even"
    source: ClassVar[str] = "a toy"
    monotone: ClassVar[bool] = False
    superset_closed: ClassVar[bool] = False

    least: Annotated[StrictInt, Field(ge=2)]

    @property
    def least_rows(self) -> int:
        return self.least

    @property
    def violating(self) -> Statement:
        text = "(frequency < {least} or frequency % 2 = 1)"
        return Statement("toy/even/violating", {"least": Number(self.least)}, text)

    def violates(self, groups: Any) -> Any:
        return (groups.sizes < self.least) | (groups.sizes % 2 == 1)

    def violated(self, name: Name, release: Released) -> Statement:
        return Statement("toy/even/violated", {}, "coalesce(max(size % 2), 0) = 1")

    def dbt_test(self, attributes: Any) -> dict[str, Any]:
        return {"toy.even": {"arguments": {"quasi_identifiers": list(attributes)}}}

    @property
    def described(self) -> str:
        return f"an even number of rows, {self.least} or more"


# ---------------------------------------------------------------------------------------------- an algorithm, in a file


class Highest(Algorithm):
    """The top of the lattice: what satisfies any requirement, if anything does."""

    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = "a toy"
    guarantee: ClassVar[str] = "one generalization, never minimal"
    when: ClassVar[str] = "never"

    name: Literal["highest"] = "highest"


def climb(star: Star, requirement: Requirement, settings: Highest, run: Run) -> Answer:
    lattice = Lattice(star.heights)
    node = lattice.node(lattice.size - 1)
    demand = requirement.joint([dimension.attribute for dimension in star.dimensions])
    chosen = recoding.full_domain(star, node, demand=demand, seed=run.seed)
    return Answer(star, chosen, Search(lattice_nodes=star.lattice_nodes, checked=1))


# ----------------------------------------------------------------------- a builder of hierarchies, in a file


class Initials(Rule):
    """Texts that keep their first ``initials`` characters, then ``*``."""

    key: ClassVar[str] = "initials"
    levels_read: ClassVar[str] = "Masters → Ma → \\*"

    initials: Annotated[StrictInt, Field(ge=1)]

    def levels(self, place: Place) -> list[Hole]:
        return [Statement("toy/initials", {"initials": Number(self.initials)}, "left(value, {initials})")]

    def statement(self, place: Place, levels: Hole) -> Statement:
        text = "select true as present, value, value as level_0, {levels} from {domain}"
        return Statement("toy/initials/members", {"levels": levels, "domain": place.domain}, text)

    @property
    def remedy(self) -> str:
        return "they have no characters"


# -------------------------------------------------------------------------------------------------- a host, in a file


class Vault(DuckDB):
    """A DuckDB file behind another name, which keeps no table of a name with a digit."""

    names = ("vault",)
    example = "vault:///path/to/file.vault"
    state = "a toy"
    published = "its commit"

    def misnamed(self, table: str) -> str | None:
        return "which has a digit" if any(character.isdigit() for character in table) else None


# ------------------------------------------------------------------------------------------------ a measure, in a file


class HighestLevel(Measure):
    """The highest level of a released cell."""

    name: ClassVar[str] = "highest_level"
    type: ClassVar[Any] = int
    description: ClassVar[str] = "a toy"

    @property
    def sums(self) -> dict[str, Hole]:
        return {"highest_level": Statement("toy/highest_level", {}, "max(level)")}

    def of(self, counted: Counted) -> int:
        return int(counted.sums["highest_level"])


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Toys are registered as others are, and forgotten after the test."""
    assert privacy.models() and search.algorithms() and builder.builders()  # all of them have registered themselves
    monkeypatch.setattr(measure, "_MEASURES", {each.name: each for each in measure.every()})
    monkeypatch.setattr(privacy, "_MODELS", dict(privacy._MODELS))
    monkeypatch.setattr(search, "_ALGORITHMS", dict(search._ALGORITHMS))
    monkeypatch.setattr(builder, "_BUILDERS", dict(builder._BUILDERS))
    privacy.register(Even)
    search.register(Highest, climb)
    builder.register(Initials)
    measure.register(HighestLevel)
    assert hosts.kinds()
    monkeypatch.setattr(hosts, "_KINDS", dict(hosts._KINDS))
    hosts.register(Vault)
    yield


def test_a_toy_algorithm_runs_and_is_found_everywhere(toys: None) -> None:
    release = sc.anonymize(PEOPLE, **JOB, k=2, algorithm={"name": "highest"})
    assert (release.k, release.result.recoding.levels) == (5, {"sex": 1, "zip": 2})
    assert release.result.algorithm.name == "highest"
    exported = json.dumps(schema.exported()["job"]["properties"]["algorithm"])
    assert '"highest"' in exported
    told = CliRunner().invoke(cli, ["algorithms"]).output
    assert "highest  (full-domain)" in told and "when       never" in told
    assert "| `{name: highest}` | full-domain |" in table()
    with pytest.raises(sc.JobError, match=r"unknown name 'highst'.*Did you mean 'highest'"):
        sc.anonymize(PEOPLE, **JOB, k=2, algorithm={"name": "highst"})


def test_a_toy_model_is_searched_for_and_found_everywhere(toys: None) -> None:
    asked = {"requirement": {"k": 1, "even": [{"least": 2}], "suppression": "0.2"}}
    release = sc.run({**JOB, **asked}, frame=PEOPLE)
    sizes = release.to_pandas().groupby(["sex", "zip"]).size()
    assert len(sizes) and all(size % 2 == 0 for size in sizes)
    exported = schema.exported()["job"]["$defs"]["Requirement"]["properties"]
    assert exported["even"]["items"]
    assert "coalesce(max(size % 2), 0) = 1" in release.sql()
    with pytest.raises(sc.JobError, match=r"requirement.even.0.least: must be greater than or equal to 2"):
        sc.run({**JOB, "requirement": {"k": 1, "even": [{"least": 1}]}}, frame=PEOPLE)


def test_a_toy_builder_of_hierarchies_is_found_everywhere(toys: None) -> None:
    hierarchies = {"sex": "suppress", "zip": {"initials": 1}}
    release = sc.anonymize(
        PEOPLE, quasi_identifiers=hierarchies, sensitive=["job"], k=2, objective={"weights": {"sex": 3}}
    )
    assert set(release.to_pandas()["zip"]) == {"*"} or set(release.to_pandas()["zip"]) <= {
        "1",
        "2",
        "*",
        "10",
        "11",
        "20",
    }
    assert release.result.recoding.heights == {"sex": 1, "zip": 2}
    assert '"initials"' in json.dumps(schema.exported()["job"]["properties"]["quasi_identifiers"])
    with pytest.raises(sc.JobError, match=r"quasi_identifiers.zip.initials: must be greater than or equal to 1"):
        sc.anonymize(PEOPLE, quasi_identifiers={"zip": {"initials": 0}, "sex": "suppress"}, keep=["job"], k=2)
    with pytest.raises(sc.JobError, match=r"unknown hierarchy 'initial'.*Did you mean 'initials'"):
        sc.anonymize(PEOPLE, quasi_identifiers={"zip": {"initial": 1}, "sex": "suppress"}, keep=["job"], k=2)


def test_a_toy_measure_is_counted_and_told(toys: None) -> None:
    release = sc.anonymize(PEOPLE, **JOB, k=2)
    assert release.measures.highest_level == max(release.result.recoding.levels.values())
    assert release.to_dict()["measures"]["highest_level"] == release.measures.highest_level


def test_a_toy_host_has_source_and_release_and_is_found_everywhere(toys: None, tmp_path: Path) -> None:
    url = f"vault:///{tmp_path}/clinic.vault"
    with duckdb.connect(str(tmp_path / "clinic.vault")) as connection:
        connection.register("given", PEOPLE)
        connection.execute("create table people as from given")
    described = {**JOB, "source": {"url": url, "table": "people"}, "requirement": {"k": 2}, "keep_dimensions": True}
    for k, output in ((2, {"table": "cohort"}), (3, {"url": f"vault:///{tmp_path}/fresh.vault", "table": "cohort"})):
        release = sc.run({**described, "requirement": {"k": k}, "output": output})
        assert release.k is not None and release.k >= k
        assert sc.check({"url": output.get("url", url), "table": "cohort"}, ["sex", "zip"], k=release.k).holds
        with duckdb.connect(str(tmp_path / Path(output.get("url", url)).name)) as connection:
            assert connection.execute("select count(*) from starcloak_releases").fetchall() == [(3,)]
            assert connection.execute("select count(*) from cohort_dim_zip").fetchall() == [(3,)]
    assert "create table" in release.sql() and "fresh.vault" in release.sql()
    with pytest.raises(sc.OutputError, match="can have the name 'cohort2', which has a digit: choose another"):
        sc.run({**described, "output": {"table": "cohort2"}})
    with pytest.raises(sc.OutputError, match="is the source"):
        sc.run({**described, "output": {"table": "People"}})
    for of in ("Source", "Output"):
        assert Vault.example in json.dumps(schema.exported()["job"]["$defs"][of]["properties"]["url"])
    for command in ("check", "audit", "init"):
        assert Vault.example in "".join(CliRunner().invoke(cli, [command, "--help"]).output.split())
    assert f"| `{Vault.example}` | a toy | its commit |" in documentation.hosts()
    with pytest.raises(sc.SourceError, match=r"a url of vaul cannot be opened.*Did you mean 'vault'"):
        sc.check({"url": "vaul:///x", "table": "people"}, ["sex"], k=2)


# ------------------------------------------------------------------------------------------------------------- circles


def modules() -> dict[str, Path]:
    root = Path(paths.__file__).parent
    named = {}
    for file in root.rglob("*.py"):
        parts = ["starcloak", *file.relative_to(root).with_suffix("").parts]
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return named


def imported(name: str, file: Path, known: set[str]) -> set[str]:
    """The modules that a module imports, at once or in a function, but for types alone."""
    found: set[str] = set()

    class Imports(ast.NodeVisitor):
        def visit_If(self, node: ast.If) -> None:
            if "TYPE_CHECKING" not in ast.unparse(node.test):
                self.generic_visit(node)

        def visit_Import(self, node: ast.Import) -> None:
            found.update(alias.name for alias in node.names)

        def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update((inner & known) or {str(node.module)})

    Imports().visit(ast.parse(file.read_text(encoding="utf-8")))
    return (found & known) - {name}


def test_no_module_imports_itself_by_way_of_others() -> None:
    known = modules()
    graph = {name: imported(name, file, set(known)) for name, file in known.items()}
    while leaves := {name for name, needs in graph.items() if not needs}:
        graph = {name: needs - leaves for name, needs in graph.items() if name not in leaves}
    assert not graph, f"a circle among {sorted(graph)}"


def test_nothing_outside_its_room_knows_an_algorithms_name() -> None:
    for name, file in modules().items():
        if name.startswith("starcloak.search.") or name in ("starcloak.demo", "starcloak.catalogue"):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        texts = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not texts & set(search.algorithms()), name
