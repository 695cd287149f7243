"""The one list of inputs: where each lies, which files count, and the version of what lies there now.

Belongs here: names, places and hashes of inputs. Does not belong here: what stands in the files (readers/).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from assets.common.atomic_write import atomic_write
from assets.common.folder_hash import MADE
from assets.settings import PROJECT, Settings
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import CSV, JSONL, file_sha256, find_files, relative
from assets.sources.input_root import sources_folder
from assets.versions import FILE_OF, Version

# a file changed so lately may change again without its time telling so
_SETTLED_SECONDS = 2.0
Location = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Input:
    """One kind of file that people supply, or that tables follow from beside those.

    Args:
        locations: folder or single file, and the endings of files that count there.
        base: what locations are relative to: the sources, this project, or the home. A file named by the settings
            ('llm') has no location.
        reader: function that reads it, as `module.function` of `readers`; blank where its step needs more than the
            sources (assets.py).
        tables: `raw.name` -> description, of the tables that the reader gives.
        looks_up: other inputs that the reader reads besides.
    """

    name: str
    group: str
    description: str
    locations: tuple[Location, ...] = ()
    base: Literal["sources", "project", "home", "llm"] = "sources"
    reader: str = ""
    tables: Mapping[str, str] = field(default_factory=dict)
    looks_up: tuple[str, ...] = ()

    @property
    def location(self) -> str:
        """Where it lies, of an input that lies in one place."""
        ((location, _),) = self.locations
        return location

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of its files, of an input that lies in one place."""
        ((_, suffixes),) = self.locations
        return suffixes


INSPECT_LOGS = (".eval", ".json")
# the first release stands again in the second's folder, as task_pct_v1.csv: it counts once
OTHER_INDICES = (
    "aei/release_2025_02_10/onet_task_mappings.csv",
    "aei/release_2025_03_27/task_pct_v2.csv",
    "aei/labor_market_impacts/job_exposure.csv",
    "working_with_ai/iwa_metrics.csv",
    "working_with_ai/soc_ai_applicability_scores.csv",
)


def _of(
    name: str,
    group: str,
    description: str,
    location: str,
    *suffixes: str,
    reader: str = "",
    tables: Mapping[str, str] | None = None,
    looks_up: tuple[str, ...] = (),
) -> Input:
    return Input(
        name,
        group,
        description,
        ((location, suffixes),),
        reader=reader,
        tables=tables or {},
        looks_up=looks_up,
    )


# names of capabilities and of Inspect's tasks: seeds that readers look up
_NAMES = ("names",)


INPUTS = (
    _of("ratings", "battery", "battery/ratings/<rater>.csv: demand level of each item and capability.",
        "battery/ratings", CSV,
        reader="ratings.read_ratings", looks_up=_NAMES,
        tables={"raw.rating": "Ratings as they came: a row a rater × item × capability cell, all TEXT."}),
    _of("items", "battery", "battery/items/<benchmark>.jsonl: text and answer of each item.", "battery/items", JSONL),
    _of("results", "battery", "battery/results/<system>.csv, or Inspect logs: score of each item.",
        "battery/results", CSV, *INSPECT_LOGS,
        reader="results.read_results", looks_up=_NAMES,
        tables={"raw.result":
            "Item results as they came: one row per line, or per sample × epoch of an Inspect log, all TEXT."}),
    _of("systems", "battery", "battery/systems.csv: name, settings and scaffold of each system.",
        "battery/systems.csv", CSV,
        reader="systems.read_systems",
        tables={"raw.ai_system": "What is known of each AI system: a row a line, all TEXT."}),
    _of("survey", "work", "survey/*.csv: Qualtrics exports.", "survey", CSV),
    _of("interviews", "work", "survey/interviews/*.csv: one interview a file about a role or its duties.",
        "survey/interviews", CSV,
        reader="interviews.read_interviews", looks_up=_NAMES,
        tables={"raw.interview":
            "Interviews about roles and duties as they came, allowed columns only: a row a line, all TEXT."}),
    _of("chats", "adoption", "chats/*: what people asked an AI assistant.", "chats", ".parquet", JSONL, ".jsonl.gz"),
    _of("onet", "adoption", "onet/*.txt: O*NET's text release.", "onet", ".txt",
        reader="onet.read_onet",
        tables={
            "raw.onet_release": "The release of O*NET and the taxonomy of its codes.",
            "raw.onet_occupation": "Occupations as they came: a row a line, all TEXT.",
            "raw.onet_task": "Task statements as they came: a row a line, all TEXT.",
            "raw.onet_task_dwa": "Detailed work activities of tasks as they came.",
            "raw.onet_iwa": "Intermediate work activities as they came.",
            "raw.onet_dwa": "Detailed work activities as they came.",
            "raw.onet_element": "Names of the content model's elements as they came.",
            "raw.onet_skill": "Skills of occupations as they came.",
            "raw.onet_technology_skill": "Technology that occupations use, as it came.",
            "raw.onet_job_zone": "Job zones as they came.",
        }),
    _of("oews", "adoption", "oews/: employment, wages and the crosswalk from O*NET's codes.",
        "oews", CSV, ".xlsx",
        reader="oews.read_oews",
        tables={
            "raw.oews": "National employment and wages as they came: a row an occupation, all TEXT.",
            "raw.oews_crosswalk": "From O*NET's codes to those of OEWS, as it came.",
        }),
    Input("comparison", "adoption", "comparison/: what other indices of AI use found, for checks only.",
          tuple((f"comparison/{file}", (CSV,)) for file in OTHER_INDICES),
          reader="comparison.read_comparison",
          tables={"raw.index_value": "What other indices of AI use found, as it came: a row a value, all TEXT."}),
    _of("candidates", "assistance", "tournament/candidates.csv: candidates, worker and judges with families.",
        "tournament/candidates.csv", CSV,
        reader="tournament.read_candidates",
        tables={"raw.candidate": "Candidates, workers and judges with their families."}),
    _of("outputs", "assistance", "tournament/outputs/*.jsonl: deliverables and assistance.",
        "tournament/outputs", JSONL,
        reader="tournament.read_outputs",
        tables={"raw.tournament_output": "Deliverables, and the assistance behind them."}),
    _of("judgements", "assistance", "tournament/judgements/*.jsonl: verdicts on pairs.",
        "tournament/judgements", JSONL,
        reader="tournament.read_verdicts",
        tables={"raw.tournament_verdict": "Verdicts on pairs of deliverables as they came."}),
    _of("traits", "assistance", "tournament/traits/*.jsonl: judges' codings of assistance.",
        "tournament/traits", JSONL,
        reader="tournament.read_traits",
        tables={"raw.assistance_trait": "Judges' codings of assistance texts as they came."}),
    _of("propensity_items", "propensity", "propensity/items/*.csv: three-option items with ideal bands.",
        "propensity/items", CSV,
        reader="propensity.read_propensity_items", looks_up=_NAMES,
        tables={
            "raw.propensity_item":
            "Items with ideal bands on propensity scales as they came: a row a line, all TEXT.",
            "raw.propensity_demand":
            "What those items demand of capabilities as it came: a row a line × capability, all TEXT.",
        }),
    _of("propensity_bands", "propensity", "propensity/bands/<rater>.csv: levels of any item on any propensity.",
        "propensity/bands", CSV,
        reader="propensity.read_propensity_bands",
        tables={"raw.propensity_band":
            "Bands that raters gave items of any benchmark as they came: one row per line, all TEXT."}),
    _of("propensity_responses", "propensity", "propensity/responses/*.csv: what systems chose.",
        "propensity/responses", CSV,
        reader="propensity.read_propensity_responses",
        tables={"raw.propensity_response":
            "What systems chose under each incitation as it came: one row per line, all TEXT."}),
    _of("servers", "agentic", "agentic/servers/*.jsonl: tool servers, with what their tools take.",
        "agentic/servers", JSONL,
        reader="agentic.read_servers",
        tables={"raw.tool_server": "Tool servers with their tools' schemas as they came: one row per line."}),
    _of("scenarios", "agentic", "agentic/scenarios/*.jsonl: requests with an answer key of tool calls.",
        "agentic/scenarios", JSONL,
        reader="agentic.read_scenarios",
        tables={"raw.scenario": "Requests with their answer keys as they came: one row per line."}),
    _of("trajectories", "agentic", "agentic/trajectories/*.jsonl: what agents did and said in scenarios.",
        "agentic/trajectories", JSONL,
        reader="agentic.read_trajectories",
        tables={"raw.trajectory":
            "Runs of agents as they came: one row per line. Messages stay in the working file."}),
    _of("verdicts", "agentic", "agentic/verdicts/*.jsonl: judges' scores of trajectories.",
        "agentic/verdicts", JSONL,
        reader="agentic.read_trajectory_verdicts",
        tables={"raw.trajectory_verdict": "Judges' scores of runs as they came: one row per line."}),
    _of("tasks", "assistance", "tournament/tasks/*.md: tasks beside those of the project.",
        "tournament/tasks", ".md"),
    Input("rubrics", "llm", "rubrics/: rubrics, tasks, and what models are told beside them.",
          (("rubrics", ()),), "project"),
    Input("names", "battery", "dbt/seeds/: names of capabilities and of Inspect's tasks that readers look up.",
          tuple((f"dbt/seeds/{name}.csv", ()) for name in
                ("seed_capability", "seed_capability_alias", "seed_inspect_task")), "project"),
    Input("roles", "llm", "llm.toml: which language model plays which role.", (), "llm"),
    Input("ledger", "llm", "ledger.sqlite in the home: every call to a language model.",
          (("ledger.sqlite", ()), ("ledger.sqlite-wal", ())), "home"),
)  # fmt: skip
BY_NAME = {one.name: one for one in INPUTS}


def listed_files(one: Input, settings: Settings) -> tuple[list[Path], list[str]]:
    """The files of an input that count, and the names of what else lies in its folders.

    Raises:
        SourceError: as `find_files`.
    """
    if one.base == "llm":
        path = settings.llm_path
        return ([path] if path is not None and path.is_file() else []), []
    if one.base == "project":
        places = [PROJECT / location for location, _ in one.locations]
        found = [path for place in places for path in files_at(place)]
        return [path for path in found if not MADE & set(path.relative_to(PROJECT).parts)], []
    if one.base == "home":
        return [p for location, _ in one.locations if (p := settings.home / location).is_file()], []
    if one.name == "tasks" and settings.sources is None:
        return [], []
    sources, paths, others = sources_folder(settings), list[Path](), list[str]()
    for location, suffixes in one.locations:
        found, ignored = find_files(sources, location, suffixes)
        paths += found
        others += ignored
    return paths, others


class FileHashes:
    """sha256 of files, remembered in the home: a file whose size and times are as they were is not read again."""

    def __init__(self, home: Path) -> None:
        self._path = home / "file_hashes.json"
        try:
            self._known: dict[str, list[str]] = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            self._known = {}
        self._used: dict[str, list[str]] = {}
        self._is_new = False

    def of(self, path: Path, file: str) -> str:
        """Hash of `path`; `file` names it in a fault.

        Raises:
            SourceFileError: it can't be read.
        """
        try:
            status = path.stat()
        except OSError as error:
            do = "Check that it is a file and that you may read it"
            raise SourceFileError(f"cannot be read ({error.strerror})", file=file, do=do) from None
        mark = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
        known = self._used.get(str(path)) or self._known.get(str(path))
        if known and known[0] == mark:
            self._used[str(path)] = known
            return known[1]
        sha256 = file_sha256(path, file)
        # of a file that is copied over with its old time the time of the entry changes
        if time.time() - max(status.st_mtime, status.st_ctime) > _SETTLED_SECONDS:
            self._used[str(path)] = [mark, sha256]
            self._is_new = True
        return sha256

    def keep(self) -> None:
        """Remember what was asked for, and nothing else; a home that can't be written to remembers nothing."""
        if not self._is_new and self._used.keys() == self._known.keys():
            return
        try:
            with atomic_write(self._path) as fresh:
                fresh.write_text(json.dumps(self._used), encoding="utf-8")
        except OSError:
            return


def input_files(
    one: Input, settings: Settings, hash_of: Callable[[Path, str], str] = file_sha256
) -> dict[str, str]:
    """File, as people know it -> sha256, of all files of an input as they lie there now.

    Raises:
        SourceError: a file or folder can't be read.
    """
    base = (
        {"project": PROJECT, "home": settings.home}.get(one.base)
        or settings.sources
        or settings.home / "demo"
    )
    files = {}
    for path in listed_files(one, settings)[0]:
        file = path.name if one.base == "llm" else relative(base, path)
        try:
            files[file] = hash_of(path, file)
        except SourceFileError as fault:
            raise SourceError([fault]) from None
    return files


def version_of(files: Mapping[str, str]) -> str:
    """Data version of an input: changes with the name or the bytes of any of its files."""
    return hashlib.sha256(json.dumps(sorted(files.items())).encode()).hexdigest()[:16]


def all_files(settings: Settings, hashes: FileHashes) -> dict[str, dict[str, str]]:
    """Input -> its files and their hashes.

    Raises:
        SourceError: a file or folder can't be read; all faults of all inputs together.
    """
    found, faults = {}, []
    for one in INPUTS:
        try:
            found[one.name] = input_files(one, settings, hashes.of)
        except SourceError as error:
            faults += error.faults
    if faults:
        raise SourceError(faults)
    return found


def stamps(settings: Settings) -> Iterator[tuple[str, str]]:
    """Each supplied file with its size and time: equal at two looks, it is no longer being written."""
    for one in INPUTS:
        if one.base in ("sources", "llm"):
            for path in listed_files(one, settings)[0]:
                try:
                    status = os.stat(path)
                except OSError:
                    continue
                yield str(path), f"{status.st_size} {status.st_mtime_ns}"


def still_landing(settings: Settings, now: float) -> str:
    """The first supplied file that was written to within the last `quiet_seconds` before `now`; empty where none was.

    A copy that stalls between two looks is as it was at both. A copied file may keep the time of its original, so the
    time of its entry counts as well; one from the future (a clock that is wrong) says nothing.
    """
    for one in INPUTS:
        if one.base in ("sources", "llm"):
            for path in listed_files(one, settings)[0]:
                try:
                    status = os.stat(path)
                except OSError:
                    continue
                ages = (now - status.st_mtime, now - status.st_ctime)
                if any(0 <= age < settings.quiet_seconds for age in ages):
                    return path.name
    return ""


def why_altered(version: Version, home: Path, hashes: FileHashes) -> str:
    """Why what lies in a file of the home must be made again; empty where it is as it was made, or is a table."""
    place = version.metadata.get(FILE_OF)
    if not place:
        return ""
    if not files_at(home / place):
        return f"{place} is gone"
    return "" if bytes_version(home / place, hashes.of) == version.data_version else f"{place} was altered"


def bytes_version(path: Path, hash_of: Callable[[Path, str], str] = file_sha256) -> str:
    """Hash of a file, of all files of a folder, or of those in a folder that a pattern names."""
    folder = path.parent if "*" in path.name else path
    return version_of(
        {file.relative_to(folder).as_posix(): hash_of(file, file.name) for file in files_at(path)}
    )


def files_at(path: Path) -> list[Path]:
    """The files that `bytes_version` is of, sorted."""
    if "*" in path.name:
        return sorted(file for file in path.parent.glob(path.name) if file.is_file())
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.is_file())
    return [path] if path.exists() else []


def input_versions(
    reads: Sequence[str], files: Mapping[str, Mapping[str, str]], known: Mapping[str, Version]
) -> dict[str, str]:
    """Data versions of all that a step reads: tables as noted, inputs by their files."""
    tables = {table: known[table].data_version for table in reads if table in known}
    return tables | {name: version_of(found) for name, found in files.items()}
