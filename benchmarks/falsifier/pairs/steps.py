"""One scenario from its source to all that is published of it, and what was done besides."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pandas
import pyarrow
import yaml
from pyarrow import parquet

import starcloak as sc
from benchmarks.falsifier import running, scripts
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.files import GIVEN, WRITERS, read_csv
from benchmarks.falsifier.hosts import Released
from benchmarks.falsifier.pairs import figures, judge
from benchmarks.falsifier.pairs.features import SERVED, Outcome, drafted
from benchmarks.falsifier.pairs.publication import Publication, publication
from benchmarks.falsifier.pairs.world import ROW, SITE, Draft, Night, World, build, cleaning, grown
from benchmarks.falsifier.places import RELEASE, TABLE, Places
from benchmarks.falsifier.refute import at_home


class UnfitError(Exception):
    """A scenario that cannot be made here, such as one of a server that was not started."""


@dataclass
class Scene:
    """A scenario while it runs: its files, what is published so far, and what it came to."""

    draft: Draft
    world: World
    spot: Places
    outcome: Outcome = field(default_factory=Outcome)
    published: list[Publication] = field(default_factory=list)

    def place(self, night: int) -> tuple[str, Places]:
        """The kind of target and the places of a night's release."""
        if not night or self.draft.refresh:
            return self.draft.target, self.spot
        if self.draft.against or self.draft.rng.random() < 0.5:
            return "csv", replace(self.spot, name="later")
        return self.draft.target, self.spot


def run(names: frozenset[str], seed: str, folder: Path, servers: Mapping[str, str]) -> Outcome:
    """Run the scenario of some features in an empty folder, which is empty again afterwards."""
    draft = drafted(names, Draft(Random(seed)))
    with at_home(folder):
        spot = folder / "job"
        spot.mkdir()
        try:
            return _run(draft, Places(spot, servers))
        finally:
            shutil.rmtree(spot)


def _run(draft: Draft, spot: Places) -> Outcome:
    scene = Scene(draft, World((), {}, {}, frozenset()), spot)
    outcome = scene.outcome
    try:
        _refuse_missing_server(draft, spot)
        scene.world = build(draft)
        spot.prepare(scene.world.nights[0].written)
        if draft.killed:
            _kill(scene)
        for night in range(draft.nights):
            if night:
                spot.rewrite(scene.world.nights[night].written)
            _release(scene, night)
            if not night:
                for extra in draft.extras:
                    _besides(scene, extra)
        outcome.findings += judge.leaks(scene.world, scene.published, _readable(scene), outcome)
    except UnfitError as error:
        outcome.refusal = ("Unfit", "generator", str(error))
    except sc.StarcloakError as error:
        outcome.refusal = _refusal(error, spot, "a run")
    outcome.findings = list(dict.fromkeys(outcome.findings))
    outcome.released = any(shown.report is not None for shown in scene.published)
    return outcome


def _refusal(error: sc.StarcloakError, spot: Places, step: str) -> tuple[str, str, str]:
    told = str(error).replace(str(spot.folder), "<folder>")
    return type(error).__name__, step, re.sub(r"^.*?\.yaml: ", "", told)


def _besides(scene: Scene, extra: str) -> None:
    """Do what is done beside the first run; its refusal ends nothing else."""
    try:
        _STEPS[extra](scene)
    except sc.StarcloakError as error:
        scene.outcome.refusal = _refusal(error, scene.spot, extra)


def _refuse_missing_server(draft: Draft, spot: Places) -> None:
    """Refuse a server that was not started."""
    if draft.source in SERVED and draft.source not in spot.servers:
        raise UnfitError("there is no server")


# ------------------------------------------------------------------------------------------------------------- jobs


def described(scene: Scene, night: int, case: Case, spot: Places) -> dict[str, Any]:
    """The job of a night."""
    draft = scene.draft.at(night)
    job = running.described(case, spot)
    if draft.person in ("row", "set"):
        columns = [draft.person_column, SITE] if draft.two_columns else [draft.person_column]
        job["identifiers"] = [name for name in job["identifiers"] if name not in columns]
        named = columns if draft.two_columns else draft.person_column
        job["person"] = {"column": named, "as": "set"} if draft.person == "set" else named
    if draft.roles == "others":
        del job["identifiers"]
        job["others"] = "identifiers"
    elif draft.roles == "pattern":
        job["keep"] = [f"{ROW[0]}*" if name == ROW else name for name in job["keep"]]
    if rules := cleaning(draft, night):
        job["clean"] = rules
    if draft.keep_dimensions:
        job["keep_dimensions"] = True
    if draft.refresh:
        job |= {"refresh": True, "departures": draft.refresh}
    if night and draft.against:
        job["against"] = [scene.published[0].place]
        if draft.accept:
            job["accept"] = {"joint_k": 1}
    return job


def _cases(scene: Scene, night: int) -> tuple[Night, Case, Places]:
    """The night with its own k, its case as it is written, and its places."""
    draft, now = scene.draft.at(night), scene.world.nights[night]
    target, spot = scene.place(night)
    changed: dict[str, Any] = {"target": target}
    if night and not draft.refresh:
        changed |= _variation(draft)
    now = replace(now, truth=replace(now.truth, **changed), written=replace(now.written, **changed))
    return now, now.written, spot


def _variation(draft: Draft) -> dict[str, Any]:
    """Difference of another job of the same source: none, k, or the algorithm."""
    if draft.several_qids:
        return {}
    is_plain = not (draft.models or draft.population or draft.distinct or draft.person == "set")
    other = {"name": "kaca" if draft.algorithm["name"] == "sweep" else "sweep"}
    return draft.rng.choice([{}, {"k": draft.k + 1}, *([{"algorithm": other}] * 2 if is_plain else [])])


def _frame(case: Case) -> Any:
    return GIVEN[case.frame](case) if case.source == "frame" else None


def _release(scene: Scene, night: int) -> None:
    """Run the job of a night, and judge what it published."""
    draft, outcome = scene.draft.at(night), scene.outcome
    now, written, spot = _cases(scene, night)
    job = described(scene, night, written, spot)
    path = spot.inputs / f"job {night}.yaml"
    path.write_text(yaml.safe_dump(_plain(job), allow_unicode=True, sort_keys=False), encoding="utf-8")
    made = sc.run(path, frame=_frame(written), resources=running.resources(written), force=not draft.killed)
    report = made.to_dict()
    released = spot.read(now.truth)
    place = spot.target(now.truth) or {}
    shown = publication(scene.world, now, released, report, place.get("path", place))
    scene.published.append(shown)
    outcome.facts |= judge.facts(draft, now, shown, night)
    outcome.findings += judge.release(draft, scene.world, now, shown)
    if night and draft.refresh and not report["unchanged"]:
        before = scene.published[-2]
        outcome.findings += judge.guarded(lambda: figures.refreshed(draft, now, before, shown))
    outcome.findings += judge.joint(draft, scene.world, scene.published, outcome)


def _plain(value: Any) -> Any:
    """A job without tuples, which YAML cannot have."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


# ------------------------------------------------------------------------------------------------------ a killed run


def _kill(scene: Scene) -> None:
    """Have a run of the first night killed just after or just before it publishes; then its table may be dropped."""
    now, spot = scene.world.nights[0], scene.spot
    changed = {} if scene.draft.refresh else _variation(scene.draft)
    now = replace(now, truth=replace(now.truth, **changed), written=replace(now.written, **changed))
    job = described(scene, 0, now.written, spot)
    path = spot.inputs / "killed.yaml"
    path.write_text(yaml.safe_dump(_plain(job), allow_unicode=True, sort_keys=False), encoding="utf-8")
    after = scene.draft.rng.random() < 0.7
    child = multiprocessing.get_context("fork").Process(target=_killed, args=(path, now.written, after))
    child.start()
    child.join()
    if child.exitcode != -signal.SIGKILL:
        return  # the job is refused, and its next run says so
    scene.outcome.facts.add("killed at publication")
    if after:
        released = _read_once_free(spot, now.truth)
        place = spot.target(now.truth) or {}
        scene.published.append(publication(scene.world, now, released, None, place.get("path", place)))
        home = spot.home(now.written)
        if scene.draft.rng.random() < 0.5:
            if home is None:
                for file in spot.outputs.iterdir():
                    file.unlink() if file.is_file() else shutil.rmtree(file)
            else:
                home.run(*((f"drop table {home.quoted(name)}", ()) for name in home.tables() - {TABLE, "another"}))


def _read_once_free(spot: Places, case: Case) -> Released:
    """The release of a killed run, once the run's writing process has let go of the file."""
    for _ in range(100):
        try:
            return spot.read(case)
        except duckdb.IOException as error:
            if "lock" not in str(error):
                raise
            time.sleep(0.1)
    return spot.read(case)


def _killed(path: Path, case: Case, after: bool) -> None:
    """Run a job in this process, which ends in the middle."""
    from starcloak.releases.targets import database_table, duckdb_table, file, swapped_table

    modules = (file, swapped_table, database_table, duckdb_table)
    kinds = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    for kind in kinds:
        if "publish" in vars(kind):
            setattr(kind, "publish", _ending(vars(kind)["publish"], after))  # noqa: B010
    try:
        sc.run(path, frame=_frame(case), resources=running.resources(case))
    finally:
        os._exit(3)


def _ending(publish: Callable[..., None], after: bool) -> Callable[..., None]:
    def ended(*given: Any, **named: Any) -> None:
        if after:
            publish(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    return ended


# ------------------------------------------------------------------------------------------------------------ besides


def _job_path(scene: Scene) -> Path:
    return scene.spot.inputs / "job 0.yaml"


def _first(scene: Scene) -> tuple[Night, Publication]:
    return scene.world.nights[0], scene.published[-1]


def _applied(how: str) -> Callable[[Scene], None]:
    """A step that masks the source after it grew or changed."""

    def apply(scene: Scene) -> None:
        from starcloak.commands.kept_release import masked
        from starcloak.job import load_source

        now, shown = _first(scene)
        other, whose = grown(scene.draft, scene.world, how)
        exempt = scene.draft.person is not None or bool(scene.draft.models) or bool(now.truth.population)
        k = 1 if exempt else None
        kind = "csv" if scene.draft.source == "csv" else "parquet"
        path = scene.spot.inputs / f"{how}.{kind}"
        WRITERS[kind](path, other.written)
        into = scene.spot.inputs / f"{how} and masked.parquet"
        rows = masked(_job_path(scene), (), load_source({"path": str(path)}), into=into, k=k)
        released = Released(list(rows.column_names), [tuple(row.values()) for row in rows.to_pylist()])
        scene.outcome.facts.add(f"apply: {how}")
        scene.outcome.findings += judge.masked(scene.draft, whose, other, shown, released, exempt=k == 1)

    return apply


def _mapping(scene: Scene) -> None:
    from starcloak.commands.kept_release import recoding_of
    from starcloak.commands.masking import apply_recoding
    from starcloak.job import load_source

    now, shown = _first(scene)
    place = scene.spot.target(now.truth) or {}
    if "table" in place and "url" not in place:
        place = {**place, "url": (scene.spot.source(now.written) or {})["url"]}
    rows = apply_recoding.mapping(recoding_of(load_source(place))).to_pylist()
    scene.outcome.facts.add("mapping")
    scene.outcome.findings += judge.mapping(now, shown, rows)


def _script(scene: Scene) -> None:
    """Run the script of the release twice, and once more after the source grew."""
    now, shown = _first(scene)
    if not now.written.is_file:
        if scripts.fits(now.written) and scene.draft.person not in ("row", "set"):
            job = described(scene, 0, now.written, scene.spot)
            rows = scripts.run(now.written, job, scene.spot)
            scene.outcome.findings += scripts.differences(now.truth, shown.released, rows)
            scene.outcome.facts.add("script")
        return
    spot = replace(scene.spot, name="scripted")
    script = sc.compile(_plain(described(scene, 0, now.written, spot)))
    for _ in range(2):
        _run_script(script, spot, now.truth)
        scene.outcome.findings += scripts.differences(now.truth, shown.released, spot.read(now.truth))
    scene.outcome.facts.add("script")
    other, _ = grown(scene.draft, scene.world, "grown")
    spot.rewrite(other.written)
    try:
        _run_script(script, spot, now.truth)
        scene.outcome.findings.append("certificate: a script of another source publishes")
    except duckdb.Error:
        pass
    finally:
        spot.rewrite(now.written)
        (spot.file(now.truth) or spot.inputs).unlink(missing_ok=True)


def _run_script(script: str, spot: Places, case: Case) -> None:
    """Run a script by DuckDB's own client, in the place of the release that it made before."""
    (spot.file(case) or spot.inputs).unlink(missing_ok=True)
    with duckdb.connect() as connection:
        connection.execute(script)


def _dbt(scene: Scene) -> None:
    from starcloak.commands import pipeline

    folder = scene.spot.folder / "dbt"
    folder.mkdir()
    (folder / "dbt_project.yml").write_text("name: project\nversion: '1.0'\n", encoding="utf-8")
    files = pipeline.compile_dbt(_job_path(scene), folder)
    seeds = [path for path in files if path.suffix == ".csv"]
    scene.outcome.facts |= {"dbt"} if seeds else set()
    told = {f"dbt file {path.name}": path.read_bytes() for path in seeds if path.stat().st_mode & 0o077}
    scene.outcome.findings += judge.leaks(scene.world, scene.published, told, scene.outcome)
    for path in seeds:
        read_csv(path)


def _report(scene: Scene) -> None:
    from starcloak.commands import find_result
    from starcloak.exports.report import write

    now, shown = _first(scene)
    into = scene.spot.outputs / "report.html"
    if now.written.source == "frame":
        place = scene.spot.target(now.truth) or {}
        from starcloak.job import load_source

        result, published = find_result.of_place(load_source(place)), True
    else:
        result, published = find_result.of_job(_job_path(scene), into)
    write.write(result, into, published=published)
    scene.outcome.facts.add("report")
    scene.outcome.findings += judge.page(scene.draft, scene.world, now, shown, into.read_text(encoding="utf-8"))
    if not published:
        scene.outcome.findings.append("report: the job's release is out, and its report says that none is")


def _explain(scene: Scene) -> None:
    _, shown = _first(scene)
    explained = sc.explain(_job_path(scene), frame=_frame(scene.world.nights[0].written))
    scene.outcome.facts.add("explain")
    scene.outcome.findings += judge.explained(shown, explained)


def _studio(scene: Scene) -> None:
    now, shown = _first(scene)
    frame = _frame(now.written)
    previewed = sc.preview(_job_path(scene), frame=frame)
    scene.outcome.facts.add("studio")
    scene.outcome.findings += judge.previewed(scene.draft, now, shown, previewed)
    fits = not (scene.draft.several_qids or scene.draft.population or scene.draft.person == "set" or scene.draft.models)
    fits = fits and not any("max_suppressed" in bound for bound in scene.draft.bounds.values())
    if scene.draft.algorithm["name"] in ("witness", "incognito", "bottom-up") and fits:
        counted = sc.lattice(_job_path(scene), frame=frame)
        scene.outcome.findings += judge.lattice(now, counted.at(now.truth.k or 1, now.truth.suppression), counted)


def _init(scene: Scene) -> None:
    """Draft a job for the source, and run it as it is; a refusal of the drafted job is a finding."""
    now, spot = scene.world.nights[0], scene.spot
    source = spot.source(now.written)
    frame = _frame(now.written)
    path = spot.inputs / "drafted.yaml"
    try:
        sc.init(frame if source is None else source, path)
        made = sc.run(path, frame=frame)
    except sc.StarcloakError as error:
        scene.outcome.findings.append(f"init: the drafted job is refused, {type(error).__name__}: {error}")
        return
    scene.outcome.facts.add("init")
    table: pandas.DataFrame = made.to_pandas()
    rows = [tuple(row) for row in table.itertuples(index=False, name=None)]
    scene.outcome.findings += judge.drafted(scene.world, made.to_dict(), Released(list(table.columns), rows))


_STEPS: dict[str, Callable[[Scene], None]] = {
    "grown": _applied("grown"),
    "changed": _applied("changed"),
    "mapping": _mapping,
    "script": _script,
    "dbt": _dbt,
    "report": _report,
    "explain": _explain,
    "studio": _studio,
    "init": _init,
}


def _readable(scene: Scene) -> dict[str, bytes]:
    """All bytes that readers of the releases get, by what they are."""
    spot, case = scene.spot, scene.world.nights[0].written
    told = {f"file {path.name}": _content(path) for path in spot.outputs.rglob("*") if path.is_file()}
    home = spot.home(case)
    if home is not None:
        hidden = {TABLE} if not case.moves else set()
        for name in sorted(home.tables() - hidden):
            told[f"table {name.replace(RELEASE, 'release')}"] = repr(home.read(name).rows).encode()
    return told


def _content(path: Path) -> bytes:
    """The bytes of a file; of a Parquet file, whose pages are compressed, the texts of its pages and of its footer.

    Compressed bytes show parts of several values side by side, which look like a value that the file does not have.
    """
    if path.suffix != ".parquet":
        return path.read_bytes()
    texts = [column.name for column in parquet.read_schema(path) if pyarrow.types.is_string(column.type)]
    file = parquet.ParquetFile(path, read_dictionary=texts)
    told = [repr(file.schema_arrow.metadata), repr(file.metadata.metadata)]
    for column in file.read().columns:
        for chunk in column.chunks:
            pages = chunk.dictionary if isinstance(chunk, pyarrow.DictionaryArray) else chunk
            told.append(repr(pages.to_pylist()))
    for group in range(file.metadata.num_row_groups):
        row_group = file.metadata.row_group(group)
        told += [repr(row_group.column(at).statistics) for at in range(row_group.num_columns)]
    return "\n".join(told).encode()
