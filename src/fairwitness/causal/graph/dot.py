"""Graphs in DOT, as Graphviz, DAGitty and networkx write it: the part of the language that says something.

Positions, colours and shapes are passed over; directions, dashes and nodes that are not measured are not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from fairwitness.arguments import shown
from fairwitness.causal.graph.text import Parts, Source, Token, is_bare, join, quoted, unescaped
from fairwitness.errors import ConfigError

if TYPE_CHECKING:
    from fairwitness.causal.graph.causal_graph import CausalGraph

_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)
      | (?P<arrow><->|->|--|<-|[→←↔])
      | (?P<mark>[{}\[\]=;,:+])
      | (?P<quoted>"(?:[^"\\]|\\.)*")
      | (?P<number>-(?:\.\d+|\d+(?:\.\d*)?))
    """,
    re.VERBOSE | re.DOTALL,
)
_ARROWS = {"→": "->", "←": "<-", "↔": "<->"}
_HEADS = {"graph", "digraph", "dag"}
_OTHER_HEADS = {"pdag", "mag", "pag"}
_LEAD = re.compile(r"\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/", re.DOTALL)
_START = re.compile(
    r'(?:strict\s+)?(?:graph|digraph|dag|pdag|mag|pag)\b\s*(?:"(?:[^"\\]|\\.)*"|[\w.]+)?\s*\{',
    re.IGNORECASE | re.DOTALL,
)
_EXAMPLE = 'write it as in digraph { S -> W; W -> Y [dir=both, style=dashed]; "marital status" -> Y }'
_DEEPEST = 50

Attributes = Mapping[str, str]


def read_dot(text: object, what: str = "the DOT text") -> Parts:
    """Read the text of :meth:`fairwitness.causal.CausalGraph.from_dot`; messages call it ``what``."""
    if not isinstance(text, str):
        raise ConfigError("the DOT text is no text", got=shown(text), fix=_EXAMPLE)
    return _Reader(Source(text.removeprefix("\ufeff"), what)).read()


def starts_as_dot(text: str) -> bool:
    """Say whether a text begins as DOT does, comments aside: ``digraph {``."""
    at = 0
    while lead := _LEAD.match(text, at):
        at = lead.end()
    return _START.match(text, at) is not None


def _tokens(source: Source) -> list[Token]:
    text, at, found = source.text, 0, []
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is not None:
            kind = str(match.lastgroup)
            if kind == "quoted":
                body = match[0][1:-1].replace("\\\n", "")  # a backslash at the end of a line joins lines
                found.append(Token("quoted", unescaped(body), at))
            elif kind == "number":
                found.append(Token("name", match[0], at))
            elif kind != "blank":
                found.append(Token(kind, _ARROWS.get(match[0], match[0]), at))
            at = match.end()
            continue
        end = at
        while end < len(text) and is_bare(text[end]):
            end += 1
        if end > at:
            found.append(Token("name", text[at:end], at))
        elif text[at] == "<":
            end = _markup_end(source, at)
            found.append(Token("quoted", text[at + 1 : end - 1], at))
        elif text[at] == '"':
            source.refuse(at, "a quote is not closed", fix="close it")
        elif text.startswith("/*", at):
            source.refuse(at, "a comment is not closed", fix="close it by */")
        else:
            source.refuse(
                at, f"{shown(text[at])} cannot stand in a name without quotes", fix="put the name in quotes"
            )
        at = end
    return found


def _markup_end(source: Source, start: int) -> int:
    """Find the end of ``<...>``, in which angle brackets come in pairs."""
    depth = 0
    for match in re.compile("[<>]").finditer(source.text, start):
        depth += 1 if match[0] == "<" else -1
        if not depth:
            return match.end()
    source.refuse(start, "this bracket is not closed", fix="put the name in quotes")


class _Reader:
    """Goes through the pieces of a text once, from left to right."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = _tokens(source)
        self.at = 0
        self.parts = Parts()
        self.hidden: dict[str, bool] = {}
        self.edges: list[tuple[list[str], str, list[str], int, Attributes]] = []
        self.directed = True

    # --- single pieces ---

    def peek(self, ahead: int = 0) -> Token:
        where = self.at + ahead
        return self.tokens[where] if where < len(self.tokens) else Token("end", "", len(self.source.text))

    def take(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def skip(self, *marks: str) -> bool:
        """Pass over one of ``marks``; say whether it stood there."""
        if self.peek().kind == "mark" and self.peek().text in marks:
            self.at += 1
            return True
        return False

    def word(self) -> str:
        """The next piece in lower case if it may be a word of the language, else nothing."""
        return self.peek().text.lower() if self.peek().kind == "name" else ""

    def expected(self, what: str) -> None:
        token = self.peek()
        got = f"not {shown(token.text)}" if token.kind != "end" else "and the text ends"
        self.source.refuse(token.at, f"{what} should stand here, {got}", fix=_EXAMPLE)

    def name(self) -> str:
        """A name, or a value: one piece, or quoted pieces joined by ``+``."""
        token = self.take()
        text = token.text
        while token.kind == "quoted" and self.peek().text == "+" and self.peek(1).kind == "quoted":
            self.at += 1
            text += self.take().text
        return text

    def is_name(self) -> bool:
        return self.peek().kind in {"name", "quoted"}

    # --- the language ---

    def read(self) -> Parts:
        if self.word() == "strict":
            self.at += 1
        if self.word() in _OTHER_HEADS:
            self.source.refuse(
                self.peek().at,
                f"a {self.word()} stands for many graphs, and bounds need one",
                fix="choose one graph and write it as digraph or dag",
            )
        if self.word() not in _HEADS:
            self.expected("digraph")
        self.directed = self.word() != "graph"
        self.at += 1
        if self.is_name():
            self.name()
        self.block({}, {}, depth=0)
        while self.skip(";"):
            pass
        if self.peek().kind != "end":
            self.source.refuse(self.peek().at, "the graph ends before this", fix="give one graph a text")
        self.parts.hidden = [node for node, latent in self.hidden.items() if latent]
        for edge in self.edges:
            self.join(*edge)
        return self.parts

    def block(self, nodes: Attributes, edges: Attributes, *, depth: int) -> list[str]:
        """Read ``{ ... }`` with the attributes that hold for nodes and edges in it; give the nodes in it."""
        opened = self.peek()
        if not self.skip("{"):
            self.expected("{")
        if depth > _DEEPEST:
            self.source.refuse(
                opened.at, f"braces are nested more than {_DEEPEST} deep", fix="nest them less"
            )
        inside: list[str] = []
        while not self.skip("}"):
            if self.skip(";", ","):
                continue
            if self.peek().kind == "end":
                self.source.refuse(opened.at, "this brace is not closed", fix="close it by }")
            word, after = self.word(), self.peek(1).text
            if word in {"graph", "node", "edge"} and after == "[":
                self.at += 1
                found = self.attributes()
                nodes = {**nodes, **found} if word == "node" else nodes
                edges = {**edges, **found} if word == "edge" else edges
            elif self.is_name() and after == "=" and self.peek(1).kind == "mark":
                self.at += 2
                if not self.is_name():
                    self.expected("a value")
                self.name()
            else:
                inside += self.statement(nodes, edges, depth)
        return list(dict.fromkeys(inside))

    def statement(self, nodes: Attributes, edges: Attributes, depth: int) -> list[str]:
        """Read a node, or a chain of edges, with its attributes; give the nodes in it."""
        started = self.peek()
        single = self.is_name()
        left = self.ends(nodes, edges, depth)
        mentioned, chain = list(left), []
        while self.peek().kind == "arrow":
            arrow = self.take()
            right = self.ends(nodes, edges, depth)
            chain.append((left, arrow.text, right, arrow.at))
            mentioned += right
            left = right
        own = self.attributes() if self.peek().text == "[" else {}
        for link in chain:
            self.edges.append((*link, {**edges, **own}))
        if not chain and own:
            if not single:
                self.source.refuse(
                    started.at, "braces take no attributes", fix="write node [...] inside them"
                )
            self.mark(left, own)
        return mentioned

    def ends(self, nodes: Attributes, edges: Attributes, depth: int) -> list[str]:
        """Read what stands at an end of an arrow: a name, or several in braces."""
        if self.word() == "subgraph":
            self.at += 1
            if self.is_name():
                self.name()
        elif self.is_name():
            at = self.peek().at
            name = self.name()
            if not name.strip():
                self.source.refuse(at, "a name is empty", fix="write a name between the quotes")
            while self.skip(":"):  # the side of a node at which an edge is drawn
                if not self.is_name():
                    self.expected("a port")
                self.name()
            self.parts.nodes.append(name)
            if name not in self.hidden:
                self.hidden[name] = False
                self.mark([name], nodes)
            return [name]
        elif self.peek().text != "{" or self.peek().kind != "mark":
            self.expected("a name")
        return self.block(nodes, edges, depth=depth + 1)

    def attributes(self) -> dict[str, str]:
        """Read ``[a=b, c][d=e]``; a name without a value stands for itself."""
        found: dict[str, str] = {}
        while self.skip("["):
            while not self.skip("]"):
                if self.skip(",", ";"):
                    continue
                if not self.is_name():
                    self.expected("] or an attribute")
                key = self.name().lower()
                found[key] = "true"
                if self.skip("="):
                    if not self.is_name():
                        self.expected("a value")
                    found[key] = self.name()
        return found

    # --- what it means ---

    def mark(self, names: list[str], attributes: Attributes) -> None:
        """Remember which nodes are not measured."""
        if "latent" in attributes or "unobserved" in attributes or "observed" in attributes:
            for name in names:
                self.hidden[name] = is_latent(attributes)

    def join(self, left: list[str], arrow: str, right: list[str], at: int, attributes: Attributes) -> None:
        found: str | None = arrow
        if arrow != "<->":
            hidden = any(self.hidden.get(name) for name in (*left, *right))
            found = arrow_of(attributes, hidden=hidden)
            if found == "->" and (arrow == "--" or not self.directed):
                found = None
            elif found == "->":
                found = arrow
        if found is None:
            self.source.refuse(
                at,
                "this edge has no direction",
                fix="write A -> B in a digraph, or A <-> B for a hidden common cause",
            )
        join(self.source, self.parts, left, right, found, at)


_NO = {"no", "false", "0", "none", ""}


def arrow_of(attributes: Mapping[str, object], *, hidden: bool) -> str | None:
    """Say which way an edge is drawn: ``->``, ``<-``, ``<->`` (a hidden common cause) or not at all.

    Edges that touch a ``hidden`` node are often drawn dashed, too; their dashes say nothing more.
    """
    direction = str(attributes.get("dir", "")).strip().lower()
    styles = {part.strip() for part in str(attributes.get("style", "")).lower().split(",")}
    declared = str(attributes.get("bidirected", "no")).strip().lower() not in _NO
    dashed = "dashed" in styles and not hidden and direction not in {"forward", "back"}
    if declared or dashed or direction == "both":
        return "<->"
    return {"back": "<-", "none": None}.get(direction, "->")


def is_latent(attributes: Mapping[str, object]) -> bool:
    """Say whether a node is marked as not measured."""
    if str(attributes.get("observed", "yes")).strip().lower() in _NO:
        return True
    return any(str(attributes.get(key, "no")).strip().lower() not in _NO for key in ("latent", "unobserved"))


# --- writing ---

_PLAIN_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS = {"strict", "graph", "digraph", "node", "edge", "subgraph"}


def _id(name: str) -> str:
    return name if _PLAIN_ID.fullmatch(name) and name.lower() not in _KEYWORDS else quoted(name)


def write_dot(graph: CausalGraph) -> str:
    """Write a graph in DOT, nodes first so that their order is kept."""
    lines = [f"  {_id(node)};" for node in graph.nodes]
    lines += [f"  {_id(parent)} -> {_id(child)};" for parent, child in graph.directed]
    lines += [f"  {_id(a)} -> {_id(b)} [dir=both, style=dashed];" for a, b in graph.bidirected]
    return "\n".join(["digraph {", "  rankdir=LR;", *lines, "}", ""])
