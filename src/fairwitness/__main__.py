"""``python -m fairwitness``: the same as the command ``fairwitness``."""

from __future__ import annotations

from fairwitness.cli import main

main()
