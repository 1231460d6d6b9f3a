from __future__ import annotations

import pytest

from fairwitness.errors import DataError
from fairwitness.table import Limits


@pytest.mark.parametrize("check", ["check_rows", "check_columns", "check_levels", "check_bytes"])
def test_a_limit_is_met_exactly_and_says_the_way_out(check):
    limits = Limits(max_rows=3, max_columns=3, max_levels=3, max_bytes=3)
    getattr(limits, check)(3, "data.csv")
    with pytest.raises(DataError) as caught:
        getattr(limits, check)(4, "data.csv")
    assert "data.csv" in caught.value.what
    assert caught.value.fix
