from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairwitness.errors import ConfigError
from fairwitness.report import clean, validate, write, write_report

TABLES: dict[str, list[dict[str, object]]] = {
    "rates": [{"group": "a", "rate": 0.5}],
    "people": [{"key": "secret-key"}],
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    # What the page looks like is tested elsewhere; here only where it goes.
    monkeypatch.setattr(write, "render", lambda document, rows: f"<p>{rows}</p>")


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_writes_page_record_and_tables(tmp_path: Path, mortgage: dict[str, Any]) -> None:
    folder = write_report(mortgage, TABLES, tmp_path / "deep" / "report")
    assert files(folder) == {"report.html", "report.json", "rates.csv", "people.csv"}
    written = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert written == clean(mortgage)
    validate(written)
    assert files(folder.parent) == {"report"}


def test_no_rows_means_no_rows_anywhere(tmp_path: Path, mortgage: dict[str, Any]) -> None:
    folder = write_report(mortgage, TABLES, tmp_path / "report")
    assert "people.csv" in files(folder)
    write_report(mortgage, TABLES, folder, rows=False)
    assert files(folder) == {"report.html", "report.json", "rates.csv"}
    keys = [p["key"] for p in mortgage["sections"]["opportunity"]["features"][0]["people"]]
    text = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert not any(key in text for key in [*keys, "secret-key"])
    validate(json.loads((folder / "report.json").read_text(encoding="utf-8")))


def test_other_files_stay_and_old_reports_are_replaced(tmp_path: Path, nothing: dict[str, Any]) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "report.html").write_text("old", encoding="utf-8")
    write_report(nothing, {}, tmp_path)
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "<p>True</p>"
    assert files(tmp_path) == {"notes.txt", "report.html", "report.json"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("exists", [True, False])
def test_interruption_leaves_the_old_report_or_none(
    tmp_path: Path,
    nothing: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
    exists: bool,
) -> None:
    folder = tmp_path / "report"
    if exists:
        folder.mkdir()
        (folder / "report.json").write_text("old", encoding="utf-8")
    original = Path.write_text

    def interrupted(path: Path, *args: Any, **kwargs: Any) -> int:
        if path.name == "report.html":
            raise error
        return original(path, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", interrupted)
    with pytest.raises((KeyboardInterrupt, ConfigError)):
        write_report(nothing, TABLES, folder)
    assert files(tmp_path) == ({"report"} if exists else set())
    if exists:
        assert files(folder) == {"report.json"}
        assert (folder / "report.json").read_text(encoding="utf-8") == "old"


def test_nothing_is_written_through_links(tmp_path: Path, nothing: dict[str, Any]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside / "target.html"
    target.write_text("untouched", encoding="utf-8")
    link = tmp_path / "link"
    link.symlink_to(outside)
    with pytest.raises(ConfigError, match="symbolic link"):
        write_report(nothing, {}, link)
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "report.html").symlink_to(target)
    write_report(nothing, {}, folder)
    assert target.read_text(encoding="utf-8") == "untouched"
    assert not (folder / "report.html").is_symlink()


def test_odd_table_names_stay_in_the_folder(tmp_path: Path, nothing: dict[str, Any]) -> None:
    rows = [{"a": 1}]
    names = ["../../etc/passwd", "a/b", "A b", "a-b", "report", "\x1b", "<script>"]
    folder = write_report(nothing, dict.fromkeys(names, rows), tmp_path / "out" / "report")
    assert len(files(folder)) == len(names) + 2
    assert files(tmp_path / "out") == {"report"}
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.") for name in files(folder))


def test_a_file_or_folder_in_the_way(tmp_path: Path, nothing: dict[str, Any]) -> None:
    taken = tmp_path / "taken"
    taken.write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="is a file"):
        write_report(nothing, {}, taken)
    (tmp_path / "report" / "report.html").mkdir(parents=True)
    with pytest.raises(ConfigError, match="is a folder"):
        write_report(nothing, {}, tmp_path / "report")
    with pytest.raises(ConfigError, match="cannot be written"):
        write_report(nothing, {}, taken / "beneath")
