"""The settings of LUCID-GAN: presets, checks, and what small tables make of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fairwitness.arguments import real_number, shown, whole_number
from fairwitness.canonical.gan.conditions import EVEN
from fairwitness.canonical.gan.training import Plan
from fairwitness.errors import ConfigError
from fairwitness.text import plain

#: Steps that a generator is trained for unless ``epochs`` says otherwise, however many rows there are.
STEPS = 900
SCORES = ("embedded", "raw")
CONDITIONS = ("local", "empirical", "zero")

_PRESETS: dict[str, dict[str, Any]] = {
    "default": {
        "epochs": 10,  # at least: as many as give the steps above
        "pac": 1,
        "score": "embedded",
        "condition": "local",
        "learning_rate": 5e-4,
        "guidance": 1.0,
        "candidates": 16,
    },
    "published": {
        "epochs": 300,
        "pac": 10,
        "score": "raw",
        "condition": "zero",
        "learning_rate": 2e-4,
        "guidance": 0.0,
        "candidates": 1,
    },
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Checked settings; see :class:`fairwitness.canonical.LucidGAN` for the words.

    Attributes
    ----------
    plan
        What the training takes.
    published
        Whether the rest is as published.
    embedded, condition, candidates
        As there.
    budget
        Seconds, or ``None``.
    free
        Whether the number of epochs was left to the preset.
    """

    plan: Plan
    published: bool
    embedded: bool
    condition: str
    candidates: int
    budget: float | None
    free: bool

    #: Names of the parameters that settings are made of.
    asked: ClassVar[tuple[str, ...]] = (
        "preset",
        "epochs",
        "batch_size",
        "pac",
        "score",
        "condition",
        "learning_rate",
        "guidance",
        "candidates",
        "time_budget",
    )

    def for_rows(self, n: int) -> tuple[Settings, tuple[str, ...]]:
        """Fit the settings to a table of ``n`` rows, and say what was changed."""
        plan, notes = self.plan, []
        pac = min(plan.pac, max(n // 4, 1))
        batch = min(plan.batch, n) // pac * pac
        if batch < plan.batch // plan.pac * plan.pac or pac < plan.pac:
            packs = f" in packs of {pac}" if plan.pac > 1 else ""
            notes.append(f"The table has {n:,} rows: steps take {batch:,}{packs}, not {plan.batch:,}.")
        epochs = plan.epochs
        if self.free and not self.published:
            epochs = max(epochs, -(-STEPS // max(n // batch, 1)))
        return replace(self, plan=replace(plan, pac=pac, batch=batch, epochs=epochs)), tuple(notes)


def settle(
    *,
    preset: object,
    epochs: object,
    batch_size: object,
    pac: object,
    score: object,
    condition: object,
    learning_rate: object,
    guidance: object,
    candidates: object,
    time_budget: object,
) -> Settings:
    """Check settings, and take those that are ``None`` from the preset.

    Raises
    ------
    ConfigError
        If one makes no sense; the message names it.
    """
    own = _PRESETS[_one_of(preset, "preset", tuple(_PRESETS))]

    def of(value: object, name: str) -> Any:
        return own[name] if value is None else value

    plain_ = preset == "published"
    pac_ = whole_number(of(pac, "pac"), "pac")
    batch = whole_number(batch_size, "batch_size", least=max(2, 2 * pac_))
    plan = Plan(
        epochs=whole_number(of(epochs, "epochs"), "epochs"),
        batch=batch // pac_ * pac_,
        pac=pac_,
        rate=real_number(of(learning_rate, "learning_rate"), "learning_rate", above=0),
        final=1.0,
        average=0.0 if plain_ else 0.99,
        dropout=0.5,
        guidance=real_number(of(guidance, "guidance"), "guidance", above=-1e-300),
        whole=plain_,
        even=0.0 if plain_ else EVEN,
        thin=1 if plain_ else 2,
    )
    return Settings(
        plan,
        plain_,
        _one_of(of(score, "score"), "score", SCORES) == "embedded",
        _one_of(of(condition, "condition"), "condition", CONDITIONS),
        whole_number(of(candidates, "candidates"), "candidates", most=1000),
        None if time_budget is None else real_number(time_budget, "time_budget", above=0),
        epochs is None,
    )


def pick_device(torch: Any, name: object) -> Any:
    """Give the torch device of that name; ``"auto"``: a GPU if there is one.

    Raises
    ------
    ConfigError
        If there is no such device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, TypeError, AssertionError) as error:
        raise ConfigError(
            "there is no such device", got=f"{shown(name)}: {plain(error)}", fix='pass "auto" or "cpu"'
        ) from error
    return device


def _one_of(value: object, name: str, names: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in names:
        raise ConfigError(
            f"{name} must be one of {', '.join(map(repr, names))}",
            got=shown(value),
            fix=f"pass {name}={names[0]!r}",
        )
    return value
