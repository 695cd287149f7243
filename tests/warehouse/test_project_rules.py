"""The rules of dbt-project-evaluator on the manifest, so far as they hold; what does not is listed here by name.

Belongs here: who may read whom, names, places, keys, descriptions. Does not belong here: values of tables.
Sources are of two kinds: `raw` is what files held, `estimate` what Python computed from tables of dbt. Both are read in
staging alone; of the latter, staging has a view each, since they are typed and checked as they are written.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.settings import PROJECT
from dagster_project.dbt_build.dbt_nodes import read_nodes

LAYERS = ("staging", "intermediate", "marts")
# Lists of exceptions are compared exactly: what is mended leaves its list.
# parts of one file that several staging models take apart, or compare
STAGING_ON_STAGING = {
    *("stg_ai_system", "stg_ai_system_reject", "stg_assistance_trait", "stg_chat_reject", "stg_interview"),
    *("stg_interview_reject", "stg_propensity_band", "stg_propensity_demand", "stg_propensity_reject"),
    "stg_propensity_response",
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
# Python reads these, dbt doesn't: the file that does
SOURCES_READ_BY_PYTHON = {
    "raw.propensity_text": "assets/propensity/llm_assets.py",
    "estimate.intercept_draw": "dagster_project/cli/shortform_commands.py",
}
# no number follows from these: people look things up in them
FOR_PEOPLE = {"raw.survey_codebook"}
UNREAD_MODELS = {"int_survey_flag", "int_chat_match"}
# their rows are tests' own: what a test over them finds stops a refresh or warns
READ_BY_TESTS = {"stg_ai_system_reject", "int_rater_likeness", "int_system_likeness"}
# chats, whose texts are copied into no table; and those over estimates, which are a view each
VIEW_ON_VIEW = {"int_chat_text", "int_request", "int_chat_match", "int_suitability_sweep"}
# what n draws would give, not what is known: of few items all may fall on one value
PREDICTIVE = {"characteristic_curve", "calibration", "calibration_rank"}
# Values of these may have to be withheld. Each may be read by its gate, and by what says what is withheld or counts
# people, and by nothing else; Python's steps alike.
GATED = {
    "int_activity_importance": {
        "int_cell_suppression",
        "int_disclosed_importance",
        "int_disclosed_capability_importance",
    },
    "int_capability_importance": {"int_disclosed_capability_importance"},
    "int_interview": {
        *("int_activity_importance", "int_capability_importance", "int_interview_flag"),
        # numbers of interviews
        *("int_disclosed_interview", "int_slice_stage"),
    },
    "int_interview_flag": {"int_disclosed_interview"},
    # people's own answers: only means over samples that are compared, without withheld cells of domains
    "int_importance_answer": {
        "int_importance_matrix",
        "importance_agreement",
        "estimate.importance_reliability",
        "estimate.importance_bootstrap",
    },
    "int_importance_matrix": {
        "int_importance_agreement",
        "int_domain_departure",
        "int_importance_reliability",
    },
}
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
    """Model -> what it reads -> its layer, or raw, estimate or seed."""
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
        ("intermediate", {"seed", "staging", "intermediate"}),
        ("marts", {"seed", "staging", "intermediate", "marts"}),
    ],
)
def test_a_layer_reads_none_that_comes_after_it_and_only_staging_reads_sources(
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
        r"\b(?:from|join)\s+(?:raw|estimate|seed|staging|intermediate|marts)\.\w", re.IGNORECASE
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
    assert {
        name for key, name in names.items() if key not in read
    } == SOURCES_READ_BY_PYTHON.keys() | FOR_PEOPLE
    for name, file in SOURCES_READ_BY_PYTHON.items():
        assert f'"{name}"' in (PROJECT / file).read_text(encoding="utf-8"), f"{file} no longer reads {name}"


def test_staging_over_estimates_is_views_of_all_their_columns(
    manifest: dict[str, Any], models: dict[str, dict[str, Any]], reads: dict[str, dict[str, str]]
) -> None:
    """Nothing is renamed, cast or left out, and what a column means is said in the view alone."""
    sources = {one["name"]: one for one in manifest["sources"].values() if one["schema"] == "estimate"}
    viewed = {
        name: table for name, found in reads.items() for table, place in found.items() if place == "estimate"
    }
    of_python = {name.removeprefix("estimate.") for name in SOURCES_READ_BY_PYTHON if "estimate." in name}
    assert sorted(viewed.values()) == sorted(sources.keys() - of_python)
    for name, table in viewed.items():
        assert name == f"stg_{table}" and list(reads[name]) == [table]
        assert models[name]["config"]["materialized"] == "view", name
        columns = list(sources[table]["columns"])
        assert list(models[name]["columns"]) == columns, name
        text = models[name]["raw_code"].partition("select")[2].partition("from")[0]
        assert [column.strip() for column in text.split(",")] == columns, name
        assert not any(column["description"] for column in sources[table]["columns"].values()), table


def test_what_may_be_withheld_passes_its_gate(definitions: dg.Definitions) -> None:
    """The whole graph, steps of Python too: who reads it, exactly."""
    graph = definitions.get_repository_def().asset_graph
    for table, allowed in GATED.items():
        readers = graph.get(dg.AssetKey(["intermediate", table])).child_keys
        names = {".".join(key.path[key.path[0] != "estimate" :]) for key in readers}
        assert names == allowed, table


def test_every_interval_of_a_mart_is_held_to_have_a_width(
    models: dict[str, dict[str, Any]], manifest: dict[str, Any]
) -> None:
    tests = [
        n for n in manifest["nodes"].values() if (n.get("test_metadata") or {}).get("name") == "sound_numbers"
    ]
    held = {
        (one["attached_node"], low, high)
        for one in tests
        for low, high in one["test_metadata"]["kwargs"].get("intervals", [])
    }
    ends = {"q025": "q975", "low": "high", "q05": "q95"}
    wanted = {
        (model["unique_id"], low, high)
        for name, model in models.items()
        if _layer(model) == "marts" and name not in PREDICTIVE
        for low in model["columns"]
        for one, other in ends.items()
        if one in low.split("_") and (high := low.replace(one, other)) in model["columns"]
    }
    assert held == wanted


def test_models_that_nobody_reads_are_known(
    models: dict[str, dict[str, Any]], definitions: dg.Definitions
) -> None:
    graph = definitions.get_repository_def().asset_graph
    layers = {name: _layer(model) for name, model in models.items() if _layer(model) != "marts"}
    unread = {name for name, layer in layers.items() if not graph.get(dg.AssetKey([layer, name])).child_keys}
    assert unread == UNREAD_MODELS | READ_BY_TESTS


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
        name for name, table in nodes.tables.items() if any(r.startswith("estimate.") for r in table.reads)
    }
    found = {
        name.split(".")[1] for name, table in nodes.tables.items() if not table.key and name not in views
    }
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
