"""The page in a real browser, where there is one."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = next(
    filter(
        None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))
    ),
    None,
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path")

# Each frame is a window of its own width to the page in it; the outer page measures from outside, so that
# the page's own policy stays as it is.
MEASURE = """<!doctype html><body>{frames}<script>
addEventListener("load", () => {{
  const found = [...document.querySelectorAll("iframe")].map((frame) => {{
    const page = frame.contentDocument, root = page.documentElement;
    const shown = (node) => node.getClientRects().length > 0;
    return {{
      width: root.clientWidth,
      needed: root.scrollWidth,
      figures: [...page.querySelectorAll("main svg")].filter(shown)
        .map((svg) => svg.getBoundingClientRect().right - root.clientWidth),
      small: [...page.querySelectorAll("main svg text")].filter(shown)
        .filter((text) => text.getBoundingClientRect().height < 9).length,
      cut: [...page.querySelectorAll(".scroll")].filter(shown)
        .filter((box) => box.scrollWidth > box.clientWidth + 1).length,
      contents: frame.contentWindow.getComputedStyle(page.querySelector("nav")).position,
    }};
  }});
  document.body.textContent = JSON.stringify(found);
}});
</script></body>"""


def browse(page: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    assert CHROMIUM is not None
    return subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={folder / 'profile'}",
            *arguments,
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


@pytest.mark.slow
def test_console_stays_silent(page: str, tmp_path: Path) -> None:
    done = browse(page, tmp_path, "--enable-logging=stderr", "--dump-dom")
    assert "In plain words" in done.stdout
    said = [
        line for line in done.stderr.splitlines() if "CONSOLE" in line or "Content Security Policy" in line
    ]
    assert said == []


@pytest.mark.slow
def test_nothing_sticks_out_at_any_width(
    page: str, bounds_page: str, evaluation_page: str, bare_page: str, tmp_path: Path
) -> None:
    frames = "".join(
        f'<iframe style="border:0;width:{width}px;height:600px" srcdoc="{html.escape(text)}"></iframe>'
        for text in (page, bounds_page, evaluation_page, bare_page)
        for width in (320, 760, 1280)
    )
    done = browse(MEASURE.format(frames=frames), tmp_path, "--window-size=1400,900", "--dump-dom")
    body = re.search(r"<body>(.*)</body>", done.stdout, re.DOTALL)
    assert body is not None
    measured = json.loads(html.unescape(body[1]))
    assert [found["width"] for found in measured] == [320, 760, 1280] * 4
    for found in measured:
        assert found["needed"] <= found["width"]
        assert all(over <= 0 for over in found["figures"])
        assert found["small"] == 0
        assert found["contents"] == ("sticky" if found["width"] == 1280 else "static")
        # On a wide window nothing ordinary needs scrolling sideways.
        assert found["cut"] == 0 or found["width"] < 1280
    assert all(found["figures"] for found in measured[:9])
