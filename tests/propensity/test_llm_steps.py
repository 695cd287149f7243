"""Items, bands, runs and choices through the door, against a server over real HTTP: the commands and the assets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from assets.propensity import bands as bands_module
from assets.propensity import items as items_module
from assets.propensity.llm_assets import propensity_llm_item, propensity_llm_response
from assets.propensity.propensity_rubrics import read_rubrics
from assets.settings import Settings
from assets.sources.input_root import sources_folder
from assets.sources.readers import read_propensity_items
from dagster_project.cli.main import main
from tests.support.llm.scripted_server import KEY, LIMITS
from tests.support.propensity.choosing_server import ChoosingServer, chosen, texts_of
from tests.support.steps import MemoryWarehouse, run_steps

PLANS = ("propensity-items", "propensity-bands", "propensity-runs", "propensity-choices")
ROLES = {"writer": "w", "rater": "r", "system": "plain", "judge": "j"}
TOML = """
[[{role}]]
name = "{name}"
model = "{name}"
base_url = "{base_url}"
api_key_env = "TEST_LLM_KEY"
json_schema = true
"""
HEADER = "item_id,propensity,benchmark,prompt,option_a,option_b,option_c,correct,lower,upper\n"
# a blank option can't be asked about; braces are an item's own
FILE = HEADER + "f1,Risk,b,Take {option_b}?,x,y,z,b,-1,1\nf2,risk,b,Which?,x,,z,b,-1,1\n"
# 12 items asked for: 1 refused, 1 duplicate, 1 without a band; and 1 usable one of the file
N_ITEMS = 9 + 1


def supplied(settings: Settings, systems: tuple[str, ...] = ()) -> MemoryWarehouse:
    items = read_propensity_items(sources_folder(settings)).frames["raw.propensity_item"]
    responses = pd.DataFrame({"system": systems}, dtype=object)
    return MemoryWarehouse({"raw.propensity_item": items, "raw.propensity_response": responses})


@pytest.fixture
def server() -> Iterator[ChoosingServer]:
    with ChoosingServer() as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path, server: ChoosingServer, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("TEST_LLM_KEY", KEY)
    monkeypatch.setattr(items_module, "MARGINS", dict.fromkeys(items_module.MARGINS, ("far",)))
    monkeypatch.setattr(items_module, "read_settings_of_items", lambda: ["a harbour"])
    sources = tmp_path / "sources"
    (sources / "propensity/items").mkdir(parents=True)
    (sources / "propensity/items/own.csv").write_text(FILE)
    roles = [*ROLES.items(), ("system", "talker")]
    tables = [TOML.format(role=role, name=name, base_url=server.base_url) for role, name in roles]
    (sources / "llm.toml").write_text("".join(tables) + LIMITS)
    return Settings(sources=sources, home=tmp_path / "home")


def call(settings: Settings, verb: str, plan: str) -> Result:
    environment = {"SUITABILITY_HOME": str(settings.home), "SUITABILITY_SOURCES": str(settings.sources)}
    return CliRunner().invoke(main, ["llm", verb, plan], env=environment)


def asked(settings: Settings) -> None:
    for plan in PLANS:
        done = call(settings, "run", plan)
        assert done.exit_code == 0, done.output


def collected(settings: Settings) -> tuple[pd.DataFrame, pd.DataFrame]:
    tables = supplied(settings)
    run_steps(tables, settings, propensity_llm_item, propensity_llm_response)
    return tables.read("raw.propensity_llm_item"), tables.read("raw.propensity_llm_response")


def counts(frame: pd.DataFrame) -> dict[str, int]:
    return {str(status): int(n) for status, n in frame["status"].value_counts().items()}


def test_every_call_is_accounted_for_and_each_state_kept(server: ChoosingServer, settings: Settings) -> None:
    items, responses = collected(settings)
    assert counts(items) == {"pending": 12} and items["lower_bound"].isna().all()
    # the file's item alone can be asked about so far
    assert counts(responses) == {"pending": 8 * 2} and responses["is_correct"].isna().all()
    assert not server.requests

    asked(settings)
    # 12 items, bands on all four propensities for the file's and all but the refused and the doubled one, runs, 3
    # replies in words
    assert server.paid_for.total() == 12 + (10 + 1) * 4 + N_ITEMS * 8 * 2 + 3
    assert set(server.paid_for.values()) == {1}

    items, responses = collected(settings)
    assert counts(items) == {"answered": 9, "refused": 1, "duplicate": 1, "unparsed": 1}
    is_used = items["status"] == "answered"
    assert set(items.loc[is_used, "lower_bound"]) == {"-1.5"} and set(items.loc[is_used, "upper_bound"]) == {
        "0.5"
    }
    assert items.loc[~is_used, ["lower_bound", "upper_bound"]].isna().all(axis=None)
    for row in items[is_used].to_dict("records"):
        pole = row["prompt"].split(" by ")[1].removesuffix(": choose.")
        assert row[f"option_{row['correct']}"] == f"Take the {pole} way."

    assert counts(responses) == {"answered": N_ITEMS * 8 * 2 - 1, "unparsed": 1}
    keys = ["system", "propensity", "item", "incitation"]
    assert not responses.duplicated(keys).any() and len(responses) == N_ITEMS * 8 * 2
    assert counts(responses.assign(status=responses["read_by"])) == {"schema": N_ITEMS * 16 - 3, "judge": 3}
    assert responses.loc[responses["status"] == "unparsed", "chosen"].isna().all()


def test_a_system_is_told_its_incitation_and_unprompted_nothing(
    server: ChoosingServer, settings: Settings
) -> None:
    asked(settings)
    told = {texts_of(request)[0] for request in server.requests if request["model"] == "plain"}
    assert told == {""} | {text for r in read_rubrics().values() for text in r.incitations.values()}
    _, responses = collected(settings)
    own = responses[(responses["system"] == "plain") & (responses["item"] == "f1")]
    question = next(texts_of(r)[1] for r in server.requests if texts_of(r)[1].startswith("Take {option_b}?"))
    for row in own.to_dict("records"):
        level = row["incitation"]
        prompt = "" if level == "none" else read_rubrics()["risk"].incitations[level]
        assert row["chosen"] == chosen("plain", prompt, question)
        assert row["is_correct"] == ("1" if row["chosen"] == "b" else "0")
    assert len(own) == 8


def test_runs_cut_off_and_resumed_give_what_undisturbed_ones_give(
    server: ChoosingServer, settings: Settings
) -> None:
    other = settings.model_copy(update={"home": settings.home.parent / "undisturbed"})
    asked(other)
    undisturbed, once = collected(other), server.paid_for.copy()
    server.paid_for.clear()
    for plan in PLANS:
        server.fails_after = len(server.requests) + 2
        cut = call(settings, "run", plan)
        assert cut.exit_code == 1, cut.output
        # what was cut off waits or failed, and has no option
        items, responses = collected(settings)
        for frame, value in ((items, "lower_bound"), (responses, "chosen")):
            assert frame.loc[frame["status"] != "answered", value].isna().all()
        server.fails_after = 10**9
        assert call(settings, "run", plan).exit_code == 0
    assert server.paid_for == once
    for found, expected in zip(collected(settings), undisturbed, strict=True):
        pd.testing.assert_frame_equal(found, expected)
    n_requests = len(server.requests)
    asked(settings)
    assert len(server.requests) == n_requests


def test_without_models_the_files_are_used_and_plans_say_who_is_missing(settings: Settings) -> None:
    assert settings.llm_path is not None
    settings.llm_path.unlink()
    items, responses = collected(settings)
    assert items.empty and responses.empty
    for plan, who in zip(PLANS[:3], ("writer", "rater", "system"), strict=True):
        told = call(settings, "run", plan)
        assert told.exit_code == 2 and f"[[{who}]]" in " ".join(told.output.split())


@pytest.mark.parametrize(
    ("bounds", "agreed"),
    [([-3, -2], -3), ([-3, -2, -1], -1.5), ([-3, -3, -1], -3), ([-2, -1], -1.5), ([-3], -3), ([0], 0)],
)
def test_no_bound_is_no_number_to_average(bounds: list[float], agreed: float) -> None:
    """Open where at least half of the raters leave it open; else the mean of the bounds that were given."""
    assert bands_module._agreed(bounds, -3) == agreed
    assert bands_module._agreed([-bound for bound in bounds], 3) == -agreed


def test_a_system_of_a_supplied_name_is_refused(settings: Settings) -> None:
    tables = supplied(settings, systems=("Talker",))
    run_steps(tables, settings, propensity_llm_item)
    with pytest.raises(dg.Failure, match=r"\[\[system\]\] talker of llm\.toml and Talker"):
        run_steps(tables, settings, propensity_llm_response)
