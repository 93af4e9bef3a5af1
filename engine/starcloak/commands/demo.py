"""Demonstration: two tables are anonymized, verified and reported on, without a download."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import OutputError, SourceError
from starcloak.commands import pipeline
from starcloak.commands.release import Release
from starcloak.job import load_qids, load_source
from starcloak.sources import dataset
from starcloak.store.resources import Resources
from starcloak.store.session import private_root

if TYPE_CHECKING:
    from pandas import DataFrame

_CENSUS = ["age", "sex", "race", "marital-status", "education", "native-country"]
_K = 10


def run_demo(
    say: Callable[[str], object],
    *,
    data: Path | None = None,
    into: Path | None = None,
    resources: Resources = Resources(),
) -> None:
    """Anonymize the Patients table and a census table; each step is described by a call of ``say`` with a text.

    ``data`` is a folder with the Adult data set. Without it, Adult is used if it is found on this machine, else a
    generated census. Releases, reports and SQL go to the folder ``into``, by default a private temporary folder of the
    user.
    """
    name = _at_hand(data)
    folder = _folder(into or private_root() / "demo")
    _patients(say, folder, resources)
    _census(say, name, folder, resources)
    say(f"\nAll of it is in {folder}: two releases, a report on each (.html), and patients.sql, which made the first.")
    say("Now your own:\n\n    starcloak init FILE --into job.yaml    # drafts a job, to read and to change")
    say("    starcloak run job.yaml                # anonymizes, verifies, publishes")


def _patients(say: Callable[[str], object], folder: Path, resources: Resources) -> None:
    """Show the six rows of Patients before and after anonymization (LeFevre, DeWitt, Ramakrishnan 2005, Figure 1)."""
    from pandas import read_csv

    job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    release = pipeline.run(job, resources=resources)
    say(
        "1  Six patients. A reader who knows birth date, sex and zip code of a patient finds the row, and the "
        "disease.\n"
    )
    before = read_csv(dataset.files("patients")[0], dtype=str)
    for left, right in zip(_lines(before, "before"), _lines(release.to_pandas(), "after: k = 2"), strict=True):
        say(f"   {left}    {right}")
    say(_paragraph(f"{_in_words(release)}."))
    (folder / "patients.sql").write_text(release.sql(), encoding="utf-8")


def _census(say: Callable[[str], object], name: str, folder: Path, resources: Resources) -> None:
    """Show the census released by the algorithm full-domain, then by sweep, and check the second release."""
    say(f"\n2  The {name} table, k = {_K}. Loss is 0 for an unchanged table, and 1 if every cell became *.")
    say(_paragraph(f"Every combination of {', '.join(_CENSUS)} in the release stands for {_K} people or more."))
    plain = _release(name, folder, resources, "full-domain", suppression="0.01")
    say(_paragraph(f"One level per column loses {_loss(plain)}: {_in_words(plain)}."))
    mixed = _release(name, folder, resources, "sweep")
    say(_paragraph(f"Levels mixed within a column (sweep) lose {_loss(mixed)}. Unchanged: {_kept(mixed)}."))
    qids = load_qids([{"attributes": _CENSUS, "k": _K}])
    verdict = pipeline.check(load_source({"path": _place(folder, name, "sweep")}), qids, resources=resources)
    answer = f"k = {verdict.qids[0].k}" if verdict.holds else "it does not hold"
    say(_paragraph(f"The same release, checked like a table from another program: {answer}."))


def _release(name: str, folder: Path, resources: Resources, algorithm: str, suppression: str = "0") -> Release:
    job: dict[str, Any] = {
        "source": {"dataset": name},
        "schema": "adult/incognito-2005",
        "quasi_identifiers": _CENSUS,
        "sensitive": ["salary-class"],
        "requirement": {"k": _K, "suppression": suppression},
        "output": {"path": str(_place(folder, name, algorithm)), "replace": True},
    }
    if algorithm != "full-domain":
        job["algorithm"] = {"name": algorithm}
    release = pipeline.run(job, resources=resources)
    release.report(_place(folder, name, algorithm).with_suffix(".html"))
    return release


def _place(folder: Path, name: str, algorithm: str) -> Path:
    return folder / f"{name}-{algorithm}.csv"


def _lines(rows: DataFrame, title: str) -> list[str]:
    """A table as lines of text with the same width, below its title; rows are sorted by the last column."""
    lines: list[str] = rows.sort_values(rows.columns[-1]).to_string(index=False).splitlines()
    return [title.ljust(len(lines[0])), *lines]


def _paragraph(text: str) -> str:
    return "\n" + textwrap.fill(text, 110, initial_indent="   ", subsequent_indent="   ")


def _loss(release: Release) -> str:
    return f"{release.result.measures.loss:.2f}"


def _in_words(release: Release) -> str:
    """The outcome for quasi-identifiers and rows, in words."""
    rows = release.to_pandas()
    heights = release.result.recoding.heights
    words: dict[str, list[str]] = {}
    for name, level in release.result.recoding.levels.items():
        count = rows[name].nunique()
        became = "as it was" if not level else "gone" if level == heights[name] else f"in {count} groups"
        words.setdefault(became, []).append(name)
    left_out = release.result.suppressed_rows
    lost = [f"{left_out:,} of {release.result.rows:,} rows are suppressed"] if left_out else []
    return "; ".join([*(f"{' and '.join(names)} {became}" for became, names in words.items()), *lost])


def _kept(release: Release) -> str:
    shares = {name: float(share["0"]) for name, share in release.result.measures.level_shares.items()}
    return ", ".join(f"{'all' if share == 1 else f'{int(100 * share)} %'} of {name}" for name, share in shares.items())


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be made ({type(error).__name__}): check --into") from None
    return path


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
