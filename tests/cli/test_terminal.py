from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from fairwitness.audit import METHODS
from fairwitness.errors import FairwitnessWarning
from fairwitness.findings import Finding, NotApplicable, Section

Call = Callable[..., "object"]


@pytest.fixture
def method(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """Let one method of the audit do something else, and the other nothing."""

    def replace(what: Callable[[object], Section]) -> None:
        monkeypatch.setitem(METHODS, "rates", what)
        monkeypatch.setitem(METHODS, "opportunity", lambda case: Section(key="opportunity"))

    return replace


@pytest.mark.parametrize(
    "error", [ValueError("not \x1b[31mours"), OSError(28, "No space left"), MemoryError()]
)
def test_what_should_not_happen_is_one_line(
    fairwitness: Call, project: Path, method: Callable[..., None], error: Exception
) -> None:
    def fail(case: object) -> Section:
        raise error

    method(fail)
    ran = fairwitness("audit", "audit.toml")
    assert ran.code == 3
    assert ran.err.startswith("Error:")
    assert len(ran.err.splitlines()) == 1
    assert "\x1b" not in ran.err
    assert "To fix:" in ran.err
    if not isinstance(error, MemoryError):
        assert "Traceback" in fairwitness("audit", "audit.toml", "-v").err


def test_warnings_are_notes_of_one_line_each(
    fairwitness: Call, project: Path, method: Callable[..., None]
) -> None:
    def doubt(case: object) -> Section:
        for _ in range(2):
            warnings.warn("a library\x1b doubts", UserWarning, stacklevel=1)
        return Section(key="rates")

    method(doubt)
    text = (project / "applications.csv").read_text(encoding="utf-8").splitlines()
    lines = [text[0] + ",void", *(line + "," for line in text[1:])]
    (project / "applications.csv").write_text("\n".join(lines), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as outside of the tests, where a warning is no error
        ran = fairwitness("audit", "audit.toml")
        quiet = fairwitness("audit", "audit.toml", "-q")
    assert ran.code == 0, ran.err
    assert sorted(line.split(":")[0] for line in ran.err.splitlines()) == ["Note", "Note"]
    assert "column void without any value" in ran.err
    assert "UserWarning: a library\\u001b doubts" in ran.err
    assert quiet.err == ""
    document = json.loads((project / "report" / "report.json").read_text(encoding="utf-8"))
    assert any("without any value" in note for note in document["limits"]["data"])
    assert issubclass(FairwitnessWarning, UserWarning)


def test_a_question_that_cannot_be_asked_is_answered_in_the_terminal(
    fairwitness: Call, project: Path, method: Callable[..., None]
) -> None:
    answers = (
        NotApplicable("rates", "nobody was rejected"),
        NotApplicable("rates", "too few", subject="sex"),
    )
    method(lambda case: Section(key="rates", not_applicable=answers))
    ran = fairwitness("audit", "audit.toml")
    assert "Not applicable: group rates: nobody was rejected." in ran.out
    assert "1 question not applicable" in ran.out


def test_bounds_that_nobody_asked_for_are_not_spoken_of(
    fairwitness: Call, project: Path, method: Callable[..., None]
) -> None:
    method(lambda case: Section(key="rates"))
    assert "ausal" not in fairwitness("audit", "audit.toml").out
    graph = '[graph]\ntext = "sex -> income -> decision"\n'
    (project / "audit.toml").write_text((project / "audit.toml").read_text() + graph, encoding="utf-8")
    said = fairwitness("audit", "audit.toml").out
    assert "Not applicable: causal bounds: the column income of the graph holds amounts" in said


def test_a_finding_without_interval_shows_none(
    fairwitness: Call, project: Path, method: Callable[..., None]
) -> None:
    finding = Finding(
        code="RATE005", severity="note", title="male has 2 rows", section="rates", measure="rows",
        subject="sex", estimate=2.0, n=2,
    )  # fmt: skip
    method(lambda case: Section(key="rates", findings=(finding,)))
    assert "RATE005  male has 2 rows (n = 2)" in fairwitness("audit", "audit.toml").out


def test_headlines_say_how_many_groups_they_leave_out() -> None:
    from fairwitness.cli.terminal import _headlines

    point = {"estimate": 0.5, "low": 0.4, "high": 0.6}
    points = [
        {"group": "a", **dict.fromkeys(point)},
        {"group": "b", **dict.fromkeys(point, float("nan"))},
        *({"group": name, **point} for name in "cdefg"),
    ]
    row = {"measure": "Acceptance rate", "subject": "race", "points": points}
    empty = {"measure": "CFlips@5", "subject": "race", "points": points[:2]}
    assert _headlines([row, empty]) == ["race, Acceptance rate: a –, b –, c 50 % [40, 60], 4 more groups"]


def places(project: Path) -> dict[str, Path]:
    (project / "real").mkdir()
    (project / "link").symlink_to("real")
    return {
        "is a file": project / "applications.csv",
        "applications.csv is a file": project / "applications.csv" / "under",
        "symbolic link": project / "link",
        "can be no folder": project / ("long" * 100),
    }


@pytest.mark.parametrize(
    "says", ["is a file", "applications.csv is a file", "symbolic link", "can be no folder"]
)
@pytest.mark.parametrize("command", [("audit", "audit.toml", "--out"), ("flips", "audit.toml", "--csv")])
def test_a_place_that_cannot_be_written_to_is_refused_before_the_work(
    fairwitness: Call, project: Path, method: Callable[..., None], command: tuple[str, ...], says: str
) -> None:
    def never(case: object) -> Section:
        raise AssertionError("the audit ran")

    method(never)
    ran = fairwitness(*command, places(project)[says])
    assert ran.code == 2
    assert says in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(fairwitness: Call, project: Path) -> None:
    (project / "closed").mkdir(mode=0o500)
    assert fairwitness("audit", "audit.toml", "--out", "closed/report").code == 2


def test_without_rows_no_output_holds_a_row(fairwitness: Call, project: Path) -> None:
    ran = fairwitness("audit", "audit.toml", "--no-rows", "--format", "json")
    features = json.loads(ran.out)["sections"]["opportunity"]["features"]
    assert not any(feature["people"] for feature in features)
    text = (project / "audit.toml").read_text(encoding="utf-8")
    (project / "audit.toml").write_text(f"{text}rows = false\n", encoding="utf-8")
    flips = fairwitness("flips", "audit.toml", "--format", "json", "--csv", "tables")
    features = json.loads(flips.out)["sections"]["opportunity"]["features"]
    assert not any(feature["people"] for feature in features)
    assert sorted(file.name for file in (project / "tables").iterdir()) == ["opportunity.csv", "proxies.csv"]


def test_an_interrupt_before_a_command_begins_is_no_stack_trace() -> None:
    code = (
        "import sys, fairwitness.cli as c, fairwitness.cli.app as a\n"
        "def stop(arguments): raise KeyboardInterrupt\n"
        "a.run = stop; c.main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (130, "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are different there")
def test_an_interrupt_of_a_real_process_writes_nothing(project: Path) -> None:
    code = "\n".join(
        [
            "import os, signal",
            "from fairwitness import audit",
            "from fairwitness.cli.app import run",
            "def stop(case): os.kill(os.getpid(), signal.SIGINT)",
            "audit.METHODS['opportunity'] = stop",
            "raise SystemExit(run(['audit', 'audit.toml']))",
        ]
    )
    before = set(os.listdir(project))
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert ran.returncode == 130
    assert ran.stderr == "Error: Stopped. Nothing was written.\n"
    assert set(os.listdir(project)) == before


@pytest.mark.skipif(sys.platform in {"darwin", "win32"}, reason="there is always a window")
def test_a_browser_opens_in_a_window_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from fairwitness.cli.terminal import has_screen

    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not has_screen()
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_screen()
