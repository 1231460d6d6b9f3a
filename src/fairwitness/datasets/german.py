"""German Credit (UCI 144): 1,000 loans of a German bank in the 1970s, good or bad."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fairwitness.datasets.base import Dataset
from fairwitness.datasets.files import (
    check_version,
    download,
    find,
    from_uci,
    need_columns,
    not_found,
    read_csv,
)
from fairwitness.errors import DataError
from fairwitness.text import plain

if TYPE_CHECKING:
    import pandas as pd

FILES = ("german_decoded.csv", "german.csv", "german.data")
KNOWN = (
    "43e18546cff89f96df522c809e42ab25faf2912a2fb77eb8561de42ba37e844b",
    "8f09f11ab68acb98d6f30ef2c2958286f1fc7b6ccd386765544330d156a3b69b",
    "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
)
#: UCI's 20 attributes and the outcome, in the order of the file.
COLUMNS = (
    "checking_status",
    "duration_months",
    "credit_history",
    "purpose",
    "credit_amount",
    "savings",
    "employment_since",
    "installment_rate",
    "personal_status_sex",
    "other_debtors",
    "residence_since",
    "property",
    "age",
    "other_installment_plans",
    "housing",
    "existing_credits",
    "job",
    "people_liable",
    "telephone",
    "foreign_worker",
    "credit_risk",
)
#: Column → levels in the order of UCI's codes (first attribute: A11, A12, ...).
LEVELS = {
    "checking_status": ("<0 DM", "0<=x<200 DM", ">=200 DM", "no checking account"),
    "credit_history": (
        "no credits taken/all paid duly",
        "all credits at this bank paid duly",
        "existing credits paid duly till now",
        "delay in past",
        "critical account/other credits elsewhere",
    ),
    "purpose": (
        "car (new)",
        "car (used)",
        "furniture/equipment",
        "radio/television",
        "domestic appliances",
        "repairs",
        "education",
        "vacation",
        "retraining",
        "business",
        "others",
    ),
    "savings": ("<100 DM", "100<=x<500 DM", "500<=x<1000 DM", ">=1000 DM", "unknown/no savings"),
    "employment_since": ("unemployed", "<1 year", "1<=x<4 years", "4<=x<7 years", ">=7 years"),
    "personal_status_sex": (
        "male: divorced/separated",
        "female: divorced/separated/married",
        "male: single",
        "male: married/widowed",
        "female: single",
    ),
    "other_debtors": ("none", "co-applicant", "guarantor"),
    "property": (
        "real estate",
        "building society savings/life insurance",
        "car or other",
        "unknown/no property",
    ),
    "other_installment_plans": ("bank", "stores", "none"),
    "housing": ("rent", "own", "for free"),
    "job": (
        "unemployed/unskilled non-resident",
        "unskilled resident",
        "skilled employee/official",
        "management/self-employed/highly qualified/officer",
    ),
    "telephone": ("none", "yes"),
    "foreign_worker": ("yes", "no"),
}
#: Attributes whose codes start at 0 (A30, A40), not at 1.
FROM_ZERO = ("credit_history", "purpose")
DROPPED = {
    "personal_status_sex": "holds the sensitive feature sex",
    "age": "sensitive feature",
    "foreign_worker": "left out by the authors; its coding at UCI is disputed",
}
DESCRIPTIONS = {
    "checking_status": "balance of the checking account, German marks",
    "duration_months": "duration of the loan, months",
    "credit_history": "credit history",
    "purpose": "purpose of the loan",
    "credit_amount": "amount of the loan, German marks",
    "savings": "savings, German marks",
    "employment_since": "years in the present job",
    "installment_rate": "instalment in percent of disposable income, coded 1 to 4",
    "other_debtors": "other debtors or guarantors",
    "residence_since": "years at the present residence, coded 1 to 4",
    "property": "most valuable property",
    "other_installment_plans": "other instalment plans",
    "housing": "housing",
    "existing_credits": "number of loans at this bank, coded 1 to 4",
    "job": "job",
    "people_liable": "number of people to be maintained, coded 1 or 2",
    "telephone": "has a telephone under their name",
}


def load_german(path: str | os.PathLike[str] | None = None, *, fetch: bool = False) -> Dataset:
    """Load German Credit: 1,000 loans, 17 inputs, two sensitive features.

    Parameters
    ----------
    path
        ``german_decoded.csv(.gz)``, ``german.csv(.gz)`` (codes), UCI's ``german.data``, or their folder;
        else ``FAIRWITNESS_DATA``. Codes are decoded: all three files give the same table.
    fetch
        Download from UCI (144) with the package ``ucimlrepo`` if there is no file.

    Returns
    -------
    Dataset
        Favourable is ``good`` (.700). ``sex``: male .690, difference in the favourable share .0748;
        ``age``: above 25 .810, difference .1494.

    Raises
    ------
    DataError
        If the data are not found, or the file is another one.
    """
    import pandas as pd

    frame, digest = _table(path, fetch=fetch)
    sex = frame["personal_status_sex"].str.split(":").str[0].rename("sex")
    age = pd.Series("age ≤ 25", index=frame.index, name="age").mask(frame["age"] > 25, "age > 25")
    inputs = [column for column in COLUMNS[:-1] if column not in DROPPED]
    version = check_version(
        "German Credit",
        digest,
        known=KNOWN,
        counts={
            "rows": len(frame),
            "share of men": round(float((sex == "male").mean()), 4),
            "share good": round(float((frame["credit_risk"] == "good").mean()), 4),
        },
        expected={"rows": 1000, "share of men": 0.69, "share good": 0.7},
    )
    return Dataset(
        name="german",
        title="German Credit: loans judged good or bad",
        X=frame[inputs].copy(),
        y=frame["credit_risk"].copy(),
        sensitive=pd.concat([sex, age], axis=1),
        favorable="good",
        privileged={"sex": "male", "age": "age > 25"},
        people="applicants",
        source="UCI Machine Learning Repository, data set 144 (Statlog German Credit), Hofmann 1994",
        licence="CC BY 4.0 (UCI's general statement)",
        kinds={
            # Small integers that are steps of a scale, not amounts.
            **{
                column: {"kind": "ordinal"}
                for column in ("installment_rate", "residence_since", "existing_credits", "people_liable")
            },
            "employment_since": {"kind": "ordinal", "levels": LEVELS["employment_since"]},
        },
        descriptions=DESCRIPTIONS,
        dropped=DROPPED,
        notes=(
            "sex is read from personal_status_sex, whose coding at UCI is disputed; the corrected data set "
            "(UCI 573, South German Credit) was not used.",
            *version,
        ),
        digest=digest,
    )


def _table(path: str | os.PathLike[str] | None, *, fetch: bool) -> tuple[pd.DataFrame, str | None]:
    found = find("german", FILES, path=path)
    if found is None:
        if not fetch:
            raise not_found("german", FILES, online="UCI, with the package ucimlrepo")
        frame = download("german", [("UCI", lambda: from_uci(144))])
        if frame.shape[1] != len(COLUMNS):
            raise DataError(
                f"the German Credit download has {frame.shape[1]} columns instead of {len(COLUMNS)}",
                fix="download german.data by hand and pass path=",
            )
        return _decode(frame.set_axis(list(COLUMNS), axis=1), "the download"), None
    if found.name.endswith(".data"):
        frame = read_csv(found, sep=r"\s+", header=None, names=list(COLUMNS), keep_default_na=False)
    else:
        frame = read_csv(found, keep_default_na=False)
    need_columns(frame, COLUMNS, file=found.name)
    return _decode(frame[list(COLUMNS)], found.name), found.digest


def _decode(frame: pd.DataFrame, file: str) -> pd.DataFrame:
    """Turn UCI's codes into words; words stay as they are, anything else is an error."""
    frame = frame.copy()
    for column, levels in LEVELS.items():
        number = COLUMNS.index(column) + 1
        start = 0 if column in FROM_ZERO else 1
        words = {f"A{number}{start + at}": level for at, level in enumerate(levels)}
        frame[column] = _translate(frame[column], words, file)
    frame["credit_risk"] = _translate(frame["credit_risk"].astype(str), {"1": "good", "2": "bad"}, file)
    return frame


def _translate(values: pd.Series[str], words: dict[str, str], file: str) -> pd.Series[str]:
    known = set(words.values())
    strange = sorted({plain(value) for value in values.unique() if value not in words and value not in known})
    if strange:
        raise DataError(
            f"the column {values.name} of {file} holds values that the data set does not have",
            got=", ".join(strange[:5]),
            fix="check that it is the data set's own file",
        )
    return values.map(lambda value: words.get(value, value))
