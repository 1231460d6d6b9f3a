"""What one call may spend: rows asked of the model, and seconds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from fairwitness.arguments import real_number, whole_number
from fairwitness.errors import ConfigError


@dataclass(slots=True)
class Budget:
    """Rows the model may still be asked about, and the moment to stop at.

    The deadline is wall-clock time (seconds since the epoch): it means the same in another process.
    """

    max_queries: int | None = None
    deadline: float = math.inf
    spent: int = 0

    @classmethod
    def start(cls, *, max_queries: int | None, time_budget: float | None) -> Budget:
        """Start the clock.

        Raises
        ------
        ConfigError
            If a limit is negative or not a number.
        """
        if max_queries is not None:
            whole_number(max_queries, "max_queries", least=0, fix="pass None for no limit")
        if time_budget is not None and real_number(time_budget, "time_budget", fix="pass None for none") < 0:
            raise ConfigError(
                "time_budget must be 0 seconds or more", got=time_budget, fix="pass None for none"
            )
        deadline = math.inf if time_budget is None else time.time() + time_budget
        return cls(max_queries=max_queries, deadline=deadline)

    def out_of_time(self) -> bool:
        """Say whether the time is over."""
        return time.time() >= self.deadline

    def allowed(self, n: int) -> int:
        """Give how many of ``n`` further rows the model may be asked about."""
        return n if self.max_queries is None else max(0, min(n, self.max_queries - self.spent))

    def spend(self, n: int) -> None:
        """Note that the model was asked about ``n`` rows."""
        self.spent += n
