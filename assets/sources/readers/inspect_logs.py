"""battery/results/*.eval and *.json, logs of Inspect AI -> raw.result, one row a sample × epoch.

Belongs here: what of a log becomes which cell, and which logs can't stand together. Does not belong here: which
system a log ran (inspect_system.py), what a score means and what benchmark a task is (staging).
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from assets.common.names import DAMAGED_DO, DAMAGED_WHAT, clean_name, is_damaged
from assets.common.warehouse import conform
from assets.settings import PROJECT
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import relative
from assets.sources.inputs import INSPECT_LOGS
from assets.sources.readers.inspect_system import InspectSystem, system_of, task_setup
from assets.sources.readers.item_text import input_text, item_text

SUFFIXES = INSPECT_LOGS
# what a transcript holds beside its verdict: by far most of a log, and none of it read
HEAVY = {"messages", "events", "events_data", "store", "attachments", "timelines"}
TAKEN: dict[str, Any] = {
    **dict.fromkeys(("id", "epoch", "scores", "error", "limit", "invalidation", "input"), True),
    "output": {"model"},
}
_REWRITE = "Copy the log again, or remove it; only logs of Inspect belong here beside the CSV files"


def read_inspect_logs(
    sources: Path, paths: Sequence[Path]
) -> tuple[list[pd.DataFrame], dict[str, str], dict[str, list[str]]]:
    """raw.result of each log, each file's sha256, and the scorers of each that were left out.

    Raises:
        SourceError: all faults of all logs: unreadable, no samples, an item twice in an epoch, a retry or a copy of
            another log, one system and task under two set-ups; or the library is not installed.
    """
    frames: list[pd.DataFrame] = []
    files: dict[str, str] = {}
    left_out: dict[str, list[str]] = {}
    faults: list[SourceFileError] = []
    headers: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        file = relative(sources, path)
        try:
            log = load(path, file)
            files[file] = _sha256(path)
            frame, others = rows_of(log, file, files[file])
        except SourceError as error:
            faults += error.faults
            continue
        frames.append(frame)
        headers[file] = {name: part for name, part in log.items() if name != "samples"}
        if others:
            left_out[file] = others
    faults += conflicts(headers)
    if faults:
        raise SourceError(faults)
    return frames, files, left_out


def load(path: Path, file: str) -> dict[str, Any]:
    """The log as plain values: header fields that it gives, and of each sample what a result needs.

    Raises:
        SourceError: Inspect is not installed, or can't read the file.
    """
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as error:
        what = "a log of Inspect AI, which is read through its library, and that is not installed"
        do = "Run `pip install 'suitability[inspect]'`, or move the log away"
        raise SourceError([SourceFileError(what, file=file, do=do)]) from error
    try:
        log = read_eval_log(str(path), exclude_fields=HEAVY)
    except Exception as error:  # a damaged file may fail anywhere in zip, JSON or schema
        said = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"[:200]
        what = f"cannot be read as a log of Inspect ({said})"
        raise SourceError([SourceFileError(what, file=file, do=_REWRITE)]) from error
    header = log.model_dump(exclude_unset=True, exclude={"samples", "reductions"}, warnings=False)
    samples = [sample.model_dump(include=TAKEN, warnings=False) for sample in log.samples or []]
    return header | {"samples": samples}


def rows_of(log: Mapping[str, Any], file: str, sha256: str) -> tuple[pd.DataFrame, list[str]]:
    """raw.result of one log, by epoch and item, and the scorers that were left out with their number of scores.

    `row_number` is the sample's place in that order: a log has no lines. Samples that were asked for and are not there
    (the run was cancelled, or the log cut) stand behind, with the status 'missing'.

    Raises:
        SourceError: no samples, no task or item name, an item twice in an epoch, a scorer asked for that isn't there.
    """
    spec, samples = log["eval"], log["samples"]
    status = str(log.get("status", "started"))
    benchmark = clean_name(str(spec.get("task") or ""))
    if not samples:
        do = "Remove the log" if status != "started" else "Wait until it has finished, or remove the log"
        raise _fault(file, f"the log holds no samples (its status is {status})", do)
    if is_damaged(benchmark) or is_damaged(system_of(log).key):
        raise _fault(file, DAMAGED_WHAT, DAMAGED_DO)
    if not benchmark:
        raise _fault(file, "the log names no task", _REWRITE)
    samples = sorted(samples, key=lambda sample: (int(sample["epoch"]), clean_name(str(sample["id"]))))
    _require_unique(samples, (spec.get("dataset") or {}).get("sample_ids") or [], file)
    scorer = _scorer(spec, samples, file)
    system = system_of(log)
    rows = [
        {
            "row_number": number,
            "item": clean_name(str(sample["id"])),
            "epoch": str(sample["epoch"]),
            "score": _text(_score(sample, scorer).get("value")),
            "score_reason": _text(_score(sample, scorer).get("reason")),
            "sample_status": _status(sample),
            "answered_model": (sample.get("output") or {}).get("model") or None,
            **dict(zip(("text_key", "text_start"), item_text(input_text(sample.get("input"))), strict=True)),
        }
        for number, sample in enumerate(samples, start=1)
    ]
    missing, n_asked = _not_reached(log, samples)
    rows += [
        {"row_number": number, "item": item, "epoch": str(epoch), "sample_status": "missing"}
        for number, (epoch, item) in enumerate(missing, start=len(rows) + 1)
    ]
    frame = pd.DataFrame(rows, dtype=object).assign(
        source_file=file,
        source_sha256=sha256,
        system=clean_name(system.key),
        task_name=str(spec["task"]),
        benchmark=benchmark,
        metadata=None,
        scorer=scorer,
        log_status=status,
        n_asked=str(n_asked),
        log_version=_text(log.get("version")),
        eval_id=_text(spec.get("eval_id")),
        logged_at=_text(spec.get("created")),
        **_described(system),
    )
    return conform("raw.result", frame.astype({"row_number": "int64"})), _left_out(samples, scorer)


def conflicts(headers: Mapping[str, Mapping[str, Any]]) -> list[SourceFileError]:
    """Logs that may not be pooled as attempts: file -> header in, a fault for the later of two."""
    faults = []
    runs: dict[str, str] = {}
    setups: dict[tuple[str, str], tuple[str, str]] = {}
    for file, log in headers.items():
        spec = log["eval"]
        # a retry goes on under the id of the run it repairs and holds that run's finished samples too
        run = spec.get("task_id") or spec.get("eval_id") or file
        other = runs.setdefault(str(run), file)
        if other != file:
            what = f"a copy or a retry of {other}: its samples would count twice"
            faults.append(SourceFileError(what, file=file, do="Keep the later of the two logs"))
            continue
        system = system_of(log).key
        setup = task_setup(log)
        first, known = setups.setdefault((system, str(spec.get("task"))), (file, setup))
        if known != setup:
            what = f"'{system}' ran the same task under other prompts, options or limits than in {first}"
            do = "Keep one of them; a variant given with --solver or as a model option is a system of its own"
            faults.append(SourceFileError(what, file=file, do=do))
    return faults


@cache
def chosen_scorers() -> dict[str, str]:
    """Task -> scorer that counts, where dbt/seeds/seed_inspect_task.csv names one."""
    with (PROJECT / "dbt/seeds/seed_inspect_task.csv").open(encoding="utf-8", newline="") as file:
        return {clean_name(row["task"]): row["scorer"] for row in csv.DictReader(file) if row["scorer"]}


def _scorer(spec: Mapping[str, Any], samples: Iterable[Mapping[str, Any]], file: str) -> str | None:
    """The scorer declared for the task, else the log's first; None where nothing was scored."""
    present = list(dict.fromkeys(name for sample in samples for name in sample.get("scores") or {}))
    declared = chosen_scorers().get(clean_name(str(spec["task"])))
    if declared and present and declared not in present:
        what = f"seed_inspect_task.csv asks for scorer '{declared}' of task '{spec['task']}'; found {present}"
        raise _fault(file, what, "Name one of these in dbt/seeds/seed_inspect_task.csv")
    first = [scorer["name"] for scorer in spec.get("scorers") or [] if scorer["name"] in present]
    return declared or next(iter([*first, *present]), None)


def _left_out(samples: Iterable[Mapping[str, Any]], scorer: str | None) -> list[str]:
    counts: dict[str, int] = {}
    for sample in samples:
        for name in sample.get("scores") or {}:
            counts[name] = counts.get(name, 0) + 1
    return [f"scorer '{name}' ({n} scores)" for name, n in counts.items() if name != scorer]


def _score(sample: Mapping[str, Any], scorer: str | None) -> Mapping[str, Any]:
    return (sample.get("scores") or {}).get(scorer) or {}


def _not_reached(
    log: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]
) -> tuple[list[tuple[int, str]], int]:
    """Epoch and item of what was asked and is not there, as far as the log names it, and how many were asked in all."""
    spec, results = log["eval"], log.get("results") or {}
    config = spec.get("config") or {}
    items = [clean_name(str(item)) for item in _in_limits((spec.get("dataset") or {}), config)]
    there = {(int(sample["epoch"]), clean_name(str(sample["id"]))) for sample in samples}
    asked = [(epoch, item) for epoch in range(1, int(config.get("epochs") or 1) + 1) for item in items]
    # what was left out on purpose was not asked
    missing = [] if results.get("early_stopping") else [key for key in asked if key not in there]
    # old logs say 0
    n_told = int(results.get("total_samples") or 0)
    return missing, max(len(there) + len(missing), n_told)


def _in_limits(dataset: Mapping[str, Any], config: Mapping[str, Any]) -> Sequence[str | int]:
    """The data set's ids that the run was to take: its limit, a number or a span, and the samples it names."""
    ids, limit, named = dataset.get("sample_ids") or [], config.get("limit"), config.get("sample_id")
    if isinstance(limit, list) and len(limit) == 2:
        # a list no longer than the span was cut already
        ids = ids[limit[0] : limit[1]] if len(ids) > limit[1] - limit[0] else ids
    elif limit is not None:
        ids = ids[: int(limit)]
    if named is not None:
        patterns = [str(name) for name in (named if isinstance(named, list) else [named])]
        ids = [one for one in ids if any(fnmatchcase(str(one), pattern) for pattern in patterns)]
    return ids


def _status(sample: Mapping[str, Any]) -> str:
    if sample.get("invalidation"):
        return "invalidated"
    if sample.get("error"):
        return "error"
    return "limit" if sample.get("limit") else "success"


def _require_unique(samples: Sequence[Mapping[str, Any]], asked: Iterable[str | int], file: str) -> None:
    """Sample ids are texts or numbers in a log; as texts they must still be distinct in an epoch."""
    faults = []
    first: dict[tuple[int, str], str | int] = {}
    # the log's own list first: a zipped log keeps one file for 7 and '7', so that one of them is gone from it
    for epoch, item in [*((0, item) for item in asked), *((int(s["epoch"]), s["id"]) for s in samples)]:
        name = clean_name(str(item))
        if (
            not name
            or is_damaged(name)
            or "\0" in name
            or any("\ud800" <= letter <= "\udfff" for letter in name)
        ):
            faults.append(SourceFileError(f"{item!r} can't name an item", file=file, do=_REWRITE))
        elif (epoch, name) in first:
            what = (
                f"item '{name}' stands twice in epoch {epoch}" if epoch else f"item '{name}' is asked twice"
            )
            what += f" (as {first[epoch, name]!r} and {item!r})"
            do = "Give the samples distinct ids and run again; repeated attempts are epochs or logs of their own"
            faults.append(SourceFileError(what, file=file, do=do))
        first.setdefault((epoch, name), item)
    if faults:
        raise SourceError(faults)


def _text(value: Any) -> str | None:
    """A cell: texts unchanged, true and false as JSON has them, NaN as 'NaN', lists and objects as JSON."""
    if value is None:
        return None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return json.dumps(value, sort_keys=True, default=str)


def _described(system: InspectSystem) -> dict[str, str]:
    return {"model": system.model, "settings": system.settings, "scaffold": system.scaffold}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fault(file: str, what: str, do: str) -> SourceError:
    return SourceError([SourceFileError(what, file=file, do=do)])
