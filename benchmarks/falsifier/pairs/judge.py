"""The oracle: every claim recomputed from the hidden truth and from what is published alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from traceback import format_exception
from typing import Any

from benchmarks.falsifier import bounds, lattices, measured, released
from benchmarks.falsifier.hosts import Released
from benchmarks.falsifier.oracle import FULL_DOMAIN, Oracle
from benchmarks.falsifier.pairs import figures
from benchmarks.falsifier.pairs.features import MODELS, PLACES, Outcome
from benchmarks.falsifier.pairs.publication import Cells, Publication, as_text, cells_at, groups_of
from benchmarks.falsifier.pairs.world import PERSON, ROW, SITE, WHOSE, Draft, Night, World
from benchmarks.falsifier.released import Matched
from benchmarks.falsifier.values import text

# ----------------------------------------------------------------------------------------------------- what took effect


def facts(draft: Draft, night: Night, shown: Publication, number: int) -> set[str]:
    """The features that a run shows to have taken effect."""
    report = shown.report or {}
    found = {str(report["algorithm"]["name"])}
    found |= {name for name, place in PLACES.items() if place == (draft.source, draft.target, draft.frame)}
    told = [model["model"] for qid in report["requirement"]["qids"] for model in qid["models"]]
    asked = [(key, dict(model)) for key, model in draft.models]
    found |= {name for name, (key, model) in MODELS.items() if (key, model) in asked and key in told}
    found |= {"distinct l"} if draft.distinct and "l_diversity" in told else set()
    roles = {"others": "others: identifiers", "pattern": "keep by a pattern"}
    found |= {roles[draft.roles]} if draft.roles else set()
    found |= {"k-map"} if draft.population == "k_map" else {"delta-presence"} if draft.population else set()
    repeated = len({row[-1] for row in night.truth.rows}) < len(night.truth.rows)
    if draft.person and repeated:
        found.add(f"person: {draft.person}")
        found |= {"person: several columns"} if draft.two_columns else set()
    if draft.identifier and repeated:
        found.add(f"identifier: {draft.identifier}")
    found |= {"several qids"} if len(report["requirement"]["qids"]) > 1 else set()
    found |= {"suppression"} if draft.suppression != "0" and report["suppressed_rows"] else set()
    for name, column, key in (("to", "zip", "to"), ("importance", "zip", "importance")):
        found |= {name} if key in draft.bounds.get(column, {}) else set()
    if "from" in draft.bounds.get("zip", {}) and not (number and draft.other_hierarchies):
        found.add(f"from {draft.bounds['zip']['from']}")
    at = shown.names.index("age")
    found |= (
        {"max_suppressed"} if draft.bounds.get("age") and any(c[at] == "*" for c in shown.cells.values()) else set()
    )
    if draft.nonconforming and any(each["cells"] != 0 for each in report["nonconforming"]):
        found.add(f"nonconforming: {draft.nonconforming}")
    for name, column in (("quasi-identifier", "zip"), ("person", draft.person_column), ("sensitive", "ill")):
        if any(rule["column"] == column and rule["cells"] != 0 for rule in report["cleaned"]):
            found.add(f"clean: {name}")
            found |= {"clean: from the second night"} if number and draft.clean_begins_later else set()
    found |= {f"respelled {what}" for what in draft.respelled if number and night.changed[what]}
    if number:
        found |= {f"rows {what}" for what in draft.moves}
        found |= {"refresh"} if draft.refresh == "tell" else {"departures: hold"} if draft.refresh else set()
        found |= {"released again", *(["against"] if draft.against else [])}
        found |= {"accept"} if draft.accept else set()
        found |= {"other hierarchies"} if draft.other_hierarchies else set()
        found |= {"persons counted otherwise"} if draft.counted_otherwise and repeated else set()
    found |= {"keep_dimensions"} if draft.keep_dimensions else set()
    found |= {f"missing {kind}" for kind in draft.missing if None in night.truth.cells(f"a_{kind}")}
    found |= {"constant per person"} if draft.constant and draft.has_persons else set()
    return found


# ---------------------------------------------------------------------------------------------------------- one release


def release(draft: Draft, world: World, night: Night, shown: Publication) -> list[str]:
    """Say what is wrong with one release by itself."""
    found: list[str] = []
    report = shown.report or {}
    if shown.strangers:
        found.append(f"match: {shown.strangers} released rows are no rows of the source")
    found += _classes(draft, world, night, shown)
    if report["released_rows"] + report["suppressed_rows"] != report["rows"]:
        found.append("rows: released and suppressed rows are not those of the source")
    if not draft.refresh:
        found += guarded(lambda: _by_oracle(night, report, shown.released))
        found += _seen(draft, night, shown)
    found += _cleaned(night, report)
    found += _identifiers(draft, world, night, shown)
    found += guarded(lambda: figures.joined(draft, world, shown))
    return found + guarded(lambda: figures.told_wrongly(draft, world, night, shown))


def guarded(judged: Callable[[], Iterable[str]]) -> list[str]:
    """The findings of a judgement, or its own error as a finding."""
    try:
        return list(judged())
    except Exception as error:
        return [f"oracle {type(error).__name__}: {''.join(format_exception(error))}"]


def _by_oracle(night: Night, report: dict[str, Any], rows: Released) -> list[str]:
    """The findings of the falsifier's own oracle of one release."""
    known = deepcopy(report)
    if known["persons"] is not None:
        if set(known["persons"]["told_by"]) - {PERSON, SITE, "employee"}:
            return [f"persons: {known['persons']} told"]
        known["persons"]["told_by"] = [WHOSE]
    matched = Matched(Oracle(night.truth), rows)
    found = released.differences(matched, known)
    if found:
        return found
    if matched.oracle.name in FULL_DOMAIN:
        found += lattices.differences(matched.oracle, known)
    return found + measured.differences(matched, known)


def _classes(draft: Draft, world: World, night: Night, shown: Publication) -> Iterator[str]:
    """Classes, or histories of persons, below k."""
    everything = tuple(column.name for column in night.truth.quasi_identifiers)
    for names, k in night.truth.requirement:
        if draft.person == "set":
            sizes = _histories([shown], world, shown.names)
        else:
            sizes = sizes_of([shown], _whose(draft, world), names)
        if min(sizes, default=k) < k:
            yield f"certificate: a class of {min(sizes)} over {names} where k = {k}"
        if set(names) == set(everything) and (shown.report or {})["k"] != min(sizes, default=None):
            yield f"k: {(shown.report or {})['k']} told, {min(sizes, default=None)} counted"


def _whose(draft: Draft, world: World) -> Mapping[int, int] | None:
    return world.whose if draft.person in ("row", "set") else None


def sizes_of(published: Sequence[Publication], whose: Mapping[int, int] | None, names: Sequence[str]) -> list[int]:
    """The sizes of these groups, in rows or in persons."""
    groups = groups_of(published, names)
    return [len(rows if whose is None else {whose[row] for row in rows}) for rows in groups]


def _histories(published: Sequence[Publication], world: World, names: Sequence[str]) -> list[int]:
    """The number of persons of each history: of the cells of all rows, each as often, in each publication."""
    cells: dict[int, list[Counter[Cells]]] = defaultdict(lambda: [Counter() for _ in published])
    for at, shown in enumerate(published):
        for number in shown.cells:
            read = cells_at(shown, number, names)
            if read is not None:
                cells[world.whose[number]][at][read] += 1
    return list(Counter(tuple(frozenset(each.items()) for each in of) for of in cells.values()).values())


def _seen(draft: Draft, night: Night, shown: Publication) -> Iterator[str]:
    """Numbers of the part insight, from the source's own cells."""
    insight = (shown.report or {})["insight"]
    if insight is None or not shown.cells:
        return
    released_rows = [at for at, number in enumerate(night.rows) if number in shown.cells]
    columns = night.truth.quasi_identifiers
    cells = {c.name: [text(cell, c.kind) for cell in night.truth.cells(c.name)] for c in columns}
    for told in insight["columns"]:
        name = told["attribute"]
        before = len({cells[name][at] for at in released_rows})
        after = len({cells_at(shown, number, [name]) for number in shown.cells})
        if (told["values"], told["released_values"]) != (before, after):
            counted = f"{before} and {after} counted"
            yield f"insight: {told['values']} and {told['released_values']} values of {name!r} told, {counted}"
    if insight["before"] is None:
        return
    told = insight["before"]["alone"]
    rows = range(len(night.rows)) if draft.person in ("row", "set") else released_rows
    members: dict[Hashable, set[Any]] = defaultdict(set)
    whose = night.truth.cells(WHOSE)
    for at in rows:
        tuple_ = tuple(cells[column.name][at] for column in columns)
        members[tuple_].add(whose[at] if draft.person in ("row", "set") else at)
    alone = {next(iter(each)) for each in members.values() if len(each) == 1}
    if told is not None and (told > len(alone) or (draft.person not in ("row", "set") and told != len(alone))):
        yield f"alone: {told} told before, {len(alone)} counted of {len(set(whose))} persons"


def _cleaned(night: Night, report: dict[str, Any]) -> Iterator[str]:
    """Numbers of cleaned cells, of columns that one rule changes."""
    for column in {rule["column"] for rule in report["cleaned"]}:
        rules = [rule for rule in report["cleaned"] if rule["column"] == column]
        if len(rules) == 1 and rules[0]["cells"] not in (None, night.changed.get(column, night.changed[PERSON])):
            yield f"cleaned: {rules[0]} told, {night.changed} counted"


def _identifiers(draft: Draft, world: World, night: Night, shown: Publication) -> Iterator[str]:
    """Visits of persons who are not declared: the result must say that classes have fewer persons than k."""
    if draft.person != "undeclared":
        return
    report = shown.report or {}
    # Nothing tells whose a row without an identifier is: it counts as a person of its own.
    codes = zip(night.rows, night.written.cells(draft.person_column), strict=True)
    whose = {**world.whose, **{number: -1 - number for number, code in codes if code is None or code != code}}
    for names, k in night.truth.requirement:
        sizes = sizes_of([shown], whose, names)
        below = sum(size < k for size in sizes)
        told = [each for each in report["by_identifier"] if each["attributes"] == list(names)]
        uncounted = any("values of identifier" in warning for warning in report["warnings"])
        if below and not uncounted and not any(not each["holds"] for each in told):
            yield f"certificate: {below} of {len(sizes)} classes have fewer than {k} persons, and nothing is said"
        for each in told:
            counted = each["classes_below"]
            if counted is not None and counted != below and draft.identifier != "float64":
                yield f"by_identifier: {counted} classes told, {below} counted"


# -------------------------------------------------------------------------------------------------------- joint k


#: No job can know it: such a person is one who went and one who came, as docs/how-to/earlier.md says.
_LIMIT = "joint k above the truth, of a source that writes persons otherwise, which nothing tells"


def joint(draft: Draft, world: World, published: Sequence[Publication], outcome: Outcome) -> Iterator[str]:
    """Claims on all publications of the source together."""
    now, earlier = published[-1], published[:-1]
    report = now.report
    if report is None or not earlier or report["unchanged"]:
        return
    whose = _whose(draft, world)
    by_run = {shown.report["run"]: shown for shown in earlier if shown.report is not None}
    killed = [shown for shown in earlier if shown.report is None]

    def of(runs: Iterable[str]) -> list[Publication] | None:
        named = list(runs)
        unknown = [run for run in named if run not in by_run]
        if len(unknown) > len(killed):
            return None
        return [*(killed if unknown else []), *(by_run[run] for run in named if run in by_run)]

    def truth(those: Sequence[Publication], names: Sequence[str]) -> int | None:
        names = [name for name in names if all(name in shown.names for shown in those)]
        if draft.person == "set":
            return min(_histories(those, world, names), default=None)
        return min(sizes_of(those, whose, names), default=None)

    claims = [*((each, [each["run"]]) for each in report["joint"]), *((e, e["runs"]) for e in report["joint_together"])]
    for told, runs in claims:
        those = of(runs)
        if told.get("unknown"):
            outcome.skipped.append("joint k, which is said to be unknown")
        if those is None or told["k"] is None or told.get("unknown"):
            continue
        k = truth([*those, now], told["attributes"])
        if k is None:
            continue
        if draft.respells_unnoticed:
            outcome.skipped += [_LIMIT] if told["k"] > k else []
        elif told["k"] > k and told["exact"]:
            yield f"certificate: joint k of {len(those) + 1} releases is {k}, and {told['k']} is told as exact"
        elif told["k"] > k:
            outcome.skipped.append("an estimate of joint k above the truth")
        elif told["exact"] and told["k"] < k and draft.person != "set":
            yield f"joint: {told['k']} told as exact, {k} counted"
        elif told["exact"] and draft.person != "set":
            yield from figures.joint_rows(told, [*those, now], whose)
    if any("is not known" in warning for warning in report["warnings"]):
        outcome.skipped.append("joint k, of which a warning says that it is not known")
    for names, required in _required(report):
        k = truth(published, names)
        silent = not report["joint"] and not report["joint_together"] and not report["warnings"]
        unlike = draft.source == "frame" and (draft.moves or draft.respelled or draft.clean)
        if k is not None and k < required and silent and not unlike:
            yield f"certificate: joint k of {len(published)} releases is {k}, without a figure or a warning"
        runs = [shown for shown in published if shown.report is not None]
        named = truth(runs, names) if draft.against and not draft.accept and len(runs) == 2 else None
        if draft.respells_unnoticed:
            outcome.skipped += [_LIMIT] if named is not None and named < required else []
            continue
        if named is not None and named < required:
            yield f"certificate: joint k is {named} where against asks for {required}, and the release is published"
        if draft.refresh and k is not None and k < required and not killed:
            only_came = not draft.moves & {"go", "change"} and not draft.respelled
            if draft.refresh == "hold" or draft.person == "set" or only_came:
                yield f"certificate: a refresh has joint k = {k} with the nights before, where k = {required}"


def _required(report: dict[str, Any]) -> list[tuple[list[str], int]]:
    return [(qid["attributes"], qid["k"]) for qid in report["requirement"]["qids"]]


# ------------------------------------------------------------------------------------------------------------ besides


def masked(
    draft: Draft, whose: Mapping[int, int], night: Night, shown: Publication, rows: Released, *, exempt: bool
) -> Iterator[str]:  # fmt: skip
    """Rows of a changed source that were masked, beside the release whose recoding they use."""
    numbers = {written: number for number, written in zip(night.rows, night.truth.cells(ROW), strict=True)}
    kinds = {column.name: column.kind for column in night.truth.columns}
    cells: dict[int, Cells] = {}
    numbers = {row[night.truth.place(ROW)]: number for number, row in zip(night.rows, night.truth.rows, strict=True)}
    for row in rows.rows:
        named = dict(zip(rows.names, row, strict=True))
        if named[ROW] not in numbers:
            yield "match: apply yields rows that are no rows of its source"
            return
        cells[numbers[named[ROW]]] = tuple(as_text(named[name], kinds[name]) for name in shown.names)
    if exempt:
        return
    other = Publication(rows, None, None, shown.names, cells, {}, 0)
    for names, k in night.truth.requirement:
        alone = min(sizes_of([other], None, names), default=k)
        if alone < k:
            yield f"certificate: apply yields a class of {alone} where k = {k}"
        together = min(sizes_of([shown, other], None, names), default=k)
        if alone >= k > together:
            yield f"certificate: apply and its release have joint k = {together} where k = {k}"


def mapping(night: Night, shown: Publication, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The mapping of a release counts each of its rows once."""
    if sum(row["rows"] for row in rows) != len(shown.released.rows):
        yield f"mapping: of {sum(row['rows'] for row in rows)} rows, where {len(shown.released.rows)} are released"
    counted: Counter[Cells] = Counter(shown.cells.values())
    told: Counter[Cells] = Counter()
    for row in rows:
        told[tuple(row[f"{name}_released"] for name in shown.names)] += row["rows"]
    if told != counted:
        yield "mapping: its classes are not those of the release"


def page(draft: Draft, world: World, night: Night, shown: Publication, html: str) -> Iterator[str]:
    """Numbers of the report."""
    plain = re.sub(r"<[^>]+>", " ", html)
    report = shown.report or {}
    persons = {world.whose[number] for number in night.rows}
    for told in re.findall(r"at least ([\d,]+) persons", plain):
        if int(told.replace(",", "")) > len(persons):
            yield f"report: at least {told} persons are alone, where there are {len(persons)}"
    if report["k"] is not None and str(report["k"]) not in plain:
        yield f"report: k = {report['k']} is nowhere"
    if "age" in shown.names and draft.nonconforming:
        return
    for name, kind in (("born", "dates"),):
        if name not in shown.names or not shown.cells:
            continue
        at = shown.names.index(name)
        whole = sum(bool(re.match(r"\d{4}-\d\d-\d\d", cells[at] or "")) for cells in shown.cells.values())
        said = re.search(rf"{name}\W+ shows whole {kind}", plain)
        if said and not whole:
            yield f"report: {name!r} is said to show whole {kind}, and no cell has one"


def explained(shown: Publication, explanation: Any) -> Iterator[str]:
    """The explanation of a release is of that very release, unless waiting rows may join at a refresh."""
    report = shown.report or {}
    if report.get("refresh") and report["suppressed_rows"]:
        return
    if explanation.suppressed_rows != report["suppressed_rows"]:
        yield f"explain: {explanation.suppressed_rows} suppressed rows told, {report['suppressed_rows']} counted"
    if abs(explanation.loss - report["measures"]["loss"]) > 1e-9:
        yield f"explain: loss {explanation.loss} told, {report['measures']['loss']} measured"


def previewed(draft: Draft, night: Night, shown: Publication, preview: Any) -> Iterator[str]:
    """The studio's preview is of the release that a run would make: at a refresh, waiting rows may join."""
    report = shown.report or {}
    waiting = report.get("refresh") and report["suppressed_rows"]
    for name in ("rows",) if waiting else ("rows", "released_rows", "suppressed_rows", "k"):
        if getattr(preview, name) != report[name]:
            yield f"preview: {name} {getattr(preview, name)} told, {report[name]} released"
    kinds = {column.name: column.kind for column in night.truth.columns}
    for column in preview.columns:
        values = {text(cell, kinds[column.attribute]) for cell in night.truth.cells(column.attribute)}
        if column.before.values != len(values):
            yield f"preview: {column.before.values} values of {column.attribute!r} before told, {len(values)} counted"


def lattice(night: Night, told: Any, counted: Any) -> Iterator[str]:
    """The studio's answer on each node, by brute force."""
    oracle = Oracle(night.truth)
    if oracle.case.of_population or oracle.case.as_set or oracle.refusals:
        return
    declared = bounds.bounds_of(oracle.case)
    lowest = [declared[column.name].get("from", 0) for column in oracle.case.quasi_identifiers]
    for place, node in list(enumerate(counted.nodes))[:40]:
        levels = tuple(int(level) - low for level, low in zip(node, lowest, strict=True))  # of the oracle's trees
        if int(told.left_out[place]) != (rows := oracle.outliers(levels)):
            yield f"studio: {told.left_out[place]} rows left out at {tuple(node)} told, {rows} counted"
            return


def drafted(world: World, report: dict[str, Any], rows: Released) -> Iterator[str]:
    """The release of a drafted job: its classes, and no codes of persons."""
    names = [name for name in report["roles"]["quasi_identifiers"] if name in rows.names]
    sizes = Counter(tuple(repr(row[rows.names.index(name)]) for name in names) for row in rows.rows)
    if report["k"] and report["persons"] is None and min(sizes.values(), default=report["k"]) != report["k"]:
        yield f"init: k = {report['k']} told, {min(sizes.values())} counted"
    cells = {str(cell).strip().lower() for row in rows.rows for cell in row}
    codes = {code.lower() for code in world.codes} & cells
    if codes:
        held = [{str(row[at]).strip().lower() for row in rows.rows} for at in range(len(rows.names))]
        columns = [name for name, cells in zip(rows.names, held, strict=True) if cells & codes]
        yield f"leak: the drafted job releases the codes of {len(codes)} persons, as {columns}"


def leaks(
    world: World, published: Sequence[Publication], readable: Mapping[str, bytes], outcome: Outcome
) -> Iterator[str]:  # fmt: skip
    """Values in readers' bytes that only rows have that are in no release."""
    shown = {number for each in published for number in each.cells}
    missing = {number for night in world.nights for number in night.rows} - shown
    canaries = {world.texts[number]: "the kept text of a row left out" for number in missing}
    present: set[str] = set()
    for night in world.nights:
        for case in (night.truth, night.written):
            at = case.place("zip")
            present |= {row[at].lower() for number, row in zip(night.rows, case.rows, strict=True) if number in shown}
    for night in world.nights:
        for case in (night.truth, night.written):
            at = case.place("zip")
            for number, row in zip(night.rows, case.rows, strict=True):
                if number in missing and row[at].lower() not in present:
                    canaries[row[at]] = "a zip that only rows left out have"
    canaries |= dict.fromkeys(world.codes, "the code of a person")
    for place, content in readable.items():
        for canary, what in canaries.items():
            at = content.find(canary.encode())
            if at >= 0 and not (canary.isdigit() and _inside(content, at, len(canary))):
                yield f"leak: {place} has {what}"
                break


def _inside(content: bytes, at: int, length: int) -> bool:
    """Say whether digits at a place are a part of a longer number or word."""
    around = content[max(at - 1, 0) : at] + content[at + length : at + length + 1]
    return any(chr(byte).isalnum() or byte == ord(".") for byte in around)
