"""Fung, Wang, Yu 2007, Figure 10's setting: a masking learnt on nine tenths of the rows, tried on the tenth.

Adult's training rows, the requirement and the attributes of Iyengar 2002; other attributes build no classifier. Of the
errors the paper compares with, those of Iyengar's genetic algorithm, its text has no numbers.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pandas

from benchmarks.classification import classifiers, labelled
from benchmarks.classification.errors import INFOGAIN, SCORE, errors_of, masked
from benchmarks.classification.labelled import PART, Labelled
from benchmarks.shared import adult
from benchmarks.shared.clusterings import grid
from benchmarks.shared.settings import Settings

ATTRIBUTES = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
KS = (10, 50, 100, 250, 500, 1000)
FOLDS = 10
CRITERIA = {"TDR, Score": SCORE, "TDR, InfoGain": INFOGAIN}


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """BE, UE and, by criterion and k, AE: means over the folds."""
    table = labelled.load("Adult")
    if table is None:
        yield {"skipped": adult.MISSING}
        return
    known = classifiers.all_of(settings.weka)
    folds = _folds(table)[: 1 if settings.quick else FOLDS]
    hierarchies = table.hierarchies(list(ATTRIBUTES), generalize=True)
    base = _mean([errors_of(each.frame, ATTRIBUTES, known) for each in folds])
    upper = _upper(folds)
    done: list[int] = []
    errors: dict[str, list[dict[str, float]]] = {name: [] for name in CRITERIA}
    for k in KS[-1:] if settings.quick else KS:
        for name, algorithm in CRITERIA.items():
            click.echo(f"{name}, k = {k}", err=True)
            errors[name].append(_mean([_anonymity_error(each, hierarchies, algorithm, k, known) for each in folds]))
        done.append(k)
        yield {"classifiers": list(known), "folds": len(folds), "ks": done, "BE": base, "UE": upper, "AE": errors}


def table(body: Mapping[str, Any]) -> str:
    """The errors in percent as Markdown tables."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"Adult's training rows, means of {body['folds']} folds of a cross-validation: each masking is learnt on the "
        "training rows of a fold and applied to its test rows. Attributes: {Ag, W, E, M, O, Ra, S, N}, generalized, "
        "but age discretized; no others. UE: by the more frequent class alone."
    ]
    for name in body["classifiers"]:
        rows = {f"{kind}: AE": [f"{100 * each[name]:.2f}" for each in by_k] for kind, by_k in body["AE"].items()}
        title = f"Figure 10, {name}: BE {100 * body['BE'][name]:.2f}; UE {100 * body['UE']:.2f}"
        lines += grid(title, "k", body["ks"], rows)
    return "\n".join(lines)


def _folds(table: Labelled) -> list[Labelled]:
    """The training rows alone, with a tenth of them as test rows in turn."""
    from sklearn.model_selection import StratifiedKFold

    rows = table.frame[table.frame[PART] == "train"].reset_index(drop=True)
    parts = StratifiedKFold(FOLDS, shuffle=True, random_state=1).split(rows, rows[labelled.CLASS])
    folds = []
    for _, test in parts:
        part = pandas.Series("train", index=rows.index)
        part.iloc[test] = "test"
        folds.append(replace(table, frame=rows.assign(**{PART: part})))
    return folds


def _anonymity_error(
    fold: Labelled,
    hierarchies: Mapping[str, Any],
    algorithm: Mapping[str, Any],
    k: int,
    known: Mapping[str, classifiers.Classifier],
) -> dict[str, float]:
    is_train = fold.frame[PART] == "train"
    release = masked(replace(fold, frame=fold.frame[is_train]), hierarchies, algorithm, {"k": k})
    both = pandas.concat([release.to_pandas(), release.apply(fold.frame[~is_train], k=1)], ignore_index=True)
    return errors_of(both, ATTRIBUTES, known)


def _upper(folds: Sequence[Labelled]) -> float:
    """UE: without the quasi-identifier nothing is left but the class."""
    shares = folds[0].frame[labelled.CLASS].value_counts(normalize=True)
    return round(1 - float(shares.max()), 5)


def _mean(errors: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(statistics.fmean(each[name] for each in errors), 5) for name in errors[0]}
