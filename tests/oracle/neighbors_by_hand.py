"""Nearest accepted rows by a double loop over plain Python values; None is missing."""

from __future__ import annotations

import math

NUMBERS = {"numeric", "integer", "ordinal"}


def as_number(value, feature):
    """A value as the number it is compared by; missing stays None."""
    if value is None:
        return None
    return float(feature.levels.index(value)) if feature.is_coded else float(value)


def distance(a, b, features, scales):
    parts = []
    for x, y, feature, scale in zip(a, b, features, scales, strict=True):
        if x is None or y is None:
            parts.append(float((x is None) != (y is None)))
        elif feature.kind in NUMBERS:
            parts.append(abs(as_number(x, feature) - as_number(y, feature)) / scale)
        else:
            parts.append(float(x != y))
    return math.fsum(parts)


def permitted(new, old, feature):
    if new == old:
        return True
    if feature.immutable:
        return False
    if any(old == start and new in ends for start, ends in feature.forbidden):
        return False
    if feature.monotone is not None:
        if new is None or old is None:
            return False
        up = as_number(new, feature) > as_number(old, feature)
        if up != (feature.monotone == "increase"):
            return False
    if new is None:
        return feature.nullable and (feature.allowed is None or None in feature.allowed)
    if feature.is_coded:
        return feature.allowed is None or new in feature.allowed
    return feature.bounds is None or feature.bounds[0] <= new <= feature.bounds[1]


def keeps(new, old, schema, records):
    """Whether a row keeps every constraint relative to its query; ``records`` is the fitted table."""
    if not all(permitted(x, y, f) for x, y, f in zip(new, old, schema.features, strict=True)):
        return False
    for link in schema.links:
        at = [schema.names.index(name) for name in link.columns]
        group = tuple(new[j] for j in at)
        known = link.combinations or [tuple(row[j] for j in at) for row in records]
        if group != tuple(old[j] for j in at) and group not in known:
            return False
    return True


def content_order(row, features):
    return tuple(
        (x is None, 0.0 if x is None else as_number(x, feature))
        for x, feature in zip(row, features, strict=True)
    )


def candidates(records, accepted, query, features, scales):
    """Every distinct accepted, permitted row other than the query: (row, distance, first position)."""
    out = []
    for row in dict.fromkeys(records):
        copies = [at for at, other in enumerate(records) if other == row]
        if row == query or not all(accepted[at] for at in copies):
            continue
        if all(permitted(x, y, f) for x, y, f in zip(row, query, features, strict=True)):
            out.append((row, distance(row, query, features, scales), copies[0]))
    return out


def rounded(value):
    return float(f"{value:.11g}")


def nearest(records, accepted, query, features, scales, k):
    """The k best: nearest first, ties by content."""
    found = candidates(records, accepted, query, features, scales)
    return sorted(found, key=lambda one: (rounded(one[1]), content_order(one[0], features)))[:k]


def nearest_as_dice(records, accepted, query, features, scales, k):
    """Of the 10·k nearest, the k smallest by min–max(distance) + min–max(number changed)."""
    near = nearest(records, accepted, query, features, scales, 10 * k)
    if not near:
        return []
    far = [one[1] for one in near]
    changed = [sum(x != y for x, y in zip(one[0], query, strict=True)) for one in near]

    def unit(values, value):
        return (value - min(values)) / (max(values) - min(values)) if max(values) > min(values) else 0.0

    utility = [rounded(unit(far, f) + unit(changed, c)) for f, c in zip(far, changed, strict=True)]
    order = sorted(
        range(len(near)), key=lambda i: (utility[i], rounded(far[i]), content_order(near[i][0], features))
    )
    return [near[i] for i in order[:k]]
