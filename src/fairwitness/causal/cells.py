from __future__ import annotations


def by_cells(problem):
    return None
