"""The command line: one file a command; nothing here measures anything."""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``fairwitness`` with the arguments of this process and exit."""
    try:
        from fairwitness.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before a command had begun, or after it had ended
        code = 130
    sys.exit(code)
