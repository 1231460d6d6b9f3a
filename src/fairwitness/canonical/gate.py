"""The gate: whether a canonical set is what was asked for, measured before anyone reads it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Sequence

import numpy as np

from fairwitness.arguments import items_of, real_number, shown, whole_number
from fairwitness.canonical.base import CanonicalSampler, CanonicalSet, same_columns
from fairwitness.canonical.criteria import CRITERIA
from fairwitness.canonical.faithful import (
    FEWEST_ROWS,
    Comparer,
    copies,
    detect,
    floor,
    impossible,
    share,
    twins,
    wasserstein,
)
from fairwitness.canonical.gate_report import GateMeasure, GateReport, Reference
from fairwitness.canonical.given import check_set, rows_of
from fairwitness.canonical.request import keeps
from fairwitness.canonical.rows import Rows, read_scores
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning
from fairwitness.model import BlackBox, as_blackbox
from fairwitness.rng import child, seed_from
from fairwitness.stats import wilson
from fairwitness.table import n_rows, select_columns
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, NativeFrame, RandomState

#: Rows whose requested score is this near to the threshold are on neither side.
NEAR = 0.05
#: Requested scores that spread less than this have no correlation to speak of.
SPREAD = 0.2
#: Reference rows that are needed for a comparison of distributions.
FEWEST_REFERENCE = 10


class CanonicalGate:
    """Measures every set that an engine makes.

    Parameters
    ----------
    model
        The black box itself: anything :func:`fairwitness.as_blackbox` takes, or several of them (members
        of a cross-fitted model), whose scores are averaged. ``None``: the obtained scores are not known, and
        no set gets a better verdict than weak.
    reference, reference_scores
        Real rows that the engine has not seen, and the model's scores of them; ``None``: the rows that it
        learnt from stand in, and the comparison is the more lenient for it.
    favorable, threshold
        As in :func:`fairwitness.as_blackbox`.
    measures
        Names of the measures to take (see :data:`fairwitness.canonical.CRITERIA`); all by default. The
        classifier's ``auc`` takes most of the time.
    n_resamples
        Draws of real rows behind the floor.
    random_state
        Seed.
    """

    def __init__(
        self,
        model: object = None,
        *,
        reference: NativeFrame | None = None,
        reference_scores: object = None,
        favorable: object = 1,
        threshold: float = 0.5,
        measures: Collection[str] | None = None,
        n_resamples: int = 30,
        random_state: RandomState = 0,
    ) -> None:
        given = model if isinstance(model, list | tuple) else [] if model is None else [model]
        self.models: tuple[BlackBox, ...] = tuple(
            as_blackbox(each, favorable=favorable, threshold=threshold) for each in given
        )
        self.threshold = self.models[0].threshold if self.models else real_number(threshold, "threshold")
        if (reference is None) != (reference_scores is None):
            raise ConfigError(
                "reference rows and their scores go together",
                got="one of them",
                fix="pass both reference=... and reference_scores=..., or neither",
            )
        self.reference = reference
        self.reference_scores = (
            None if reference is None else read_scores(reference_scores, n_rows(reference))  # type: ignore[arg-type]
        )
        self.measures = _chosen(measures)
        self.n_resamples = whole_number(n_resamples, "n_resamples", least=2)
        self.seed = seed_from(random_state)
        self._comparer: tuple[Rows, Comparer] | None = None

    def __repr__(self) -> str:
        asked = "no model" if not self.models else repr(self.models[0])
        return f"<CanonicalGate: {len(self.measures)} measures, {asked}>"

    def check(self, made: CanonicalSet, *, twin: CanonicalSampler | None = None) -> GateReport:
        """Measure one set.

        Parameters
        ----------
        made
            The set.
        twin
            A fitted engine of the same kind and settings that has not seen the reference rows, where the
            set's own engine has: what it makes for the same request is compared with them in place of the
            set. It has learnt from fewer rows, so the comparison is a little stricter than the set deserves.

        Returns
        -------
        GateReport
            With the verdict: that of the worst measure.

        Raises
        ------
        ConfigError
            If ``twin`` is no fitted engine of that kind, or there are no reference rows for it.
        """
        check_set(made, "the set")
        compared, reference, how = self._compared(made, twin)
        obtained, why = self._obtained(made)
        found = {
            **self._of_request(made),
            **self._of_scores(made, obtained, why),
            **self._of_rows(made),
            **self._of_distributions(compared, reference),
        }
        measured = tuple(found[name] for name in CRITERIA if name in self.measures)
        return GateReport(
            engine=made.engine,
            request=made.request.words,
            n=len(made),
            support=made.request.support,
            n_reference=len(reference),
            reference=how,
            measures=measured,
            requested=made.requested,
            obtained=obtained,
        )

    def probe(
        self, sampler: CanonicalSampler, n: int = 2000, *, random_state: RandomState = None
    ) -> GateReport:
        """Measure an engine over all scores: how requested and obtained scores go together."""
        rows_of(sampler)
        return self.check(sampler.sample_set(n, quantile=(0.0, 1.0), random_state=random_state))

    def _obtained(self, made: CanonicalSet) -> tuple[FloatArray, str]:
        nothing = np.full(len(made), np.nan)
        if not self.models:
            return nothing, "no model was given, so the set's own scores are not known"
        if not all(model.info.can_query for model in self.models):
            return nothing, "the model is a column of predictions and cannot be asked about new rows"
        total = np.zeros(len(made))
        for model in self.models:
            frame = made.frame
            if model.info.feature_names is None and made.rows.protected:
                frame = select_columns(frame, list(made.rows.inputs))
            judged = model.judge(frame)
            total += judged.score if judged.has_score else judged.accepted
        return total / len(self.models), ""

    def _compared(
        self, made: CanonicalSet, twin: CanonicalSampler | None
    ) -> tuple[CanonicalSet, FloatArray, Reference]:
        """Give the rows to compare, the real ones to compare them with, and which those are."""
        if twin is None:
            return made, self._reference(made), "learnt" if self.reference is None else "held out"
        if not isinstance(twin, CanonicalSampler) or type(twin).__name__ != made.engine:
            raise ConfigError(
                f"twin must be a fitted {plain(made.engine)}, as the set's engine is",
                got=type(twin).__qualname__,
                fix="fit a clone of the engine on some of the rows, and pass the others as reference",
            )
        if self.reference is None or twin._fitted().names != made.rows.names:
            raise ConfigError(
                "a twin needs reference rows, of the columns of the set",
                fix="pass reference= and reference_scores= to CanonicalGate: rows that the twin has not seen",
            )
        asked = made.request
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FairwitnessWarning)  # of few rows: the set itself said so
                other = twin.sample_set(
                    len(made),
                    score=asked.exact,
                    band=None if asked.exact is not None else (asked.low, asked.high),
                    where=asked.where,
                )
        except DataError:  # none of the twin's rows is such: nothing better than the set's own is left
            return made, made.rows.matrix[asked.rows], "learnt"
        return other, self._reference(other), "other half"

    def _reference(self, made: CanonicalSet) -> FloatArray:
        """Give the real rows to compare with: held out if there are any, with such scores and columns."""
        rows, request = made.rows, made.request
        if self.reference is None:
            return rows.matrix[request.rows]
        assert self.reference_scores is not None
        matrix = same_columns(rows, self.reference)
        kept = (self.reference_scores >= request.low) & (self.reference_scores <= request.high)
        return matrix[kept & keeps(rows, matrix, request.where)]

    def _of_request(self, made: CanonicalSet) -> dict[str, GateMeasure]:
        support = GateMeasure("support", float(made.request.support), n=len(made.rows))
        if not made.request.where:
            return {"support": support, "kept": _without("kept", "no column is fixed")}
        kept = share(keeps(made.rows, made.matrix, made.request.where))
        return {"support": support, "kept": GateMeasure("kept", *kept, n=len(made))}

    def _of_scores(self, made: CanonicalSet, obtained: FloatArray, why: str) -> dict[str, GateMeasure]:
        names = ("right_side", "score_error", "correlation")
        if why:
            # said once: one reason, not three
            return {name: _without(name, why, weakens=name == "score_error") for name in names}
        n = len(made)
        sure = np.abs(made.requested - self.threshold) > NEAR
        right = ((obtained >= self.threshold) == (made.requested >= self.threshold))[sure]
        error = np.abs(obtained - made.requested)
        half = 1.959964 * float(error.std()) / math.sqrt(n)
        mean = float(error.mean())
        found = {
            "right_side": GateMeasure("right_side", *share(right), n=len(right))
            if len(right)
            else _without("right_side", "every requested score lies at the model's threshold"),
            "score_error": GateMeasure("score_error", mean, max(mean - half, 0.0), mean + half, n=n),
        }
        if float(made.requested.std()) < SPREAD:
            why = "the requested scores lie close together"
        elif float(obtained.std()) == 0:
            why = "the model gave every row the same score"
        if why or n < 4:
            found["correlation"] = _without("correlation", why or "there are fewer than four rows")
        else:
            found["correlation"] = _correlation(made.requested, obtained)
        return found

    def _of_rows(self, made: CanonicalSet) -> dict[str, GateMeasure]:
        rows, n = made.rows, len(made)
        flags = impossible(rows, made.matrix)
        same = copies(made.matrix, rows.matrix)
        low, high = wilson(same.sum(), n)
        return {
            "impossible": GateMeasure("impossible", *share(flags), n=n),
            "copies": GateMeasure(
                "copies",
                float(same.mean()),
                float(low),
                float(high),
                floor=twins(rows.matrix[made.request.rows]),
                n=n,
            ),
        }

    def _of_distributions(self, made: CanonicalSet, reference: FloatArray) -> dict[str, GateMeasure]:
        rows, n = made.rows, len(made)
        found: dict[str, GateMeasure] = {}
        names = ("column_tv", "worst_tv", "pair_tv", "wasserstein", "auc")
        if len(reference) < FEWEST_REFERENCE:
            why = f"only {len(reference)} real rows are there to compare with"
            return {name: _without(name, why, weakens=name == "column_tv") for name in names}
        comparer = self._bins(rows)
        mine, real = comparer.shares(made.matrix), comparer.shares(reference)
        by_column, by_pair, by_number = floor(
            comparer,
            rows.matrix[made.request.rows],
            reference,
            n,
            rng=child(self.seed, "floor", made.request.words),
            n_resamples=self.n_resamples,
        )
        apart, pairs = comparer.columns(mine, real), comparer.pairs(mine, real)
        # Each column has its own floor: what ten ranges of ages do by chance says nothing of two sexes. And
        # of many columns one is always beyond its own.
        least = by_column.mean(axis=0)
        farthest = int((apart - least).argmax())
        beyond = float((by_column - least).max(axis=1).mean())
        measured = (
            (float(apart.mean()), float(least.mean())),
            (float(apart[farthest]), float(least[farthest]) + beyond),
            (float(pairs.mean()) if len(pairs) else math.nan, float(by_pair.mean())),
            (wasserstein(comparer.fine, made.matrix, reference), float(by_number.mean())),
        )
        for name, (value, by_chance) in zip(names, measured, strict=False):
            found[name] = (
                GateMeasure(
                    name,
                    value,
                    floor=by_chance,
                    n=len(reference),
                    detail=plain(rows.names[farthest]) if name == "worst_tv" else "",
                )
                if math.isfinite(value)
                else _without(name, "there is no column to measure it on")
            )
        if "auc" in self.measures:
            auc, low_auc, high_auc, rows_each = detect(made.matrix, reference, seed=self.seed)
            found["auc"] = (
                GateMeasure("auc", auc, low_auc, high_auc, n=rows_each)
                if math.isfinite(auc)
                else _without("auc", "there are too few kinds of rows")
                if rows_each >= FEWEST_ROWS
                else _without("auc", f"only {rows_each} rows are there to learn from", weakens=True)
            )
        return found

    def _bins(self, rows: Rows) -> Comparer:
        if self._comparer is None or self._comparer[0] is not rows:
            self._comparer = (rows, Comparer(rows))
        return self._comparer[1]


def worst(reports: Sequence[GateReport]) -> GateReport:
    """Give the report with the worst verdict, the first of several."""
    from fairwitness.canonical.criteria import VERDICTS

    return max(reports, key=lambda report: VERDICTS.index(report.verdict))


def _chosen(measures: Collection[str] | None) -> tuple[str, ...]:
    if measures is None:
        return tuple(CRITERIA)
    listed = items_of(measures)
    unknown = [name for name in listed or () if name not in CRITERIA]
    if unknown or not listed:
        raise ConfigError(
            "there is no such measure of a canonical set",
            got=listing([shown(name) for name in unknown]) or shown(measures),
            fix=f"pass a list of some of {', '.join(CRITERIA)}",
        )
    return tuple(name for name in CRITERIA if name in listed)


def _without(name: str, reason: str, *, weakens: bool = False) -> GateMeasure:
    return GateMeasure(name, math.nan, reason=reason, weakens=weakens)


def _correlation(a: FloatArray, b: FloatArray) -> GateMeasure:
    """Give Pearson's correlation with Fisher's interval."""
    value = float(np.corrcoef(a, b)[0, 1])
    centre = math.atanh(min(max(value, -1 + 1e-12), 1 - 1e-12))
    half = 1.959964 / math.sqrt(len(a) - 3)
    return GateMeasure("correlation", value, math.tanh(centre - half), math.tanh(centre + half), n=len(a))
