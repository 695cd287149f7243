"""The rules of dbt-project-evaluator on the manifest, so far as they hold; what does not is listed here by name.

Belongs here: who may read whom, names, places, keys, descriptions. Does not belong here: values of tables.
Sources of two kinds: `raw` is what files held, `model` what Python computed from tables of dbt. The latter are finished
tables with named keys, so intermediate models and marts read them as they are: a copy in staging would say nothing.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dagster_project.dbt_build.dbt_nodes import read_nodes

LAYERS = ("staging", "intermediate", "marts")
# Lists of exceptions are compared exactly: what is mended leaves its list.
# parts of one file that several staging models take apart, or compare
STAGING_ON_STAGING = {
    *("stg_ai_system", "stg_ai_system_reject", "stg_assistance_trait", "stg_chat_reject", "stg_interview"),
    *("stg_interview_reject", "stg_propensity_demand", "stg_propensity_reject", "stg_propensity_response"),
    *("stg_rating", "stg_rating_cell", "stg_rating_column", "stg_rating_record", "stg_rating_reject"),
    *("stg_respondent", "stg_result_reject", "stg_survey_activity", "stg_survey_answer", "stg_survey_points"),
    *("stg_survey_reject", "stg_tournament_output", "stg_tournament_reject", "stg_tournament_verdict"),
    *("stg_agentic_reject", "stg_trajectory", "stg_trajectory_verdict"),
}
# lines that may be repeated or have several faults, and models whose key the next one's test covers
WITHOUT_KEY = {
    *("int_annotation_mode_pair", "int_chat_match", "int_chat_minimum", "int_chat_text"),
    *("int_consensus", "int_demand", "int_demand_level", "int_item_level", "int_request"),
    *("int_response", "int_result_item", "int_task_set_occupation", "int_task_set_text"),
    *("int_task_text_usage", "int_tournament_missing", "stg_ai_system_record", "stg_ai_system_reject"),
    *("stg_chat", "stg_policy", "stg_propensity_reject", "stg_rating_cell", "stg_rating_reject"),
    *("stg_result_reject",),
}
# Python reads these, dbt doesn't
SOURCES_WITHOUT_READER = {"raw.item", "raw.survey_codebook", "estimate.intercept_draw"}
# chats, whose texts are copied into no table
VIEW_ON_VIEW = {"int_chat_text", "int_request"}
# unions over slices, and marts that say all of one thing
MANY_READ = {
    "int_slice_stage",
    "int_index_pair",
    "int_published_work",
    "published_comparison",
    "reject",
    "stg_propensity_reject",
    "work_activity_usage",
}


@pytest.fixture(scope="module")
def manifest(dbt_target: Path) -> dict[str, Any]:
    return json.loads((dbt_target / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def models(manifest: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By name."""
    return {n["name"]: n for n in manifest["nodes"].values() if n["resource_type"] == "model"}


def _layer(model: dict[str, Any]) -> str:
    return str(model["fqn"][1])


@pytest.fixture(scope="module")
def reads(manifest: dict[str, Any], models: dict[str, dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Model -> what it reads -> its layer, or raw, model or seed."""
    nodes = {**manifest["nodes"], **manifest["sources"]}
    found: dict[str, dict[str, str]] = {}
    for name, model in models.items():
        found[name] = {}
        for key in model["depends_on"]["nodes"]:
            kind = nodes[key]["resource_type"]
            place = {"source": nodes[key]["schema"], "seed": "seed"}.get(kind) or _layer(nodes[key])
            found[name][nodes[key]["name"]] = place
    return found


@pytest.mark.parametrize(
    ("layer", "readable"),
    [
        ("staging", {"raw", "estimate", "seed", "staging"}),
        ("intermediate", {"estimate", "seed", "staging", "intermediate"}),
        ("marts", {"estimate", "seed", "staging", "intermediate", "marts"}),
    ],
)
def test_a_layer_reads_none_that_comes_after_it_and_only_staging_reads_raw(
    models: dict[str, dict[str, Any]], reads: dict[str, dict[str, str]], layer: str, readable: set[str]
) -> None:
    wrong = {
        (name, read)
        for name, model in models.items()
        if _layer(model) == layer
        for read, place in reads[name].items()
        if place not in readable
    }
    assert wrong == set()


def test_staging_reads_staging_in_known_places_only(
    models: dict[str, dict[str, Any]], reads: dict[str, dict[str, str]]
) -> None:
    found = {n for n, m in models.items() if _layer(m) == "staging" and "staging" in reads[n].values()}
    assert found == STAGING_ON_STAGING


def test_every_model_reads_something_by_name_of_the_project(
    models: dict[str, dict[str, Any]], reads: dict[str, dict[str, str]]
) -> None:
    assert [name for name in models if not reads[name]] == []
    hard_coded = re.compile(
        r"\b(?:from|join)\s+(?:raw|model|seed|staging|intermediate|marts)\.\w", re.IGNORECASE
    )
    assert [name for name, model in models.items() if hard_coded.search(model["raw_code"])] == []


def test_every_source_is_declared_once_described_and_read(
    manifest: dict[str, Any], models: dict[str, dict[str, Any]]
) -> None:
    sources = manifest["sources"]
    names = {key: f"{one['schema']}.{one['name']}" for key, one in sources.items()}
    assert len(set(names.values())) == len(sources)
    assert [name for key, name in names.items() if not sources[key]["description"].strip()] == []
    assert [n for k, n in names.items() if Path(sources[k]["original_file_path"]).parts[1] != "sources"] == []
    read = {key for model in models.values() for key in model["depends_on"]["nodes"]}
    assert {name for key, name in names.items() if key not in read} == SOURCES_WITHOUT_READER


def test_names_and_places_tell_the_layer(models: dict[str, dict[str, Any]]) -> None:
    prefixes = {"staging": "stg_", "intermediate": "int_", "marts": ""}
    for name, model in models.items():
        layer, path = _layer(model), Path(model["original_file_path"])
        assert layer in LAYERS, name
        assert name.startswith(prefixes[layer]), name
        assert layer != "marts" or not name.startswith(("stg_", "int_")), name
        # models/<layer>/<slice>/<name>.sql, and its YAML beside it
        assert len(path.parts) == 4, name
        assert model["patch_path"].endswith(str(path.with_suffix(".yml"))), name


def test_everything_is_described(manifest: dict[str, Any]) -> None:
    tables = [n for n in manifest["nodes"].values() if n["resource_type"] in ("model", "seed")]
    assert [one["name"] for one in tables if not one["description"].strip() or not one["columns"]] == []
    columns = [(t["name"], c["name"]) for t in tables for c in t["columns"].values() if not c["description"]]
    assert columns == []
    assert [one["name"] for one in manifest["exposures"].values() if not one["description"].strip()] == []


def test_every_table_has_a_test_of_its_key(dbt_target: Path) -> None:
    nodes = read_nodes(dbt_target / "manifest.json", {})
    # a view over an estimate has the key of its table
    views = {
        name for name, table in nodes.tables.items()
        if name.startswith("staging.") and any(read.startswith("estimate.") for read in table.reads)
    }  # fmt: skip
    found = {n.split(".")[1] for n, table in nodes.tables.items() if not table.key and n not in views}
    assert found == WITHOUT_KEY


def test_what_is_published_is_a_table_under_contract(models: dict[str, dict[str, Any]]) -> None:
    marts = [model for model in models.values() if _layer(model) == "marts"]
    assert [m["name"] for m in marts if not m["config"]["contract"]["enforced"]] == []
    assert [m["name"] for m in marts if m["config"]["materialized"] != "table"] == []


def test_exposures_read_marts_only(manifest: dict[str, Any], models: dict[str, dict[str, Any]]) -> None:
    read = {key for one in manifest["exposures"].values() for key in one["depends_on"]["nodes"]}
    marts = {model["unique_id"] for model in models.values() if _layer(model) == "marts"}
    assert read and read <= marts


def test_a_view_reads_a_view_in_known_places_only(
    models: dict[str, dict[str, Any]], reads: dict[str, dict[str, str]]
) -> None:
    """A chain of them is computed anew by whoever reads its end."""
    views = {name for name, model in models.items() if model["config"]["materialized"] == "view"}
    assert {name for name in views if views & reads[name].keys()} == VIEW_ON_VIEW


def test_few_models_read_seven_tables(reads: dict[str, dict[str, str]]) -> None:
    assert {name for name, found in reads.items() if len(found) >= 7} == MANY_READ
