"""`suitability llm export`: the raters' answers as files in the public format of ratings, one a rater.

Belongs here: which answers, under which file names. Does not belong here: what answers say
(assets/battery/annotation.py) and the format's columns (assets/sources/readers/ratings.py).
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from assets.battery.annotation import KEY, AnnotationError, read_annotation
from assets.common.atomic_write import atomic_write
from assets.common.names import clean_name
from assets.common.rubric_text import RubricError
from assets.llm import read_roles
from assets.settings import Settings
from assets.sources.input_root import sources_folder
from assets.sources.readers import read_items
from assets.sources.readers.ratings import KEYS, headings
from dagster_project.plans.registry import PlanError


def write_ratings(settings: Settings, folder: Path) -> dict[Path, list[str]]:
    """Each rater's levels as `<folder>/<rater>.csv`; the files with the status of each of their cells.

    Reading such a file gives the levels that a refresh takes from the ledger: blank where there is none.

    Raises:
        PlanError: nothing was asked, a call is pending, a rater's name can't be a file's, a file is there already. Then
            nothing is written.
        RolesError, SourceError, LedgerError: llm.toml, an items file or the ledger can't be used.
    """
    try:
        raters = read_roles(settings).of("rater")
        frame = read_annotation(read_items(sources_folder(settings)), raters, settings)
    except (AnnotationError, RubricError) as error:
        raise PlanError(str(error)) from None
    frame = frame[~frame["is_comparison"]]
    if frame.empty:
        raise PlanError("nothing to export: it takes a [[rater]] in llm.toml and texts in battery/items")
    pending = frame[frame["status"] == "pending"].groupby("rater")["call_id"].nunique()
    if len(pending):
        told = ", ".join(f"{n} calls of {rater}" for rater, n in pending.items())
        raise PlanError(f"{told} are pending. Run `suitability llm run annotate` first, then export")
    paths = _paths(sorted(frame["rater"].unique()), folder)
    folder.mkdir(parents=True, exist_ok=True)
    for rater, path in paths.items():
        # in one step: a file that was cut off would be read as one whose last items were not rated
        with atomic_write(path) as fresh:
            _table(frame[frame["rater"] == rater]).to_csv(fresh, index=False, lineterminator="\n")
    return {path: frame.loc[frame["rater"] == rater, "status"].tolist() for rater, path in paths.items()}


def _table(cells: pd.DataFrame) -> pd.DataFrame:
    """Items × capabilities under the public names; <NA>, written as a blank, where there is no level."""
    names = headings()
    wide = cells.assign(level=cells["level"].astype("Int64")).pivot(
        index=KEY, columns="capability", values="level"
    )
    table = wide[list(names)].rename(columns=names).reset_index()
    return table.rename(columns=dict(zip(KEY, KEYS, strict=True)))


def _paths(raters: list[str], folder: Path) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for rater in raters:
        name = f"{rater}.csv"
        is_plain = Path(name).name == name and name.isprintable() and not set(name) & set('\\:*?"<>|')
        if not is_plain or rater.startswith((".", "~")) or clean_name(rater) != rater:
            raise PlanError(
                f"the [[rater]] {rater!r} can't name a file. Rename it in llm.toml: its answers stay as they are"
            )
        paths[rater] = folder / name
    if len({rater.casefold() for rater in raters}) < len(raters):
        raise PlanError(f"names that differ in case only: {', '.join(raters)}. Rename one of the raters")
    if there := [str(path) for path in paths.values() if path.exists()]:
        raise PlanError(f"not overwritten: {', '.join(there)}. Name another folder, or move them away")
    return paths
