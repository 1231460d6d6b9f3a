"""Law school (LSAC National Longitudinal Bar Passage Study): who passes the bar at the first try."""

from __future__ import annotations

import os

from fairwitness.datasets.base import Dataset
from fairwitness.datasets.files import check_version, count_missing, find, need_columns, not_found, read_csv

FILES = ("law_school.csv", "law_data.csv")
KNOWN = (
    "2a1239181c100dc9cae3f76deb644eb361c34e0a152cf37f3681ce28fd1298e4",
    "095fbb4641b0f767feb664388b877a4544ad5a731630623b375e74b5fdbfa715",
)
INPUTS = ("LSAT", "UGPA")
NEEDED = (*INPUTS, "race", "sex", "ZFYA", "first_pf", "region_first", "sander_index")


def load_law_school(path: str | os.PathLike[str] | None = None, *, fetch: bool = False) -> Dataset:
    """Load the law school data: 21,791 students, admission test and college grades, race and sex.

    Parameters
    ----------
    path
        ``law_school.csv(.gz)`` or ``law_data.csv``, or their folder; else ``FAIRWITNESS_DATA``.
    fetch
        Not possible for this set: the copies online have other rows.

    Returns
    -------
    Dataset
        The outcome is ``first_pf`` (bar passed at the first try), favourable 1 (.8884). The grade of the
        first year, ``ZFYA`` (the outcome of regressions in the literature), is in ``beside``.
        ``race``: White .8391, difference in the favourable share .1978; ``sex``: male .5623, .0216.

    Raises
    ------
    DataError
        If the data are not found, or the file is another one.
    """
    found = find("law school", FILES, path=path)
    if found is None:
        raise not_found("law school", FILES, online=None)
    frame = read_csv(found)
    need_columns(frame, NEEDED, file=found.name)
    passed = frame["first_pf"].astype("int64")
    version = check_version(
        "law school",
        found.digest,
        known=KNOWN,
        counts={
            "rows": len(frame),
            "share White": round(float((frame["race"] == "White").mean()), 4),
            "share passing at the first try": round(float(passed.mean()), 4),
        },
        expected={"rows": 21791, "share White": 0.8391, "share passing at the first try": 0.8884},
    )
    sensitive = frame[["race"]].assign(sex=frame["sex"].map({1: "female", 2: "male"}))
    return Dataset(
        name="law-school",
        title="Law school: the bar examination passed at the first try",
        X=frame[list(INPUTS)].copy(),
        y=passed,
        sensitive=sensitive,
        favorable=1,
        privileged={"race": "White", "sex": "male"},
        people="students",
        source="LSAC National Longitudinal Bar Passage Study, Wightman 1998 (the file of Kusner et al. 2017)",
        licence="none stated; not cleared for redistribution",
        descriptions={
            "LSAT": "score of the law school admission test",
            "UGPA": "grade point average of college",
        },
        dropped={
            "ZFYA": "another outcome (standardised grade of the first year); kept beside",
            "region_first": "belongs to the bar examination, which comes after the inputs; kept beside",
            "sander_index": "computed from LSAT and UGPA",
        },
        missing=count_missing(frame),
        notes=("The file codes sex as 1 and 2; 1 is read as female, as a second file suggests.", *version),
        beside=frame[["ZFYA", "region_first"]].copy(),
        digest=found.digest,
    )
