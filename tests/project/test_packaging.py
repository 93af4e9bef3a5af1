"""What is shipped beside the code: the package's description, the image, the checks before a commit, the matrix."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

import starcloak
from starcloak.base.errors import JobError
from starcloak.job import load
from starcloak.job.result import Result
from tests import matrix, public_interface

ROOT = Path(__file__).parents[2]
HADOLINT = Path(sys.prefix) / "hadolint" / "bin" / "hadolint"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, each on one line."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_package_is_described() -> None:
    assert PROJECT["readme"] == "README.md" and PROJECT["authors"] and len(PROJECT["keywords"]) > 5
    versions = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", each)]
    assert tuple(versions) == matrix.PYTHONS
    assert PROJECT["requires-python"] == f">={matrix.PYTHONS[0]}"
    text = (ROOT / "pyproject.toml").read_text()
    assert not re.search(r"https?://(localhost|\d|[\w-]+(:\d+)?/)", text)  # no machine's address


def test_pre_commit_checks_what_make_checks() -> None:
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    rule = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert rule is not None
    made = [line.strip().replace("$(BIN)", ".venv/bin") for line in rule[1].splitlines()]
    assert [hook["entry"] for hook in local["hooks"]] == made


def test_the_matrix_names_every_python_and_duckdb() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "matrix.py"), "--list"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(matrix.PYTHONS) * (len(matrix.DUCKDBS) + 1) + 1
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"Python {here}, DuckDB 2.0: " in done.stdout
    lower, upper = re.findall(r"[\d.]+", next(each for each in PROJECT["dependencies"] if each.startswith("duckdb")))
    assert matrix.DUCKDBS[0] == lower and int(matrix.DUCKDBS[-1][0]) < int(upper)


def test_the_image_is_built_of_what_is_there_and_runs_as_nobody_special() -> None:
    told = instructions()
    known = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD"}
    assert {word for word, _ in told} <= known and told[0][0] == "FROM"
    stages = [rest.split()[-1] for word, rest in told if word == "FROM" and " AS " in rest]
    for word, rest in told:
        if word == "COPY":
            *sources, _ = [part for part in rest.split() if not part.startswith("--")]
            (stage,) = [part[7:] for part in rest.split() if part.startswith("--from=")] or [None]
            assert stage in stages if stage else all((ROOT / source).exists() for source in sources)
    assert all(":" in rest and ":latest" not in rest for word, rest in told if word == "FROM")
    assert [rest for word, rest in told if word == "USER"][-1] not in ("root", "0")
    (entry,) = (json.loads(rest) for word, rest in told if word == "ENTRYPOINT")
    assert entry[0] in PROJECT["scripts"]
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert ".git" in ignored and ".venv" in ignored


@pytest.mark.long
@pytest.mark.skipif(not HADOLINT.exists(), reason="hadolint is not installed: make test-long installs it")
def test_a_linter_has_nothing_to_say_of_the_image() -> None:
    done = subprocess.run([str(HADOLINT), str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.long
def test_the_steps_of_the_image_make_a_command_that_runs(tmp_path: Path) -> None:
    """Without a builder of images: each RUN in an environment of its own, with its folders under another root."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    here = tmp_path / "src"
    for name in ("engine", "sql", "schemas", "README.md", "LICENSE", "pyproject.toml", "constraints.txt"):
        source = ROOT / name
        here.mkdir(exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, here / name)
    (tmp_path / "wheels").mkdir()
    shutil.copy(ROOT / "constraints.txt", tmp_path / "wheels")
    for word, rest in instructions():
        if word == "RUN":
            command = rest.replace("/wheels", f"{tmp_path}/wheels").replace("pip ", f"{tmp_path}/venv/bin/pip ")
            command = re.sub(r"&& useradd .*", "", command)
            done = subprocess.run(["sh", "-ec", command], cwd=here, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr[-2000:]
    (entry,) = (json.loads(rest) for word, rest in instructions() if word == "ENTRYPOINT")
    command = [str(tmp_path / "venv" / "bin" / entry[0]), *shlex.split("demo --into reports")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(list((tmp_path / "reports").glob("*.html"))) == 2


def test_the_lowest_declared_version_of_each_dependency_is_tried() -> None:
    lines = matrix.constraints("lowest")
    assert {"click==8.2.*", "duckdb==2.0.*", "pandas==2.2.*", "psycopg==3.2.*", "python-multipart==0.0.20"} <= set(
        lines
    )
    declared = {re.split(r"[\[<>=]", line)[0] for line in PROJECT["dependencies"]}
    assert declared <= {line.partition("==")[0] for line in lines}
    assert matrix.constraints("newest") == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_has_all_that_a_run_reads_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        names = set(content.namelist())
        (metadata,) = [content.read(name).decode() for name in names if name.endswith("dist-info/METADATA")]
    expected = {
        f"starcloak/{path.relative_to(base)}"
        for base, folder in ((ROOT, "sql"), (ROOT, "schemas"), (ROOT / "engine" / "starcloak", ""))
        for path in (base / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert {".sql", ".json", ".yaml", ".html", ".py", ".typed"} <= {Path(name).suffix or name[-6:] for name in expected}
    assert wheel.stat().st_size < 3_000_000
    assert all(f"Provides-Extra: {extra}\n" in metadata for extra in PROJECT["optional-dependencies"])
    assert not re.search(r"[\\:*?<>|]|[. ]$", "".join(f"{name}\n" for name in names), re.MULTILINE)  # for Windows


def test_all_extras_are_in_all() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.findall(r"[a-z]+", everything.partition("[")[2]))
    assert named == set(extras) - {"all", "spark", "test"}
    tested = {line.partition(">")[0].partition("<")[0] for line in extras["test"]}
    assert {line.partition(">")[0] for extra in named for line in extras[extra]} <= tested


def test_the_public_interface_is_as_listed() -> None:
    """A change needs a line in the changelog; a name goes only after one minor version with a warning."""
    assert public_interface.listing() == public_interface.FILE.read_text(encoding="utf-8"), (
        "the public interface changed: if that is meant, run python -m tests.public_interface"
    )


@pytest.mark.long
def test_the_wheel_works_in_an_empty_environment_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    install = [python, "-m", "pip", "install", "-qq", "--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([*install, f"{wheel}[studio,excel]"], check=True)
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    alone["XDG_STATE_HOME"] = str(tmp_path)
    program = shutil.copy(ROOT / "tests" / "installed.py", tmp_path)
    done = subprocess.run([python, program], cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    print(done.stdout)


@pytest.mark.parametrize("version", [2, 0, "1.0", True, None])
def test_a_job_of_another_version_is_refused(version: object) -> None:
    job = {"quasi_identifiers": {"age": "suppress"}, "requirement": {"k": 2}}
    assert load(job).version == load({**job, "version": 1}).version == 1
    with pytest.raises(
        JobError, match=r"reads jobs of version 1 only: install the version of starcloak .* leave the key version out"
    ):
        load({**job, "version": version})


def test_a_result_of_an_older_version_is_read_and_one_of_a_newer_version_refused() -> None:
    job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    older = starcloak.run(job).result.model_dump(mode="json", exclude={"version"})
    assert Result.model_validate(older).version == 1
    with pytest.raises(ValidationError, match="version"):
        Result.model_validate({**older, "version": 2})
