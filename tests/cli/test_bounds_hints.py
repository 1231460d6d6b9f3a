from __future__ import annotations

import pytest

from fairwitness.cli.bounds_hints import as_options


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ('say where: bins={"age": [37]}', "say where: --bins 'age=37'"),
        ('pass e.g. bins={"age of owner": [25, 40]}', "pass e.g. --bins 'age of owner=25,40'"),
        ('pass e.g. bins={"age": "> 37"}', 'pass e.g. --bins "age > 37"'),
        ("merge values of variables (bins=…)", "merge values of variables (--bins)"),
        ('pass missing="drop" to leave them out', "pass --drop-missing to leave them out"),
        ('pass given={"dept": "A"}', "pass --given 'dept=A'"),
        ('relaxation="confounded" needs no program', "--relaxation confounded needs no program"),
        ("give the predictor (predictor=…)", "give the predictor (--predictor)"),
        ("leave out confidence=", "leave out --confidence"),
        ("pass for example tau=0.1", "pass for example --tau 0.1"),
        (
            "ask about people who occur, or give less evidence",
            "ask about people who occur, or give less evidence",
        ),
    ],
)
def test_advice_is_said_in_options(python: str, options: str) -> None:
    assert as_options(python) == options
