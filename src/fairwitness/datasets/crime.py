"""Communities and Crime, unnormalised (UCI 211): one row a community of the United States."""

from __future__ import annotations

import os

from fairwitness.datasets.base import Dataset
from fairwitness.datasets.files import check_version, count_missing, find, need_columns, not_found, read_csv
from fairwitness.errors import DataError

FILES = ("communities_crime_unnormalized.csv",)
KNOWN = ("b60720c2d9032dee729a2da417a41e96d41d79798bb6479b3bbb9655cb6aabf1",)
IDENTIFIERS = ("communityname", "countyCode", "communityCode", "fold")
RACE = ("racePctWhite", "racepctblack", "racePctAsian", "racePctHisp")
TARGET = "ViolentCrimesPerPop"
OTHER_CRIMES = (
    "murders",
    "murdPerPop",
    "rapes",
    "rapesPerPop",
    "robberies",
    "robbbPerPop",
    "assaults",
    "assaultPerPop",
    "burglaries",
    "burglPerPop",
    "larcenies",
    "larcPerPop",
    "autoTheft",
    "autoTheftPerPop",
    "arsons",
    "arsonsPerPop",
    "nonViolPerPop",
)


def load_crime(path: str | os.PathLike[str] | None = None, *, fetch: bool = False) -> Dataset:
    """Load Communities and Crime: 1,994 communities, 98 inputs, fewer violent crimes than the median.

    Parameters
    ----------
    path
        ``communities_crime_unnormalized.csv(.gz)`` or its folder; else ``FAIRWITNESS_DATA``. UCI's own
        text file carries no column names and is not read.
    fetch
        Not possible for this set: what is served online has other column names or the normalised values.

    Returns
    -------
    Dataset
        Favourable is ``below median``. The one sensitive feature, ``race``, is derived from the make-up of
        the community: ``Other`` where a fifth of the White share is less than the Black, Asian and Hispanic
        shares together, else ``White`` (.5777). Favourable .5000, difference in the favourable share .5530.

    Raises
    ------
    DataError
        If the data are not found, or the file is another one.

    Notes
    -----
    The rule is the authors' code; the paper words it differently. The paper prints .554 for the
    difference, which is its value on the authors' test split.
    """
    import pandas as pd

    found = find("crime", FILES, path=path)
    if found is None:
        raise not_found("crime", FILES, online=None)
    frame = read_csv(found, na_values=["?"])
    need_columns(frame, (*IDENTIFIERS, *RACE, TARGET, *OTHER_CRIMES, "state"), file=found.name)
    known = frame[frame[TARGET].notna()].reset_index(drop=True)
    candidates = known.drop(columns=[*IDENTIFIERS, *OTHER_CRIMES])
    incomplete = [column for column in candidates if candidates[column].isna().any()]
    X = candidates.drop(columns=[*incomplete, *RACE, TARGET], errors="ignore")
    if X.empty:
        raise DataError(f"no complete column is left in {found.name}", fix="check the file")
    other = known[["racepctblack", "racePctAsian", "racePctHisp"]].sum(axis=1)
    race = pd.Series("White", index=known.index, name="race").mask(known["racePctWhite"] / 5 < other, "Other")
    below = known[TARGET] < known[TARGET].median()
    y = below.map({True: "below median", False: "not below median"}).rename("violent crime")
    version = check_version(
        "Communities and Crime",
        found.digest,
        known=KNOWN,
        counts={
            "rows": len(known),
            "inputs": X.shape[1],
            "share White": round(float((race == "White").mean()), 4),
            "share below the median": round(float(below.mean()), 4),
        },
        expected={"rows": 1994, "inputs": 98, "share White": 0.5777, "share below the median": 0.5},
    )
    reasons = {
        **dict.fromkeys(IDENTIFIERS, "names the row"),
        **dict.fromkeys(RACE, "the sensitive feature is derived from it"),
        **dict.fromkeys(OTHER_CRIMES, "another crime rate of the same year"),
        TARGET: "the outcome is derived from it",
        **dict.fromkeys(map(str, incomplete), "has missing values"),
    }
    return Dataset(
        name="crime",
        title="Communities and Crime: fewer violent crimes than the median community",
        X=X,
        y=y,
        sensitive=race.to_frame(),
        favorable="below median",
        privileged={"race": "White"},
        people="communities",
        source="UCI Machine Learning Repository, data set 211 (unnormalised), Redmond 2011",
        licence="CC BY 4.0 (UCI's general statement)",
        kinds={"state": {"kind": "categorical"}, "MedNumBR": {"kind": "integer"}},
        immutable=("state",),
        dropped=reasons,
        missing=count_missing(frame),
        notes=(
            f"{len(frame) - len(known):,} communities without a violent crime rate are left out.",
            f"{len(incomplete)} columns with missing values are left out.",
            "Rows are communities, not people; the sensitive feature is a property of their make-up.",
            *version,
        ),
        digest=found.digest,
    )
