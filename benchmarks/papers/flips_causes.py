"""The page's evidence on where ours differ: what happens if one thing is changed."""

from __future__ import annotations

from flips_cells import KS
from flips_evidence import VARIANTS
from flips_published import Published, mean_gap, rank_correlation
from flips_results import Results
from flips_text import absolute, percent, percents, signed, table, three


def variants(results: Results, published: Published) -> str:
    """One thing changed at a time, with neighbours."""
    rows = []
    for task in results.tasks:
        made = results.variants(task)
        if made is None:
            continue
        for variant in VARIANTS:
            models = [m for m in made[variant] if published.comparable("neighbors", task.first, task.key, m)]
            row = [task.key, variant]
            for side in ("privileged", "unprivileged"):
                values = [made[variant][m]["cflips"][side][str(KS[-1])] for m in models]
                known = [v for v in values if v is not None]
                row.append(percent(sum(known) / len(known)) if known else "no rows")
            for measure in ("cflips", "ndccf"):
                ours = [absolute(made[variant][m][measure]["difference"][str(KS[-1])]) for m in models]
                theirs = [
                    published.value("neighbors", task.first, task.key, m, measure, "delta", KS[-1])
                    for m in models
                ]
                row.append(signed(rank_correlation(ours, theirs)[0]))
                if measure == "cflips":
                    row.append(percent(mean_gap(ours, theirs)))
            rows.append(row)
        paper = [m for m in results.models if published.comparable("neighbors", task.first, task.key, m)]
        means = [
            percent(
                sum(
                    published.value("neighbors", task.first, task.key, m, "cflips", side, KS[-1]) or 0.0
                    for m in paper
                )
                / len(paper)
            )
            for side in ("privileged", "unprivileged")
        ]
        rows.append([task.key, "*paper*", *means, "", "", ""])
    if not rows:
        return ""
    head = ["data set", "variant", "CFlips@100 privileged", "other", "ρ of ΔCFlips@100", "gap of ΔCFlips@100"]
    said = "\n".join(f"* *{name}*: {what}." for name, what in VARIANTS.items())
    return (
        "## One thing changed at a time\n\nNeighbours, `f_s` XGB, mean over the models for which the paper "
        "has both groups. *gap*: mean distance of a model's ΔCFlips@100 from the paper's, in points.\n\n"
        f"{said}\n\n" + table([*head, "ρ of ΔnDCCF@100"], rows)
    )


def nearer(results: Results, published: Published) -> str:
    """Decision makers nearer to the published ones, measured as DiCE's k-d tree does."""
    rows, ranks = [], []
    for task in results.tasks:
        document = results.cache.read(f"{task.slug}-nearer")
        if document is None:
            continue
        k = KS[-1]
        ours = {m: results.delta(task, "kdtree", m, "cflips", k) for m in results.models}
        theirs = {
            m: published.value("kdtree", task.first, task.key, m, "cflips", "delta", k)
            for m in results.models
        }
        changed = dict(ours)
        for model, made in document["nearer"].items():
            changed[model] = absolute(made["cflips"]["difference"][str(k)])
            words = ", ".join(f"{key} = {value}" for key, value in made["parameters"].items())
            printed = {m: published.performance(task.key, m, model) for m in ("Precision", "Recall")}
            for name, measured, value in (
                ("as run", results.quality(task, model) or {}, ours[model]),
                (words, made["quality"], changed[model]),
                ("*paper*", printed, theirs[model]),
            ):
                row = [task.key, model, name, *(three(measured.get(m)) for m in ("Precision", "Recall"))]
                rows.append([*row, percents([value])])
        before, after = (
            signed(rank_correlation(list(each.values()), list(theirs.values()))[0])
            for each in (ours, changed)
        )
        ranks.append(f"{task.key}: ρ of ΔCFlips@{k} is {before} as run, {after} with these.")
    if not rows:
        return ""
    head = ["data set", "model", "parameters", "precision", "recall", "ΔCFlips@100, unscaled"]
    return (
        "## Decision makers nearer to the published ones\n\n" + " ".join(ranks) + "\n\n" + table(head, rows)
    )


def dice_itself(results: Results, published: Published) -> str:
    """DiCE's genetic rows and ours for the same people, judged by the same f_s."""
    rows = []
    for task in results.tasks:
        for model in results.models:
            made = results.cache.read(f"{task.slug}-dice-{model}")
            if made is None or "reason" in made:
                continue
            people = made["ours"]["n"]
            for name in ("ours", "DiCE"):
                flips = [made[name]["cflips"][side]["10"] for side in ("privileged", "unprivileged")]
                rows.append(
                    [
                        task.key,
                        model,
                        f"{people['privileged']} + {people['unprivileged']}",
                        name,
                        *("–" if v is None else percent(v) for v in flips),
                        f"{made[name]['changed']:.1f}",
                        f"{made[name]['distance']:.1f}",
                    ]
                )
            flips = [
                published.value("genetic", task.first, task.key, model, "cflips", side, 10)
                for side in ("privileged", "unprivileged")
            ]
            rows.append([task.key, model, "", "*paper*", *(percents([v]) for v in flips), "–", "–"])
    if not rows:
        return ""
    head = ["data set", "model", "rows", "genetic search", "CFlips@10 privileged", "other"]
    return (
        "## DiCE itself on some of the same people\n\nDiCE 0.12, `genetic`, k = 10 (at 100 it does not "
        "converge in a minute a row), for eligible test rows drawn at random; its rows are judged by our `f` "
        "and `f_s`. Distance is ours.\n\n" + table([*head, "columns changed", "distance"], rows)
    )
