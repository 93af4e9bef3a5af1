"""Each paper's claims and tables beside the committed results, which nothing is measured for."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.incognito.figures import cube_seconds
from benchmarks.kaca import paper_2014

RESULTS = Path(__file__).parent / "results"
#: The pages of results of each paper.
PAGES = {
    "incognito-2005": (
        "incognito-counts",
        "incognito-taxonomies",
        "incognito-further",
        "incognito-figures",
        "incognito-rollups",
        "incognito-ratios",
        "incognito-checks",
        "local-adult",
    ),
    "kaca-2006": ("kaca-2006", "kaca-height"),
    "local-recoding-2008": ("kaca-2008", "kaca-multi"),
    "han-2014": ("kaca-2014",),
    "top-down-refinement-2007": (
        "classification-errors",
        "classification-between",
        "classification-ranking",
        "classification-families",
        "classification-folds",
        "classification-qids",
        "classification-scale",
    ),
}


@dataclass(frozen=True)
class Claim:
    """What a paper says in its text, and what the figures of a result are of the same."""

    section: str
    said: str
    result: str
    here: Callable[[Any], str]


def pages(name: str) -> str:
    """What a paper says beside what was measured, and its results: each page begins with the command that made it."""
    bodies = {each.result: _body(each.result) for each in CLAIMS[name]}
    rows = [f"| {each.section} | {each.said} | {each.here(bodies[each.result])} |" for each in CLAIMS[name]]
    beside = "\n".join([f"# {name}", "", "| section | the paper | here |", "|---|---|---|", *rows, "", ""])
    return beside + "\n".join(
        f"# {page}\n\n{(RESULTS / f'{page}.md').read_text(encoding='utf-8')}" for page in PAGES[name]
    )


def _body(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


# Of the Incognito paper.

_BASIC, _ROLLUP, _RECOUNT = "Basic Incognito", "bottom-up, rollup", "bottom-up, no rollup"


def _cell(body: Mapping[str, Any], *at: str | int) -> Mapping[str, Any]:
    """The cell of a table, an algorithm, a size and a k."""
    (cell,) = (each for each in body["cells"] if (each["table"], each["algorithm"], each["size"], each["k"]) == at)
    return dict(cell)


def _seconds(body: Mapping[str, Any], table: str, algorithm: str, size: int, k: int = 2) -> float:
    return float(statistics.median(_cell(body, table, algorithm, size, k)["seconds"]))


def _side_by_side(*algorithms: str) -> Callable[[Any], str]:
    def here(body: Any) -> str:
        adult, orders = (
            " / ".join(f"{_seconds(body, table, each, size):.2f}" for each in algorithms)
            for table, size in (("Adult", 9), ("Lands End", 6))
        )
        return (
            f"{' / '.join(algorithms)}: {adult} s on nine attributes of Adult, {orders} s on six of the orders, k = 2"
        )

    return here


def _use_of_the_cube(body: Any) -> str:
    _, use = cube_seconds(_cell(body, "Lands End", "Cube Incognito", 6, 2)) or (0, 0)
    return f"{use:.2f} s of use against {_seconds(body, 'Lands End', _BASIC, 6):.2f}, six attributes, k = 2"


def _by_k(body: Any) -> str:
    found = ", ".join(f"{_seconds(body, 'Adult', _BASIC, 8, k):.2f}" for k in body["k_at_fixed"])
    return f"{found} s for k = {', '.join(map(str, body['k_at_fixed']))} on eight attributes of Adult"


# Of the papers on local recoding.


def _longer(body: Any) -> str:
    def mean(algorithm: str) -> float:
        cells = [each for each in body["cells"] if each["algorithm"] == algorithm and each["seconds"]]
        return float(statistics.mean(statistics.median(each["seconds"]) for each in cells))

    return f"{mean('KACA'):.2f} s against {mean('Incognito itself'):.2f}, means of all sizes and both k"


def _best(algorithm: str, others: tuple[str, ...], measures: tuple[str, ...]) -> Callable[[Any], str]:
    """In how many of the settings an algorithm is better than some others, by measure."""

    def here(body: Any) -> str:
        means = {(each["algorithm"], each["k"], each["size"]): each["means"] for each in body["cells"]}
        asked = {(k, size) for _, k, size in means}
        told = []
        for measure in measures:
            better = sum(
                all(means[algorithm, *at][measure] < means[other, *at][measure] for other in others) for at in asked
            )
            told.append(f"{measure} in {better} of {len(asked)} settings")
        return ", ".join(told)

    return here


def _same_rows(view: str, paper: Mapping[tuple[str, ...], int]) -> Callable[[Any], str]:
    def here(body: Any) -> str:
        same = sum(rows for *values, rows in body[view] if paper.get(tuple(values)) == rows)
        return f"{same} of {sum(paper.values())} rows are the same"

    return here


def _most_inconsistent(algorithm: str) -> Callable[[Any], str]:
    def here(body: Any) -> str:
        most = max(each["means"]["inconsistency"] for each in body["cells"] if each["algorithm"] == algorithm)
        return f"at most {100 * most:.1f} %"

    return here


# Of Top-Down Refinement.


def _errors(figure: str, classifier: str, most: int) -> Callable[[Any], str]:
    def here(body: Any) -> str:
        (found,) = (each for each in body["figures"] if each["name"].startswith(figure))
        before, without = found["BE"][classifier], found["UE"]["Top7"][classifier]
        errors = [each[classifier] for k, each in zip(found["ks"], found["AE"]["Top7"], strict=True) if k <= most]
        return (
            f"BE {100 * before:.2f}, UE {100 * without:.2f}, AE - BE at most {100 * (max(errors) - before):.2f} points "
            f"for k up to {most:,}"
        )

    return here


def _of_a_million(body: Any) -> str:
    return f"{statistics.median(run['seconds'] for run in body['tables'][-1]['single']):.1f} s"


#: What the papers say in words, with the figures that they print.
CLAIMS = {
    "incognito-2005": (
        Claim(
            "4.2",
            "Incognito outperforms binary search on both tables",
            "incognito-figures",
            _side_by_side(_BASIC, "binary search"),
        ),
        Claim(
            "4.2",
            "Incognito outperforms bottom-up search, with and without rollup",
            "incognito-figures",
            _side_by_side(_BASIC, _ROLLUP, _RECOUNT),
        ),
        Claim(
            "4.2.1",
            "rollup makes bottom-up search much faster on Adult",
            "incognito-figures",
            _side_by_side(_ROLLUP, _RECOUNT),
        ),
        Claim("4.2.1", "Incognito trends downward with k", "incognito-figures", _by_k),
        Claim(
            "4.2.2",
            "super-roots make Incognito faster, most on Lands End",
            "incognito-figures",
            _side_by_side("Super-roots Incognito", _BASIC),
        ),
        Claim(
            "4.2.3",
            "the cube beats Basic Incognito on Adult, and is slower on Lands End",
            "incognito-figures",
            _side_by_side("Cube Incognito", _BASIC),
        ),
        Claim(
            "4.2.3",
            "on Lands End to use the cube is faster than Basic Incognito",
            "incognito-figures",
            _use_of_the_cube,
        ),
    ),
    "han-2014": (
        Claim("2.2.2", "two tuples are 0.7 + 0.7 = 1.4 apart", "kaca-2014", lambda body: f"{body['distance']:g}"),
        Claim("2.1", "Table 1(b) by local recoding", "kaca-2014", _same_rows("local", paper_2014.LOCAL)),
        Claim("2.1", "Table 1(c) by global recoding", "kaca-2014", _same_rows("global", paper_2014.GLOBAL)),
    ),
    "kaca-2006": (
        Claim(
            "6",
            "the distortion ratio of KACA is 5.57 times lower than Incognito's",
            "kaca-2006",
            lambda body: f"{body['factor_of_means']:.2f} times, by the means of all sizes and both k",
        ),
        Claim("6", "KACA takes longer than Incognito on average", "kaca-2006", _longer),
    ),
    "local-recoding-2008": (
        Claim(
            "8",
            "KACA1 is better than the others in distortion, DM and CAVG",
            "kaca-2008",
            _best("KACA1", ("KACA2", "Incognito's best node", "Mondrian"), ("distortion ratio", "DM", "CAVG")),
        ),
        Claim("8", "the inconsistency of KACA1 reaches 70 %", "kaca-2008", _most_inconsistent("KACA1")),
        Claim("8", "that of KACA2 is capped by 10 %", "kaca-2008", _most_inconsistent("KACA2")),
        Claim(
            "8",
            "KACA2 distorts less than global recoding",
            "kaca-2008",
            _best("KACA2", ("Incognito's best node",), ("distortion ratio",)),
        ),
        Claim(
            "8",
            "KACA2 is better than Multi in DM and CAVG",
            "kaca-2008",
            _best("KACA2", ("Mondrian",), ("DM", "CAVG")),
        ),
    ),
    "top-down-refinement-2007": (
        Claim(
            "5.1.1, Figure 5",
            "C4.5, Top7: BE 14.7, UE 21.5, AE - BE below 2.5 points for all k",
            "classification-errors",
            _errors("Figure 5", "C4.5", 1000),
        ),
        Claim(
            "5.1.1, Figure 6a",
            "C4.5, Top7: BE 14.7, UE 21.5, AE - BE below 2 points for k up to 600",
            "classification-errors",
            _errors("Figure 6", "C4.5", 600),
        ),
        Claim(
            "5.1.1, Figure 6b",
            "naive Bayes: BE 18.07, AE - BE at most 1.5 points for all k",
            "classification-errors",
            _errors("Figure 6", "naive Bayes", 1000),
        ),
        Claim(
            "5.1.2, Figure 9a",
            "C4.5, Top7 of CRX: BE 15.4, UE 42, AE - BE below 4 points for k up to 300",
            "classification-errors",
            _errors("Figure 9a", "C4.5", 300),
        ),
        Claim(
            "5.1.3, Figure 9b",
            "C4.5, Top7 of German: BE 28.8, UE 36, AE - BE below 4 points for k up to 100",
            "classification-errors",
            _errors("Figure 9b", "C4.5", 100),
        ),
        Claim(
            "5.3, Figure 11",
            "1,000,000 rows, all 14 attributes, k = 50: 80 s",
            "classification-scale",
            _of_a_million,
        ),
    ),
}
