from __future__ import annotations

from fairwitness.errors import ConfigError, DataError, FairwitnessError, MissingExtraError


def test_a_message_says_what_got_and_fix() -> None:
    error = DataError("the column age has no values", got="0 of 12", fix="drop the column")
    assert str(error) == "the column age has no values; got 0 of 12. To fix: drop the column."


def test_a_long_value_is_shortened() -> None:
    assert len(str(DataError("x", got="y" * 5000))) < 400


def test_exit_codes() -> None:
    assert (ConfigError.exit_code, DataError.exit_code) == (2, 3)


def test_a_missing_extra_says_how_to_install_it() -> None:
    error = MissingExtraError("torch", "gan", purpose="LucidGAN")
    assert 'pip install "fairwitness[gan]"' in str(error)
    assert isinstance(error, FairwitnessError)
