"""Classifiers built on one part of a table and tried on the other: the share of its rows that they get wrong."""

from __future__ import annotations

import re
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas

from benchmarks.classification.labelled import CLASS, PART
from benchmarks.shared.process import BenchmarkError

Classifier = Callable[[pandas.DataFrame, Sequence[str]], float]

# Of these the one of the least error in cross-validation on training rows prunes the tree, of equal ones the largest.
_ALPHAS = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0005, 0.0003, 0.0002, 0.0001, 0)
_FOLDS = 3
_BINS = 10

_Told = TypeVar("_Told")


def decision_tree(frame: pandas.DataFrame, attributes: Sequence[str]) -> float:
    """scikit-learn's tree by entropy, pruned by cost complexity; nothing is learnt from test rows.

    Texts stand in the order of their shares of the second class, in which the best split of two classes is one in two
    runs (Breiman, Friedman, Olshen, Stone: Classification and Regression Trees, 1984, section 4.2.2).
    """
    from sklearn.model_selection import StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    train, test = _parts(frame)
    labels = pandas.factorize(frame[CLASS], sort=True)[0]

    def right(learn: np.ndarray, tried: np.ndarray, alphas: Sequence[float]) -> np.ndarray:
        features = _ordered(frame, attributes, learn, labels == 1)
        scores = []
        for alpha in alphas:
            tree = DecisionTreeClassifier(criterion="entropy", ccp_alpha=alpha, min_samples_leaf=2, random_state=1)
            scores.append(tree.fit(features[learn], labels[learn]).score(features[tried], labels[tried]))
        return np.array(scores)

    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=1).split(train, labels[train])
    found = sum((right(train[learn], train[held], _ALPHAS) for learn, held in folds), np.zeros(len(_ALPHAS)))
    return 1 - float(right(train, test, [_ALPHAS[int(np.argmax(found))]])[0])


def naive_bayes(frame: pandas.DataFrame, attributes: Sequence[str]) -> float:
    """scikit-learn's naive Bayes over categories. Numbers are cut at the deciles of the training rows."""
    from sklearn.naive_bayes import CategoricalNB

    train, test = _parts(frame)
    coded = np.empty((len(frame), len(attributes)), np.int64)
    for place, attribute in enumerate(attributes):
        column = frame[attribute]
        if pandas.api.types.is_numeric_dtype(column):
            numbers = column.to_numpy(float)
            edges = np.unique(np.quantile(numbers[train], np.linspace(0, 1, _BINS + 1)[1:-1]))
            coded[:, place] = np.searchsorted(edges, numbers, side="left")
        else:
            coded[:, place] = pandas.factorize(column, use_na_sentinel=False)[0]
    labels = frame[CLASS].to_numpy(str)
    model = CategoricalNB(min_categories=coded.max(axis=0) + 1)
    return 1 - float(model.fit(coded[train], labels[train]).score(coded[test], labels[test]))


def j48(jar: Path) -> Classifier:
    """Weka's C4.5 with its own settings, from its JAR file; needs Java."""

    def classify(frame: pandas.DataFrame, attributes: Sequence[str]) -> float:
        return _found(error_told(_j48(jar, frame, attributes, "-o")), "error", jar)

    return classify


def ranked(jar: Path, frame: pandas.DataFrame, attributes: Sequence[str], most: int) -> list[str]:
    """The attributes as C4.5 ranks them: that at the top of its tree, and again without it (2007, section 5.1)."""
    found: list[str] = []
    while len(found) < most:
        left = [name for name in attributes if name not in found]
        found.append(_found(top_told(_j48(jar, frame, left)), "tree", jar))
    return found


def _j48(jar: Path, frame: pandas.DataFrame, attributes: Sequence[str], *options: str) -> str:
    """What J48 tells of the training and test rows."""
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        files = []
        for name, rows in zip(("train", "test"), _parts(frame), strict=True):
            files.append(Path(folder) / f"{name}.arff")
            files[-1].write_text(_arff(frame, attributes, rows), encoding="utf-8")
        command = ["java", "-Xmx2g", "-cp", str(jar), "weka.classifiers.trees.J48", *options, "-v"]
        command += ["-t", str(files[0]), "-T", str(files[1])]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _found(told: _Told | None, what: str, jar: Path) -> _Told:
    if told is None:
        raise BenchmarkError(f"J48 told no {what}: is {jar} Weka's?")
    return told


def top_told(output: str) -> str | None:
    """The attribute at the top of the tree that Weka tells.

    >>> top_told("J48 pruned tree\\n------------------\\n\\nage <= 25: no (4.0)\\nage > 25: yes (6.0/1.0)\\n")
    'age'
    """
    told = re.search(r"^J48 pruned tree\n-+\n\n([^|\n]+?) (?:=|<=|>) ", output, re.MULTILINE)
    return told and told[1]


def error_told(output: str) -> float | None:
    """The error on the test rows, the last that Weka tells, from 0 to 1."""
    told = re.findall(r"^Incorrectly Classified Instances\s+\d+\s+([0-9.]+) +%\s*$", output, re.MULTILINE)
    return float(told[-1]) / 100 if told else None


def all_of(jar: Path | None) -> dict[str, Classifier]:
    """The classifiers by their names; C4.5 only where Weka's JAR is given."""
    warnings.filterwarnings("ignore", module="sklearn")
    known: dict[str, Classifier] = {"decision tree": decision_tree, "naive Bayes": naive_bayes}
    return known | ({"C4.5": j48(jar)} if jar is not None else {})


def _parts(frame: pandas.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    is_train = (frame[PART] == "train").to_numpy()
    return np.flatnonzero(is_train), np.flatnonzero(~is_train)


def _ordered(frame: pandas.DataFrame, attributes: Sequence[str], learn: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """The attributes as numbers: each text by its share of a class among some rows, one row of the mean share added."""
    features = np.empty((len(frame), len(attributes)), np.float32)
    mean = positive[learn].mean()
    for place, attribute in enumerate(attributes):
        column = frame[attribute]
        if pandas.api.types.is_numeric_dtype(column):
            features[:, place] = column
        else:
            codes, values = pandas.factorize(column, use_na_sentinel=False)
            rows = np.bincount(codes[learn], minlength=len(values))
            positives = np.bincount(codes[learn], positive[learn], len(values))
            features[:, place] = ((positives + mean) / (rows + 1))[codes]
    return features


def _arff(frame: pandas.DataFrame, attributes: Sequence[str], rows: np.ndarray) -> str:
    shown = frame[[*attributes, CLASS]].copy()
    lines = ["@relation table"]
    for column in shown:
        if pandas.api.types.is_numeric_dtype(shown[column]):
            lines.append(f"@attribute '{column}' numeric")
        else:
            codes, values = pandas.factorize(shown[column], use_na_sentinel=False)
            # Values by number: their texts mean nothing to it.
            lines.append(f"@attribute '{column}' {{{','.join(f'v{code}' for code in range(len(values)))}}}")
            shown[column] = [f"v{code}" for code in codes]
    return "\n".join([*lines, "@data", shown.iloc[rows].to_csv(index=False, header=False)])
