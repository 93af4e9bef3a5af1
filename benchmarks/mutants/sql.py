"""Changes of a statement file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.mutants.mutant import Change

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>--[^\n]*)|(?P<text>'(?:[^']|'')*')|(?P<name>\"(?:[^\"]|\"\")*\"|`[^`]*`)|"
    r"(?P<hole>\{\w+\})|(?P<bind>\$\w+)|(?P<number>\d+(?:\.\d+)?)|(?P<word>\w+)|"
    r"(?P<sign><=>|<>|!=|<=|>=|::|\|\||->>?|.)",
    re.DOTALL,
)

_SIGNS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "<>", "<>": "=", "<=>": "=", "+": "-", "-": "+"}
_WORDS = {"min": "max", "max": "min", "bool_and": "bool_or", "bool_or": "bool_and", "true": "false", "false": "true"}
_WORDS |= {"first": "last", "last": "first", "desc": "asc", "asc": "desc"}
_JOINS = {"left", "right", "full", "cross", "inner", "natural", "semi", "anti", "asof"}

# What a condition begins after, and what ends it where it stands in the same parentheses.
_BEGINS = {"where", "on", "having", "when", "if"}
_ENDS = _BEGINS | {"group", "order", "limit", "offset", "union", "intersect", "except", "join", "then", "else", "end"}
_ENDS |= {"select", "from", "using", "as", "returning", "window", "qualify", "set", "do"} | (_JOINS - {"semi"})
_SIZED = {"decimal", "numeric", "varchar", "char", "binary"}


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int
    depth: int

    @property
    def word(self) -> str:
        return self.text.lower() if self.kind == "word" else ""


def changes(content: bytes) -> Iterator[Change]:
    """Every change of a statement that is tried."""
    text = content.decode()
    tokens = _tokens(text)
    found = [*_conditions(text, tokens), *_phrases(tokens), *_single(tokens)]
    for operator, start, end, becomes in found:
        places = len(text[:start].encode()), len(text[:end].encode())
        yield Change(operator, *places, becomes.encode())


def _tokens(text: str) -> list[_Token]:
    tokens, depth = [], 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind in ("space", "comment"):
            continue
        depth -= match[0] == ")"
        tokens.append(_Token(kind, match[0], match.start(), match.end(), depth))
        depth += match[0] == "("
    return tokens


_Found = tuple[str, int, int, str]


def _conditions(text: str, tokens: list[_Token]) -> Iterator[_Found]:
    """Each part of a condition, dropped: a conjunct holds, a disjunct does not."""
    joints = {place for place, token in enumerate(tokens) if token.word in ("and", "or")}
    joints -= {place for place in joints if _is_between(tokens, place) or _is_command(tokens, place)}
    for start, token in enumerate(tokens):
        opens = token.text == "(" or token.text == ","
        if not (start in joints or token.word in _BEGINS or opens or token.word in ("then", "else", "select")):
            continue
        depth = token.depth + (token.text == "(")
        end = start + 1
        while end < len(tokens) and not _ends(tokens[end], tokens[end - 1], depth, end in joints):
            end += 1
        after = tokens[end].word if end < len(tokens) and tokens[end].depth == depth and end in joints else ""
        joint = token.word if start in joints else after
        if end == start + 1 or not (joint or token.word in _BEGINS) or _is_command(tokens, start):
            continue
        holds = "false" if joint == "or" and after != "and" else "true"
        first, last = tokens[start + 1].start, tokens[end - 1].end
        part = text[first:last]
        neutral = f"({'true or' if holds == 'true' else 'false and'} ({part}))" if "{" in part else holds
        yield ("drop a disjunct" if holds == "false" else "drop a conjunct"), first, last, neutral


def _ends(token: _Token, before: _Token, depth: int, joint: bool) -> bool:
    if token.depth < depth:
        return True
    word = token.word in _ENDS and not (token.word == "from" and before.word == "distinct")
    return token.depth == depth and (joint or word or token.text in (",", ";"))


def _is_between(tokens: list[_Token], place: int) -> bool:
    """Whether an ``and`` is that of a ``between``."""
    for token in reversed(tokens[:place]):
        if token.depth < tokens[place].depth or (token.depth == tokens[place].depth and token.word in ("and", "or")):
            return False
        if token.depth == tokens[place].depth and token.word == "between":
            return True
    return False


def _is_command(tokens: list[_Token], place: int) -> bool:
    """Whether a word is part of a command: ``create or replace``, ``drop … if exists``, ``comment on``."""
    before, after = (tokens[at].word if 0 <= at < len(tokens) else "" for at in (place - 1, place + 1))
    return (tokens[place].word, after) in {
        ("or", "replace"),
        ("or", "rollback"),
        ("if", "exists"),
    } or before == "comment"


def _phrases(tokens: list[_Token]) -> Iterator[_Found]:
    """Words that belong together."""
    for place, token in enumerate(tokens):
        said = [each.word for each in tokens[place : place + 4]]
        before = tokens[place - 1].word if place else ""

        def to(length: int, place: int = place) -> int:
            return tokens[place + length - 1].end

        match said:
            case ["is", "not", "distinct", "from"]:
                yield "is not distinct from, =", token.start, to(4), "="
            case ["is", "distinct", "from", *_]:
                yield "is distinct from, <>", token.start, to(3), "<>"
            case ["is", "not", "null", *_]:
                yield "negate", token.start, to(3), "is null"
            case ["is", "null", *_]:
                yield "negate", token.start, to(2), "is not null"
            case ["union", "all", *_]:
                yield "union, union all", token.start, to(2), "union"
            case ["union", *_]:
                yield "union, union all", token.start, to(1), "union all"
            case ["left", "join", *_] | ["full", "join", *_]:
                yield "inner, left", token.start, to(2), "join"
            case ["join", *_] if before not in _JOINS:
                yield "inner, left", token.start, to(1), "left join"
            case ["distinct", *_] if before != "is" and before != "not" and said[1] != "on":
                yield "drop distinct", token.start, tokens[place + 1].start, ""
            case ["not", *_] if before != "is" and said[1] not in ("null", "distinct", "atomic", "materialized"):
                yield "negate", token.start, tokens[place + 1].start, ""


def _single(tokens: list[_Token]) -> Iterator[_Found]:
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        if token.kind == "sign" and token.text in _SIGNS:
            if token.text in "+-" and (before is None or (before.kind == "sign" and before.text != ")")):
                continue  # a number's own
            name = "+, -" if token.text in "+-" else "=, <>" if token.text in ("=", "<>", "<=>") else "<, <="
            yield name, token.start, token.end, _SIGNS[token.text]
        elif token.word in _WORDS:
            name = "true, false" if token.word in ("true", "false") else "min, max, all, any, first, last"
            yield name, token.start, token.end, _WORDS[token.word]
        elif token.kind == "number" and token.text.isdigit() and not _is_any(tokens, place):
            yield "one more", token.start, token.end, str(int(token.text) + 1)


def _is_any(tokens: list[_Token], place: int) -> bool:
    """Whether any number would do: one of a type, of rows that are only looked for, or of values that are counted."""
    words = [each.word for each in tokens[max(0, place - 4) : place]]
    if any(word in _SIZED and tokens[place].depth for word in words):
        return True
    after = [each.word or each.text for each in tokens[place + 1 : place + 3]]
    if words[-1:] == ["then"] and after == ["end", ")"]:
        opened = max(at for at in range(place) if tokens[at].text == "(" and tokens[at].depth < tokens[place].depth)
        return opened > 0 and tokens[opened - 1].word == "count" and tokens[opened + 1].word == "case"
    return words[-1:] == ["select"] and after[:1] == ["from"]
