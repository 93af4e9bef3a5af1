"""Random jobs: job i of a seed is the same for ever."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

from benchmarks.falsifier import dirt, evolution, hierarchies, level_bounds, privacy, tables, trees, workbooks
from benchmarks.falsifier.besides import CHANGES
from benchmarks.falsifier.case import FILES, SERVERS, Case, Column, Row
from benchmarks.falsifier.faults import FAULTS
from benchmarks.falsifier.files import FILES as PACKINGS
from benchmarks.falsifier.files import SUFFIXES
from benchmarks.falsifier.oracle import COMPLETE, FULL_DOMAIN, ONE_STEP
from benchmarks.falsifier.places import kinds
from benchmarks.falsifier.values import ALIKE, domain, exact, text

# Every source, target and algorithm with how often it is taken; what takes long is taken seldom.
SOURCES = {
    "csv": 24, "parquet": 14, "jsonl": 12, "duckdb": 20, "query": 7, "frame": 16, "sqlite": 12, "sqlite-query": 5
}  # fmt: skip
TARGETS = {"memory": 28, "csv": 20, "parquet": 12, "here": 26, "duckdb": 8, "fresh": 10, "sqlite": 6}
ALGORITHMS = {
    "witness": 24, "incognito": 8, "samarati": 8, "bottom-up": 6, "datafly": 8, "kaca": 5, "mondrian": 8, "tdr": 9,
    "attribute-suppression": 5, "cell-suppression": 2, "full-subtree": 7, "ordered-set": 7, "unrestricted": 6,
    "full-subgraph": 4, "unrestricted-multi": 3, "sweep": 10,
}  # fmt: skip
SEVERAL = set(ALGORITHMS) - {"kaca", "cell-suppression", "unrestricted-multi"}
WITHOUT_IMPORTANCE = ("datafly", "samarati", "tdr")
IMPORTANCE = ("0.05", "0.5", "1", "2", "3", "20")
OF_CELLS = ("height", "precision", "distortion", "loss")
MEASURES = ("height", "precision", "discernibility", "average_class_size", "distortion", "loss")
BESIDES = {
    "again": 0.2, "changed": 0.16, "script": 0.12, "check": 0.35, "raw": 0.35, "yaml": 0.15, "anonymize": 0.12,
    "schema": 0.06, "command": 0.008, "others": 0.08, "no insight": 0.15, "misfits": 0.2,
}  # fmt: skip
# So many nodes a lattice may have: the oracle counts them all; and so many that of a long table.
_NODES, _FEW_NODES = 120, 24
# How often a table is long, and has how many rows then: more than a vector of the working store.
_LONG, _ROWS = 0.004, (2_500, 5_000)
# Searches that try every leaf of an attribute, of which a long table has few then.
_BY_LEAF = ("tdr", "full-subtree", "ordered-set", "unrestricted", "unrestricted-multi", "kaca")


def job(seed: int, number: int, servers: Collection[str] = ()) -> Case:
    """The job of a number; with servers, by their kinds, every job has to do with one."""
    rng = Random("-".join([str(seed), str(number), *sorted(servers)]))
    source = _weighted(rng, SOURCES)
    served = {name: 2 for name in sorted(servers)}
    if served and rng.random() < 0.8:
        source = _weighted(rng, {**served, **{f"{name}-query": 1 for name in served}})
    targets = {name: weight for name, weight in TARGETS.items() if name != "here" or source not in (*FILES, "frame")}
    if served:
        targets = {**{name: 12 for name in served}, **targets} if source.split("-")[0] in served else served
    target = _weighted(rng, targets)
    name = _weighted(rng, ALGORITHMS)
    long = rng.random() < _LONG
    columns, rows, pools = _table(rng, source, name, long=long)
    qis = [column for column in columns if column.role == "quasi_identifiers"]
    several = len(qis) > 1 and name in SEVERAL and rng.random() < 0.25
    suppression = "0"
    if name != "tdr" and rng.random() < (0.04 if several else 0.5):  # with several it is refused
        suppression = rng.choice(["0.05", "0.1", "0.2", "0.25", "0.34", "0.5", "0.999", "1"])
    kept = [column for column in columns if column.role in ("sensitive", "keep")]
    algorithm = _algorithm(rng, name, qis, kept)
    made = Case(
        columns=tuple(columns),
        rows=tuple(rows),
        source=source,
        target=target,
        algorithm=algorithm,
        k=None if several else _k(rng, len(rows)) if not long else rng.choice([2, 5, 10, 100]),
        qids=_qids(rng, qis, len(rows)) if several else (),
        l_diversity=_diversity(rng, columns),
        models=() if long else _models(rng, columns, rows),
        suppression=suppression,
        objective=_objective(rng, OF_CELLS if name == "sweep" else MEASURES) if name in (*COMPLETE, "sweep") else None,
        seed=rng.choice([1, 1, 2, 0, -7, 2**40]),
        delimiter=rng.choice([",", ",", ";", "\t", "|"]) if source == "csv" else ",",
        missing=rng.choice(["", "", "", "NULL", "-", "?"]) if source == "csv" else "",
        diversity=rng.randint(2, 3),
        change=rng.choice(CHANGES),
        threads=2 if rng.random() < (0.5 if long else 0.08) else 1,
        memory="100MB" if rng.random() < (0.4 if long else 0.03) else "",
    )
    made = _as_it_comes(rng, _with_population(rng, _with_levels(rng, _with_persons(rng, made)), pools))
    if any(key in privacy.COMPARING for key, _ in made.models) and not made.person and rng.random() < 0.4:
        made = replace(made, reference="source")
    made = _drawn_later(Random(f"later-{seed}-{number}"), replace(made, besides=_besides(rng, made)))
    made = evolution.drawn(rng, made)
    if name == "sweep" and not made.as_set and not made.models and not made.history and rng.random() < 0.3:
        made = replace(made, algorithm={**made.algorithm, "improve": rng.choice([0, 0.02, 0.1])})
    if not made.history and rng.random() < 0.05:
        broken = rng.choice([fault for fault, known in FAULTS.items() if known.applies(made)])
        # What stands in a file of its own is out of a fault's reach.
        besides = tuple(each for each in made.besides if each in ("yaml", "raw", "command"))
        return replace(made, broken=broken, besides=besides)
    made = _with_importance(Random(f"importance-{seed}-{number}"), made)
    made = level_bounds.between(Random(f"levels-{seed}-{number}"), dirt.drawn(Random(f"dirt-{seed}-{number}"), made))
    return workbooks.drawn(Random(f"workbook-{seed}-{number}"), made)


def _drawn_later(rng: Random, made: Case) -> Case:
    """With what jobs have had since: by a generator of its own, so that all else of them stays what it was."""
    if made.person is not None and rng.random() < 0.6:
        made = replace(made, besides=(*made.besides, "persons", *(() if "raw" in made.besides else ("raw",))))
    if made.source == "frame" and rng.random() < 0.6:
        made = replace(made, frame=rng.choice(["polars", "arrow", "duckdb"]))
    return made


def _with_importance(rng: Random, made: Case) -> Case:
    """With columns that are not equally important, where the search goes by that."""
    measure = (made.objective or {}).get("minimize")
    if made.history or made.algorithm["name"] in WITHOUT_IMPORTANCE or measure not in (None, *OF_CELLS):
        return made
    if rng.random() > 0.35:
        return made
    columns = [
        replace(column, importance=rng.choice(IMPORTANCE)) if column.role == "quasi_identifiers" else column
        for column in made.columns
    ]
    return replace(made, columns=tuple(columns))


def _as_it_comes(rng: Random, made: Case) -> Case:
    """Of other quotes, in another encoding, packed, or in several files."""
    if not made.is_file:
        return made
    made = replace(made, files=_weighted(rng, {**PACKINGS, "packed": 0} if made.source == "parquet" else PACKINGS))
    if made.source in SUFFIXES and rng.random() < 0.2:
        made = replace(made, suffix=SUFFIXES[made.source])
    if made.source == "csv" and rng.random() < 0.15:
        made = replace(made, header=_header(rng, made.names))
    if made.source == "csv" and rng.random() < 0.1:
        made = replace(made, quote="'")
    return replace(made, encoding="utf-16") if made.source == "csv" and rng.random() < 0.06 else made


def _header(rng: Random, names: list[str]) -> tuple[str, ...]:
    """A header that has the columns' names at other places, or some of them twice or not at all."""
    if rng.random() < 0.3:
        return tuple(rng.sample(names, len(names)))
    found = tuple(rng.choice([name, name, "", "plz", names[0]]) for name in names)
    return found if any(found) else ()


def _with_persons(rng: Random, made: Case) -> Case:
    """With a column that tells whose a row is, where it is known which row is which."""
    numbered = any(column.name == "id" and column.role == "keep" for column in made.columns)
    sensitive = bool(made.l_diversity or made.models)
    if not numbered or rng.random() > 0.25:
        return made
    many = max(1, int(len(made.rows) * rng.choice([0.2, 0.4, 0.7])))
    persons = [f"p{rng.randrange(many)}" for _ in made.rows]
    if rng.random() < 0.5:  # as many rows of each, but for the last
        of_each = rng.randint(1, 3)
        persons = [f"p{at // of_each}" for at in range(len(made.rows))]
    # Each with one combination of the quasi-identifiers: of others, searches count what persons have anywhere.
    if made.l_diversity or (sensitive and rng.random() < (1 if _diverse(made) else 0.8)):
        persons = _apart(made, persons)
    columns = (*made.columns, Column("whose it is", "text", "identifiers"))
    rows = tuple((*row, person) for row, person in zip(made.rows, persons, strict=True))
    with_persons = replace(made, columns=columns, rows=rows, person="whose it is")
    sets = made.algorithm["name"] in ("witness", "bottom-up", "sweep")
    if not sets or made.l_diversity or made.models or made.qids:
        return with_persons
    if rng.random() < 0.5:
        return with_persons
    algorithm = made.algorithm if made.algorithm["name"] == "sweep" else {"name": "bottom-up"}
    return replace(with_persons, algorithm=algorithm, as_set=True)


def _diverse(made: Case) -> bool:
    return any(key in privacy.DIVERSE for key, _ in made.models)


def _apart(made: Case, persons: list[str]) -> list[str]:
    """Persons of whom each has the rows of one combination of the quasi-identifiers alone."""
    known: dict[Any, str] = {}
    found = []
    for row, person in zip(made.rows, persons, strict=True):
        cells = exact([row[made.place(column.name)] for column in made.quasi_identifiers])
        found.append(f"{person}-{known.setdefault(cells, str(len(known)))}")
    return found


def _with_population(rng: Random, made: Case, pools: Sequence[Sequence[Any]]) -> Case:
    """With a population, of which the table is a sample, and seldom is not."""
    name = made.algorithm["name"]
    own_ranges = name not in FULL_DOMAIN and any(column.hierarchy == "numeric" for column in made.quasi_identifiers)
    if made.person or rng.random() > (0.01 if name == "tdr" or own_ranges else 0.15):
        return made
    own = [tuple(row[made.place(column.name)] for column in made.quasi_identifiers) for row in made.rows]
    people = list(own)
    for _ in range(rng.choice([0, 1, 5, 20])):
        like = rng.choice(own) if own else ()
        strange = [rng.choice(pool) for pool in pools]
        others = [like, tuple(strange)] if like else [tuple(strange)]
        people.append(tuple(rng.choice(cells) for cells in zip(*others, strict=True)))
    if people and rng.random() < 0.04:
        people.pop(rng.randrange(len(people)))
    rng.shuffle(people)
    kinds_of = {column.kind for column in made.quasi_identifiers}
    registers = [name for name in FILES if kinds_of <= set(kinds(name)) or name == "csv"]
    made = replace(
        made,
        k_map=rng.choice([1, 2, 3, 4, 6, 10]),
        population=tuple(people),
        register=rng.choice(registers),
        counted=rng.random() < 0.3,
    )
    if rng.random() > (0.4 if name in FULL_DOMAIN else 0.05):
        return made
    least = rng.choice(["0", "0", "0.1", "0.25", "0.5"]) if not Decimal(made.suppression) or rng.random() < 0.1 else "0"
    most = rng.choice([each for each in ("0.3", "0.5", "0.75", "0.9", "1") if Decimal(each) >= Decimal(least)])
    return replace(made, presence=(least, most), k_map=made.k_map if rng.random() < 0.3 else None)


def _with_levels(rng: Random, made: Case) -> Case:
    """With columns of the source as the levels of a quasi-identifier."""
    alone = [at for at, column in enumerate(made.columns) if column.hierarchy == "suppress" and column.kind == "text"]
    if not alone or made.algorithm["name"] in ONE_STEP or rng.random() > 0.8:
        return made
    at = rng.choice(alone)
    names = ["level one", "level two"][: rng.randint(1, 2)]
    levels, rows = [made.columns[at].name, *names], made.rows
    below = [row[at] for row in rows]
    for _ in names:
        above = {value: rng.choice(["A", "b", "NULL", "é x", "5*"]) for value in domain(below)}
        below = [above[value] for value in below]
        rows = tuple((*row, value) for row, value in zip(rows, below, strict=True))
    changed = replace(made.columns[at], hierarchy={"columns": levels[1:]})
    columns = (*made.columns[:at], changed, *made.columns[at + 1 :], *(Column(n, "text", "levels") for n in names))
    return replace(made, columns=columns, rows=rows)


def _besides(rng: Random, made: Case) -> tuple[str, ...]:
    shares = dict(BESIDES)
    if made.algorithm.get("variant") == "cube" and not made.qids and (made.k or 9) < 9:
        shares["cube"] = 0 if made.of_population else 0.6
    if made.algorithm["name"] == "tdr":
        shares["apply"] = 0.4
    if made.host in SERVERS and made.home == made.host:  # by psql and mariadb
        shares["script"] = 0.4
    if made.home is not None:
        shares["dimensions"] = 0.2
    if made.in_python:
        shares |= {"yaml": 0, "schema": 0, "command": 0}
    if made.target == "memory" or made.source == "frame":
        del shares["command"]
    if made.person is not None or made.of_population:  # the compiled script has persons in tables of its own
        del shares["script"]
    if made.of_population:
        del shares["anonymize"]
    chosen = [each for each, share in shares.items() if rng.random() < share]
    if "command" in chosen:  # which is another way to run
        chosen = [each for each in chosen if each not in ("yaml", "anonymize", "schema", "cube", "apply")]
    return tuple(chosen)


def _diversity(rng: Random, columns: list[Column]) -> tuple[tuple[str, int], ...]:
    sensitive = [column.name for column in columns if column.role == "sensitive" and column.kind not in ALIKE]
    if not sensitive or rng.random() > 0.3:
        return ()
    return tuple(
        (name, rng.choice([2, 2, 2, 3, 4])) for name in rng.sample(sensitive, rng.randint(1, min(2, len(sensitive))))
    )


def _models(rng: Random, columns: list[Column], rows: list[Row]) -> tuple[tuple[str, dict[str, Any]], ...]:
    sensitive = [at for at, column in enumerate(columns) if column.role == "sensitive" and column.kind not in ALIKE]
    if not sensitive or rng.random() > 0.35:
        return ()
    found = []
    for at in rng.choices(sensitive, k=rng.choice([1, 1, 2])):
        texts = list(dict.fromkeys(text(row[at], columns[at].kind) for row in rows))
        found.append(privacy.drawn(rng, columns[at].name, texts))
    return tuple(found)


def _weighted(rng: Random, choices: dict[str, int]) -> str:
    return rng.choices(list(choices), list(choices.values()))[0]


def _count(rng: Random, *, long: bool) -> int:
    """How many rows a table has."""
    if long:
        return rng.choice(_ROWS)
    return (
        rng.choice([0, 1]) if rng.random() < 0.02 else rng.randint(2, 12) if rng.random() < 0.5 else rng.randint(13, 40)
    )


def _wide(source: str) -> hierarchies.Made:
    """A column with nearly as many values as rows, as a source can have it."""
    if "int64" in kinds(source):
        return "int64", {"intervals": [10, 100, 1000]}, list(range(3000))
    return "text", {"digits": 4}, [f"{number:04}" for number in range(3000)]


def _table(rng: Random, source: str, name: str, *, long: bool) -> tuple[list[Column], list[Row], list[list[Any]]]:
    """Columns, rows, and values that each quasi-identifier may have beside those of the rows."""
    count = _count(rng, long=long)
    attributes = rng.choices([1, 2, 3, 4], [25, 35, 28, 12])[0]
    # MariaDB has no names that end in spaces.
    names = rng.sample(
        [name for name in tables.NAMES if name.strip() == name or "mariadb" not in source], attributes + 5
    )
    columns, cells, pools = [], [], []
    nodes = 1
    for at in range(attributes):
        most = max(1, min(4, (_FEW_NODES if long else _NODES) // nodes - 1))
        numeric = name in ("mondrian", "tdr", "ordered-set")
        kind, declared, among = hierarchies.made(rng, source, most, numeric=numeric)
        if long and at == 0 and name not in _BY_LEAF and rng.random() < 0.6:
            kind, declared, among = _wide(source)
        missing = rng.choice([0.1, 0.3]) if rng.random() < 0.3 else 0.0
        columns.append(Column(names[at], kind, "quasi_identifiers", declared))
        pools.append(among)
        cells.append(tables.column(rng, among, count, missing))
        tree, _ = trees.build(
            "suppress" if name in ONE_STEP else declared, kind, (text(cell, kind) for cell in cells[-1])
        )
        nodes *= tree.height + 1 if tree else 2
    for at in range(rng.randint(1 if name == "tdr" else 0, 3)):
        kind = rng.choice([each for each in kinds(source) if at or name != "tdr" or each not in ALIKE])
        role = rng.choice(["sensitive", "keep", "identifiers"] if name != "tdr" or at else ["sensitive", "keep"])
        columns.append(Column(names[attributes + at], kind, role))  # type: ignore[arg-type]
        pool = list(tables.values(rng, kind, source))
        if kind.startswith("float") and source in ("parquet", "jsonl", "duckdb", "query"):
            pool += tables.unsafe(kind, source)
        cells.append(tables.column(rng, tables.some(rng, pool), count, rng.choice([0.0, 0.0, 0.2])))
    rows = [list(row) for row in zip(*cells, strict=True)] if count else []
    tables.repeated(rng, rows, range(attributes))
    if long or rng.random() < 0.65:
        columns.append(Column("id", "text" if source == "csv" else "int64", "keep"))
        for at, row in enumerate(rows):
            row.append(str(at) if source == "csv" else at)
    order = rng.sample(range(len(columns)), len(columns))
    pools = [pools[at] for at in order if at < attributes]
    return [columns[at] for at in order], [tuple(row[at] for at in order) for row in rows], pools


def _k(rng: Random, rows: int) -> int:
    if rng.random() < 0.03:
        return rng.choice([1, max(rows, 1), rows + 1, 2**62, 2**63])
    return min(rng.choice([1, 2, 2, 2, 3, 3, 4, 5]), max(rows, 1))


def _qids(rng: Random, qis: list[Column], rows: int) -> tuple[tuple[tuple[str, ...], int], ...]:
    names = [column.name for column in qis]
    made = []
    for _ in range(rng.randint(2, 3)):
        made.append((tuple(rng.sample(names, rng.randint(1, len(names)))), _k(rng, rows)))
    covered = {name for attributes, _ in made for name in attributes}
    left = tuple(name for name in names if name not in covered)
    return (*made, *([(left, _k(rng, rows))] if left else []))


def _objective(rng: Random, measures: Sequence[str]) -> dict[str, Any] | None:
    if rng.random() < 0.3:
        return None
    return {"minimize": rng.choice(measures)}


def _algorithm(rng: Random, name: str, qis: list[Column], kept: list[Column]) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name}
    if name == "incognito":
        made["variant"] = rng.choice(["basic", "super-roots", "cube"])
    if name == "bottom-up":
        made["rollup"] = rng.choice([True, False])
    if name == "mondrian" and rng.random() < 0.3:
        made["relaxed"] = True
    if name == "tdr":
        told = [column.name for column in kept if column.kind not in ALIKE]
        made["class"] = next((each for each in told if each != "id"), "id")
        if rng.random() < 0.4:
            made["criterion"] = "infogain"
        if rng.random() < 0.2:
            made["max_refinements"] = rng.randint(0, 4)
    if name == "sweep" and rng.random() < 0.4:
        made["dearest"] = rng.choice([0, "0.3", "0.7", 1])
    if name == "kaca":
        made["variant"] = rng.choice(["kaca", "kaca1", "kaca2"])
        if rng.random() < 0.5:
            made["execution"] = rng.choice(["neighbours", "neighbours", "joins"])
        weights: dict[str, Any] = {}
        if rng.random() < 0.4:
            weights |= {"scheme": "height", "beta": rng.choice([1, 2, "1.5"])}
        if weights:
            made["weights"] = weights
        if rng.random() < 0.3:
            made["priority"] = [rng.choice(qis).name]
        if made["variant"] == "kaca2":
            made["max_inconsistency"] = rng.choice(["0", "0.1", "0.5", "1"])
        if rng.random() < 0.3:
            made["distance_threshold"] = rng.choice([0, 1, "2.5"])
    return made
