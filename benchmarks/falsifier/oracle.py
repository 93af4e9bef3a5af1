"""What a job must come to, by brute force: refusals, the lattice, verdicts of a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from benchmarks.falsifier import bounds, privacy, trees
from benchmarks.falsifier.case import Case, Column
from benchmarks.falsifier.keeping import DATABASES, HOME, LACKS, NOT_KEPT, kind_of, uncounted
from benchmarks.falsifier.trees import Refusal, Text, Tree
from benchmarks.falsifier.values import KINDS, UNGROUPED, same, text

Node = tuple[int, ...]
Group = tuple[Text, ...]
Qid = tuple[tuple[str, ...], int]

# Algorithms that search the whole lattice, and with them those that look for one generalization in it.
COMPLETE = ("witness", "incognito", "bottom-up", "attribute-suppression")
FULL_DOMAIN = (*COMPLETE, "samarati", "datafly")
SINGLE_DIMENSION = ("tdr", "full-subtree", "ordered-set", "unrestricted")
# Those that leave out no row but of groups that violate the requirement at the highest levels, like single dimensions.
REGIONS = ("mondrian", "full-subgraph", "unrestricted-multi", "cell-suppression")
ONE_STEP = ("attribute-suppression", "cell-suppression")


@dataclass(frozen=True)
class Oracle:
    """A case with what it must come to. Every statement of it is counted from the case's own rows."""

    case: Case
    #: That of all rows, where the case has some of them alone.
    of_all: Oracle | None = None

    @property
    def name(self) -> str:
        return str(self.case.algorithm["name"])

    @cached_property
    def texts(self) -> list[Group]:
        """The quasi-identifiers of every row as texts."""
        chosen = [(self.case.place(column.name), column.kind) for column in self.case.quasi_identifiers]
        return [tuple(text(row[at], kind) for at, kind in chosen) for row in self.case.rows]

    @cached_property
    def population(self) -> list[Group]:
        """The quasi-identifiers of everybody as texts."""
        kinds = [column.kind for column in self.case.quasi_identifiers]
        return [tuple(map(text, person, kinds)) for person in self.case.population]

    @cached_property
    def built(self) -> tuple[list[Tree | None], list[Refusal]]:
        """The tree of each quasi-identifier, where it can be used, and why others cannot."""
        found, refusals = [], []
        for at, column in enumerate(self.case.quasi_identifiers):
            declared = self._declared(column)
            tree, problems = trees.build(
                declared, self._kind(column), (row[at] for row in (*self.texts, *self.population))
            )
            found.append(tree)
            refusals += [Refusal(each.error, f"hierarchy of {column.name!r}: ") for each in problems if not each.part]
            if problems and column.hierarchy != declared:
                refusals.append(Refusal("HierarchyError", " occur with several values of "))
            refusals += problems
        return found, refusals

    @cached_property
    def misfits(self) -> list[tuple[str, str, str]]:
        """The values that have no leaf: attribute, value and rows."""
        found = []
        for at, column in enumerate(self.case.quasi_identifiers):
            declared = self._declared(column)
            rows = Counter(row[at] for row in self.texts)
            without = trees.without_leaf(declared, self._kind(column), rows)
            found += [(column.name, value or "", str(rows[value])) for value in without]
        return found

    def _declared(self, column: Column) -> Any:
        """A hierarchy as the rows tell it, where columns of theirs are its levels; of one step where none has more."""
        declared, held = column.hierarchy, trees.parted(column.hierarchy)[1]
        if self.name in ONE_STEP:
            return bounds.bounded("suppress", {"to": 0} if "to" in held else {})
        if not isinstance(declared, Mapping) or "columns" not in declared:
            return declared
        levels = [self.case.cells(name) for name in (column.name, *declared["columns"])]
        return {"table": [(*line, "*") for line in zip(*levels, strict=True)], **held}

    @cached_property
    def trees(self) -> list[Tree]:
        return [tree for tree in (self.of_all or self).built[0] if tree is not None]

    def among(self, rows: Collection[int]) -> Oracle:
        """What some of the rows must come to, with the hierarchies of all."""
        return Oracle(replace(self.case, rows=tuple(self.case.rows[row] for row in sorted(rows))), self)

    @cached_property
    def refusals(self) -> list[Refusal]:
        """The errors of which one is right; none where there must be a release."""
        refusals = [*self.unreadable, *self._stuck]
        refusals += bounds.refusals(self.case, one_step=self.name in ONE_STEP)
        for name in [*dict(self.case.l_diversity), *(str(model["attribute"]) for _, model in self.case.models)]:
            refusals += uncounted(self.case.columns[self.case.place(name)], self.case.host, self.case.cells(name))
        refusals += self._of_models
        refusals += self._of_sets
        further = self.case.l_diversity or self.case.models or self.case.person
        if self.case.algorithm.get("relaxed") and further:
            refusals.append(Refusal("JobError", "algorithm.relaxed may put equal rows into two classes, which is "))
        if "distance_threshold" in self.case.algorithm and further:
            refusals.append(
                Refusal("JobError", "algorithm.distance_threshold suppresses classes, and the remaining classes ")
            )
        if self.case.refresh == "hold" and any(column.role == "levels" for column in self.case.columns):
            refusals.append(Refusal("JobError", "departures: a hierarchy reads further columns of the source"))
        if len(self.required[0]) > 1 and Decimal(self.case.suppression):
            refusals.append(Refusal("JobError", "requirement.suppression is not possible with several QIDs "))
        if not self.case.rows:
            refusals.append(Refusal("SourceError", "has no rows, so there is nothing to release"))
        if len(self.case.rows) < self.least_rows:
            refusals.append(Refusal("RequirementError", f"{self._fewest}, so no generalization can help"))
        if len(self.case.rows) < max((privacy.least_rows(model) for _, model in self.case.models), default=0):
            refusals.append(Refusal("RequirementError", ", and every class must have "))
        most = max(k for _, k in self.case.requirement)
        if self.persons(range(len(self.case.rows))) < most:
            refusals.append(Refusal("RequirementError", "no generalization can help"))
        if self._small(range(len(self.case.rows)), 1):
            refusals.append(Refusal("RequirementError", ", and it does not: "))
        refusals += self.built[1]
        refusals += self._of_population
        refusals += self._of_highest if refusals == self._stuck else []
        greedy = self.name == "datafly"  # its one way may pass by what satisfies
        if refusals == self._stuck and self.name in FULL_DOMAIN and not (self.datafly if greedy else self.anonymous):
            refusals.append(Refusal("RequirementError", "satisfies the requirement"))  # or, whichever comes first:
            # Or they are fewer than a class takes.
            refusals.append(Refusal("RequirementError", ", and every class must have "))
        return refusals

    @property
    def _of_models(self) -> list[Refusal]:
        """What models are refused for: a table that violates them as a whole, and what cannot move with them."""
        case, found = self.case, []
        for _, model in case.models:
            found += privacy.refusals(model, [*dict.fromkeys(self.models_cells[str(model["attribute"])])])
        moving = case.reference == "release" and any(key in privacy.COMPARING for key, _ in case.models)
        if moving and Decimal(case.suppression) and self.name in ("samarati", "datafly"):
            found.append(Refusal("JobError", " does not support suppression here: suppressed rows change the table "))
        if any(key not in ("p_sensitive",) for key, _ in case.models) and self._scattered:
            found.append(Refusal("JobError", "a person has rows with several combinations of the quasi-identifiers"))
        if found:
            return found
        rows = range(len(case.rows))
        least = [each for each in case.models if each[0] == "p_sensitive"]
        if rows and privacy.violated(
            least, self.models_cells, [rows], None, self.whose
        ):  # nor do some of the rows have more values
            found.append(Refusal("RequirementError", ", and it does not: "))
            # Or they are fewer than a class takes.
            found.append(Refusal("RequirementError", ", and every class must have "))
        if rows and privacy.violated(case.models, self.models_cells, [rows], None, self.whose):
            if not self.allowed:
                found.append(Refusal("RequirementError", "no generalization can help"))
            elif self.name not in FULL_DOMAIN:  # some of the rows may satisfy what all of them do not
                found.append(Refusal("RequirementError", f": {self.name} starts from one class of all rows"))
                # Or they are fewer than a class takes.
                found.append(Refusal("RequirementError", ", and every class must have "))
        return found

    @property
    def _scattered(self) -> bool:
        """Whether a person has several combinations of the quasi-identifiers, and of the classes that tdr looks at."""
        classes = self.case.cells(self.case.algorithm["class"]) if self.name == "tdr" else [None] * len(self.texts)
        tuples = set(zip(self.whose or [], zip(self.texts, map(same, classes), strict=True), strict=False))
        return len({person for person, _ in tuples}) < len(tuples)

    @property
    def _of_sets(self) -> list[Refusal]:
        """Persons with as many rows as fewer than k have are like nobody else at any node."""
        if not self.case.as_set or self.name != "sweep" or self.built[1]:
            return []
        alone = len(self.hopeless)
        if self.allowed < alone or alone == len(self.case.rows):
            return [Refusal("RequirementError", ": some persons have a number of rows")]
        return []

    @property
    def _of_highest(self) -> list[Refusal]:
        """Rows that no class can have at the highest levels that the job allows, more than may be left out."""
        out, allowed = len(self.hopeless), self.allowed if len(self.qids) == 1 else 0
        if self.case.as_set or not out or (out <= allowed and out < len(self.texts)):
            return []
        return [Refusal("RequirementError", " violate the requirement even at the highest levels allowed by ")]

    @cached_property
    def hopeless(self) -> set[int]:
        """The rows that are in no class, whatever a search that leaves nodes alone finds below the highest levels."""
        top = tuple(tree.height for tree in self.trees)
        if self.name in FULL_DOMAIN:
            return set()
        if self.case.as_set:
            return self.gone(top)
        of_each = self.qids if self.name in SINGLE_DIMENSION else [(range(len(top)), max(k for _, k in self.qids))]
        found, groups = set[int](), self.groups(top)
        for qid, k in of_each:
            if any(self.trees[at].capped for at in qid):
                projected = [tuple(group[at] for at in qid) for group in groups]
                people = self._own_people(top, qid)
                one = len(self.qids) == 1
                out = self.left_out(projected, people) if one else self.violating(projected, k, people=people)
                found |= {row for row, group in enumerate(projected) if group in out}
        return found

    def _own_people(self, node: Node, at: Sequence[int]) -> Counter[Group] | None:
        """How many people of the population who are like some row the groups of a node have, over some attributes."""
        if not self.case.of_population:
            return None
        own = (self.generalized(person, node) for person in self.population if person in self.texts)
        return Counter(tuple(person[each] for each in at) for person in own)

    @property
    def _of_population(self) -> list[Refusal]:
        """What a population is refused for, and what cannot be asked within one."""
        case, found = self.case, []
        if not case.of_population:
            return []
        if self.name not in FULL_DOMAIN and any(column.hierarchy == "numeric" for column in case.quasi_identifiers):
            found.append(Refusal("JobError", " from the numbers of the source, which may not fit the population: "))
        if self.name == "tdr":
            found.append(Refusal("JobError", ", which the population does not have: take "))
        for at, column in enumerate(case.quasi_identifiers):
            if trees.unusable((person[at] for person in case.population), column.kind):
                found.append(
                    Refusal("SourceError", " values that are NaN, infinite or negative zero: replace them in ")
                )
                found.append(Refusal("SourceError", " are NaN, infinite or negative zero: replace these values there"))
        everybody = Counter(self.population)
        if not everybody:
            found.append(Refusal("SourceError", " has no people: give the population from which the table comes"))
            found.append(Refusal("SourceError", " has no names: there is nothing to read"))
        if any(rows > everybody[row] for row, rows in Counter(self.texts).items()):
            found.append(Refusal("SourceError", " has fewer people than "))
        if case.presence is not None and self.name not in FULL_DOMAIN:
            found.append(Refusal("JobError", "delta_presence needs every class of the population, "))
        if case.presence is not None and Decimal(case.presence[0]) and Decimal(case.suppression):
            found.append(Refusal("JobError", "delta_presence with min above 0 does not go with suppression: "))
        if self._beside(len(case.rows), len(self.population)) and not self.allowed:
            found.append(Refusal("RequirementError", ", and it does not: "))
        if case.k_map is None:
            return found
        if len(self.population) < case.k_map:
            found.append(Refusal("RequirementError", ", and it does not: "))
        if self.name not in FULL_DOMAIN and sum(everybody[row] for row in set(self.texts)) < case.k_map:
            found.append(Refusal("RequirementError", "counts only people with combinations of "))
        return found

    @cached_property
    def models_cells(self) -> dict[str, list[Any]]:
        """The values of sensitive columns that models read, by row."""
        names = {str(model["attribute"]) for _, model in self.case.models}
        found: dict[str, list[Any]] = {
            name: [None if cell is None else same(cell) for cell in self.case.cells(name)] for name in names
        }
        return {**found, **self.distant}

    @cached_property
    def whole(self) -> dict[str, Counter[Any]] | None:
        """How often the source has each of these values, where classes are compared with it."""
        if self.case.reference == "release":
            return None
        return {name: Counter(cells) for name, cells in self.models_cells.items()}

    @cached_property
    def distant(self) -> dict[str, list[Text]]:
        """How the values of sensitive columns read that models tell how far they are apart, or name, by row."""
        names = {str(model["attribute"]) for _, model in self.case.models if {"distance", "values"} & set(model)}
        columns = [column for column in self.case.columns if column.name in names]
        return {
            column.name: [text(cell, self._kind(column)) for cell in self.case.cells(column.name)] for column in columns
        }

    @property
    def possible(self) -> list[Refusal]:
        """The errors that may be right: cells and names that a place cannot have."""
        if "dimensions" in self.case.besides and any(len(column.name.encode()) > 50 for column in self.case.columns):
            return [Refusal("OutputError", ": leave keep_dimensions out")]
        if self.case.home == "mariadb" and any(column.name != column.name.rstrip() for column in self.case.columns):
            return [Refusal("SourceError", "cannot be read (ProgrammingError 1166)")]
        # Generalized, a quasi-identifier is text; and a dimension table without rows may have no level either.
        found = self._unkept(*self.case.quasi_identifiers)
        if bounds.shares_of(self.case):
            found.append(Refusal("RequirementError", "max_suppressed: "))
        released = [cell for column in self.case.released for cell in self.case.cells(column.name)]
        if self.case.home == "postgresql" and any(isinstance(cell, str) and "\0" in cell for cell in released):
            found.append(Refusal("OutputError", "cannot store the character NUL, "))
        if any(
            isinstance(column.hierarchy, Mapping) and column.hierarchy.get("table") == []
            for column in self.case.quasi_identifiers
        ):
            found.append(Refusal("HierarchyError", "has only the column of leaves"))
        if (
            self.case.k_map is not None
            and self.name not in FULL_DOMAIN
            and any(tree.reads_alike for tree in self.trees)
        ):
            # A text of several levels is taken for that of the highest, which may have fewer people.
            found.append(Refusal("VerificationError", f" does not have {self.case.k_map} people of the population"))
        if self.case.k_map is not None and "distance_threshold" in self.case.algorithm and self.allowed:
            found.append(Refusal("RequirementError", "the last rows fit no class that satisfies the requirement: "))
        if self.case.target != "csv" or len(self.case.released) > 1:
            return found
        cells = {value for tree in self.trees for path in tree.paths.values() for value in path}
        blank = any(cell is None or (cell and not cell.strip(" \t")) for cell in cells)
        return [*found, *([Refusal("OutputError", "missing or blank cells would be empty lines")] if blank else [])]

    @cached_property
    def unreadable(self) -> list[Refusal]:
        """The errors of a table that cannot be read, or whose quasi-identifiers cannot be counted."""
        refusals = []
        if self.case.encoding == "utf-16" and any("\n" in name for name in self.case.header or self.case.names):
            refusals.append(Refusal("SourceError", ", line 1: the name of a column has a line end: rename the column"))
        if self.case.source == "jsonl" and not self.case.rows:
            refusals.append(Refusal("SourceError", " has no names: there is nothing to read"))
        for column in self.case.quasi_identifiers:
            unusable = trees.unusable(self.case.cells(column.name), column.kind)
            if unusable:
                refusals.append(
                    Refusal("SourceError", f" has {unusable} values that are NaN, infinite or negative zero")
                )
            if self._kind(column) in UNGROUPED:
                refusals.append(Refusal("SourceError", "which no hierarchy supports: cast the column in "))
        return refusals

    @property
    def _stuck(self) -> list[Refusal]:
        """Columns that one place has and the other cannot have."""
        case = self.case
        kinds = {self._kind(column) for column in case.released}
        if (
            case.moves
            and case.host in DATABASES
            and not (case.keeps_dimensions and kinds & set(HOME))
            and kinds & set(UNGROUPED)
        ):
            return [Refusal("SourceError", "which cannot be read without loss: cast the column in a query")]
        if case.moves and case.keeps_dimensions and kinds & set(HOME):
            return [Refusal("OutputError", " cannot store column ")]
        lost = LACKS.get(case.home or "", ()) if case.moves else ()
        cells = [cell for column in (*case.of("sensitive"), *case.of("keep")) for cell in case.cells(column.name)]
        if any(repr(cell).removeprefix("-i") in lost for cell in cells if isinstance(cell, float)):
            return [Refusal("OutputError", ": replace this value in a query, or release to another place")]
        return self._unkept(*case.of("sensitive"), *case.of("keep"))

    def _unkept(self, *columns: Column) -> list[Refusal]:
        """Those of columns that a place without a database does not keep."""
        _, lacking = NOT_KEPT.get(self.case.target, ("", ()))
        kinds = {self._kind(column) for column in columns}
        return [
            Refusal("OutputError", f" of type {KINDS[kind]} unchanged: cast the column in a query")
            for kind in lacking
            if kind in kinds
        ]

    def _kind(self, column: Column) -> str:
        return kind_of(column, self.case.host or self.case.source, self.case.cells(column.name))

    @cached_property
    def allowed(self) -> int:
        """How many rows may be left out."""
        return int(Decimal(self.case.suppression) * len(self.case.rows))

    @cached_property
    def required(self) -> tuple[list[Qid], list[Qid]]:
        """The quasi-identifiers of the requirement, and those that others imply: more attributes and no smaller k."""
        needed: list[Qid] = []
        redundant: list[Qid] = []
        given = self.case.requirement
        for place, (names, k) in enumerate(given):
            implied = any(
                set(names) <= set(others)
                and k <= other
                and (before < place or not (set(others) <= set(names) and other <= k))
                for before, (others, other) in enumerate(given)
                if before != place
            )
            (redundant if implied else needed).append((names, k))
        return needed, [qid for qid in redundant if qid not in needed]  # said twice, one is the other

    @cached_property
    def qids(self) -> list[tuple[tuple[int, ...], int]]:
        """The quasi-identifiers of the requirement by their attributes' positions."""
        names = [column.name for column in self.case.quasi_identifiers]
        return [(tuple(map(names.index, attributes)), k) for attributes, k in self.required[0]]

    @property
    def least_rows(self) -> int:
        """How many rows a table that satisfies the requirement has at least."""
        return max([*(k for _, k in self.case.requirement), *(least for _, least in self.case.l_diversity)])

    @property
    def _fewest(self) -> str:
        """What the table has too few rows for."""
        most = max(k for _, k in self.case.requirement)
        wide = next((name for name, least in self.case.l_diversity if least == self.least_rows > most), None)
        least, counted = self.least_rows, "rows" if wide is None else f"values of {wide}"
        return f"has fewer than {least} rows, and every class must have {least} {counted}"

    @cached_property
    def _sensitive(self) -> list[tuple[list[Any], int]]:
        """The values of every row that l-diversity counts, with l; a missing value is none."""
        return [
            ([None if cell is None else same(cell) for cell in self.case.cells(name)], least)
            for name, least in self.case.l_diversity
        ]

    def _small(self, rows: Sequence[int], k: int) -> bool:
        """Whether a group of rows has fewer than k of them, or of persons, or too few values of a sensitive column."""
        return self.persons(rows) < k or any(
            len({values[row] for row in rows} - {None}) < least or self._shared(values, rows)
            for values, least in self._sensitive
        )

    def _shared(self, values: Sequence[Any], rows: Sequence[int]) -> bool:
        """Whether all persons who have a value in some rows have one in common: it is learned of each of them."""
        whose = self.whose
        return whose is not None and privacy.shared(
            {(values[row], whose[row]) for row in rows if values[row] is not None}
        )

    def persons(self, rows: Collection[int]) -> int:
        """How many persons some rows are of: each row is one's own, unless a column tells whose it is."""
        return len(rows) if self.whose is None else len({self.whose[row] for row in rows})

    @cached_property
    def whose(self) -> list[Any] | None:
        return None if self.case.person is None else self.case.cells(self.case.person)

    def members(self, groups: Sequence[Any]) -> dict[Any, list[int]]:
        """The rows of every group, where each row has its group."""
        found: dict[Any, list[int]] = {}
        for row, group in enumerate(groups):
            found.setdefault(group, []).append(row)
        return found

    def small(self, groups: Sequence[Any], k: int) -> set[Any]:
        """The groups that do not satisfy the requirement."""
        return {group for group, rows in self.members(groups).items() if self._small(rows, k)}

    def divides(self, way: Mapping[int, Any], k: int, *, parts: int = 2) -> bool:
        """Whether some rows can be put into parts, so many at least, of which each satisfies the requirement."""
        found: dict[Any, list[int]] = {}
        for row, part in way.items():
            found.setdefault(part, []).append(row)
        return len(found) >= parts and not any(self._small(rows, k) for rows in found.values())

    def holds(self, groups: Sequence[Sequence[Any]], concerned: int | None = None) -> bool:
        """Whether the requirement holds where every row has these cells; of the QIDs with one attribute, if given."""
        return all(
            not self.violating([tuple(row[at] for at in qid) for row in groups], k)
            for qid, k in self.qids
            if concerned is None or concerned in qid
        )

    def people(self, node: Node, at: Sequence[int] | None = None) -> Counter[Group] | None:
        """How many people of the population the groups of a node have, over some attributes; None where none ask."""
        if not self.case.of_population:
            return None
        chosen = range(len(node)) if at is None else at
        generalized = (self.generalized(person, node) for person in self.population)
        return Counter(tuple(person[each] for each in chosen) for person in generalized)

    def violating(
        self, groups: Sequence[Any], k: int, gone: Set[Any] = frozenset(), people: Mapping[Any, int] | None = None
    ) -> set[Any]:
        """The groups, of those that are not gone, that are too small, have too few people or violate a model.

        Of groups that people have alone those that have to have rows.
        """
        members = {group: rows for group, rows in self.members(groups).items() if group not in gone}
        places = privacy.violating(self.case.models, self.models_cells, list(members.values()), self.whole, self.whose)
        unlike = {group for place, group in enumerate(members) if any(place in found for found in places)}
        if people is not None:
            unlike |= {group for group in members if people.get(group, 0) < (self.case.k_map or 0)}
            present = {group: len(members.get(group, ())) for group in people if group not in gone}
            unlike |= {group for group, rows in present.items() if self._beside(rows, people[group])}
        return unlike | {group for group, rows in members.items() if self._small(rows, k)}

    def _beside(self, rows: int, people: int) -> bool:
        """Whether so many people of a class have rows that their share is not between those of δ-presence."""
        if self.case.presence is None:
            return False
        least, most = map(Fraction, self.case.presence)
        return not least * people <= rows <= most * people

    @cached_property
    def k(self) -> int:
        """The smallest class over all attributes: 1 where no QID has them."""
        return max((k for at, k in self.qids if len(at) == len(self.case.quasi_identifiers)), default=1)

    def nodes(self) -> Iterator[Node]:
        return product(*(range(tree.height + 1) for tree in self.trees))

    def generalized(self, row: Group, node: Node) -> Group:
        return tuple(tree.paths[cell][level] for tree, cell, level in zip(self.trees, row, node, strict=True))

    def groups(self, node: Node) -> list[Group]:
        """The generalized tuple of every row."""
        return [self.generalized(row, node) for row in self.texts]

    def left_out(self, groups: Sequence[Group], people: Mapping[Group, int] | None) -> set[Group]:
        """The groups of a node that are not released; where there are several QIDs, all are.

        What falls out changes the table that others are compared with: until no more does.
        """
        gone: set[Group] = set()
        while len(self.qids) == 1 and (more := self.violating(groups, self.k, gone, people)):
            gone |= more
        return gone

    def gone(self, node: Node) -> set[int]:
        """The rows that are not released at a node: those of its groups, or of persons whose rows too few have, too."""
        if node not in self._gone:
            self._gone[node] = self._left_at(node)
        return self._gone[node]

    @cached_property
    def _gone(self) -> dict[Node, set[int]]:
        """What was counted of nodes before."""
        return {}

    def _left_at(self, node: Node) -> set[int]:
        groups = self.groups(node)
        if not self.case.as_set:
            left = self.left_out(groups, self.people(node))
            return {row for row, group in enumerate(groups) if group in left}
        alike = self.histories(dict(enumerate(groups)))
        return {row for persons in alike.values() if len(persons) < self.k for rows in persons for row in rows}

    def histories(self, cells: Mapping[int, Group]) -> dict[Any, list[list[int]]]:
        """The persons who have the same cells in some rows, each as often: each by the rows."""
        assert self.whose is not None
        alike: dict[Any, list[list[int]]] = {}
        for rows in self.members([self.whose[row] for row in cells]).values():
            of = [list(cells)[at] for at in rows]
            alike.setdefault(frozenset(Counter(cells[row] for row in of).items()), []).append(of)
        return alike

    def outliers(self, node: Node) -> int:
        """How many rows are not released at a node, and groups of people alone that have to have rows."""
        gone = len(self.gone(node))
        if self.case.presence is None:
            return gone
        people, present = self.people(node) or Counter[Group](), set(self.groups(node))
        return gone + sum(self._beside(0, people[group]) for group in people.keys() - present)

    @cached_property
    def anonymous(self) -> set[Node]:
        """The nodes that satisfy the requirement."""
        if len(self.qids) == 1:
            return {node for node in self.nodes() if self.outliers(node) <= self.allowed}
        return {node for node in self.nodes() if self._holds_at(node)}

    def _holds_at(self, node: Node) -> bool:
        """Whether the requirement holds where all rows are generalized to a node."""
        groups = self.groups(node)
        return all(
            not self.violating([tuple(row[at] for at in qid) for row in groups], k, people=self.people(node, qid))
            for qid, k in self.qids
        )

    @cached_property
    def minimal(self) -> set[Node]:  # between two that satisfy it there may be one that does not
        return bounds.minimal(self.anonymous)

    @cached_property
    def datafly(self) -> Node | None:
        """Where the greedy search ends: up goes the attribute of the most distinct values among QIDs with outliers."""
        node = [0] * len(self.trees)
        while True:
            groups = self.groups(tuple(node))
            distinct: dict[int, int] = {}
            for qid, k in self.qids:
                projected = [tuple(row[at] for at in qid) for row in groups]
                small = self.violating(projected, k, people=self.people(tuple(node), qid))
                if sum(group in small for group in projected) + len(small - set(projected)) > self.allowed:
                    distinct |= {at: len({row[at] for row in groups}) for at in qid}
            if not distinct:
                return tuple(node)
            rising = [at for at in sorted(distinct) if node[at] < self.trees[at].height]
            if not rising:
                return None
            node[max(rising, key=lambda at: distinct[at])] += 1
