"""A matplotlib figure as an SVG that lives inside a page: light or dark, unique ids, same bytes each time."""

from __future__ import annotations

import hashlib
import io
import re
import warnings
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

from fairwitness.drawing.canvas import label, style
from fairwitness.drawing.palette import FAINT, GROUP_COLOURS, INK, MUTED, PAPER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_URL = re.compile(r"url\(#([^)]+)\)")
_FONT = re.compile(r"font:\s*((?:\w+\s+)*?)(\d+(?:\.\d+)?px)\s+[^;]*;?")
_FONT_FAMILY = re.compile(r"font-family:[^;]*;?")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_SPACES = re.compile(r"\s+")
_NO_TURN = re.compile(r"^rotate\(-?0 [^)]*\)$")

# What the page may replace: text follows its colour; greys and group colours follow its variables, and keep
# the palette's own value where the page sets none.
_THEMED = {
    INK: "currentColor",
    MUTED: f"var(--fw-muted, {MUTED})",
    FAINT: f"var(--fw-faint, {FAINT})",
    PAPER: "var(--fw-paper, #ffffff)",
    **{colour: f"var(--fw-group-{i}, {colour})" for i, colour in enumerate(GROUP_COLOURS)},
}
_COLOUR = re.compile("|".join(_THEMED))


def to_svg(fig: Figure, *, title: str, description: str, prefix: str | None = None) -> str:
    """Write ``fig`` as one ``<svg>`` element that needs nothing else.

    Text stays text (in the page's font), the background is transparent, ink is ``currentColor``, and the
    image has a title and a description for readers who cannot see it.

    Parameters
    ----------
    fig
        The figure.
    title
        What the figure shows, in a few words.
    description
        The text alternative: what a person who cannot see it needs to know.
    prefix
        Start of every id; must be unique in the page. Default: made from the content.

    Returns
    -------
    str
        SVG without XML declaration; equal figures give equal text.
    """
    root = ET.fromstring(_raw(fig))
    title, description = label(title, most=300), label(description, most=3000)
    if prefix is None:
        content = f"{title}\x1f{description}\x1f".encode() + ET.tostring(root)
        prefix = f"fw-{hashlib.sha256(content).hexdigest()[:12]}"
    _simplify(root)
    _rename(root, prefix)
    width, height = (root.get("viewBox") or "0 0 0 0").split()[2:]
    root.attrib.clear()
    root.attrib.update(
        {
            "viewBox": f"0 0 {width} {height}",
            "width": width,
            "height": height,
            "role": "img",
            "aria-labelledby": f"{prefix}-title {prefix}-desc",
            "stroke-linejoin": "round",
            "stroke-linecap": "butt",
            "font-family": "inherit",
        }
    )
    for position, (name, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(f"{_SVG}{name}", {"id": f"{prefix}-{name}"})
        element.text = text
        root.insert(position, element)
    return _text(root)


def _raw(fig: Figure) -> str:
    buffer = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    with style(), warnings.catch_warnings():
        import matplotlib as mpl
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        # The font that measures the text may lack a letter; the reader's font draws it.
        warnings.filterwarnings("ignore", message=".*missing from.*font", category=UserWarning)
        # Names too long for the figure are cut where they overlap: ugly, and no reason to give up a report.
        warnings.filterwarnings("ignore", message="constrained_layout not applied", category=UserWarning)
        with mpl.rc_context({"svg.hashsalt": "fairwitness"}):
            # `savefig` would lay everything out twice; the SVG canvas does it once.
            before = fig.canvas
            canvas: Any = FigureCanvasSVG(fig)
            try:
                canvas.print_svg(buffer, metadata=nothing)
            finally:
                fig.set_canvas(before)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _simplify(root: ET.Element) -> None:
    """Drop what a page must not inherit, and hand fonts and colours over to it."""
    parents = {child: parent for parent in root.iter() for child in parent}
    for element in list(root.iter()):
        # matplotlib's own <style> would apply to the whole page.
        if element.tag in {f"{_SVG}style", f"{_SVG}metadata"} or "metadata" in element.tag:
            parents[element].remove(element)
            continue
        if _HREF in element.attrib:
            element.set("href", element.attrib.pop(_HREF))
        for name in ("style", "fill", "stroke"):
            value = element.get(name)
            if value is not None:
                element.set(name, _themed(value))
        for name in ("d", "transform", "x", "y", "points"):
            value = element.get(name)
            if value is not None:
                short = _NUMBER.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), value)
                element.set(name, _SPACES.sub(" ", short).strip())
        if _NO_TURN.match(element.get("transform") or ""):
            del element.attrib["transform"]
        if element.tag == f"{_SVG}text" and "fill:" not in (element.get("style") or ""):
            element.set("style", f"{element.get('style') or ''}; fill: currentColor".lstrip("; "))


def _themed(value: str) -> str:
    value = _FONT.sub(_font, value)
    value = _FONT_FAMILY.sub("", value)
    return _COLOUR.sub(lambda match: _THEMED[match[0]], value).strip()


def _font(match: re.Match[str]) -> str:
    weight = "font-weight: bold; " if re.search(r"bold|[6-9]00", match[1]) else ""
    return f"{weight}font-size: {match[2]};"


def _rename(root: ET.Element, prefix: str) -> None:
    """Give every id that something refers to a name of its own in the page, and drop the others."""
    used: dict[str, str] = {}

    def new(old: str) -> str:
        return used.setdefault(old, f"{prefix}-{len(used)}")

    for element in root.iter():
        href = element.get("href")
        if href is not None and href.startswith("#"):
            element.set("href", f"#{new(href[1:])}")
        for name, value in list(element.attrib.items()):
            if "url(#" in value:
                element.set(name, _URL.sub(lambda match: f"url(#{new(match[1])})", value))
    for element in root.iter():
        old = element.attrib.pop("id", None)
        if old in used:
            element.set("id", used[old])


def _unwrap(parent: ET.Element) -> None:
    """Put the content of groups that say nothing in their place: matplotlib nests four for nothing."""
    for child in list(parent):
        _unwrap(child)
        if child.tag == f"{_SVG}g" and not child.attrib:
            at = list(parent).index(child)
            parent[at : at + 1] = list(child)


def _text(root: ET.Element) -> str:
    _unwrap(root)
    # Without a registered prefix the tags would read ns0:svg, which an HTML parser does not know.
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        if not (element.text or "").strip():
            element.text = None
        element.tail = None
    root.set("xmlns", "http://www.w3.org/2000/svg")
    return ET.tostring(root, encoding="unicode", short_empty_elements=True)
