"""Cleaning of a source's cells by rules declared in the job, such as trim, missing or unit.

Rules are SQL expressions in the statement for the source's rows, so all later steps read clean cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from starcloak.base.column import Column
from starcloak.base.errors import SourceError, hint
from starcloak.job.cleaning import LARGE, RULES, SMALL, SPACES, Cleaning
from starcloak.statements.statement import As, Hole, Joined, Literal, Name, Number, Statement, Type, columns, lines
from starcloak.store.databases.host import Host
from starcloak.store.source import Cleaned

#: Texts between a number and its unit.
_BEFORE = ("", " ", "\u00a0", "\u202f")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
#: Texts of databases, languages and files for values of float columns alone.
_NAN, _ABOVE, _BELOW = "sources/clean#nan", "sources/clean#infinity", "sources/clean#minus_infinity"
_FLOATS = {
    "nan": _NAN, "inf": _ABOVE, "+inf": _ABOVE, "infinity": _ABOVE, "-inf": _BELOW, "-infinity": _BELOW,
}  # fmt: skip


@dataclass(frozen=True)
class Cleaner:
    """Cleaning of the columns in ``clean``, and columns joined from several columns.

    ``texts`` maps text columns to the expressions of their original cells; other columns are numbers. ``floats`` are
    number columns with possible NaN. ``joined`` maps each new column to its parts.
    """

    clean: Mapping[str, Cleaning]
    texts: Mapping[str, Hole]
    floats: frozenset[str] = frozenset()
    joined: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def over(self, origin: Hole, listed: Sequence[Column]) -> Hole:
        """Statement for the clean rows of ``origin``, with the columns ``listed`` only."""
        return self.rows(origin, [column.name for column in listed])

    def rows(self, origin: Hole, listed: Sequence[str]) -> Statement:
        """Statement for the clean rows of ``origin``, with the columns named in ``listed`` only.

        Each rule is a nested select.
        """
        read = [part for name in listed for part in self.joined.get(name, [name])]
        parts = {part for names in self.joined.values() for part in names}
        rows = _select(origin, read, {name: cell for name, cell in self.texts.items() if name in {*self.clean, *parts}})
        for rule in RULES:
            cells = {name: self._cell(rule, name, Name("origin", name)) for name in self._of(rule) if name in read}
            rows = _select(rows, read, cells) if cells else rows
        made = {name: self._joined(names) for name, names in self.joined.items() if name in listed}
        return _select(rows, listed, made) if made else rows

    def _joined(self, names: Sequence[str]) -> Hole:
        """SQL expression for a column joined from the columns ``names``: their texts with commas between."""
        texts = (Statement("sources/clean#text", value=Name("origin", name)) for name in names)
        return Joined(tuple(Statement("sources/clean#part", text=text) for text in texts), " || ',' || ")

    def counted(self, host: Host, origin: Statement) -> tuple[tuple[Cleaned, ...], Mapping[str, int], Sequence[str]]:
        """Count the cells changed by each rule and, per column, the cells that are no number although a
        rule needs one.

        Also returns the columns with ``thousands: "."`` in which every number fits ``thousands: ","`` as well, and no
        number has a point.
        """
        places, rows = self._traced(origin)
        rules = [(name, rule) for name, cleaning in self.clean.items() for rule in cleaning.rules]
        counts: list[Hole] = []
        for name, rule in rules:
            before, after = places[name, rule]
            counts.append(Statement("sources/clean#changed", before=before, after=after))
            counts.append(Statement("sources/clean#empty", before=before))
            counts.append(self._unlike(rule, name, before))
        pointed = [name for name, cleaning in self.clean.items() if cleaning.thousands == "." and not cleaning.decimal]
        counts += [_unlike_both(places[name, "number"][0]) for name in pointed]
        this_counts = host.row(
            Statement(
                "sources/clean",
                counts=columns(As(count, Name(f"count_{at}")) for at, count in enumerate(counts, 1)),
                rows=Statement("store/relation#nested", rows=rows),
            )
        )
        of_rules, of_pointed = this_counts[: 3 * len(rules)], this_counts[3 * len(rules) :]
        changed = tuple(
            Cleaned(name, rule, cells, missing)
            for (name, rule), cells, missing in zip(rules, of_rules[::3], of_rules[1::3], strict=True)
        )
        unlike = {name: count for (name, _), count in zip(rules, of_rules[2::3], strict=True) if count}
        return changed, unlike, [name for name, count in zip(pointed, of_pointed, strict=True) if not count]

    def _traced(self, origin: Statement) -> tuple[dict[tuple[str, str], tuple[Name, Name]], Statement]:
        """Statement for rows with each cell before and after each rule; and both column names by column and rule."""
        last = {name: Name(f"cell_{at}_0") for at, name in enumerate(self.clean, 1)}
        read = [As(self.texts.get(name, Name("origin", name)), cell) for name, cell in last.items()]
        rows, listed = Statement("store/source", columns=columns(read), origin=origin), list(last.values())
        places: dict[tuple[str, str], tuple[Name, Name]] = {}
        for rule in RULES:
            statements = {
                name: Name(f"{last[name].parts[0].rpartition('_')[0]}_{RULES.index(rule) + 1}")
                for name in self._of(rule)
            }
            cells = [
                As(self._cell(rule, name, Name("origin", *last[name].parts)), cell) for name, cell in statements.items()
            ]
            places |= {(name, rule): (last[name], cell) for name, cell in statements.items()}
            if cells:
                rows = Statement("store/source", columns=columns([*listed, *cells]), origin=rows)
            last |= statements
            listed += statements.values()
        return places, rows

    def _of(self, rule: str) -> list[str]:
        return [name for name, cleaning in self.clean.items() if rule in cleaning.rules]

    def _cell(self, rule: str, name: str, value: Hole) -> Hole:
        """SQL expression that applies a rule to ``value``, a cell of the column ``name``."""
        cleaning, is_text = self.clean[name], name in self.texts
        match rule:
            case "trim":
                return Statement("sources/clean#trim", value=value, spaces=Literal(SPACES))
            case "missing":
                return _missing(cleaning, value, is_text=is_text)
            case "case":
                return Statement(
                    "sources/clean#lower" if cleaning.case == "lower" else "sources/clean#upper",
                    value=value,
                    large=Literal(LARGE),
                    small=Literal(SMALL),
                )
            case "map":
                pairs = (
                    Statement("sources/clean#pair", one=Literal(old_text), other=Literal(new_text))
                    for old_text, new_text in cleaning.map.items()
                )
                return Statement("sources/clean#map", value=value, pairs=lines(pairs))
            case "pad":
                digits = cleaning.pad or 0
                zeros, length = Literal("0" * digits), Number(digits)
                return Statement("sources/clean#pad", value=value, number=_is_plain(value), zeros=zeros, digits=length)
            case "unit":
                return _without_unit(cleaning, value)
            case "number":
                return _number(cleaning, value)
        return _valid(cleaning, value, is_text=is_text, is_float=not is_text and name in self.floats)

    def _unlike(self, rule: str, name: str, before: Hole) -> Hole:
        """SQL expression to count cells that are no number before a rule that needs numbers.

        0 if the rule accepts any text, or if an earlier rule has checked the cells.
        """
        cleaning = self.clean[name]
        if rule == "unit":
            return Statement("sources/clean#unlike", number=_is_number(cleaning, _without_unit(cleaning, before)))
        if rule == "number":
            return Statement("sources/clean#unlike", number=_is_number(cleaning, before))
        if rule == "valid" and name in self.texts and not {"unit", "number"} & {*cleaning.rules}:
            return Statement("sources/clean#unlike", number=_is_plain(before))
        return Number(0)


def cleaner_of(
    clean: Mapping[str, Cleaning], described: Sequence[Column], texts: Mapping[str, Hole], label: str, *,
    roles: Mapping[str, Sequence[str]], beside: Sequence[str], mended_in: str,
) -> Cleaner:  # fmt: skip
    """The cleaning of the columns in use, as declared in ``clean``.

    Raises :class:`SourceError` for a column that is absent, or of a type unsuitable for the declared rules.
    """
    by_name = {column.name: column for column in described}
    joined = {name: cleaning.join for name, cleaning in clean.items() if cleaning.join}
    clean = {name: cleaning for name, cleaning in clean.items() if name not in joined}
    for name, cleaning in clean.items():
        if name not in by_name:
            raise SourceError(
                f"clean: column {name!r} is not among the {len(by_name)} columns of {label}: correct the "
                f"name.{hint(name, by_name)}"
            )
        if problem := _misfit(by_name[name], cleaning, is_text=name in texts):
            raise SourceError(f"clean: column {name!r} of {label} {problem}, or cast it in {mended_in}")
    read = {*beside, *(name for role, names in roles.items() if role != "identifiers" for name in names)}
    read |= {part for names in joined.values() for part in names}
    floats = frozenset(column.name for column in described if column.is_float)
    return Cleaner({name: cleaning for name, cleaning in clean.items() if name in read}, texts, floats, joined)


def joined_names(clean: Mapping[str, Cleaning], names: Iterable[str]) -> list[str]:
    """The column names of a source, in which a column joined from several columns (its parts) replaces these."""
    parts = {part: name for name, cleaning in clean.items() for part in cleaning.join or ()}
    return list(dict.fromkeys(parts.get(name, name) for name in names))


def with_joined(clean: Mapping[str, Cleaning], described: Sequence[Column], label: str) -> list[Column]:
    """The columns of a source, in which a column joined from several columns replaces these.

    Raises :class:`SourceError`.
    """
    there = {column.name: column for column in described}
    for name, cleaning in clean.items():
        for part in cleaning.join or ():
            if part not in there:
                raise SourceError(
                    f"clean: column {part!r} under join is not in {label}: correct the name.{hint(part, there)}"
                )
            if not (there[part].is_text or there[part].is_number):
                raise SourceError(
                    f"clean: join supports texts and numbers, and column {part!r} of {label} is of type "
                    f"{there[part].kind}: cast the column in a query"
                )
        if cleaning.join and name in there:
            raise SourceError(
                f"clean: join makes column {name!r}, and {label} has a column of this name already: give the joined "
                "column another name"
            )
    return [there.get(name) or Column(name, "VARCHAR") for name in joined_names(clean, there)]


def cleaned(cleaner: Cleaner, host: Host, origin: Statement, label: str, mended_in: str) -> tuple[Cleaned, ...]:
    """Count the cells changed by each rule, and warn of a column with probably the wrong mark between thousands.

    Raises :class:`SourceError` for a cell that is no number but should be.
    """
    changed, unlike, doubtful = cleaner.counted(host, origin)
    if unlike:
        changes = "; ".join(
            f"{count:,} of column {name!r} with {' and '.join(_marks(cleaner.clean[name]))}"
            for name, count in unlike.items()
        )
        raise SourceError(
            f"clean: {label} has cells that are not numbers: {changes}: list these texts under missing or map, or "
            f"correct them in {mended_in}"
        )
    host.warnings.extend(
        f"clean: column {name!r} has no '.' between thousands, and {cells:,} cells with ',' before three digits, read "
        "as decimals: if these are thousands, write thousands: ','"
        for name, rule, cells, _ in changed
        if rule == "number" and name in doubtful and cells
    )
    return changed


def _marks(cleaning: Cleaning) -> Iterator[str]:
    thousands, decimal = cleaning.marks
    if cleaning.unit:
        yield f"{cleaning.unit!r} behind the number"
    if thousands:
        yield f"{thousands!r} between thousands"
    yield f"{decimal!r} before decimals"


def _misfit(column: Column, cleaning: Cleaning, *, is_text: bool) -> str | None:
    """Reason in words why rules do not suit a column's type, with the remedy. None if they do."""
    if is_text:
        return None
    if not column.is_number:
        return f"is of type {column.kind}, and clean supports only texts and numbers: leave the column out of clean"
    if cleaning.of_texts:
        return (
            f"is of type {column.kind}, which supports only the rules missing and valid: leave out the rules for texts"
        )
    if not all(_NUMBER.fullmatch(text) or (column.is_float and _folded(text) in _FLOATS) for text in cleaning.missing):
        return f"is of type {column.kind}, and a text under missing is not a number: leave this text out"
    return None


def _folded(text: str) -> str:
    return text.strip().casefold()


def _is_nan(text: str) -> bool:
    return _FLOATS.get(_folded(text)) == _NAN


def _missing(cleaning: Cleaning, value: Hole, *, is_text: bool) -> Hole:
    """SQL expression for a cell, or NULL if the cell stands for a missing value."""
    if is_text:
        cells: list[Hole] = [Literal(text) for text in cleaning.missing]
    else:
        value = _without_nan(value) if any(map(_is_nan, cleaning.missing)) else value
        cells = [_number_of(text) for text in cleaning.missing if not _is_nan(text)]
    return Statement("sources/clean#missing", value=value, cells=Joined(tuple(cells), ", ")) if cells else value


def _without_nan(value: Hole) -> Hole:
    return Statement("sources/clean#no_number", value=value, nan=Statement(_NAN, value=value))


def _number_of(text: str) -> Hole:
    """SQL expression for the number, or the infinity, in ``text``."""
    path = _FLOATS.get(_folded(text))
    return Type(text) if path is None else Statement(path)


def _select(origin: Hole, names: Iterable[str], cells: Mapping[str, Hole]) -> Statement:
    """Statement for the columns ``names`` of ``origin``. Columns in ``cells`` are replaced by these expressions."""
    listed = (As(cells[name], Name(name)) if name in cells else Name("origin", name) for name in names)
    return Statement("store/source", columns=columns(listed), origin=origin)


def _number(cleaning: Cleaning, value: Hole) -> Hole:
    """SQL expression for a text as a number with a decimal point and without marks between thousands."""
    plain = value
    for mark, new_mark in zip(cleaning.marks, ("", "."), strict=True):
        if mark not in ("", new_mark):
            plain = Statement("sources/clean#replaced", value=plain, mark=Literal(mark), other=Literal(new_mark))
    return Statement("sources/clean#numbers", value=value, number=_is_number(cleaning, value), plain=plain)


def _without_unit(cleaning: Cleaning, value: Hole) -> Hole:
    """SQL expression for a number without its unit. A text without the unit stays unchanged."""
    assert cleaning.unit is not None
    rest = Statement("sources/clean#replaced", value=value, mark=Literal(cleaning.unit), other=Literal(""))
    plain = Statement("sources/clean#trim", value=rest, spaces=Literal(SPACES))
    cells = Joined(
        tuple(
            Statement("sources/clean#with_unit", plain=plain, unit=Literal(space + cleaning.unit)) for space in _BEFORE
        ),
        ", ",
    )
    return Statement(
        "sources/clean#unit", value=value, plain=plain, cells=cells, number=_is_number(cleaning, plain)
    )  # fmt: skip


def _is_number(cleaning: Cleaning, value: Hole) -> Hole:
    thousands, decimal = cleaning.marks
    if not thousands:
        return Statement("sources/clean#number", value=value, decimal=Literal(decimal))
    return Statement("sources/clean#grouped", value=value, thousands=Literal(thousands), decimal=Literal(decimal))


def _unlike_both(value: Hole) -> Hole:
    """SQL expression to count cells that are no number with decimals after a comma, or none with thousands so."""
    decimals = Statement("sources/clean#number", value=value, decimal=Literal(","))
    thousands = Statement("sources/clean#grouped", value=value, thousands=Literal(","), decimal=Literal("."))
    return Statement("sources/clean#unlike", number=Joined((decimals, thousands), " and "))


def _is_plain(value: Hole) -> Hole:
    return Statement("sources/clean#number", value=value, decimal=Literal("."))


def _valid(cleaning: Cleaning, value: Hole, *, is_text: bool, is_float: bool) -> Hole:
    """SQL expression for a number, or NULL if it is outside of the valid bounds. NaN is always outside."""
    assert cleaning.valid is not None
    value = _without_nan(value) if is_float else value
    number = Statement("sources/clean#read", value=value) if is_text else value
    bounds = tuple(
        Statement(which, number=number, bound=Type(f"({bound:f})" if bound < 0 else f"{bound:f}"))
        for which, bound in zip(("sources/clean#least", "sources/clean#most"), cleaning.valid, strict=True)
        if bound is not None
    )
    within = Joined(bounds, " and ")
    if not is_text:
        return Statement("sources/clean#within", value=value, within=within)
    return Statement("sources/clean#valid", value=value, number=_is_plain(value), within=within)
