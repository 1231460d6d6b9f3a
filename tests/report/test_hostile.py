from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from fairwitness.report import render, to_json
from fairwitness.report.csv import to_csv

PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</style><svg onload=alert(1)>",
    "\"><iframe src='https://example.org'>",
    "]]></title></svg><script>",
    "[x](javascript:alert(1)) **b** `c`",
    "\x1b[31mred\x1b]8;;https://example.org\x07",
    "\u202eevil\u2066\u200f",
    "=HYPERLINK(1)",
    "{{ 7 * 7 }}{% include 'x' %}",
    "$\\frac{1}{$",
    "a\x00b\ufffe\ud800",
    "שלום עולם",
    "A" * 400,
]
#: A page takes a while to draw, so it gets several at once.
HANDFULS = ["".join(PAYLOADS[at : at + 3]) for at in range(0, len(PAYLOADS) - 1, 3)] + PAYLOADS[-1:]
#: Values that steer the page and are never the user's.
FIXED = {"severity", "section", "missing", "convention", "shortfall", "unit", "created", "privileged_reason"}


class Seen(HTMLParser):
    """What a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add((tag, name))
            if name in {"href", "src", "xlink:href", "action", "data"}:
                self.links.add(value or "")


def poison(value: Any, payload: str, key: str = "") -> Any:
    """Put the payload into every text, and into every key that names a column or a group."""
    if isinstance(value, dict):
        named = key in {
            "row",
            "values",
            "inferred",
            "settings",
            "distance",
            "digests",
            "versions",
            "evidence",
        }
        return {(f"{k}{payload}" if named else k): poison(v, payload, k) for k, v in value.items()}
    if isinstance(value, list):
        return [poison(item, payload, key) for item in value]
    if isinstance(value, str) and key not in FIXED:
        return f"{value}{payload}"
    return value


def seen(page: str) -> Seen:
    parser = Seen()
    parser.feed(page)
    return parser


@pytest.mark.parametrize("payload", HANDFULS)
def test_hostile_text_adds_nothing_to_the_page(small: dict[str, Any], small_page: str, payload: str) -> None:
    page = render(poison(small, payload))
    found, plain = seen(page), seen(small_page)
    assert found.tags == plain.tags
    assert found.attributes == plain.attributes
    assert all(link.startswith("#") for link in found.links)
    assert ("{{ 7 * 7 }}" in page) == ("{{ 7 * 7 }}" in payload)
    assert not set("\x1b\x00\x07\u202e\u2066\u200f\ud800") & set(page)
    page.encode("utf-8")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_is_harmless_in_the_other_files(small: dict[str, Any], payload: str) -> None:
    assert to_json(poison(small, payload)).isascii()
    sheet = to_csv([{payload: payload}])
    assert not set("\x1b\x00\x07\u202e\u2066\u200f\ud800") & set(sheet)
    assert not sheet.startswith(("=", "+", "-", "@"))


def test_policy_forbids_everything_but_own_styles(small_page: str) -> None:
    page = small_page
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page.replace("&#39;", "'")
    assert page.index("Content-Security-Policy") < page.index("<style>")
