"""The raw assets: one input read, one raw table (or two) replaced, what was left out shown.

Belongs here: thin Dagster assets. Does not belong here: reading (readers/) or judging (expectations/, dbt
staging).
"""

from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings
from assets.sources.folder import sources_folder
from assets.sources.outcome import faults_as_failure, reading_result
from assets.sources.partial import PARTS, begin, source_files_after
from assets.sources.readers import (
    items,
    list_source_files,
    read_interviews,
    read_items,
    read_ratings,
    read_results,
    read_survey,
    read_systems,
)
from assets.sources.readers.folder import find_files
from assets.sources.readers.json_lines import JSONL
from assets.sources.refresh import new_refresh
from assets.sources.salt import read_salt

FILE = {
    name: dg.AssetKey(["file", name])
    for name in (
        *("ratings", "items", "results", "systems", "survey", "interviews"),
        *("onet", "oews", "candidates", "outputs", "judgements", "traits"),
        *("propensity_items", "propensity_responses"),
    )
}


@dg.asset(
    key=["raw", "refresh"],
    group_name="warehouse",
    kinds={"python", "duckdb"},
    pool="warehouse",
    code_version="1",
    description="The refresh that writes this warehouse: id, start, inputs, seed and versions.",
)
def refresh(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    with faults_as_failure():
        frame = new_refresh(settings, sources_folder(settings), datetime.now(UTC), context.run.run_id)
        begin(settings, context.run.job_name)
    row = frame.iloc[0]
    warehouse.replace({"raw.refresh": frame})
    return dg.MaterializeResult(
        metadata={"refresh_id": row["refresh_id"], "is_synthetic": bool(row["is_synthetic"])}
    )


@dg.asset(
    key=["raw", "source_file"],
    deps=FILE.values(),
    group_name="warehouse",
    kinds={"python", "duckdb"},
    pool="warehouse",
    code_version="1",
    description="Every input file as it was read, with size, date and hash.",
)
def source_file(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    with faults_as_failure():
        frame = list_source_files(sources_folder(settings))
    if inputs := PARTS.get(context.run.job_name):
        frame = source_files_after(frame, warehouse.read("raw.source_file"), inputs)
    warehouse.replace({"raw.source_file": frame})
    counts = {str(name): int(n) for name, n in frame["input"].value_counts().sort_index().items()}
    return dg.MaterializeResult(metadata={"dagster/row_count": len(frame), "files_of_input": counts})


@dg.asset(
    key=["raw", "rating"],
    deps=[FILE["ratings"]],
    group_name="battery",
    kinds={"python", "duckdb"},
    pool="warehouse",
    code_version="1",
    description="Ratings as they came: a row a rater × item × capability cell, all TEXT.",
)
def rating(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    with faults_as_failure():
        reading = read_ratings(sources_folder(settings))
    warehouse.replace(reading.frames)
    return reading_result(reading, "raw.rating")


@dg.asset(
    key=["raw", "item"],
    deps=[FILE["items"]],
    group_name="battery",
    kinds={"python", "duckdb"},
    pool="warehouse",
    code_version="1",
    description="Texts and expected answers of items, where there are any: a row an item.",
)
def item(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    with faults_as_failure():
        sources = sources_folder(settings)
        frame, others = read_items(sources), find_files(sources, items.LOCATION, (JSONL,))[1]
    warehouse.replace({"raw.item": frame})
    counts = {str(name): int(n) for name, n in frame["benchmark"].value_counts().sort_index().items()}
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(frame),
            "items_of_benchmark": counts,
            "ignored_files": others,
        }
    )


@dg.asset(
    key=["raw", "result"],
    deps=[FILE["results"]],
    group_name="battery",
    kinds={"python", "duckdb"},
    pool="warehouse",
    code_version="2",
    description="Item results as they came: a row a line, or a sample × epoch of an Inspect log, all TEXT.",
)
def result(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    with faults_as_failure():
        reading = read_results(sources_folder(settings))
    warehouse.replace(reading.frames)
    return reading_result(reading, "raw.result")


@dg.asset(
    key=["raw", "ai_system"],
    deps=[FILE["systems"]],
    group_name="battery",
    kinds={"python", "duckdb"},
    pool="warehouse",
    code_version="2",
    description="What is known of each AI system: a row a line, all TEXT.",
)
def ai_system(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    with faults_as_failure():
        reading = read_systems(sources_folder(settings))
    warehouse.replace(reading.frames)
    return reading_result(reading, "raw.ai_system")


@dg.multi_asset(
    name="survey",
    specs=[
        dg.AssetSpec(
            ["raw", name],
            deps=[FILE["survey"]],
            group_name="work",
            kinds={"python", "duckdb"},
            code_version="1",
            description=description,
        )
        for name, description in (
            (
                "survey_response",
                "Answers as they came, allowed columns only: a row a respondent × question, all TEXT.",
            ),
            ("survey_codebook", "Question texts that the exports carry in their extra header rows."),
        )
    ],
    pool="warehouse",
)
def survey(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    with faults_as_failure():
        reading = read_survey(sources_folder(settings), read_salt(settings.home))
    warehouse.replace(reading.frames)
    for table in reading.frames:
        yield reading_result(reading, table)


@dg.asset(
    key=["raw", "interview"],
    deps=[FILE["interviews"]],
    group_name="work",
    kinds={"python", "duckdb"},
    pool="warehouse",
    code_version="1",
    description="Interviews about roles and duties as they came, allowed columns only: a row a line, all TEXT.",
)
def interview(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    with faults_as_failure():
        reading = read_interviews(sources_folder(settings))
    warehouse.replace(reading.frames)
    return reading_result(reading, "raw.interview")
