"""What a browser and a screen reader need, checked without one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

import pytest

VOID = {"meta", "br", "link", "img", "input", "hr", "wbr", "col"}


@dataclass
class Node:
    tag: str
    attributes: dict[str, str]
    children: list[Node] = field(default_factory=list)
    text: str = ""

    def all(self, *tags: str) -> list[Node]:
        found = [self] if self.tag in tags else []
        return found + [node for child in self.children for node in child.all(*tags)]

    def words(self) -> str:
        return self.text + "".join(child.words() for child in self.children)


class Tree(HTMLParser):
    """A tree of the page; a tag that is not closed properly is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Node("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute stands twice in <{tag}>"
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].text += data


def read(page: str) -> Node:
    tree = Tree()
    tree.feed(page)
    tree.close()
    assert tree.open == [tree.root], "a tag is left open"
    return tree.root


@pytest.fixture(scope="module", params=["page", "bounds_page", "evaluation_page", "bare_page"])
def root(request: pytest.FixtureRequest) -> Node:
    return read(request.getfixturevalue(request.param))


def every(root: Node) -> list[Node]:
    return [node for child in root.children for node in [child, *every(child)]]


def test_one_title_one_language_one_main_heading(root: Node) -> None:
    assert root.children[0].attributes["lang"] == "en"
    assert len([node for node in root.all("title") if node in root.all("head")[0].children]) == 1
    assert len(root.all("h1")) == 1
    for landmark in ("header", "nav", "main", "footer"):
        assert len(root.all(landmark)) == 1


def test_headings_skip_no_level(root: Node) -> None:
    levels = [int(node.tag[1]) for node in root.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_ids_are_unique_and_what_points_at_them_arrives(root: Node) -> None:
    nodes = every(root)
    ids = [node.attributes["id"] for node in nodes if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    for node in nodes:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(node.attributes.get(name, "").split()) <= set(ids)
        for value in (node.attributes.get("href", ""), *re.findall(r"url\(([^)]*)\)", str(node.attributes))):
            assert not value or (value.startswith("#") and value[1:] in ids), value


def test_nothing_comes_from_elsewhere_and_nothing_runs(root: Node) -> None:
    for node in every(root):
        assert node.tag not in {"script", "iframe", "object", "embed", "link", "base", "form", "img", "image"}
        assert not any(
            name.startswith("on") or name in {"src", "srcset", "action"} for name in node.attributes
        )
    styles = "".join(node.words() for node in root.all("style"))
    assert "@import" not in styles
    assert "url(" not in styles


def test_figures_have_a_title_words_and_their_data(root: Node) -> None:
    for figure in root.all("figure"):
        assert figure.all("figcaption")[0].words().strip()
        drawings = figure.all("svg")
        assert drawings
        for svg in drawings:
            assert svg.attributes["role"] == "img"
            assert svg.children[0].tag == "title"
            assert svg.children[1].tag == "desc"
            assert len(svg.children[1].words()) > 20
        assert figure.all("details")[0].all("table")


def test_tables_have_captions_headings_and_a_way_to_scroll(root: Node) -> None:
    scrolled = [
        t for node in root.all("div") if node.attributes.get("role") == "region" for t in node.all("table")
    ]
    for table in root.all("table"):
        assert any(table is one for one in scrolled)
        assert table.all("caption")[0].words().strip()
        assert {th.attributes["scope"] for th in table.all("th")} <= {"col", "row"}
        width = len(table.all("thead")[0].all("th"))
        for line in table.all("tbody")[0].all("tr"):
            assert len(line.all("th", "td")) == width
            assert line.children[0].attributes["scope"] == "row"
    for node in root.all("div"):
        if node.attributes.get("role") == "region":
            assert node.attributes["tabindex"] == "0"
            assert node.attributes["aria-labelledby"]


def test_first_link_skips_to_the_report(root: Node) -> None:
    first = root.all("a")[0]
    assert first.attributes["href"] == "#summary"
    assert root.all("main")[0].all("section")[0].attributes["id"] == "summary"


def test_contents_lead_to_every_section(root: Node) -> None:
    leads = [a.attributes["href"][1:] for a in root.all("nav")[0].all("a")]
    sections = [node.attributes["id"] for node in root.all("main")[0].children if node.tag == "section"]
    assert leads == sections
    for section in root.all("section"):
        assert section.attributes["aria-labelledby"]
