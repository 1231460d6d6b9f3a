"""Tables 2, 3 and 4 of Wu et al. (2019), "PC-Fairness", with this library, beside what they print.

    python benchmarks/papers/bounds.py [--reference FOLDER] [--data FOLDER] [--out PAGE]

The page says why they differ. FOLDER of the reference has the published numbers and the distributions behind
them; the folder of the data has adult.csv.gz (also FAIRWITNESS_DATA; without it that part is left out).
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from bounds_page import write_page
from bounds_tables import Reference

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = ROOT.parent / "shared"
    parser.add_argument("--reference", type=Path, default=beside / "reference")
    parser.add_argument("--data", type=Path, default=os.environ.get("FAIRWITNESS_DATA", beside / "data"))
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "papers-bounds.md")
    chosen = parser.parse_args()
    if not chosen.reference.is_dir():
        raise SystemExit(
            f"there is no folder {chosen.reference}: pass the published numbers with --reference"
        )
    rows = Path(chosen.data) / "adult.csv.gz"
    reference = Reference(chosen.reference, rows if rows.is_file() else None)
    write_page(chosen.out, reference, time.strftime("%Y-%m-%d"))
    print(f"written: {chosen.out.name}")


if __name__ == "__main__":
    main()
