from __future__ import annotations


def branch(*a, **k):
    return None
