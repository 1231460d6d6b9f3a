"""Adult (UCI 2): does a person of the 1994 census earn more than 50,000 dollars a year."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairwitness.datasets.base import Dataset
from fairwitness.datasets.files import (
    Found,
    check_version,
    chosen,
    count_missing,
    download,
    find,
    from_openml,
    from_uci,
    need_columns,
    not_found,
    read_csv,
)
from fairwitness.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

FILES = ("adult.csv", "adult.data")
KNOWN = (
    "d99d5b2c07ff6c7e09b6e0cefe115f6835d5c7b6efebdb9276238f1243c6369b",
    "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
)
COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
SENSITIVE = ("sex", "race", "marital-status")
PRIVILEGED = {"sex": "Male", "race": "White", "marital-status": "Married"}
DESCRIPTIONS = {
    "age": "age in years",
    "workclass": "kind of employer",
    "fnlwgt": "number of people in the census that the row stands for",
    "education": "highest level of education",
    "education-num": "the same as a number, 1 to 16",
    "marital-status": "marital status",
    "occupation": "kind of work",
    "relationship": "role in the household",
    "capital-gain": "capital gains in the year, dollars",
    "capital-loss": "capital losses in the year, dollars",
    "hours-per-week": "hours worked a week",
    "native-country": "country of origin",
    "race": "race as recorded by the census",
    "sex": "sex as recorded by the census",
}
#: The authors' condensed employers (their preparation code maps to these three).
WORKCLASS = {
    "Private": "Private",
    "Self-emp-not-inc": "Private",
    "Self-emp-inc": "Private",
    "Federal-gov": "Public",
    "Local-gov": "Public",
    "State-gov": "Public",
    "Without-pay": "Unemployed",
    "Never-worked": "Unemployed",
}
DEBIASED = ("workclass", "education-num", "occupation", "capital-gain", "capital-loss", "hours-per-week")


def load_adult(
    path: str | os.PathLike[str] | None = None,
    *,
    sensitive: str | Sequence[str] = "sex",
    fetch: bool = False,
) -> Dataset:
    """Load Adult: 45,222 complete rows, the 14 census features less the sensitive ones asked for.

    Parameters
    ----------
    path
        ``adult.csv(.gz)``, UCI's ``adult.data`` (with ``adult.test`` beside it), or their folder; else the
        folder named by ``FAIRWITNESS_DATA`` is looked at.
    sensitive
        ``sex``, ``race``, ``marital-status``, or several. They leave ``X``; the others stay in it, as in
        the papers. ``marital-status`` is given as Married (civilian, armed forces, or spouse absent) and
        Not married.
    fetch
        Download from OpenML (``adult``, version 2) or UCI (2) if there is no file.

    Returns
    -------
    Dataset
        Favourable is ``>50K``. With ``sensitive="sex"``: 13 inputs, .6750 men, .2478 favourable, and a
        difference in the favourable share of .1989 (Table 1 of the counterfactual fair opportunity paper).

    Raises
    ------
    DataError
        If the data are not found, or the file is not Adult.
    ConfigError
        If ``sensitive`` names another column.
    """
    names = chosen(sensitive, SENSITIVE, what="the sensitive feature")
    frame, digest = _table(path, fetch=fetch)
    return _dataset(
        frame,
        digest,
        names,
        name="adult",
        title="Adult: income above 50,000 dollars, census of 1994",
        columns=[column for column in COLUMNS[:-1] if column not in names],
        dropped={},
        notes=(),
    )


def load_adult_debiased(
    path: str | os.PathLike[str] | None = None,
    *,
    sensitive: str | Sequence[str] = "sex",
    fetch: bool = False,
) -> Dataset:
    """Load the paper's "Adult-debiased": the rows of :func:`load_adult`, six inputs.

    Age, race, sex, relationship, fnlwgt, education, native-country and marital-status are left out by name,
    as in the authors' code, and ``workclass`` is condensed to Private, Public and Unemployed. (Three of
    the columns, education, fnlwgt and native-country, do not reach the correlation of .35 that the paper
    gives as its rule.) Parameters, result and errors are those of :func:`load_adult`.
    """
    names = chosen(sensitive, SENSITIVE, what="the sensitive feature")
    frame, digest = _table(path, fetch=fetch)
    frame = frame.assign(workclass=frame["workclass"].map(WORKCLASS, na_action="ignore").fillna("?"))
    left_out = [column for column in COLUMNS[:-1] if column not in DEBIASED and column not in names]
    return _dataset(
        frame,
        digest,
        names,
        name="adult-debiased",
        title="Adult with six inputs: income above 50,000 dollars, census of 1994",
        columns=list(DEBIASED),
        dropped=dict.fromkeys(left_out, "left out by name in the authors' code"),
        notes=("workclass is condensed to Private, Public and Unemployed.",),
    )


def _dataset(
    frame: pd.DataFrame,
    digest: str | None,
    sensitive: Sequence[str],
    *,
    name: str,
    title: str,
    columns: list[str],
    dropped: Mapping[str, str],
    notes: tuple[str, ...],
) -> Dataset:
    unknown = frame[list(COLUMNS)] == "?"
    complete = frame[~unknown.any(axis=1)].reset_index(drop=True)
    groups = complete[list(sensitive)].copy()
    if "marital-status" in groups:
        married = groups["marital-status"].str.startswith("Married")
        groups["marital-status"] = married.map({True: "Married", False: "Not married"})
    men = complete["sex"] == "Male"
    good = complete["income"] == ">50K"
    version = check_version(
        "Adult",
        digest,
        known=KNOWN,
        counts={
            "rows": len(complete),
            "share of men": round(float(men.mean()), 4),
            "share above 50K": round(float(good.mean()), 4),
        },
        expected={"rows": 45222, "share of men": 0.6750, "share above 50K": 0.2478},
    )
    incomplete = len(frame) - len(complete)
    return Dataset(
        name=name,
        title=title,
        X=complete[columns].copy(),
        y=complete["income"].copy(),
        sensitive=groups,
        favorable=">50K",
        privileged={feature: PRIVILEGED[feature] for feature in sensitive},
        people="people",
        source="UCI Machine Learning Repository, data set 2 (Adult), Becker and Kohavi 1996",
        licence="CC BY 4.0 (UCI's general statement)",
        immutable=tuple(column for column in ("race", "sex", "native-country") if column in columns),
        descriptions={column: DESCRIPTIONS[column] for column in columns},
        dropped=dropped,
        missing=count_missing(frame[list(COLUMNS)].mask(unknown)),
        notes=(f"{incomplete:,} rows with an unknown value ('?') are left out.", *notes, *version),
        beside=complete[["split"]].copy() if "split" in complete else None,
        digest=digest,
    )


def _table(path: str | os.PathLike[str] | None, *, fetch: bool) -> tuple[pd.DataFrame, str | None]:
    """Give all rows in one form: text stripped, '?' for unknown, labels without a dot."""
    found = find("adult", FILES, path=path)
    if found is None:
        if not fetch:
            raise not_found("adult", FILES, online="OpenML, or UCI with the package ucimlrepo")
        frame = download("adult", [("OpenML", lambda: from_openml("adult", 2)), ("UCI", lambda: from_uci(2))])
        return _normal(frame.rename(columns={"class": "income"}), "the download"), None
    if found.name.endswith(".data"):
        return _normal(_raw(found), found.name), found.digest
    return _normal(read_csv(found, skipinitialspace=True, keep_default_na=False), found.name), found.digest


def _raw(found: Found) -> pd.DataFrame:
    """Read UCI's own pair of files; a missing ``adult.test`` leaves its rows out (the counts then differ)."""
    import pandas as pd

    options: dict[str, Any] = {
        "header": None,
        "names": list(COLUMNS),
        "skipinitialspace": True,
        "keep_default_na": False,
    }
    parts = [read_csv(found, **options).assign(split="train")]
    test = find("adult", ["adult.test"], path=found.path.parent) if _has_test(found) else None
    if test is not None:
        # The first line of the published test file is not a row.
        skip = 1 if test.content.startswith(b"|") else 0
        parts.append(read_csv(test, skiprows=skip, **options).assign(split="test"))
    return pd.concat(parts, ignore_index=True)


def _has_test(found: Found) -> bool:
    return any((found.path.parent / name).is_file() for name in ("adult.test", "adult.test.gz"))


def _normal(frame: pd.DataFrame, file: str) -> pd.DataFrame:
    need_columns(frame, COLUMNS, file=file)
    frame = frame.copy()
    numeric = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
    for column in COLUMNS:
        if column in numeric:
            try:
                frame[column] = frame[column].astype("int64")
            except (ValueError, TypeError):
                raise DataError(
                    f"the column {column} of {file} holds values that are no whole numbers",
                    fix="check that it is the data set's own file",
                ) from None
        else:
            frame[column] = (
                frame[column].astype(object).where(frame[column].notna(), "?").astype(str).str.strip()
            )
    frame["income"] = frame["income"].str.removesuffix(".")
    return frame
