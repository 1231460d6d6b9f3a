"""How good counterfactuals are: what an evaluation looks like when it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairwitness.errors import ConfigError
from fairwitness.stats.intervals import Estimate
from fairwitness.text import listing, number, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Quality:
    """One quality of counterfactuals: its words, its unit and range, and which direction is better."""

    words: str
    unit: str
    better: Literal["higher", "lower"]


#: Every quality, by name. Units of distance are those of :class:`fairwitness.table.MixedDistance`: an unlike
#: category counts 1, a number its difference in robust scales.
QUALITIES: Mapping[str, Quality] = {
    "coverage": Quality("queries with all k counterfactuals", "share, 0 to 1", "higher"),
    "answered": Quality("queries with at least one counterfactual", "share, 0 to 1", "higher"),
    "validity": Quality("counterfactuals accepted when the model is asked again", "share, 0 to 1", "higher"),
    "distance": Quality("distance to the query", "distance, from 0", "lower"),
    "first_distance": Quality("distance of the first to the query", "distance, from 0", "lower"),
    "changed": Quality("columns changed", "columns, from 1", "lower"),
    "diversity": Quality("distance between two counterfactuals of a query", "distance, from 0", "higher"),
    "data_distance": Quality("distance to the nearest row of the table", "distance, from 0", "lower"),
    "plausible": Quality("counterfactuals where the table has rows", "share, 0 to 1", "higher"),
    "cpu_seconds": Quality("processor time a query", "seconds, from 0", "lower"),
}


@dataclass(frozen=True, slots=True, eq=False)
class SetQuality:
    """One set's qualities.

    Attributes
    ----------
    name
        What the caller calls the set.
    generator
        What made it.
    k, n_queries, n_counterfactuals
        How many were asked for a query, and how many queries and counterfactuals there are.
    estimates
        Name of a quality (see :data:`QUALITIES`) → estimate over the queries with its interval; ``n`` is the
        number of queries behind it.
    """

    name: str
    generator: str
    k: int
    n_queries: int
    n_counterfactuals: int
    estimates: Mapping[str, Estimate]

    def __getitem__(self, quality: str) -> Estimate:
        return self.estimates[quality]

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "name": self.name,
            "generator": self.generator,
            "k": self.k,
            "n_queries": self.n_queries,
            "n_counterfactuals": self.n_counterfactuals,
            **{quality: estimate.to_dict() for quality, estimate in self.estimates.items()},
        }


@dataclass(frozen=True, eq=False, repr=False)
class CounterfactualEvaluation:
    """Qualities of one or several counterfactual sets, side by side.

    Attributes
    ----------
    sets
        One :class:`SetQuality` a set, in the order given.
    settings
        How they were measured, as plain values.
    """

    sets: tuple[SetQuality, ...]
    settings: Mapping[str, object]

    def __getitem__(self, name: str) -> SetQuality:
        for each in self.sets:
            if each.name == name:
                return each
        raise ConfigError(
            "there is no such set in this evaluation",
            got=plain(name),
            fix=f"use one of {listing([plain(each.name) for each in self.sets])}",
        )

    def to_frame(self, *, intervals: bool = False) -> Any:
        """Give a pandas frame: a line a set, a column a quality.

        Parameters
        ----------
        intervals
            Also give each quality's interval, in columns that end in ``_low`` and ``_high``.
        """
        import pandas as pd

        lines = []
        for each in self.sets:
            line: dict[str, object] = {
                "set": each.name,
                "generator": each.generator,
                "k": each.k,
                "n_queries": each.n_queries,
                "n_counterfactuals": each.n_counterfactuals,
            }
            for name, value in each.estimates.items():
                line[name] = value.estimate
                if intervals:
                    line[f"{name}_low"], line[f"{name}_high"] = value.low, value.high
            lines.append(line)
        return pd.DataFrame(lines)

    def to_dict(self) -> Document:
        """Give plain values for JSON: the sets, the settings, and what each quality means."""
        return {
            "sets": [each.to_dict() for each in self.sets],
            "settings": dict(self.settings),
            "qualities": {
                name: {"words": q.words, "unit": q.unit, "better": q.better} for name, q in QUALITIES.items()
            },
        }

    def plot(self, ax: Axes | None = None, *, quality: str = "distance") -> Axes:
        """Draw one quality: a dot with its interval for every set.

        Parameters
        ----------
        ax
            Axes to draw on; a new figure if absent.
        quality
            One of :data:`QUALITIES`.

        Raises
        ------
        ConfigError
            If there is no such quality.
        """
        from fairwitness.drawing import IntervalRow, figure, intervals

        if quality not in QUALITIES:
            raise ConfigError(
                "there is no such quality", got=plain(quality), fix=f"use one of {listing(list(QUALITIES))}"
            )
        meaning = QUALITIES[quality]
        rows = [
            IntervalRow(plain(each.name), [("", value.estimate, value.low, value.high, at)])
            for at, (each, value) in enumerate((each, each[quality]) for each in self.sets)
        ]
        return intervals(
            figure(640, 110 + 40 * len(rows))[1] if ax is None else ax,
            rows,
            title=f"{meaning.words[0].upper()}{meaning.words[1:]}",
            xlabel=f"{meaning.unit}; {meaning.better} is better",
        )

    def __repr__(self) -> str:
        names = listing([plain(each.name) for each in self.sets])
        return f"<CounterfactualEvaluation of {names}>"

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        frame[["set", "generator"]] = frame[["set", "generator"]].map(plain)
        return str(frame.to_html(index=False, escape=True, float_format=number))
