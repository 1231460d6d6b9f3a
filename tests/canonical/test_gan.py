"""LUCID-GAN: its parts against what is known of them, and the engine on tables that are quickly learnt."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.canonical.worlds import world

from fairwitness.canonical import CanonicalGate, CanonicalSampler, LucidGAN, over_seeds
from fairwitness.canonical.gan import networks
from fairwitness.canonical.gan.codec import Codec
from fairwitness.canonical.gan.conditions import Batches, Scores
from fairwitness.canonical.gan.detail import Detail
from fairwitness.canonical.gan.modes import Modes, nearest
from fairwitness.canonical.gan.training import kept_apart, one_hot
from fairwitness.canonical.rows import Rows, read_rows
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning, MissingExtraError
from fairwitness.progress import show_progress
from fairwitness.typing import FloatArray

torch = pytest.importorskip("torch")

#: Small tables are trained in smaller batches, and said to be.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The table has:fairwitness.errors.FairwitnessWarning"),
    pytest.mark.filterwarnings("ignore:Only .* support:fairwitness.errors.FairwitnessWarning"),
]


def mixed(n: int = 240) -> tuple[pd.DataFrame, FloatArray]:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "real": rng.normal(size=n),
            "text": rng.choice(np.array(["x", "y", None], dtype=object), n),
            "flag": rng.random(n) < 0.5,
            "constant": 7,
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 90, n)),
            "gain": np.where(rng.random(n) < 0.8, 0, np.round(rng.lognormal(7, 1, n))),
        }
    )
    return frame, 1 / (1 + np.exp(-frame["real"].to_numpy() * 3))


def read(frame: pd.DataFrame, scores: FloatArray) -> Rows:
    return read_rows(frame, scores, protected=(), schema=None, max_rows=10_000, max_levels=50, seed=0)


# --- parts


@pytest.mark.parametrize("spikes", [True, False])
def test_numbers_survive_modes_and_back(spikes: bool) -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([np.zeros(300), np.round(rng.lognormal(5, 1, 500)), np.full(20, np.nan)])
    modes = Modes.of(values, decimals=0, spikes=spikes, seed=0)
    mode, place = modes.encode(values, rng)
    back = modes.decode(mode, place)
    inside = np.abs(place) < 0.999
    np.testing.assert_array_equal(back[inside], values[inside])
    assert inside.mean() > 0.98
    assert (0.0 in modes.spikes) is spikes
    assert np.isnan(back[-20:]).all()
    # anything a network could say is a value of the column
    drawn = modes.decode(rng.integers(0, modes.width, 500), rng.uniform(-1, 1, 500))
    assert np.isin(drawn[~np.isnan(drawn)], values).all()
    again = Modes.read(modes.arrays())
    np.testing.assert_array_equal(again.decode(mode, place), back)


def test_nearest_is_the_nearest() -> None:
    support, values = np.array([0.0, 1.0, 5.0]), np.array([-3.0, 0.4, 0.6, 2.9, 3.1, 9.0])
    expected = [support[np.abs(support - value).argmin()] for value in values]
    np.testing.assert_array_equal(nearest(support, values), expected)
    np.testing.assert_array_equal(nearest(np.array([2.0]), values), np.full(6, 2.0))


def test_rows_survive_the_codec_and_back() -> None:
    rows = read(*mixed())
    codec = Codec.of(rows, plain=False, seed=0)
    rng = np.random.default_rng(0)
    codes, scalars = codec.encode(rows, rng)
    back = codec.decode(rows, codes, scalars, rng)
    coded = [at for at in range(len(rows.names)) if rows.is_coded(at)]
    np.testing.assert_array_equal(back[:, coded], rows.matrix[:, coded])
    assert np.nanmax(np.abs(back - rows.matrix)) < 0.01
    np.testing.assert_array_equal(np.isnan(back), np.isnan(rows.matrix))
    for column in range(len(rows.names)):
        again = codec.given(rows, column, rows.matrix[:, column], np.random.default_rng(3))
        spread = codec.decode(
            rows, np.where(np.arange(len(rows.names)) == column, again[:, None], codes), scalars, rng
        )
        assert np.array_equal(np.isnan(spread[:, column]), np.isnan(rows.matrix[:, column]))
        if column in coded:
            np.testing.assert_array_equal(again, codes[:, column])


def test_training_by_sampling_takes_columns_evenly_and_levels_by_log_count() -> None:
    frame = pd.DataFrame({"a": ["x"] * 90 + ["y"] * 10, "b": ["u", "v"] * 50})
    rows = read(frame, np.linspace(0, 1, 100))
    codec = Codec.of(rows, plain=True, seed=0)
    codes, _ = codec.encode(rows, np.random.default_rng(0))
    at, fixed = Batches(codes, codec, several=0.0, even=0.0).draw(40_000, np.random.default_rng(0))
    assert (fixed.sum(axis=1) == 1).all()
    assert fixed[:, 0].mean() == pytest.approx(0.5, abs=0.01)
    rare = codes[at[fixed[:, 0]], 0] == codes[np.bincount(codes[:, 0])[codes[:, 0]] == 10, 0][0]
    assert rare.mean() == pytest.approx(np.log(11) / (np.log(11) + np.log(91)), abs=0.01)
    plainly, _ = Batches(codes, codec, even=1.0).draw(40_000, np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(plainly, minlength=100) / 40_000, 0.01, atol=0.002)
    _, more = Batches(codes, codec, several=1.0).draw(1000, np.random.default_rng(0))
    assert (more.sum(axis=1) == 2).mean() > 0.3


def test_scores_are_told_apart_and_raw_ones_are_numbers() -> None:
    known = np.sort(np.random.default_rng(0).random(500) ** 4)
    told = Scores(known, embedded=True)(np.array([0.0, 0.001, 0.5, 1.0]))
    assert told.shape == (4, 32)
    assert told.max() <= 1
    assert np.abs(told[0] - told[1]).max() > 0.1  # ranks part what values do not
    np.testing.assert_array_equal(Scores(known, embedded=False)(np.array([0.2]))[0], [0.2])


def test_the_critics_slope_is_its_gradient() -> None:
    chance = torch.Generator().manual_seed(0)
    net = networks.critic(torch, 11, chance)
    given = torch.randn((20, 11), generator=chance, requires_grad=True)
    met = networks.meet(torch, net, given[:, :7], given[:, 7:])
    out, slopes = networks.judge(torch, net, met, 0.5, np.random.default_rng(0))
    autograd = torch.autograd.grad(out.sum(), given)[0]
    for inputs in (7, 11):
        expected = autograd[:, :inputs].norm(dim=1)
        assert torch.allclose(networks.steepness(torch, net, slopes, inputs), expected, atol=1e-6)
    # of a mixture of rows, under the same conditions, the first layer is the mixture of theirs
    both = networks.meet(torch, net, torch.cat([given[:, :7], given[:, :7].flip(0)]), given[:, 7:])
    half = networks.meet(torch, net, (given[:, :7] + given[:, :7].flip(0)) / 2, given[:, 7:])
    assert torch.allclose((both[:20] + both[20:]) / 2, half, atol=1e-6)


def test_heads_give_scalars_and_levels_as_often_as_told() -> None:
    raw = torch.tensor([0.5, 2.0, 0.0, 0.0, 1.0, 0.0]).repeat(4000, 1)
    row, logs = networks.heads(torch, raw, (3, 2), np.random.default_rng(0))
    assert torch.allclose(row[:, 0], torch.tanh(torch.tensor(0.5)))
    assert torch.allclose(row[:, 1:4].sum(1), torch.ones(4000), atol=1e-5)
    assert torch.allclose(logs[0, :3].exp(), torch.softmax(torch.tensor([2.0, 0, 0]), 0))
    # Gumbel noise makes levels as likely as their softmax
    share = float((row[:, 1:4].argmax(1) == 0).float().mean())
    assert share == pytest.approx(float(torch.softmax(torch.tensor([2.0, 0, 0]), 0)[0]), abs=0.03)


def test_ramps_say_where_a_number_lies() -> None:
    rows = read(*mixed())
    codec = Codec.of(rows, plain=False, seed=0)
    codes, scalars = codec.encode(rows, np.random.default_rng(0))
    detail = Detail(torch, torch.device("cpu"), rows, codec)
    plain = one_hot(torch, codec, codes, scalars, torch.device("cpu"))
    ramps = detail(plain)[:, codec.width :].numpy()
    assert detail.width == codec.width + ramps.shape[1]
    first = list(codec.modes).index(rows.names.index("real"))
    assert first == 0
    total = ramps[:, :32].sum(axis=1)
    assert (np.diff(total[np.argsort(rows.matrix[:, rows.names.index("real")])]) > -1e-3).all()


def test_the_loss_of_guidance_is_kullback_leibler() -> None:
    target, given = np.array([0.1, 0.7]), np.array([0.3, 0.7])
    expected = np.mean(target * np.log(target / given) + (1 - target) * np.log((1 - target) / (1 - given)))
    found = kept_apart(torch, torch.tensor(np.log(given / (1 - given))), torch.tensor(target))
    assert float(found) == pytest.approx(expected)


# --- engine

QUICK = {"epochs": 10, "candidates": 4, "device": "cpu"}


def test_it_learns_what_scores_go_with() -> None:
    frame, scores = world("direct", 600)
    engine = LucidGAN(epochs=80, batch_size=128, device="cpu").fit(frame, scores)
    high = engine.sample(400, quantile=(0.9, 1))
    low = engine.sample(400, quantile=(0, 0.1))
    assert (high["sex"] == "man").mean() > 0.9
    assert (low["sex"] == "woman").mean() > 0.9
    # so small a table is learnt roughly: columns that go with nothing differ too, but less
    assert abs((high["club"] == "in").mean() - (low["club"] == "in").mean()) < 0.6
    assert engine.chosen_ in [each.epoch for each in engine.history_]
    assert min(each.loss for each in engine.history_) == next(
        each.loss for each in engine.history_ if each.epoch == engine.chosen_
    )
    report = CanonicalGate(measures=["support", "column_tv", "impossible"]).check(engine.positive(300))
    assert report.verdict in {"trust", "weak", "do not use"}


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_frames_come_back_in_kind_and_after_saving_equal(container: str, tmp_path: Path) -> None:
    frame, scores = mixed()
    given = frame if container == "pandas" else pl.from_pandas(frame)
    fitted = LucidGAN(**QUICK).fit(given, scores)
    rows = fitted.sample(40, band=(0.1, 0.9), where={"text": "x", "flag": True})
    assert type(rows) is type(given)
    assert (rows["constant"] == 7).all()
    assert (rows["flag"] == True).all()  # noqa: E712
    support = set(frame["gain"])
    assert set(rows["gain"].to_list()) <= support
    fitted.save(tmp_path / "engine.npz")
    loaded = CanonicalSampler.load(tmp_path / "engine.npz")
    assert type(loaded) is LucidGAN
    assert loaded.sample(40, band=(0.1, 0.9), where={"text": "x", "flag": True}).equals(rows)
    assert loaded.history_ == fitted.history_
    assert loaded.notes_ == fitted.notes_
    with np.load(tmp_path / "engine.npz", allow_pickle=False) as file:
        json.loads(file["document"].tobytes())
        broken = {name: file[name] for name in file.files}
    broken["state_generator:head.w"] = broken["state_generator:head.w"][:, :-1]
    with (tmp_path / "broken.npz").open("wb") as file:
        np.savez(file, **broken)
    with pytest.raises(DataError, match="does not fit the columns"):
        CanonicalSampler.load(tmp_path / "broken.npz")


def test_a_seed_gives_the_same_rows_whatever_the_order_and_global_state() -> None:
    frame, scores = mixed()
    before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    first = LucidGAN(**QUICK, random_state=3).fit(frame, scores)
    assert torch.equal(before[0], torch.get_rng_state())
    assert np.array_equal(before[1], np.random.get_state()[1])  # noqa: NPY002
    order = np.random.default_rng(0).permutation(len(frame))
    torch.manual_seed(99)
    second = LucidGAN(**QUICK, random_state=3).fit(frame.iloc[order].reset_index(drop=True), scores[order])
    for request in ({"score": 0.5}, {"quantile": (0.8, 1)}, {"band": (0, 1), "where": {"gaps": (3, 40)}}):
        pd.testing.assert_frame_equal(first.sample(30, **request), second.sample(30, **request))
    other = LucidGAN(**QUICK, random_state=4).fit(frame, scores)
    assert not other.sample(30, score=0.5).equals(first.sample(30, score=0.5))


def test_the_published_preset_is_as_published() -> None:
    frame, scores = mixed()
    engine = LucidGAN(preset="published", epochs=3).fit(frame, scores)
    settings = engine._work.settings
    assert (settings.plan.pac, settings.plan.rate, settings.embedded) == (10, 2e-4, False)
    assert settings.condition == "zero"
    assert engine.chosen_ == 3  # the last epoch, whatever it measured
    assert engine._fitted_nets.surrogate is None
    assert engine._fitted_nets.ratio is None
    assert len(engine.sample(20, score=0.5)) == 20
    assert engine.sample_set(20, band=(0, 1), where={"text": "y"}).kept == 1


@pytest.mark.parametrize(
    "kind", ["no categories", "no numbers", "tiny", "one-sided", "constant", "whole names"]
)
def test_odd_tables(kind: str) -> None:
    frame, scores = mixed()
    if kind == "no categories":
        frame = frame[["real", "gaps"]]
    elif kind == "no numbers":
        frame = frame[["text", "flag"]]
    elif kind == "tiny":
        frame, scores = frame.iloc[:12], scores[:12]
    elif kind == "one-sided":
        scores = scores * 0.3
    elif kind == "constant":
        scores = np.full(len(frame), 0.5)
    else:
        frame = frame.set_axis(range(frame.shape[1]), axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairwitnessWarning)
        for preset in ("default", "published") if kind in {"no numbers", "no categories"} else ("default",):
            rows = LucidGAN(preset=preset, epochs=2).fit(frame, scores).sample(15, quantile=(0.5, 1))
            assert list(rows.columns) == list(frame.columns)
            assert len(rows) == 15


def test_smaller_batches_and_the_end_of_the_time_are_said() -> None:
    frame, scores = mixed()
    with pytest.warns(FairwitnessWarning, match="time budget ended"):
        engine = LucidGAN(epochs=10_000, time_budget=0.5).fit(frame, scores)
    assert "steps take 240" in engine.notes_[0]
    assert len(engine.sample(5, score=0.5)) == 5


def test_settings_that_make_no_sense_are_refused() -> None:
    frame, scores = mixed(40)
    for settings, says in (
        ({"preset": "best"}, "preset must be one of"),
        ({"epochs": 0}, "epochs"),
        ({"pac": 2.5}, "pac"),
        ({"batch_size": 1}, "batch_size"),
        ({"score": "log"}, "score must be one of"),
        ({"condition": "far"}, "condition must be one of"),
        ({"learning_rate": -1}, "learning_rate"),
        ({"guidance": -1}, "guidance"),
        ({"candidates": 0}, "candidates"),
        ({"time_budget": 0}, "time_budget"),
        ({"device": "abacus"}, "no such device"),
    ):
        with pytest.raises(ConfigError, match=says):
            LucidGAN(**settings).fit(frame, scores)


def test_without_torch_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # what Python takes for a module that is not there
    with pytest.raises(MissingExtraError, match=r"torch.*fairwitness\[gan\]"):
        LucidGAN().fit(*mixed(40))


def test_adam_is_that_of_torch() -> None:
    chance = torch.Generator().manual_seed(0)
    start, data = torch.randn((4, 3), generator=chance), torch.randn((20, 4), generator=chance)
    ours, theirs = start.clone(), start.clone().requires_grad_(True)
    mine = networks.Adam(torch, [ours], 0.01, decay=0.1, memory=(0.5, 0.9))
    optimiser = torch.optim.Adam([theirs], lr=0.01, betas=(0.5, 0.9), weight_decay=0.1)
    for _ in range(20):
        mine.step(((data @ ours) ** 2).mean())
        optimiser.zero_grad()
        ((data @ theirs) ** 2).mean().backward()
        optimiser.step()
    assert torch.allclose(ours, theirs, atol=1e-6)


def test_progress_shows_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress():
        LucidGAN(**{**QUICK, "epochs": 2, "candidates": 1}).fit(*mixed(60))
    assert "score off by" in capsys.readouterr().err


# --- tables of every kind


def test_several_fixed_columns_are_kept_and_the_generators_own_obedience_is_told() -> None:
    frame, scores = mixed(400)
    engine = LucidGAN(epochs=60, batch_size=100, candidates=1, device="cpu").fit(frame, scores)
    where = {"text": "x", "flag": True, "gaps": (20, 60)}
    made = engine.sample_set(200, quantile=(0, 1), where=where)
    assert made.kept == 1
    found = engine.obedience(where, 300)
    assert set(found.columns) == set(where)
    assert found.together <= min(found.columns.values())
    assert found.n == 300
    # a generator that learnt nothing of what it is told would make True half of the time
    assert found.columns["flag"] > 0.6
    assert found.to_dict() == engine.obedience(where, 300).to_dict()
    assert "all at once in" in repr(found)
    other = engine.obedience(where, 300, quantile=(0.5, 1), random_state=5)
    assert other.to_dict() != found.to_dict()
    with pytest.raises(ConfigError, match="fixes no column"):
        engine.obedience({})
    with pytest.raises(DataError, match="no row supports"):
        engine.obedience({"gaps": 1e9})


def test_obedience_is_counted_before_what_is_fixed_is_written() -> None:
    frame, scores = mixed(60)
    engine = LucidGAN(**QUICK).fit(frame, scores)
    net = engine._fitted_nets.generator
    for name, tensor in net.items():
        if name.startswith("head."):
            tensor.zero_()  # every level is as likely as any other, whatever is told
    levels = engine._work.codec.sizes[engine.rows_.names.index("text")]
    assert engine.obedience({"text": "x"}, 4000).columns["text"] == pytest.approx(1 / levels, abs=0.03)
    assert engine.sample_set(50, quantile=(0, 1), where={"text": "x"}).kept == 1


def test_candidates_that_do_as_told_are_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = LucidGAN(**{**QUICK, "epochs": 1, "candidates": 2}).fit(*mixed(60))
    work, names = engine._work, engine.rows_.names
    flag, place, real = names.index("flag"), names.index("real"), work.made

    def made(
        net: object, asked: FloatArray, codes: np.ndarray, *more: object
    ) -> tuple[np.ndarray, np.ndarray]:
        matrix, own = real(net, asked, codes, *more)
        told = np.arange(len(own)) % 2 == 1  # of two candidates the second follows
        own[:, flag] = np.where(told, codes[:, flag], 1 - codes[:, flag])
        matrix[:, place] = told
        return matrix, own

    monkeypatch.setattr(work, "made", made)
    monkeypatch.setattr(work, "_weights", lambda nets, matrix, codes, asked: np.zeros(len(asked)))
    made_ = engine.sample_set(500, quantile=(0, 1), where={"flag": True})
    assert made_.kept == 1
    assert made_.matrix[:, place].mean() == pytest.approx(1 / (1 + np.exp(-5)), abs=0.02)


def test_requests_with_little_or_no_support() -> None:
    frame, scores = mixed()
    frame["rare"] = ["once"] * 3 + ["often"] * (len(frame) - 3)
    engine = LucidGAN(**QUICK).fit(frame, scores)
    with pytest.warns(FairwitnessWarning, match="Only 3 real rows support"):
        made = engine.sample_set(40, quantile=(0, 1), where={"rare": "once"})
    assert made.kept == 1
    with pytest.raises(DataError, match=r"no row supports the request.*without gain there are 3 rows"):
        engine.sample(10, quantile=(0, 1), where={"rare": "once", "gain": -5})


def test_many_levels_and_many_rows_are_said() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"code": [f"c{at % 300}" for at in range(900)], "x": rng.normal(size=900), "y": rng.random(900) < 0.5}
    )
    with pytest.warns(FairwitnessWarning) as said:
        engine = LucidGAN(epochs=2, max_rows=700, max_levels=20, candidates=2, device="cpu").fit(
            frame, rng.random(900)
        )
    words = " ".join(str(each.message) for each in said)
    assert "700 of 900 rows" in words
    assert "rarest are learnt as one" in words
    assert engine._work.codec.sizes[0] == 20
    made = engine.sample(300, quantile=(0, 1))
    assert made["code"].nunique() > 20  # the shared level opens again


def test_another_process_makes_the_same_rows(tmp_path: Path) -> None:
    code = (
        "import sys, warnings; import numpy as np; warnings.simplefilter('ignore');"
        "from tests.canonical.test_gan import fitted_small;"
        "np.save(sys.argv[1], fitted_small().sample_set(30, quantile=(0, 1), where={'flag': True}).matrix)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "made.npy")], check=True)
    here = fitted_small().sample_set(30, quantile=(0, 1), where={"flag": True}).matrix
    np.testing.assert_array_equal(np.load(tmp_path / "made.npy"), here)


def fitted_small() -> LucidGAN:
    return LucidGAN(**{**QUICK, "epochs": 3}, random_state=2).fit(*mixed(60))


def test_watching_the_training_does_not_change_it() -> None:
    frame, scores = mixed(80)
    plain = LucidGAN(**QUICK).fit(frame, scores)
    watched = LucidGAN(**QUICK)
    seen: dict[int, int] = {}
    watched._watch = lambda epoch, finish: seen.update({epoch: finish().chosen})
    watched.fit(frame, scores)
    assert seen == {epoch: epoch for epoch in range(1, 11)}
    pd.testing.assert_frame_equal(plain.sample(20, score=0.5), watched.sample(20, score=0.5))


def test_it_is_refitted_for_every_seed() -> None:
    quick = LucidGAN(epochs=1, candidates=1, device="cpu")
    found = over_seeds(quick, *mixed(60), random_states=(0, 1), n=40, positive=(0.5, 1), negative=(0, 0.5))
    assert found.engine == "LucidGAN"
    engine = LucidGAN(epochs=1, candidates=1, device="cpu", random_state=1).fit(*mixed(60))
    share = (engine.sample(40, quantile=(0.5, 1))["text"] == "x").mean()
    level = next(each for each in found["text"].levels if each.label == "x")
    assert level.positive.values[1] == pytest.approx(share)
