"""What the README and the documentation show is what happens."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import sqlalchemy
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.base import errors, installation
from starcloak.base.installation import KINDS
from starcloak.commands.cli import cli, main
from starcloak.job import document, load
from tests import servers
from tests.people import Rows, Server

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
# The pages of docs/gallery run by tests/project/test_gallery.py.
APART = {TUTORIAL, *ROOT.glob("docs/gallery/**/*.md")}
PAGES = [ROOT / "README.md", *(page for page in sorted(ROOT.glob("docs/**/*.md")) if page not in APART)]
SHOWS = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def blocks(language: str, text: str = SHOWS) -> list[str]:
    """The blocks in a language, each once, in order: the README's come first."""
    return list(dict.fromkeys(re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text(blocks("csv")[0])
    (tmp_path / "job.yaml").write_text(blocks("yaml")[0])
    return tmp_path


def console(text: str, folder: Path) -> None:
    """The lines of a page, by the command line in this process: a new one for each would take as long again."""
    commands = [line.split("#")[0].split()[1:] for block in blocks("console", text) for line in block.splitlines()]
    assert len(commands) > 2
    for command in commands:
        assert command[0] == "starcloak"
        said, code = io.StringIO(), None
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(said):
            patch.chdir(folder)
            patch.setattr(sys, "argv", command)
            try:
                main()
            except SystemExit as ended:
                code = ended.code
        # What earlier releases of the page tell together is a warning, and explain says what it takes.
        expected = ("joint k", "a reader who also has", "as long as the search of a run")
        told = [line for line in said.getvalue().splitlines() if not any(words in line for words in expected)]
        assert (code or 0, told) == (0, []), command


@pytest.mark.sampled(3, among="documentation")
def test_console_lines_run_in_order(folder: Path) -> None:
    console(SHOWS, folder)
    released = (folder / "patients-k2.csv").read_text().splitlines()
    assert released[0] == "birth,sex,zip,disease"
    assert len(released) == 7


def test_the_readme_begins_with_what_comes_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    rows = [re.split(r" *\| *", line.strip("| ").replace("→ |", "")) for line in text.splitlines() if "→" in line]
    monkeypatch.chdir(folder)
    released = sc.run("job.yaml").to_pandas().astype(str)
    columns = ["birth", "sex", "zip", "disease"]
    assert {tuple(row[4:]) for row in rows} == set(released[columns].itertuples(index=False, name=None))
    source = pandas.read_csv(folder / "patients.csv", dtype=str)
    assert {tuple(row[:4]) for row in rows} == set(source[columns].itertuples(index=False, name=None))


# One process for the blocks of a page, none of which knows a name of another.
EACH = "import json, sys\nfor block in json.loads(sys.argv[1]): exec(block, {'__name__': '__main__'})"


def python(text: str, folder: Path) -> None:
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    command = [sys.executable, "-c", EACH, json.dumps(blocks("python", text))]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_python_blocks_run_in_order(folder: Path) -> None:
    python(SHOWS, folder)


def test_every_job_and_part_of_a_job_in_a_page_is_read() -> None:
    missing = {
        "source": {"path": "t.csv"}, "quasi_identifiers": {"age": "suppress"}, "requirement": {"k": 2},
        "output": {"path": "o.csv"},
    }  # fmt: skip
    read = 0
    for text in blocks("yaml", "\n".join([SHOWS, TUTORIAL.read_text(encoding="utf-8")])):
        given = document.parse(text, where=text)
        # A file of dbt, and the bases of the jobs that tests/project/test_arx.py runs.
        if "data_tests" not in given and "register" not in given:
            load({**missing, **given})
            read += 1
    assert read > 15


@pytest.mark.sampled(3, among="documentation")
def test_the_tutorial_runs(tmp_path: Path) -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    (tmp_path / "job.yaml").write_text(blocks("yaml", text)[0])
    (tmp_path / "patients.csv").write_text(blocks("text", text)[0])
    console(text, tmp_path)
    figure = "print(f'single out {audit.uniques:,} of the {audit.rows:,}', file=open('told', 'w'))"
    python("\n".join(["```python", *blocks("python", text), figure, "```"]), tmp_path)
    assert (tmp_path / "told").read_text().strip() in text


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGES[0].read_text(encoding="utf-8"))
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_every_exit_code_is_told_in_the_readme_and_in_the_help() -> None:
    kinds = [errors.StarcloakError, *(kind for kind in vars(errors).values() if isinstance(kind, type))]
    codes = {0, 129, 130, 142, 143} | {kind.exit_code for kind in kinds if issubclass(kind, errors.StarcloakError)}
    (table,) = re.findall(r"\| exit code \|.*?\n\n", SHOWS, re.DOTALL)
    help_text = CliRunner().invoke(cli, ["--help"]).output
    for told in (table.replace("exit code", ""), help_text.partition("Exit codes:")[2]):
        assert {int(number) for number in re.findall(r"\b\d+\b", told)} == codes


def lines(shell: str) -> list[str]:
    return list(dict.fromkeys(line for block in blocks("sh") for line in block.splitlines() if shell in line))


def sh(line: str, folder: Path, *programs: Path) -> subprocess.CompletedProcess[str]:
    """A line of the shell, with the programs of some folders at hand."""
    path = os.pathsep.join([*map(str, programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "HOME": str(folder), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
    command = ["bash", "-euo", "pipefail", "-c", line]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


SHOWN = "postgresql://clerk@db.hospital.example/hospital"
CLIENTS = {"postgresql": "psql", "mariadb": "mariadb", "sqlite": "sqlite3"}


@pytest.mark.sampled(3)
def test_the_job_and_the_lines_on_databases_run(
    server: Server,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    url = server.url
    if server.name == "mariadb":
        url = server.url.replace("/test", "/hospital")
        server.execute("drop database if exists hospital", "create database hospital character set utf8mb4")
        host, port = server.url.partition("@")[2].split("/")[0].split(":")
        login = {"host": host, "port": port, "user": "owner", "password": "secretpw7"}
        options = "".join(f"{name}={value}\n" for name, value in login.items())
        (folder / ".my.cnf").write_text(f"[client]\n{options}")
    if server.name == "sqlite":
        url = "sqlite:///hospital.sqlite"
        (folder / "hospital.sqlite").touch()
    hospital = Server(server.name, url)
    patients = pandas.read_csv(folder / "patients.csv", dtype=str)
    hospital.fill("patients", patients, dict.fromkeys(patients.columns, "varchar(20)"))
    place = next(block for block in blocks("yaml") if SHOWN in block)
    assert "hospital.sqlite" in SHOWS and "mariadb hospital" in SHOWS
    described = yaml.safe_load(blocks("yaml")[0]) | yaml.safe_load(place.replace(SHOWN, url))
    (folder / "job.yaml").write_text(yaml.safe_dump(described))
    programs = servers.postgresql_programs()
    placed = [line.replace(SHOWN, url) for line in [*lines("run job.yaml"), *lines(f"check {SHOWN}")]]
    assert len(placed) == 2
    released = "select birth, sex, zip, disease from patients_k2 order by 1, 2, 3, 4"
    for line in placed:
        done = sh(line, folder)
        assert done.returncode == 0, done.stderr
    expected = hospital.rows(released)
    hospital.execute("drop table patients_k2", "drop table starcloak_releases")
    (line,) = lines(f"| {CLIENTS[server.name]} ")
    if server.name != "postgresql" and shutil.which(CLIENTS[server.name]) is None:
        pytest.skip(f"{CLIENTS[server.name]} is not installed")
    done = sh(line.replace(SHOWN, url), folder, *([programs] if programs else []))
    assert done.returncode == 0, done.stderr
    assert hospital.rows(released) == expected


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "language"), [("postgresql", "postgresql"), ("mariadb", "mysql")])
def test_the_rights_that_a_page_grants_are_enough(kind: str, language: str, folder: Path, request: Any) -> None:
    owner: Server = request.getfixturevalue(kind)
    page = (ROOT / "docs" / "how-to" / f"{kind}.md").read_text(encoding="utf-8")
    (granted,), (placed,) = blocks(language, page), blocks("yaml", page)
    if kind == "mariadb":
        owner.execute("drop database if exists hospital", "create database hospital character set utf8mb4")
        owner.execute("drop database if exists released", "drop user if exists clerk@'%'")
        owner = Server(kind, owner.url.replace("/test", "/hospital"))
    else:
        owner.execute("drop schema if exists released cascade", "drop owned by clerk" if roles(owner) else "select 1")
        owner.execute("drop role if exists clerk")
    patients = pandas.read_csv(folder / "patients.csv", dtype=str)
    owner.fill("patients", patients, dict.fromkeys(patients.columns, "varchar(20)"))
    owner.execute(*filter(str.strip, granted.split(";")))
    clerk = sqlalchemy.make_url(owner.url).set(username="clerk", password="a password of your own")
    described = yaml.safe_load(blocks("yaml")[0]) | yaml.safe_load(placed)
    described["source"]["url"] = clerk.render_as_string(hide_password=False)
    (folder / "job.yaml").write_text(yaml.safe_dump(described))
    done = sh("starcloak run job.yaml --quiet", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert owner.rows("select count(*) from released.patients_k2") == [(6,)]


def roles(server: Server) -> Rows:
    return server.rows("select 1 from pg_roles where rolname = 'clerk'")


DBT = Path(sys.prefix) / "dbt" / "bin"


@pytest.mark.sampled(3, among="dbt")
@pytest.mark.skipif(not DBT.exists(), reason="dbt is not installed: make test installs it into .venv/dbt")
def test_the_lines_on_dbt_run(folder: Path) -> None:
    project = folder / "warehouse"
    (project / "models").mkdir(parents=True)
    (project / "dbt_project.yml").write_text("name: clinic\nversion: 1.0.0\nprofile: clinic\n")
    target = {"type": "duckdb", "path": "warehouse.duckdb", "threads": 1}
    (project / "profiles.yml").write_text(yaml.safe_dump({"clinic": {"target": "here", "outputs": {"here": target}}}))
    # The test that the page shows, on a model that is no release.
    (shown,) = (block for block in blocks("yaml") if "k_anonymous" in block)
    (project / "models" / "copy.sql").write_text("select * from {{ ref('patients_k2') }}")
    tested = {"version": 2, "models": [{"name": "copy", **yaml.safe_load(shown)}]}
    (project / "models" / "copy.yml").write_text(yaml.safe_dump(tested))
    first, second = (line for block in blocks("sh") if "dbt build" in block for line in block.splitlines())
    done = sh(first, folder)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1) and "keeps these files out of git" in done.stderr
    done = sh(second, folder, DBT)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "k_anonymous_copy" in done.stdout
    assert "ERROR=0" in done.stdout


SQLMESH = Path(sys.prefix) / "sqlmesh" / "bin"


@pytest.mark.long
def test_the_model_with_an_audit_is_audited(folder: Path) -> None:
    if not SQLMESH.exists():
        pytest.skip("SQLMesh is not installed: make test-long installs it into .venv/sqlmesh")
    done = sh("starcloak run job.yaml", folder)
    assert done.returncode == 0, done.stderr
    (folder / "models").mkdir()
    for name in ("audits", "macros"):
        shutil.copytree(installation.sql() / "sqlmesh" / name, folder / name)
    connection = {"type": "duckdb", "database": "warehouse.duckdb"}
    defaults = {"dialect": "duckdb", "start": "2020-01-01"}
    described = {"gateways": {"local": {"connection": connection}}, "model_defaults": defaults}
    (folder / "config.yaml").write_text(yaml.safe_dump(described))
    (shown,) = blocks("sql")
    # Of a release with k = 2, and of one with more.
    for k, passes in (("k := 2", True), ("k := 5", False)):
        (folder / "models" / "cohort.sql").write_text(shown.replace("k := 2", k))
        done = sh("sqlmesh plan --auto-apply --no-prompts", folder, SQLMESH)
        assert ("audits passed 1" in done.stdout) == passes, done.stdout
        assert ("'k_anonymous' audit error: 1 row failed" in done.stdout) != passes, done.stdout


def test_the_line_on_a_preview_runs(folder: Path) -> None:
    job = yaml.safe_load(blocks("yaml")[0])
    with duckdb.connect(str(folder / "hospital.duckdb")) as hospital:
        hospital.execute(
            "create table patients as from read_csv($1, all_varchar = true)", [str(folder / "patients.csv")]
        )
    job |= {"source": {"url": "duckdb:///hospital.duckdb", "table": "patients"}, "output": {"table": "patients_k2"}}
    (folder / "job.yaml").write_text(yaml.safe_dump(job))
    found = re.search(r"`(starcloak compile job.yaml --dialect \w+)`", SHOWS)
    assert found is not None
    done = sh(found[1], folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("-- Translated to snowflake by sqlglot and NOT RUN there")


def test_every_key_of_a_job_and_every_hierarchy_is_explained() -> None:
    from starcloak.commands.documentation import hierarchies
    from starcloak.hierarchy.builder import builders
    from starcloak.job import Job

    for name, field in Job.model_fields.items():
        assert f"`{field.alias or name}`" in SHOWS
    for kind in builders():
        assert re.search(rf"^\| `(\{{{kind}:|{kind}`)", hierarchies(), re.MULTILINE), kind
    assert "{{ hierarchies }}" in SHOWS
    assert "{{ algorithms }}" in SHOWS


def test_the_picture_of_the_lattice_is_what_a_search_leaves() -> None:
    drawn = runpy.run_path(str(ROOT / "docs" / "lattice.py"))
    assert drawn["PICTURE"].read_text(encoding="utf-8") == drawn["drawing"](), "run python docs/lattice.py"


def test_every_key_of_every_document_is_in_the_reference() -> None:
    from starcloak.commands.documentation import documents
    from starcloak.commands.schema import exports

    def keys(schema: Any) -> set[str]:
        inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
        return set(schema.get("properties", {}) if isinstance(schema, dict) else ()).union(*map(keys, inner))

    told = documents()
    for name, schema in exports().items():
        assert {key for key in keys(schema) if f"\n| `{key}` | " not in told[name]} == set()
        assert name == "hierarchy" or f"{{{{ document_{name} }}}}" in SHOWS


def test_exported_schemas_are_those_of_the_models() -> None:
    import json

    from starcloak.base import installation
    from starcloak.commands.schema import exports

    for name, schema in exports().items():
        assert json.loads((installation.schemas() / f"{name}.json").read_text()) == schema, "run make schemas"


def test_the_readmes_job_is_valid_under_the_schema() -> None:
    import json

    import jsonschema
    import yaml

    from starcloak.base import installation

    schema = json.loads((installation.schemas() / "job.json").read_text())
    jsonschema.validate(yaml.safe_load(blocks("yaml")[0]), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"source": {"path": "x.csv"}, "requirement": {"k": 2}}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(blocks("yaml")[0]) | {"surprise": 1}, schema)


def test_every_benchmark_is_in_the_table_of_the_contributors_page() -> None:
    from benchmarks.__main__ import benchmarks

    page = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    table = page.partition("## Benchmarks")[2].partition("## ")[0]
    assert sorted(re.findall(r"\| `([\w-]+)`", table)) == sorted(benchmarks.commands)


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "adding").glob("*.md")), ids=lambda page: page.stem)
def test_every_page_on_adding_names_the_entry_point_of_a_package(page: Path) -> None:
    kinds = re.findall(r'entry-points."starcloak\.(\w+)"', page.read_text(encoding="utf-8"))
    assert len(kinds) == 1 and kinds[0] in KINDS
