"""Classifiers built on one part of a table and tried on the other: the share of its rows that they get wrong."""

from __future__ import annotations

import re
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas

from benchmarks.labelled import CLASS, PART
from benchmarks.process import BenchmarkError

Classifier = Callable[[pandas.DataFrame, Sequence[str]], float]

# Of these the one that is right most often on a third of the training rows prunes the tree.
_ALPHAS = (0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01)
_BINS = 10


def decision_tree(frame: pandas.DataFrame, attributes: Sequence[str]) -> float:
    """scikit-learn's tree by entropy, pruned by cost complexity. Texts are one column per value."""
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    features = pandas.get_dummies(frame[list(attributes)], dtype=np.float32).to_numpy(np.float32)
    train, test = _parts(frame)
    labels = frame[CLASS].to_numpy(str)
    learn, tune = train_test_split(train, test_size=1 / 3, random_state=1, stratify=labels[train])
    best, pruned = -1.0, _ALPHAS[0]
    for alpha in _ALPHAS:
        tried = DecisionTreeClassifier(criterion="entropy", ccp_alpha=alpha, min_samples_leaf=2, random_state=1)
        right = float(tried.fit(features[learn], labels[learn]).score(features[tune], labels[tune]))
        if right >= best:
            best, pruned = right, alpha
    tree = DecisionTreeClassifier(criterion="entropy", ccp_alpha=pruned, min_samples_leaf=2, random_state=1)
    return 1 - float(tree.fit(features[train], labels[train]).score(features[test], labels[test]))


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
        train, test = _parts(frame)
        with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
            files = []
            for name, rows in (("train", train), ("test", test)):
                files.append(Path(folder) / f"{name}.arff")
                files[-1].write_text(_arff(frame, attributes, rows), encoding="utf-8")
            command = ["java", "-Xmx2g", "-cp", str(jar), "weka.classifiers.trees.J48", "-o", "-v"]
            done = subprocess.run(
                [*command, "-t", str(files[0]), "-T", str(files[1])], capture_output=True, text=True, check=False
            )
        told = re.findall(r"^Incorrectly Classified Instances\s+\d+\s+([0-9.]+) %$", done.stdout, re.MULTILINE)
        if not told:
            raise BenchmarkError(f"J48 ended with code {done.returncode} and told no error: is {jar} Weka's?")
        return float(told[-1]) / 100

    return classify


def all_of(jar: Path | None) -> dict[str, Classifier]:
    """The classifiers by their names; C4.5 only where Weka's JAR is given."""
    warnings.filterwarnings("ignore", module="sklearn")
    known: dict[str, Classifier] = {"decision tree": decision_tree, "naive Bayes": naive_bayes}
    return known | ({"C4.5": j48(jar)} if jar is not None else {})


def _parts(frame: pandas.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    is_train = (frame[PART] == "train").to_numpy()
    return np.flatnonzero(is_train), np.flatnonzero(~is_train)


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
