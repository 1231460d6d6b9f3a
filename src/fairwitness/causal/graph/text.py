"""Graphs as one writes them by hand: ``S -> W; {S, W} -> Y; W <-> Y``."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from fairwitness.arguments import shown
from fairwitness.causal.graph.order import Edge, topological
from fairwitness.errors import ConfigError
from fairwitness.text import plain

if TYPE_CHECKING:
    from fairwitness.causal.graph.causal_graph import CausalGraph


@dataclass
class Parts:
    """What a text or another library's graph says, before it is checked."""

    directed: list[Edge] = field(default_factory=list)
    bidirected: list[Edge] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)  # in order of first mention; repetitions do no harm
    hidden: list[str] = field(default_factory=list)  # nodes that are not measured


@dataclass(frozen=True)
class Token:
    """A piece of a text: its kind, what it says, and where it starts."""

    kind: str
    text: str
    at: int


class Source:
    """A text with its places, so that a message can say where something is wrong."""

    def __init__(self, text: str, what: str) -> None:
        self.text = text
        self.what = what

    def refuse(self, at: int, wrong: str, *, fix: str) -> NoReturn:
        """Raise an error that names the line and the column of position ``at``, and shows what is there."""
        line, start = self.text.count("\n", 0, at) + 1, self.text.rfind("\n", 0, at) + 1
        written = self.text[start:].split("\n", 1)[0]
        first = max(0, at - start - 60)
        got = ("…" if first else "") + plain(written[first:].strip(), most=120)
        raise ConfigError(
            f"{self.what}, line {line}, column {at - start + 1}: {wrong}", got=got or None, fix=fix
        )


# --- escapes in quoted names, the same in text and in DOT ---

_ESCAPE = re.compile(r'\\(?:(["\'\\])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))')


def unescaped(body: str) -> str:
    r"""Read what stands between quotes: ``\"``, ``\\`` and ``\u0000`` stand for one character."""

    def one(match: re.Match[str]) -> str:
        code = int(match[2] or match[3] or "0", 16)
        return match[1] or (chr(code) if code <= 0x10FFFF else match[0])

    return _ESCAPE.sub(one, body)


def quoted(name: str) -> str:
    r"""Write a name between double quotes; what does not show, or would act on a terminal, as ``\u0000``."""
    out = []
    for character in name:
        if character in '"\\':
            out.append(f"\\{character}")
        elif plain(character) != character or unicodedata.category(character) == "Cn":
            code = ord(character)
            out.append(f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")
        else:
            out.append(character)
    return f'"{"".join(out)}"'


# --- text ---

_ARROWS = {"->": "->", "→": "->", "<-": "<-", "←": "<-", "<->": "<->", "↔": "<->"}
_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
      | (?P<end>[;,\n])
      | (?P<blank>[^\S\n]+)
      | (?P<arrow>(?:<->|->|<-)(?![-=<>])|[→←↔])
      | (?P<open>\{)
      | (?P<close>\})
      | (?P<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    """,
    re.VERBOSE,
)
_QUOTE = 'put a name that holds more than letters, digits, _ and . in quotes, as in "education-num"'
EXAMPLE = 'write the graph as in "S -> W; {S, W} -> Y; W <-> Y"'


def is_bare(character: str) -> bool:
    """Say whether a character may stand in a name without quotes."""
    return character.isalnum() or character in "_." or unicodedata.category(character)[0] == "M"


def _tokens(source: Source) -> list[Token]:
    text, at, found = source.text, 0, []
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            end = at
            while end < len(text) and is_bare(text[end]):
                end += 1
            if end == at:
                _refuse_character(source, at)
            found.append(Token("name", text[at:end], at))
            at = end
            continue
        kind = str(match.lastgroup)
        if kind == "quoted":
            found.append(Token("name", unescaped(match[0][1:-1]), at))
        elif kind not in {"comment", "blank"}:
            found.append(Token(kind, match[0], at))
        at = match.end()
    return found


def _refuse_character(source: Source, at: int) -> NoReturn:
    character = source.text[at]
    if character in "\"'":
        source.refuse(
            at, "a quote is not closed on its line", fix='close it, or write \\" for a quote in a name'
        )
    if re.match(r"[-=<]*[-=]{1,2}>|<[-=]{1,2}|--", source.text[at:]):
        source.refuse(at, "this is no arrow", fix="use -> for an edge and <-> for a hidden common cause")
    source.refuse(at, f"{shown(character)} cannot stand in a name without quotes", fix=_QUOTE)


def read_text(text: object, what: str = "the graph's text") -> Parts:
    """Read the text of :meth:`fairwitness.causal.CausalGraph.from_text`; messages call it ``what``."""
    if not isinstance(text, str):
        raise ConfigError("the graph's text is no text", got=shown(text), fix=EXAMPLE)
    source = Source(text.removeprefix("\ufeff"), what)
    parts = Parts()
    tokens = _tokens(source)
    if not any(token.kind != "end" for token in tokens):
        raise ConfigError(f"{what} is empty", fix=EXAMPLE)
    at = 0
    beside_comma: list[tuple[Token, bool]] = []  # statements of a list with commas: start, holds an arrow
    while at < len(tokens):
        if tokens[at].kind == "end":
            if tokens[at].text != ",":
                _check_commas(source, beside_comma)
                beside_comma = []
            at += 1
            continue
        start = tokens[at]
        at, arrows = _statement(source, tokens, at, parts)
        beside_comma.append((start, arrows))
    _check_commas(source, beside_comma)
    return parts


def _check_commas(source: Source, statements: Sequence[tuple[Token, bool]]) -> None:
    """Refuse ``A -> B, C``: whether C is a second child or a node of its own, only the writer knows."""
    arrows = {with_arrow for _, with_arrow in statements}
    if len(arrows) == 2:
        alone = next(token for token, with_arrow in statements if not with_arrow)
        source.refuse(
            alone.at,
            f"it is not clear what {shown(alone.text)} belongs to",
            fix="write several ends of an arrow in braces, as in A -> {B, C}, "
            "and put a semicolon before a node of its own",
        )


def _statement(source: Source, tokens: Sequence[Token], at: int, parts: Parts) -> tuple[int, bool]:
    """Read ``A -> {B, C} <-> D`` from ``at`` on; give the position after it, and whether it has arrows."""
    left, at = _ends(source, tokens, at, parts)
    arrows = False
    while at < len(tokens) and tokens[at].kind == "arrow":
        arrows, arrow = True, tokens[at]
        at += 1
        while at < len(tokens) and tokens[at].text == "\n":  # an arrow at the end of a line goes on
            at += 1
        right, at = _ends(source, tokens, at, parts, after=arrow)
        join(source, parts, left, right, _ARROWS[arrow.text], arrow.at)
        left = right
    if at < len(tokens) and tokens[at].kind != "end":
        token = tokens[at]
        if token.kind == "name":
            source.refuse(
                token.at,
                f"two names without an arrow between them, the second {shown(token.text)}",
                fix='put a name with blanks in quotes, as in "marital status", or end statements with ;',
            )
        source.refuse(token.at, f"{shown(token.text)} is not expected here", fix=EXAMPLE)
    return at, arrows


def _ends(
    source: Source, tokens: Sequence[Token], at: int, parts: Parts, after: Token | None = None
) -> tuple[list[str], int]:
    """Read one name, or several in braces."""
    token = tokens[at] if at < len(tokens) else None
    if token is not None and token.kind == "name":
        _check_name(source, token)
        parts.nodes.append(token.text)
        return [token.text], at + 1
    if token is not None and token.kind == "open":
        names: list[str] = []
        at += 1
        while at < len(tokens) and tokens[at].kind in {"name", "end"}:
            if tokens[at].kind == "name":
                _check_name(source, tokens[at])
                names.append(tokens[at].text)
            at += 1
        if at == len(tokens) or tokens[at].kind != "close":
            where = tokens[at] if at < len(tokens) else token
            source.refuse(where.at, "braces hold names only, and must be closed", fix="write {A, B} -> C")
        if not names:
            source.refuse(token.at, "nothing stands between the braces", fix="write {A, B} -> C")
        parts.nodes.extend(names)
        return names, at + 1
    if after is not None:
        source.refuse(after.at, "nothing stands at the end of this arrow", fix="write A -> B")
    assert token is not None
    if token.kind == "arrow":
        source.refuse(token.at, "nothing stands before this arrow", fix="write A -> B")
    source.refuse(token.at, f"{shown(token.text)} is not expected here", fix=EXAMPLE)


def _check_name(source: Source, token: Token) -> None:
    if not token.text.strip():
        source.refuse(token.at, "a name is empty", fix="write a name between the quotes")


def join(
    source: Source, parts: Parts, left: Iterable[str], right: Iterable[str], arrow: str, at: int
) -> None:
    """Join every name at the left with every name at the right."""
    for a, b in itertools.product(left, right):
        if a == b:
            source.refuse(at, f"this arrow joins {shown(a)} with itself", fix="remove it")
        if arrow == "<->":
            parts.bidirected.append((a, b))
        else:
            parts.directed.append((a, b) if arrow == "->" else (b, a))


def bare(name: str) -> str:
    """Write a name without quotes where text allows, else with."""
    return name if name and all(is_bare(c) for c in name) and quoted(name) == f'"{name}"' else quoted(name)


def write_text(graph: CausalGraph) -> str:
    """Write a graph on one line: edges by child, then arcs, then nodes without either."""

    def several(names: Sequence[str]) -> str:
        written = [bare(name) for name in names]
        return written[0] if len(written) == 1 else f"{{{', '.join(written)}}}"

    statements = []
    mentioned: dict[str, None] = {}
    for node in graph.nodes:
        if parents := graph.parents(node):
            statements.append(f"{several(parents)} -> {bare(node)}")
            mentioned |= dict.fromkeys((*parents, node))
    for node, arcs in itertools.groupby(graph.bidirected, key=lambda arc: arc[0]):
        later = [other for _, other in arcs]
        statements.append(f"{bare(node)} <-> {several(later)}")
        mentioned |= dict.fromkeys((node, *later))
    alone = [bare(node) for node in graph.nodes if node not in mentioned]
    mentioned |= dict.fromkeys(graph.nodes)
    if topological(tuple(mentioned), graph.directed) == graph.nodes:
        return "; ".join([*statements, *alone])
    # The order of the nodes is a part of what the graph says: it is named first.
    return "; ".join([*map(bare, graph.nodes), *statements])
