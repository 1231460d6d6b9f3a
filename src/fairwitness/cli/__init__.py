"""The command line: one file a command; nothing here measures anything."""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``fairwitness`` with the arguments of this process and exit."""
    from fairwitness.cli.app import run

    sys.exit(run(sys.argv[1:]))
