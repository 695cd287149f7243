"""The page on what each system can do: levels, shapes, and whether the fit can be trusted.

Belongs here: the context of capabilities.html. Does not belong here: checks of the posterior by item (checks.py).
"""

from __future__ import annotations

from dagster_project.report import charts
from dagster_project.report.checks import sections
from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, System, number, percent, text
from dagster_project.report.pages.common import Context, fits
from dagster_project.report.tables import Table, count, interval, names_of, printed, words


def context(published: Published, base: Context) -> Context:
    """Levels of each system on each dimension."""
    profile, everyone = published["capability_profile"], base["systems"]
    dimension = published["dimension"]
    names = names_of(dimension, "dimension")
    order = profile.groupby("dimension")["mean_log"].mean().sort_values(ascending=False, kind="stable")
    keys = [str(key) for key in order.index]
    by_pair = {(r.system, r.dimension): (r.mean_log, r.q025_log, r.q975_log) for r in profile.itertuples()}
    constituents = published["capability"].groupby("dimension")["name"].agg(list).to_dict()
    info = published["system_profile"].set_index("system").reindex([s.key for s in everyone])
    info.insert(0, "name", [s.name for s in everyone])
    return {
        "empty": published.why_empty("capability_profile") if profile.empty else "",
        "levels": Table(
            ["Dimension", *(s.name for s in everyone)],
            [
                [names.get(d, d)]
                + [interval(by_pair[s.key, d]) if (s.key, d) in by_pair else MISSING for s in everyone]
                for d in keys
            ],
        ),
        "dimensions": [
            [
                d,
                names.get(d, d),
                text(definition, MISSING),
                ", ".join(map(words, constituents.get(d, []))) or MISSING,
            ]
            for d, definition in zip(dimension["dimension"], dimension["definition"], strict=True)
        ],
        "fits": fits(published),
        "profile": printed(
            info.reset_index(drop=True),
            {
                "name": ("System", words),
                "n_items": ("Items answered", count),
                "accuracy": ("Success rate on them", percent),
                "mean_log": ("Mean level", number),
                "mean_sd_log": ("Mean SD", number),
                "rhat_max": ("Largest R\u2011hat", lambda v: number(v, 3)),
                "ess_bulk_min": ("Smallest effective sample", count),
                "effective_dimensions": ("Effective dimensions", number),
                "mean_abs_correlation": ("Mean |correlation|", number),
            },
        ),
        "radars": charts.radars(profile, keys, names, everyone),
        "chart": charts.levels(profile, keys, names, everyone),
        "checks": _checks(published, keys, names, everyone),
    }


def _checks(published: Published, keys: list[str], names: dict[str, str], everyone: list[System]) -> Context:
    found = sections(published, keys, names, everyone)
    headings = ["System", "Benchmark", "Items", "Observed", "Predicted", "Brier score", "AUROC"]
    items = ["Rank", "Benchmark", "Item", "Score given", "Dimension moved most", "Shift (posterior SDs)"]
    return vars(found) | {
        "quality": Table(headings, found.quality),
        "influence": [(name, Table(items, rows)) for name, rows in found.influence if rows],
    }
