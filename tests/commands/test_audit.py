"""audit: the risk of a table, by formulas that plain Python repeats, on every host; what is not told of a release."""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pandas
import pytest
from click.testing import CliRunner, Result

import starcloak as sc
from starcloak.base import installation
from starcloak.commands.audit import attackers, population
from starcloak.commands.audit.result import Audit
from starcloak.commands.cli import cli
from starcloak.releases import distinguishing_columns
from starcloak.verify.classes import Class, Sizes
from tests.people import Server

NAMES = ["age", "zip", "sex"]


def audited(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["audit", *arguments])


def drawn(seed: int, rows: int = 60) -> pandas.DataFrame:
    """A random table with missing cells, but for the salary, whose numbers are texts."""
    chance = random.Random(seed)
    shape = {"age": "12233", "zip": "12", "sex": "fm", "disease": "abbcc"}
    frame = pandas.DataFrame(
        {name: [chance.choice([*each, None]) for _ in range(rows)] for name, each in shape.items()}
    )
    return frame.assign(salary=[chance.choice(["9", "10", "11", "200"]) for _ in range(rows)])


# -------------------------------------------------------------------------------------------------------------- oracle


def classes_of(frame: pandas.DataFrame, names: list[str]) -> dict[Any, list[dict[str, Any]]]:
    found: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        found[tuple(row[name] for name in names)].append(row)
    return found


def separation(frame: pandas.DataFrame, names: list[str]) -> Fraction:
    rows = [row for each in classes_of(frame, names).items() for row in [each[0]] * len(each[1])]
    pairs = list(combinations(rows, 2))
    return Fraction(sum(one != other for one, other in pairs), len(pairs))


def diversity(frame: pandas.DataFrame, names: list[str], attribute: str, order: list[Any] | None) -> dict[str, Any]:
    """The strictest parameters that all classes satisfy, by the definitions, value by value."""
    values = frame[attribute].astype(object).where(frame[attribute].notna(), None).tolist()
    p = {value: Fraction(times, len(values)) for value, times in Counter(values).items()}
    least, entropy, alpha, beta, equal, ordered = [], [], [], [], [], []
    bounds: dict[int, list[Fraction]] = defaultdict(list)
    groups = classes_of(frame, names)
    for rows in groups.values():
        counts = Counter(row[attribute] for row in rows)
        q = {value: Fraction(counts[value], len(rows)) for value in p}
        there = {value: times for value, times in counts.items() if value is not None}  # what diversity looks at
        least.append(len(there))
        of_there = [Fraction(times, sum(there.values())) for times in there.values()]
        entropy.append(math.exp(-sum(float(share) * math.log(share) for share in of_there)) if there else 0)
        alpha.append(max(of_there, default=Fraction(1)))
        beta.append(max((q[value] - p[value]) / p[value] for value in p))
        equal.append(sum(max(Fraction(0), q[value] - p[value]) for value in p))
        if order is not None:
            steps, total = Fraction(0), Fraction(0)
            for value in order:
                steps += q[value] - p[value]
                total += abs(steps)
            ordered.append(total / (len(order) - 1))
        falling = sorted(there.values(), reverse=True)
        for place in range(2, len(falling) + 1):
            bounds[place].append(Fraction(falling[0], sum(falling[place - 1 :])))
    return {
        "l": min(least),
        "entropy_l": min(entropy),
        "alpha": max(alpha),
        "beta": max(beta),
        "t": {"equal": max(equal), "ordered": max(ordered) if ordered else None},
        "recursive": [
            {"l": place, "c": max(found)} for place, found in sorted(bounds.items()) if len(found) == len(groups)
        ],
    }


def same(told: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        for key, value in expected.items():
            same(told[key], value)
    elif isinstance(expected, list):
        assert len(told) == len(expected)
        for one, other in zip(told, expected, strict=True):
            same(one, other)
    elif isinstance(expected, (float, Fraction)):
        assert told == pytest.approx(float(expected), abs=1e-9)
    else:
        assert told == expected


def expected(frame: pandas.DataFrame, names: list[str], threshold: Fraction) -> dict[str, Any]:
    sizes = sorted(len(rows) for rows in classes_of(frame, names).values())
    rows = len(frame)
    attacker = {
        "records_at_risk": Fraction(sum(size for size in sizes if Fraction(1, size) > threshold), rows),
        "highest": Fraction(1, sizes[0]),
        "average": Fraction(len(sizes), rows),
    }
    tells = [[name] for name in names] + [names]
    some = [list(each) for size in range(1, 5) for each in combinations(names, size)]
    return {
        "rows": rows,
        "classes": len(sizes),
        "uniques": sizes.count(1),
        "doubles": sizes.count(2),
        "class_sizes": [{"size": size, "classes": times} for size, times in sorted(Counter(sizes).items())],
        "prosecutor": attacker,
        "journalist": attacker,
        "marketer": attacker,
        "quasi_identifiers": [
            {
                "attributes": each,
                "distinction": Fraction(len(classes_of(frame, each)), rows),
                "separation": separation(frame, each),
            }
            for each in tells
        ],
        "unique_sets": [
            {"attributes": each}
            for each in some
            if Fraction(len(classes_of(frame, each)), rows) >= Fraction(1, 10)
        ],
        "sensitive": [
            {"attribute": "disease", **diversity(frame, names, "disease", None)},
            {"attribute": "salary", **diversity(frame, names, "salary", sorted(set(frame["salary"]), key=int))},
        ],
        "thresholds": [
            {"k": k, "holds": sizes[0] >= k, "records_at_risk": Fraction(sum(s for s in sizes if s < k), rows)}
            for k in (3, 5, 11, 20)
        ],
    }  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_every_number_is_that_of_brute_force(seed: int) -> None:
    frame = drawn(seed, rows=40 + 10 * seed)
    names = NAMES[: 2 + seed % 2]
    threshold = [Fraction(1, 5), Fraction(1, 8)][seed % 2]
    told = sc.audit(
        frame, names, ["disease", "salary"], threshold=str(float(threshold)), distinction="0.1"
    ).model_dump()
    same(told, expected(frame, names, threshold))


@pytest.mark.sampled(3)
def test_every_host_tells_the_same(server: Server) -> None:
    frame = drawn(3)
    server.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    told = sc.audit({"url": server.url, "table": "people"}, NAMES, ["disease", "salary"], distinction="0.1")
    same(told.model_dump(), expected(frame, NAMES, Fraction(1, 5)))
    assert told.release_k is None and not told.notes


def test_one_statement_reads_the_table(server: Server) -> None:
    frame = drawn(4)
    server.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    seen: list[str] = []
    resources = sc.Resources(trace=seen.append)
    sc.audit({"url": server.url, "table": "people"}, NAMES, "salary", resources=resources)
    there = [sql for sql in seen if "people" in sql and "starcloak " in sql and "count(*) as size" in sql]
    assert len(there) == 1


# ------------------------------------------------------------------------------------------------------------- vectors


def test_the_five_rows_of_motwani_and_xu() -> None:
    frame = pandas.DataFrame(
        {"age": [20, 30, 40, 20, 40], "sex": list("FFFMM"), "state": ["CA", "CA", "TX", "NY", "CA"]}
    )
    told = sc.audit(frame, ["age", "sex", "state"], distinction="0.8")
    found = {tuple(each.attributes): (each.distinction, each.separation) for each in told.quasi_identifiers}
    found |= {tuple(each.attributes): (each.distinction, each.separation) for each in told.unique_sets}
    assert found == {
        ("sex",): (0.4, 0.6),
        ("state",): (0.6, 0.7),
        ("age",): (0.6, 0.8),
        ("sex", "state"): (0.8, 0.9),
        ("age", "sex"): (1, 1),
        ("age", "state"): (1, 1),
        ("age", "sex", "state"): (1, 1),
    }
    sets = sc.audit(frame, ["age", "sex", "state"]).unique_sets
    assert [each.attributes for each in sets] == [["age", "sex"], ["age", "state"], ["age", "sex", "state"]]


@pytest.mark.parametrize(
    ("classes", "worst"),
    [
        ([1] * 4 + [2] * 4 + [3] * 4, (1, 1.0, 7 / 12, 7 / 5, 1.0)),
        ([1, 2, 2, 1, 3, 3, 3, 3, 1, 1, 2, 2], (3, 2 * math.sqrt(2), 1 / 6, 1 / 2, 1 / 2)),
    ],
)
def test_the_patients_of_l_diversity(classes: list[int], worst: tuple[float, ...]) -> None:
    diseases = ["HD", "HD", "VI", "VI", "C", "HD", "VI", "VI", "C", "C", "C", "C"]
    (told,) = sc.audit(pandas.DataFrame({"class": classes, "disease": diseases}), "class", "disease").sensitive
    assert (told.l, told.entropy_l, told.t.equal, told.beta, told.alpha) == pytest.approx(worst, abs=1e-9)
    if told.l == 3:
        assert [(each.l, each.c) for each in told.recursive] == [(2, 1.0), (3, 2.0)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("numbers", "distance"), [((3, 4, 5), 3 / 8), ((6, 8, 11), 1 / 6), ((7, 9, 10), 17 / 72)])
@pytest.mark.parametrize("kind", [int, str, float])
def test_the_salaries_of_t_closeness(numbers: tuple[int, ...], distance: float, kind: type) -> None:
    """Each class beside the rest, which is nearer to the table."""
    salaries = range(3, 12)
    frame = pandas.DataFrame(
        {"class": [salary in numbers for salary in salaries], "salary": [kind(salary) for salary in salaries]}
    )
    (told,) = sc.audit(frame, "class", "salary").sensitive
    assert told.t.ordered == pytest.approx(distance, abs=1e-9)


_ORGANS = {
    "respiratory": {"infection": ["flu", "pneumonia", "bronchitis"], "vascular lung": ["embolism", "edema"]},
    "digestive": {"stomach": ["gastric ulcer", "stomach cancer", "gastritis"], "colon": ["colitis", "colon cancer"]},
}
_DISEASES = [
    "gastric ulcer", "gastritis", "stomach cancer", "gastritis", "flu", "bronchitis", "bronchitis", "pneumonia",
    "stomach cancer",
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("rows", "distance"), [((1, 3, 8), 7 / 27), ((4, 5, 6), 8 / 27), ((2, 7, 9), 5 / 27)])
def test_the_diseases_of_t_closeness_by_their_hierarchy(work: Path, rows: tuple[int, ...], distance: float) -> None:
    """Each class beside the rest, which is nearer to the table; a tree, and a file on the command line."""
    frame = pandas.DataFrame({"class": [row in rows for row in range(1, 10)], "disease": _DISEASES})
    (told,) = sc.audit(frame, "class", "disease", hierarchies={"disease": {"tree": _ORGANS}}).sensitive
    assert told.t.hierarchical == pytest.approx(distance, abs=1e-9) and told.t.ordered is None
    frame.to_csv("t.csv", index=False)
    lines = [
        f"{leaf};{group};{organ};*"
        for organ, groups in _ORGANS.items()
        for group, all_ in groups.items()
        for leaf in all_
    ]
    Path("organs.csv").write_text("\n".join(lines))
    done = audited("t.csv", "--qi", "class", "--sensitive", "disease", "--hierarchy", "disease:organs.csv", "--json")
    assert json.loads(done.output)["sensitive"][0]["t"]["hierarchical"] == pytest.approx(distance, abs=1e-9)
    told_ = audited("t.csv", "--qi", "class", "--sensitive", "disease", "--hierarchy", "disease:organs.csv").output
    assert f", hierarchical {distance:.4f}, " in told_


@pytest.mark.parametrize(("numbers", "distance"), [((3, 4, 5), 3 / 8), ((6, 8, 11), 1 / 6), ((7, 9, 10), 17 / 72)])
def test_texts_have_the_order_that_is_given(numbers: tuple[int, ...], distance: float) -> None:
    texts = [f"grade {number:02d}" for number in range(3, 12)]
    frame = pandas.DataFrame({"class": [number in numbers for number in range(3, 12)], "grade": texts})
    (told,) = sc.audit(frame, "class", "grade", orders={"grade": texts}).sensitive
    assert told.t.ordered == pytest.approx(distance, abs=1e-9)


@pytest.mark.parametrize("values", [["1", "1.0", "2"], ["1", None, "2"], ["1", "x", "2"], ["1", "nan", "2"]])
def test_what_is_not_in_an_order_has_no_ordered_distance(values: list[str | None]) -> None:
    (told,) = sc.audit(pandas.DataFrame({"class": [1, 1, 2], "value": values}), "class", "value").sensitive
    assert told.t.ordered is None


def adult() -> Sizes | None:
    path = Path(installation.sql()).parents[0] / ".." / "shared" / "data" / "arx-adult" / "adult.csv"
    if not path.is_file():
        return None
    told = sc.audit({"path": str(path), "delimiter": ";"}, [*duckdb.read_csv(str(path), delimiter=";").columns])
    return sizes_of(told)


def sizes_of(told: Audit) -> Sizes:
    return Sizes(tuple((each.size or 0, each.classes or 0) for each in told.class_sizes))


def test_populations_of_adult_are_those_of_the_vectors() -> None:
    sizes = adult()
    if sizes is None:
        pytest.skip("Adult as ARX has it is not at hand")
    assert (sizes.classes, sizes.of(1), sizes.of(2), sizes.rows) == (19502, 15512, 2098, 30162)
    assert population.fit(sizes) == pytest.approx((3176.2335179, 0.717948948), rel=1e-9)
    assert population.pitman(sizes, 301620) == pytest.approx(0.2768499388, abs=1e-10)
    assert population.pitman(sizes, 3016200) == pytest.approx(0.1446083531, abs=1e-10)
    for fraction, share in ((0.1, 0.3207402393), (0.2, 0.3577099235), (1, 0.5142895033)):
        assert population.zayatz(sizes, round(30162 / fraction)) == pytest.approx(share, abs=1e-10)
    assert population.estimate(sizes, 0.1).model == "pitman"
    assert population.estimate(sizes, 0.11).model == "zayatz"


@pytest.mark.parametrize(
    "counted",
    [
        ((1, 40), (2, 20), (3, 10), (5, 4), (9, 2), (30, 1)),
        ((1, 900), (2, 40), (3, 5), (50, 1)),
        ((1, 300), (2, 60), (3, 25), (4, 10), (8, 3), (20, 1)),
        ((1, 5_000), (2, 30), (7, 1)),
    ],
)
def test_a_population_is_fitted_where_its_likelihood_is_greatest(counted: tuple[tuple[int, int], ...]) -> None:
    """Pitman's sampling formula itself, term by term."""
    sizes = Sizes(counted)

    def likelihood(theta: float, a: float) -> float:
        found = sum(math.log(theta + number * a) for number in range(1, sizes.classes))
        found -= sum(math.log(theta + number) for number in range(1, sizes.rows))
        return found + sum(n * sum(math.log(number - a) for number in range(1, size)) for size, n in counted)

    fitted = population.fit(sizes)
    assert fitted is not None
    theta, a = fitted
    best = likelihood(theta, a)
    for step in (1e-2, 1e-4):
        near = [(theta * (1 + step), a), (theta * (1 - step), a), (theta, a + step), (theta, a - step)]
        assert max(likelihood(*each) for each in near) < best
    share = population.pitman(sizes, 100 * sizes.rows)
    gammas = math.lgamma(theta + 1) - math.lgamma(theta + a)
    assert share == pytest.approx(math.exp(gammas) * (100 * sizes.rows) ** (a - 1), rel=1e-9)


def test_a_population_whose_likelihood_grows_to_the_end_is_not_estimable() -> None:
    """Few classes of one row beside many of more: the share of what is new does not grow with the table."""
    sizes = Sizes(((1, 12), (2, 30), (4, 60), (8, 30), (100, 3)))
    assert population.fit(sizes) is None and population.pitman(sizes, 10 * sizes.rows) is None
    assert population.estimate(sizes, 0.1).model == "not estimable"


@pytest.mark.parametrize(
    ("size", "of", "risk"),
    [
        (1, 45.5, 0.08579129),
        (1, 17, 0.17707583),
        (1, 123.5, 0.03931625),
        (2, 100, 0.01877883),
        (3, 108, 0.01369863),
        (4, 4, 0.25),
    ],
)
def test_individual_risk_is_that_of_the_vectors(size: int, of: float, risk: float) -> None:
    assert population.individual(size, of) == pytest.approx(risk, abs=5e-9)


def test_a_model_that_does_not_fit_is_not_estimable() -> None:
    told = sc.audit(pandas.DataFrame({"id": range(50)}), "id", sampling_fraction=0.05).population
    assert told is not None and (told.model, told.uniques) == ("not estimable", None)


def test_attackers_look_at_the_population_where_there_is_one() -> None:
    classes = [Class(1, 10), Class(2, 4, alike=3), Class(5, 5)]
    threshold = Fraction(1, 5)
    assert attackers.prosecutor(classes, threshold) == attackers.Risk(Fraction(7, 12), Fraction(1), Fraction(5, 12))
    linked = Fraction(1, 10) + 3 * Fraction(2, 4) + 1
    found = attackers.marketer(classes, threshold)
    assert found == attackers.Risk(Fraction(6, 12), Fraction(1, 4), linked / 12)
    assert attackers.journalist(classes, threshold).average == max(Fraction(5, 27), linked / 12)


# -------------------------------------------------------------------------------------------------------------- output


def test_the_json_is_valid_and_says_what_python_says(work: Path) -> None:
    drawn(1).to_csv("t.csv", index=False)
    asked = ("t.csv", "--qi", "age,zip", "--sensitive", "disease", "--sensitive", "salary")
    done = audited(*asked, "--sampling-fraction", "0.1", "--json")
    assert done.exit_code == 0
    told = json.loads(done.output)
    jsonschema.validate(told, json.loads((installation.schemas() / "audit.json").read_text()))
    assert told == sc.audit("t.csv", ["age", "zip"], ["disease", "salary"], sampling_fraction=0.1).model_dump(
        mode="json"
    )
    text = audited(*asked).output
    assert f"classes     {told['classes']};" in text and "threshold   k = 11: EMA Policy 0070, 1/11 (0.09)" in text


def test_safe_harbor_is_told_by_names() -> None:
    frame = pandas.DataFrame({"ZipCode": ["1"], "date_of_birth": ["x"], "salary": ["3"], "patient_id": ["7"]})
    told = sc.audit(frame, list(frame)).safe_harbor
    assert [each.attribute for each in told] == ["ZipCode", "date_of_birth", "patient_id"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.csv", "--qi", "age"), "none.csv is not a file"),
        (("t.csv", "--qi", "agee"), "Did you mean 'age'?"),
        (("t.csv", "--qi", "age", "--sensitive", "age"), "'age' is named as sensitive and as a quasi-identifier"),
        (("t.csv", "--qi", "age,age"), "twice"),
        (("t.csv", "--qi", ""), "at least 1 character"),
        (("t.csv", "--qi", "age", "--threshold", "2"), "give a share from 0 to 1"),
        (("t.csv", "--qi", "age", "--threshold", "nan"), "give a share from 0 to 1"),
        (("t.csv", "--qi", "age", "--sampling-fraction", "0"), "above 0"),
        (
            ("t.csv", "--qi", "age", "--hierarchy", "disease:h.csv"),
            "'disease' has an order or a hierarchy, which only sensitive",
        ),
        (("t.csv", "--qi", "age", "--sensitive", "disease", "--hierarchy", "h.csv"), "such as disease:icd.csv"),
        (("t.csv", "--qi", "age", "--sensitive", "disease", "--hierarchy", "disease:h.csv"), "h.csv is not there"),
        (("t.csv", "--qi", "age", "--sensitive", "disease", "--hierarchy", "disease:a.csv"), "have no leaf"),
        (("t.csv", "--qi", "age", "--sensitive", "disease", "--order", "disease:a,b"), "some of its values are not in"),
        (("t.csv", "--qi", "age", "--sensitive", "disease", "--order", "disease:a,a"), "is in the order twice"),
        (("t.csv", "--qi", "age", "--sampling-fraction", "nan"), "above 0"),
        (("empty.csv", "--qi", "age"), "empty.csv has no rows, so there is nothing to audit"),
    ],
)
def test_what_cannot_be_audited_is_refused_in_one_line(work: Path, arguments: tuple[str, ...], says: str) -> None:
    drawn(1).to_csv("t.csv", index=False)
    Path("empty.csv").write_text("age,zip\n")
    Path("a.csv").write_text("a;*\nb;*\n")
    done = audited(*arguments)
    assert isinstance(done.exception, sc.InputError) or done.exit_code == 2
    assert says in done.output + str(done.exception)
    assert "\n" not in str(done.exception)


# ------------------------------------------------------------------------------------------------------------ releases


def job(frame: pandas.DataFrame, k: int, output: dict[str, str]) -> dict[str, Any]:
    return {
        "quasi_identifiers": {"age": "suppress", "zip": "suppress", "sex": "suppress"},
        "sensitive": ["disease", "salary"],
        "requirement": {"k": k},
        "output": output,
    }


def counts(told: Any) -> list[int]:
    """Every whole number that an audit tells as a count of rows or of classes."""
    sizes = [number for each in told["class_sizes"] for number in (each["size"], each["classes"])]
    return [n for n in (told["rows"], told["classes"], told["uniques"], told["doubles"], *sizes) if n is not None]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(10))
def test_of_a_release_no_count_between_1_and_k_less_1_is_told(work: Path, seed: int) -> None:
    """Also over columns that are not its quasi-identifier; nor by subtracting what is told from what is told."""
    k, frame = 3 + seed, drawn(seed, rows=150)
    sc.run(job(frame, k, {"path": "out.csv"}), frame=frame)
    release = pandas.read_csv("out.csv", dtype=str, keep_default_na=False)
    for names in (NAMES, [*NAMES, "disease"], ["disease", "salary"]):
        told = sc.audit("out.csv", names).model_dump()
        sizes = Counter(len(rows) for rows in classes_of(release, names).values())
        assert told["release_k"] >= k
        k_told = told["release_k"]
        assert not [count for count in counts(told) if 0 < count < k_told]
        pooled = {each["size"]: each["classes"] for each in told["class_sizes"]}
        assert all(sizes[size] == classes for size, classes in pooled.items() if size is not None)
        assert sum(sizes.values()) == sum(pooled.values()) if told["classes"] else None in pooled
        left = sum(sizes.values()) - sum(classes for size, classes in pooled.items() if size is not None)
        assert left == 0 or left >= k_told or len(pooled) == 1
        small = sum(size * classes for size, classes in sizes.items() if size < k_told)
        shares = [told["prosecutor"]["records_at_risk"], *(each["records_at_risk"] for each in told["thresholds"])]
        for share in shares:
            assert share is None or small == 0 or share * len(release) + 1e-9 >= small >= k_told
        assert (told["prosecutor"]["highest"] is None) == (min(sizes) < k_told)


def test_few_rows_of_a_release_are_not_told_by_what_is_left_of_the_others(work: Path) -> None:
    """Of two values separation tells how many rows each has; of rows nearly all alone, distinction and what is left."""
    rows = [("f", str(row), "m" if row > 96 else "w") for row in range(99)]
    frame = pandas.DataFrame([*rows, ("f", "0", "w")], columns=["sex", "code", "note"])
    sc.run({"quasi_identifiers": {"sex": "suppress"}, "keep": ["code", "note"], "requirement": {"k": 5},
            "output": {"path": "out.csv"}}, frame=frame)  # fmt: skip
    for name in ("note", "code"):
        told = sc.audit("out.csv", [name])
        assert (told.release_k, told.rows, told.classes, told.uniques, told.doubles) == (100, 100, None, None, None)
        assert [each.classes for each in told.class_sizes] == [None] and told.prosecutor.average is None
        for each in (*told.quasi_identifiers, *told.unique_sets):
            assert (each.distinction, each.separation) == (None, None)
    assert sc.audit("out.csv", ["sex"]).quasi_identifiers[0].separation == 0


def test_a_population_is_not_estimated_of_a_release_where_that_told_its_small_classes(work: Path) -> None:
    frame = drawn(1, rows=150)
    sc.run(job(frame, 3, {"path": "out.csv"}), frame=frame)
    sizes = {names: sc.audit("out.csv", names, sampling_fraction=0.1) for names in ((*NAMES, "disease"), tuple(NAMES))}
    told = [
        any(note.startswith("the estimate of the population is left out") for note in each.notes)
        for each in sizes.values()
    ]
    assert (told, [each.population is None for each in sizes.values()]) == ([True, False], [True, False])


def test_figures_of_sensitive_columns_are_not_those_of_classes_smaller_than_k(work: Path) -> None:
    frame = drawn(1, rows=150)
    sc.run(job(frame, 3, {"path": "out.csv"}), frame=frame)
    small, large = (sc.audit("out.csv", names, ["disease"]) for names in ([*NAMES, "salary"], NAMES))
    assert small.prosecutor.highest is None and small.sensitive == []
    assert [note for note in small.notes if note.startswith("the figures of sensitive columns are left out")]
    assert [column.attribute for column in large.sensitive] == ["disease"]
    assert not [note for note in large.notes if note.startswith("the figures of sensitive columns")]


def test_a_release_that_was_edited_is_no_release(work: Path) -> None:
    frame = drawn(1)
    sc.run(job(frame, 5, {"path": "out.csv"}), frame=frame)
    assert sc.audit("out.csv", NAMES).release_k
    with Path("out.csv").open("a") as file:
        file.write("7,7,7,flu,1\n")
    told = sc.audit("out.csv", NAMES)
    assert told.release_k is None and told.uniques == 1


@pytest.mark.any_database
def test_a_release_in_a_database_is_known_by_its_ledger(server: Server) -> None:
    frame = drawn(2)
    server.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    source = {"url": server.url, "table": "people"}
    release = sc.run({**job(frame, 6, {"table": "cohort"}), "source": source})
    told = sc.audit({"url": server.url, "table": "cohort"}, ["disease"])
    assert told.release_k == release.k
    assert sc.audit(source, NAMES).release_k is None


def test_a_release_in_a_duckdb_file_is_known_by_its_ledger_or_else_by_its_mark_and_its_manifest(work: Path) -> None:
    frame = drawn(2)
    frame.to_csv("t.csv", index=False)
    output = {"url": "duckdb:///out.duckdb", "table": "cohort"}
    release = sc.run({**job(frame, 6, output), "source": {"path": "t.csv"}})
    told = sc.audit(output, NAMES)
    assert told.release_k == release.k and told.notes
    manifests = {path: path.read_text() for path in (work.parent / "state" / "starcloak").glob("*.json")}
    for manifest in manifests:
        manifest.unlink()
    assert sc.audit(output, NAMES) == told
    with duckdb.connect("out.duckdb") as connection:
        connection.execute("drop table starcloak_releases")
    with pytest.raises(sc.SourceError, match=r"its manifest .* is missing.*run the job again with --force"):
        sc.audit(output, NAMES)
    for manifest, text in manifests.items():
        manifest.write_text(text)
    assert sc.audit(output, NAMES) == told


def test_sets_of_many_columns_are_bounded_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of a hundred columns of five values cannot tell 3,000 rows apart: no look at 3.9 million sets."""
    chance = random.Random(4)
    rows = [[chance.randrange(5) for _ in range(100)] for _ in range(3000)]
    names = [f"c{at}" for at in range(100)]
    told = sc.audit(pandas.DataFrame(rows, columns=names), names)
    assert (told.uniques, told.unique_sets, told.notes) == (3000, [], [])
    few = pandas.DataFrame([[chance.randrange(40) for _ in range(9)] for _ in range(300)], columns=names[:9])
    whole = sc.audit(few, names[:9])
    assert whole.unique_sets and not whole.notes
    monkeypatch.setattr(distinguishing_columns, "MOST_SETS", 40)  # 36 sets of two columns
    told = sc.audit(few, names[:9])
    assert [each for each in whole.unique_sets if len(each.attributes) == 2] == [
        each for each in told.unique_sets if len(each.attributes) == 2
    ]
    (note,) = told.notes
    assert note.startswith("unique_sets is not complete: it has sets of up to 2 of 9 columns")


def test_how_large_sets_are_is_asked_for(work: Path) -> None:
    chance = random.Random(5)
    names = list("abcdef")
    few = pandas.DataFrame([[chance.randrange(40) for _ in names] for _ in range(300)], columns=names)
    whole = sc.audit(few, names)
    for most in range(5):
        told = sc.audit(few, names, sets=most)
        assert (
            told.unique_sets
            == [each for each in whole.unique_sets if len(each.attributes) <= max(most, 1)][: None if most else 0]
        )
        assert told.notes == ([f"unique_sets has sets of at most {most} columns, as requested"] if most < 4 else [])
    few.to_csv("t.csv", index=False)
    done = CliRunner().invoke(cli, ["audit", "t.csv", "--qi", ",".join(names), "--sets", "0"])
    assert "nearly all" not in done.output and "has sets of at most 0 columns" in done.output
    with pytest.raises(sc.JobError, match="from 0 to 4"):
        sc.audit(few, names, sets=5)
