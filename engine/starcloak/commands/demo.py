"""The whole story on data that needs no download."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from starcloak.base.errors import OutputError, SourceError
from starcloak.commands import pipeline
from starcloak.job import load_qids, load_source
from starcloak.releases.release import Release
from starcloak.sources import dataset
from starcloak.store.resources import Resources
from starcloak.store.session import private_root

_CENSUS = ["age", "sex", "race", "marital-status", "education", "native-country"]


def run_demo(
    say: Callable[[str], object],
    *,
    data: Path | None = None,
    into: Path | None = None,
    resources: Resources = Resources(),
) -> None:
    """Anonymize the Patients table and a census-like one, and say what happened.

    ``data`` is a folder with Adult; without it Adult is used where it is at hand, the generated census elsewhere.
    Reports go ``into`` a folder, by default one of the user's own among the temporary ones.
    """
    name = _at_hand(data)
    say("1  Six patients (LeFevre, DeWitt, Ramakrishnan 2005, Figure 1), k = 2\n")
    patients = pipeline.run(
        {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}},
        resources=resources,
    )
    say(patients.to_pandas().to_string(index=False))
    say(_findings(patients))
    say(f"\n2  The {name} table, {len(_CENSUS)} quasi-identifiers, at most 1 % of the rows suppressed\n")
    with tempfile.TemporaryDirectory() as folder:
        for k in (2, 10, 50):
            path = Path(folder) / f"{name}-k{k}.csv"
            release = pipeline.run(
                {
                    "source": {"dataset": name},
                    "schema": "adult/incognito-2005",
                    "quasi_identifiers": _CENSUS,
                    "sensitive": ["salary-class"],
                    "requirement": {"k": k, "suppression": "0.01"},
                    "objective": {"minimize": "loss"},
                    "output": {"path": str(path)},
                },
                resources=resources,
            )
            result = release.result
            say(
                f"k = {k:<3} {result.released_rows:,} of {result.rows:,} rows, smallest class {result.k}, "
                f"loss {result.measures.loss:.3f}, {result.seconds.total:.1f} s"
            )
            say(_findings(release))
        asked = load_qids([{"attributes": _CENSUS, "k": 50}])
        verdict = pipeline.check(load_source({"path": path}), asked, resources=resources)
        answer = f"k = {verdict.qids[0].k}" if verdict.holds else "does not hold"
        say(f"\n3  The last release, checked again as any table: {answer}")
    say("\nThe SQL of the first release:\n")
    say(patients.sql())
    say(f"\n4  The reports on the {name} release with k = 50, and on a local recoding of it:\n")
    folder_of_reports = _folder(into or private_root() / "demo")
    for shown, kind in ((release, "full-domain"), (_local(name, resources), "local")):
        say(f"    {shown.report(folder_of_reports / f'{name}-{kind}.html')}")


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be made ({type(error).__name__}): check --into") from None
    return path


def _local(name: str, resources: Resources) -> Release:
    job = {"source": {"dataset": name}, "schema": "adult/incognito-2005", "quasi_identifiers": _CENSUS}
    rest = {"sensitive": ["salary-class"], "requirement": {"k": 50}, "algorithm": {"name": "mondrian"}}
    return pipeline.run({**job, **rest}, resources=resources)


def _at_hand(data: Path | None) -> str:
    if data is not None:
        os.environ["STARCLOAK_DATA"] = str(data)
        dataset.adult_folder(data)
        return "adult"
    try:
        dataset.adult_folder(download=False)
    except SourceError:
        return "census"
    return "adult"


def _findings(release: Release) -> str:
    levels = ", ".join(
        f"{name} {release.result.recoding.label(name, level)}" for name, level in release.result.recoding.levels.items()
    )
    search = release.result.search
    return (
        f"        levels {levels}; {search.checked} nodes checked, "
        f"{search.anonymous_nodes} of {search.lattice_nodes} k-anonymous"
    )
