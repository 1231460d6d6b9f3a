"""COMPAS, two years (ProPublica 2016): defendants of Broward County and whether they were charged again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fairwitness.datasets.base import Dataset
from fairwitness.datasets.files import check_version, count_missing, find, need_columns, not_found, read_csv

if TYPE_CHECKING:
    import pandas as pd

FILES = ("compas-two-years.csv", "compas-scores-two-years.csv")
KNOWN = (
    "3250df28f30462a72f81b652892d0cd3b6025a9435b3a02ccd2753716a8aa945",
    "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
)
INPUTS = (
    "age",
    "juv_fel_count",
    "juv_misd_count",
    "juv_other_count",
    "priors_count",
    "c_charge_degree",
)
SCORES = ("decile_score", "score_text", "v_decile_score", "v_score_text")
NEEDED = (
    *INPUTS,
    "sex",
    "race",
    "age_cat",
    "days_b_screening_arrest",
    "c_charge_desc",
    "is_recid",
    "decile_score",
    "score_text",
    "two_year_recid",
)
DESCRIPTIONS = {
    "age": "age in years",
    "juv_fel_count": "felonies as a juvenile",
    "juv_misd_count": "misdemeanours as a juvenile",
    "juv_other_count": "other offences as a juvenile",
    "priors_count": "earlier charges",
    "c_charge_degree": "present charge: F felony, M misdemeanour",
    "c_charge_desc": "present charge in words",
}
_LATER = "only known after the two years have begun"
DROPPED = {
    "age_cat": "follows from age; kept beside",
    "days_b_screening_arrest": "used for the filter only",
    "c_days_from_compas": "used for the filter only",
    "c_jail_days": "time in jail after the arrest, in part after the score",
    "decile_score": "the score of another model; kept beside",
    "score_text": "the score of another model; kept beside",
    "v_decile_score": "the score of another model; kept beside",
    "v_score_text": "the score of another model; kept beside",
    "is_recid": _LATER,
    "is_violent_recid": _LATER,
    "r_charge_degree": _LATER,
    "r_days_from_arrest": _LATER,
    "start": _LATER,
    "end": _LATER,
    "event": _LATER,
}


def load_compas(
    path: str | os.PathLike[str] | None = None,
    *,
    charge_description: bool = False,
    fetch: bool = False,
) -> Dataset:
    """Load COMPAS: 6,172 defendants after ProPublica's filter, six inputs, race and sex.

    Parameters
    ----------
    path
        ``compas-two-years.csv(.gz)``, ProPublica's ``compas-scores-two-years.csv``, or their folder; else
        ``FAIRWITNESS_DATA``.
    charge_description
        Add the charge in words (hundreds of levels) to the inputs; five rows have none and are left out,
        which gives the 6,167 rows that some papers count.
    fetch
        Not possible for this set: OpenML's copy lacks most columns.

    Returns
    -------
    Dataset
        The outcome is ``two_year_recid``; favourable is 0 (no new charge in two years, .5449). The COMPAS
        scores themselves are in ``beside``, to be audited without a model. Compared are ``Caucasian``
        (against every other value) and ``Female``.

    Raises
    ------
    DataError
        If the data are not found, or the file is another one.
    """
    found = find("compas", FILES, path=path)
    if found is None:
        raise not_found("compas", FILES, online=None)
    frame = read_csv(found, keep_default_na=False, na_values=[""])
    need_columns(frame, NEEDED, file=found.name)
    kept = _filtered(frame)
    expected = 6172
    if charge_description:
        kept = kept[kept["c_charge_desc"].notna()].reset_index(drop=True)
        expected = 6167
    version = check_version(
        "COMPAS",
        found.digest,
        known=KNOWN,
        counts={"rows": len(kept)},
        expected={"rows": expected},
    )
    inputs = [*INPUTS, "c_charge_desc"] if charge_description else list(INPUTS)
    notes = [
        f"ProPublica's filter keeps {len(_filtered(frame)):,} of {len(frame):,} rows: screened within 30 "
        "days of the arrest, a known course, no ordinary traffic offence, a score.",
        "A new charge is not the same as a new offence: the outcome depends on policing.",
    ]
    if charge_description:
        notes.append("Rows without a charge description are left out.")
    dropped = {column: reason for column, reason in DROPPED.items() if column in frame}
    if not charge_description:
        dropped["c_charge_desc"] = "hundreds of levels; charge_description=True keeps it"
    return Dataset(
        name="compas",
        title="COMPAS: no new charge within two years",
        X=kept[inputs].copy(),
        y=kept["two_year_recid"].copy(),
        sensitive=kept[["race", "sex"]].copy(),
        favorable=0,
        privileged={"race": "Caucasian", "sex": "Female"},
        people="defendants",
        source="ProPublica, compas-analysis (compas-scores-two-years.csv), 2016",
        licence="no licence stated; public court records of real people, published by ProPublica",
        kinds={
            column: {"kind": "integer"} for column in ("juv_fel_count", "juv_misd_count", "juv_other_count")
        },
        immutable=("age",),
        descriptions={column: DESCRIPTIONS[column] for column in inputs},
        dropped=dropped,
        missing=count_missing(frame),
        notes=(*notes, *version),
        beside=kept[[column for column in (*SCORES, "age_cat") if column in kept]].copy(),
        digest=found.digest,
    )


def _filtered(frame: pd.DataFrame) -> pd.DataFrame:
    keep = (
        frame["days_b_screening_arrest"].between(-30, 30)
        & (frame["is_recid"] != -1)
        & (frame["c_charge_degree"] != "O")
        & (frame["score_text"] != "N/A")
    )
    return frame[keep].reset_index(drop=True)
