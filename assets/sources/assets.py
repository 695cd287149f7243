"""The raw assets: one input read, its raw tables replaced, what was left out shown.

Belongs here: which inputs give which tables. Does not belong here: reading (readers/) or judging (expectations/, dbt
staging), or what language models answered (the slices).
"""

import hashlib
import json
from datetime import UTC, datetime

import pandas as pd

from assets.common.folder_hash import folder_hash
from assets.common.warehouse import Parts
from assets.settings import PROJECT
from assets.sources.files import JSONL, find_files
from assets.sources.input_root import SOURCES, sources_folder, sources_name
from assets.sources.inputs import FileHashes
from assets.sources.inventory import LISTED, list_source_files
from assets.sources.raw_asset import as_read, raw_assets, suites, with_suite
from assets.sources.readers import (
    items,
    read_candidates,
    read_chats,
    read_comparison,
    read_interviews,
    read_items,
    read_judgements,
    read_oews,
    read_onet,
    read_outputs,
    read_propensity_items,
    read_propensity_responses,
    read_ratings,
    read_results,
    read_scenarios,
    read_servers,
    read_survey,
    read_systems,
    read_traits,
    read_trajectories,
    read_verdicts,
)
from assets.sources.refresh_record import new_refresh
from assets.sources.salt import read_salt
from assets.sources.setting_record import new_settings
from assets.step import Made, Step, table_assets

KINDS = ("python", "duckdb")
# names of capabilities and of Inspect's tasks: seeds that readers look up
NAMES = "names"
SURVEY = {
    "raw.survey_response": "Answers as they came, allowed columns only: a row a respondent × question, all TEXT.",
    "raw.survey_codebook": "Question texts that the exports carry in their extra header rows.",
}
CHATS = {
    "raw.chat": "Chats by their user's turns: cleaned, masked and capped; the texts go no further than the working "
    "file.",
    "raw.chat_file": "What was read of each file of chats.",
}


@table_assets(
    # a job has the function's name
    name="raw__refresh",
    group="warehouse",
    writes={
        "raw.refresh": "The refresh that writes this warehouse: id, start, inputs, seed and versions.",
        "raw.refresh_step": "Every asset as it stood when the refresh began; publication adds what became of it.",
    },
    kinds=KINDS,
    is_always_made=True,
)
def refresh(step: Step) -> Made:
    """Who, what and when."""
    sources, run = sources_folder(step.settings), step.context.run.run_id
    frame = new_refresh(step.settings, sources, datetime.now(UTC), run)
    told = {"refresh_id": frame["refresh_id"].iloc[0], "is_synthetic": bool(frame["is_synthetic"].iloc[0])}
    before = [
        (name.replace(".", "/"), version.n_rows)
        for name, version in sorted(step.warehouse.versions().items())
    ]
    steps = pd.DataFrame(before, columns=["asset", "n_rows"]).assign(is_made=False, reason=None, seconds=None)
    return Made(
        {"raw.refresh": frame, "raw.refresh_step": steps},
        metadata={"": told | {SOURCES: sources_name(step.settings)}},
    )


@table_assets(
    group="warehouse",
    writes={
        "raw.setting": "Every setting with its default, and the version of every text that decides figures."
    },
    inputs=["rubrics"],
    kinds=KINDS,
    salt=folder_hash(PROJECT / "dbt"),
    code="assets.sources.setting_record",
)
def setting(step: Step) -> Made:
    """List them."""
    frame = new_settings(step.settings)
    changed = frame.loc[~frame["is_default"].astype(bool), "name"].tolist()
    return Made({"raw.setting": frame}, metadata={"": {"not_default": changed}})


@table_assets(
    group="warehouse",
    writes={"raw.source_file": "Every input file as it was read, with size, date and hash."},
    inputs=[one.name for one in LISTED],
    kinds=KINDS,
    code="assets.sources.inventory",
)
def source_file(step: Step) -> Made:
    """List them; a file's time alone makes no other version."""
    frame = list_source_files(sources_folder(step.settings), FileHashes(step.home).of)
    counts = {str(name): int(n) for name, n in frame["input"].value_counts().sort_index().items()}
    decisive = frame[["input", "source_file", "source_sha256"]].to_numpy().tolist()
    return Made(
        {"raw.source_file": frame},
        versions={"raw.source_file": hashlib.sha256(json.dumps(decisive).encode()).hexdigest()[:16]},
        metadata={"": {"files_of_input": counts}},
    )


@table_assets(
    group="battery",
    writes={"raw.item": "Texts and expected answers of items, where there are any: a row an item."},
    inputs=["items"],
    kinds=KINDS,
    pending=with_suite(["raw.item"]),
    salt=suites(["raw.item"]),
    code=items.__name__,
)
def item(step: Step) -> Made:
    """Read the texts."""
    sources = sources_folder(step.settings)
    frame, others = read_items(sources), find_files(sources, items.LOCATION, (JSONL,))[1]
    counts = {str(name): int(n) for name, n in frame["benchmark"].value_counts().sort_index().items()}
    return Made({"raw.item": frame}, metadata={"": {"items_of_benchmark": counts, "ignored_files": others}})


@table_assets(
    group="work",
    writes=SURVEY,
    inputs=["survey"],
    kinds=KINDS,
    pending=with_suite(SURVEY),
    salt=suites(SURVEY),
    code=read_survey.__module__,
)
def survey(step: Step) -> Made:
    """Read the exports; respondents are named by salted hashes."""
    return as_read(read_survey(sources_folder(step.settings), read_salt(step.home)))


@table_assets(
    group="adoption",
    writes=CHATS,
    inputs=["chats"],
    kinds=["python", "parquet"],
    pending=with_suite(CHATS),
    salt=suites(CHATS),
    code=read_chats.__module__,
)
def chats(step: Step) -> Made:
    """Read and load what is new or changed."""
    found = read_chats(
        sources_folder(step.settings),
        step.home / "chats",
        max_characters=step.settings.chat_characters,
        request_characters=step.settings.request_characters,
    )
    return Made(
        {"raw.chat": Parts(found.parts), "raw.chat_file": found.files},
        metadata={
            "raw.chat": {"files_read_anew": found.n_read},
            "raw.chat_file": {"ignored_files": found.ignored_files},
        },
    )


rating = raw_assets(
    "battery", "ratings", read_ratings,
    {"raw.rating": "Ratings as they came: a row a rater × item × capability cell, all TEXT."}, NAMES,
)  # fmt: skip
result = raw_assets(
    "battery", "results", read_results,
    {"raw.result": "Item results as they came: a row a line, or a sample × epoch of an Inspect log, all TEXT."}, NAMES,
)  # fmt: skip
ai_system = raw_assets(
    "battery", "systems", read_systems,
    {"raw.ai_system": "What is known of each AI system: a row a line, all TEXT."},
)  # fmt: skip
interview = raw_assets(
    "work", "interviews", read_interviews,
    {"raw.interview":
     "Interviews about roles and duties as they came, allowed columns only: a row a line, all TEXT."}, NAMES,
)  # fmt: skip
onet = raw_assets(
    "adoption", "onet", read_onet,
    {
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
    },
)  # fmt: skip
oews = raw_assets(
    "adoption", "oews", read_oews,
    {
        "raw.oews": "National employment and wages as they came: a row an occupation, all TEXT.",
        "raw.oews_crosswalk": "From O*NET's codes to those of OEWS, as it came.",
    },
)  # fmt: skip
index_value = raw_assets(
    "adoption", "comparison", read_comparison,
    {"raw.index_value": "What other indices of AI use found, as it came: a row a value, all TEXT."},
)  # fmt: skip
candidate = raw_assets(
    "assistance", "candidates", read_candidates,
    {"raw.candidate": "Candidates, workers and judges with their families."},
)  # fmt: skip
tournament_output = raw_assets(
    "assistance", "outputs", read_outputs,
    {"raw.tournament_output": "Deliverables, and the assistance behind them."},
)  # fmt: skip
tournament_judgement = raw_assets(
    "assistance", "judgements", read_judgements,
    {"raw.tournament_judgement": "Verdicts on pairs of deliverables as they came."},
)  # fmt: skip
assistance_trait = raw_assets(
    "assistance", "traits", read_traits,
    {"raw.assistance_trait": "Judges' codings of assistance texts as they came."},
)  # fmt: skip
propensity_items = raw_assets(
    "propensity", "propensity_items", read_propensity_items,
    {
        "raw.propensity_item":
            "Items with ideal bands on propensity scales as they came: a row a line, all TEXT.",
        "raw.propensity_demand":
            "What those items demand of capabilities as it came: a row a line × capability, all TEXT.",
    }, NAMES,
)  # fmt: skip
propensity_response = raw_assets(
    "propensity", "propensity_responses", read_propensity_responses,
    {"raw.propensity_response": "What systems chose under each incitation as it came: a row a line, all TEXT."},
)  # fmt: skip
tool_server = raw_assets(
    "agentic", "servers", read_servers,
    {"raw.tool_server": "Tool servers with their tools' schemas as they came: a row a line."},
)  # fmt: skip
scenario = raw_assets(
    "agentic", "scenarios", read_scenarios,
    {"raw.scenario": "Requests with their answer keys as they came: a row a line."},
)  # fmt: skip
trajectory = raw_assets(
    "agentic", "trajectories", read_trajectories,
    {"raw.trajectory": "Runs of agents as they came: a row a line. Messages stay in the working file."},
)  # fmt: skip
trajectory_verdict = raw_assets(
    "agentic", "verdicts", read_verdicts,
    {"raw.trajectory_verdict": "Judges' scores of runs as they came: a row a line."},
)  # fmt: skip
