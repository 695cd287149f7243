"""The raw assets: one input read, its raw tables replaced, what was left out shown.

Belongs here: steps that need more than the sources. Does not belong here: which inputs there are and what tables plain
ones give (inputs.py), reading (readers/) or judging (expectations/, dbt
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
from assets.sources.inputs import INPUTS, FileHashes
from assets.sources.inventory import LISTED, list_source_files
from assets.sources.raw_asset import as_read, raw_assets, suites, with_suite
from assets.sources.readers import items, read_all_items, read_chats, read_survey
from assets.sources.refresh_record import new_refresh
from assets.sources.salt import read_salt
from assets.sources.setting_record import new_settings
from assets.step import Made, Step, table_assets

KINDS = ("python", "duckdb")
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
    writes={"raw.item": "Texts and answers of items, and which are excluded: one row per item."},
    inputs=["items"],
    kinds=KINDS,
    pending=with_suite(["raw.item"]),
    salt=suites(["raw.item"]),
    code=items.__name__,
)
def item(step: Step) -> Made:
    """Read the texts."""
    sources = sources_folder(step.settings)
    (frame, unread), others = read_all_items(sources), find_files(sources, items.LOCATION, (JSONL,))[1]
    counts = {str(name): int(n) for name, n in frame["benchmark"].value_counts().sort_index().items()}
    told = {"items_of_benchmark": counts, "ignored_files": others, "ignored_columns": unread}
    return Made({"raw.item": frame}, metadata={"": told})


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


# those whose reader needs nothing but the sources
of_readers = [raw_assets(one) for one in INPUTS if one.reader]
