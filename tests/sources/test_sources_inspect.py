"""Logs of Inspect AI as results: which system, which rows, which logs are refused.

What needs the library is skipped where it isn't installed (the extra `inspect`); the rest takes logs as plain values
in the documented format, version 2.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assets.settings import Settings
from assets.sources.inputs import BY_NAME, listed_files
from assets.sources.inventory import list_source_files
from assets.sources.readers import SourceError, inspect_logs, read_results
from assets.sources.readers.inspect_logs import conflicts, rows_of
from assets.sources.readers.inspect_system import system_of
from tests.support.factories import write_results

CELLS = ["item", "epoch", "score", "sample_status"]


def sample(id: object = "1", epoch: int = 1, **fields: Any) -> dict[str, Any]:
    scores = {name: {"value": value} for name, value in fields.pop("scores", {"match": "C"}).items()}
    return {"id": id, "epoch": epoch, "input": "?", "target": "!", "scores": scores} | fields


def log(*samples: dict[str, Any], status: str = "success", **spec: Any) -> dict[str, Any]:
    """A log; `plan` and `options` are those of the task, everything else is said in `eval`."""
    plan = {"name": "plan", "steps": spec.pop("plan", []), "config": spec.pop("options", {})}
    given = {
        "created": "2026-01-31T12:00:00+00:00",
        "task": "bench",
        "eval_id": "e1",
        "dataset": {"sample_ids": list(dict.fromkeys(s["id"] for s in samples))},
        "model": "openai/m",
        "model_generate_config": {},
        "config": {"epochs": 1},
        "scorers": [{"name": "match"}],
    }
    return {
        "version": 2,
        "status": status,
        "eval": given | spec,
        "plan": plan,
        "samples": list(samples) if samples else [sample()],
    }


def step(solver: str, **passed: Any) -> dict[str, Any]:
    return {"solver": solver, "params": passed | {"default": 1}, "params_passed": passed}


def rows(given: dict[str, Any]) -> pd.DataFrame:
    return rows_of(given, "battery/results/x.json", "0")[0]


def told(given: dict[str, Any]) -> str:
    with pytest.raises(SourceError) as caught:
        rows(given)
    return str(caught.value)


def test_a_row_a_sample_and_epoch_with_ids_as_texts() -> None:
    """A10: 7 and '007' are two items; epochs are attempts; the score stands as the log has it."""
    frame = rows(
        log(
            sample("007", 2, scores={"match": "I"}),
            sample("007", 1),
            sample(7, 1, scores={"match": 0.5}),
            sample("b", 1, scores={"match": True}),
            sample("c", 1, scores={"match": 1}),
            sample("d", 1, scores={"match": float("nan")}),
            sample("e", 1, scores={"match": {"a": 1}}),
        )
    )
    assert list(frame["row_number"]) == [1, 2, 3, 4, 5, 6, 7]
    assert list(frame[CELLS[:3]].itertuples(index=False, name=None)) == [
        ("007", "1", "C"),
        ("7", "1", "0.5"),
        ("b", "1", "true"),
        ("c", "1", "1"),
        ("d", "1", "NaN"),
        ("e", "1", '{"a": 1}'),
        ("007", "2", "I"),
    ]
    same = ["benchmark", "task_name", "scorer", "log_status", "log_version", "eval_id", "logged_at"]
    expected = ("bench", "bench", "match", "success", "2", "e1", "2026-01-31T12:00:00+00:00")
    assert set(frame[same].itertuples(index=False, name=None)) == {expected}


def test_errors_limits_and_invalid_samples_stay_and_stay_apart() -> None:
    """A15, A16: no sample leaves the count, and none without a verdict is given one."""
    frame = rows(
        log(
            sample("1", error={"message": "boom"}, scores={}),
            sample("2", limit={"type": "token", "limit": 9}, scores={"match": "I"}),
            sample("3", invalidation={"author": "a", "reason": "leak"}),
            sample("4", scores={"match": "N"}),
            sample("5", scores={}),
            status="error",
        )
    )
    found = dict(zip(frame["item"], zip(frame["sample_status"], frame["score"], strict=True), strict=True))
    assert found == {
        "1": ("error", None),
        "2": ("limit", "I"),
        "3": ("invalidated", "C"),
        "4": ("success", "N"),
        "5": ("success", None),
    }
    assert set(frame["log_status"]) == {"error"}


def test_what_a_cancelled_run_never_reached_counts_as_asked() -> None:
    """Four ids in two epochs: eight were asked, three are there."""
    given = log(sample("0"), sample("2"), sample("0", 2), status="cancelled", config={"epochs": 2})
    given["eval"]["dataset"]["sample_ids"] = ["0", "2", "4", 6]
    frame = rows(given)
    missing = frame[frame["sample_status"] == "missing"]
    assert list(zip(missing["epoch"], missing["item"], strict=True)) == [
        ("1", "4"),
        ("1", "6"),
        ("2", "2"),
        ("2", "4"),
        ("2", "6"),
    ]
    assert missing["score"].isna().all() and set(frame["n_asked"]) == {"8"}
    assert frame["row_number"].tolist() == list(range(1, 9))


@pytest.mark.parametrize(
    ("config", "n_asked"),
    [
        ({}, 40),
        ({"limit": 4}, 4),
        ({"limit": [10, 30]}, 21),
        ({"limit": [0, 40]}, 40),
        ({"sample_id": ["1", "3?"]}, 11),
        ({"sample_id": "1"}, 1),
    ],
)
def test_what_a_run_was_not_to_take_is_not_missing(config: dict[str, Any], n_asked: int) -> None:
    """Sample 1 is there; of 0 to 39 the run was to take those of `config` (3? are ten, 10 to 29 are twenty)."""
    given = log(sample("1"), config={"epochs": 1} | config)
    given["eval"]["dataset"]["sample_ids"] = [str(n) for n in range(40)]
    frame = rows(given)
    assert len(frame) == n_asked and set(frame["n_asked"]) == {str(n_asked)}


def test_a_cut_log_that_names_no_samples_still_tells_how_many_there_were() -> None:
    given = log(sample("1")) | {"results": {"total_samples": 2340}}
    assert rows(given)["n_asked"].tolist() == ["2340"]
    # logs of the first version say 0, and a run may stop early on purpose
    assert rows(log(sample("1")) | {"results": {"total_samples": 0}})["n_asked"].tolist() == ["1"]
    early = log(sample("1")) | {"results": {"early_stopping": {"manager": "m"}}}
    early["eval"]["dataset"]["sample_ids"] = ["1", "2"]
    assert rows(early)["n_asked"].tolist() == ["1"]


def test_the_first_scorer_counts_unless_another_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    two = log(
        sample("1", scores={"other": "I", "match": "C"}),
        sample("2", scores={"other": "C"}),
        scorers=[{"name": "match"}, {"name": "other"}],
    )
    frame, left_out = rows_of(two, "x.json", "0")
    assert list(frame["score"]) == ["C", None] and left_out == ["scorer 'other' (2 scores)"]
    monkeypatch.setattr(inspect_logs, "chosen_scorers", lambda: {"bench": "other"})
    frame, left_out = rows_of(two, "x.json", "0")
    assert list(frame["score"]) == ["I", "C"] and left_out == ["scorer 'match' (1 scores)"]
    monkeypatch.setattr(inspect_logs, "chosen_scorers", lambda: {"bench": "judge"})
    assert "asks for scorer 'judge' of task 'bench'; found ['other', 'match']" in told(two)


@pytest.mark.parametrize(
    ("spec", "key"),
    [
        ({}, "openai/m"),
        (
            {"model_generate_config": {"temperature": 0.0, "reasoning_effort": "high"}},
            "openai/m[reasoning_effort=high temperature=0]",
        ),
        ({"model_args": {"quantization": "int4"}}, "openai/m[quantization=int4]"),
        ({"solver": "react", "solver_args_passed": {"attempts": 3}}, "openai/m+react(attempts=3)"),
        (
            {"plan": [step("system_message", template="?"), step("react", attempts=2)]},
            "openai/m+react(attempts=2)",
        ),
        ({"plan": [step("self_critique"), step("bridge")]}, "openai/m+self_critique+bridge"),
        ({"model_roles": {"critic": {"model": "openai/c"}}}, "openai/m+roles(critic=openai/c)"),
        ({"solver": "generate", "solver_args_passed": {}}, "openai/m"),
        # not of the system: how calls are sent, what marks the answers, what the task itself fixes
        ({"model_generate_config": {"max_connections": 9, "seed": 1, "timeout": 5}}, "openai/m"),
        ({"model_args": {"api_key": "k", "hf_token": "t"}}, "openai/m"),
        ({"model_roles": {"grader": {"model": "openai/g"}}}, "openai/m"),
        ({"plan": [step("multiple_choice", cot=True)], "options": {"max_tokens": 9}}, "openai/m"),
    ],
)
def test_a_system_is_model_settings_and_scaffold(spec: dict[str, Any], key: str) -> None:
    """A20, and its opposite: one model is one system over benchmarks that word their prompts differently."""
    frame = rows(log(**spec))
    assert set(frame["system"]) == {key}
    assert set(frame["model"]) == {"openai/m"}
    assert frame["settings"].notna().all() and frame["scaffold"].notna().all()


def test_settings_that_are_long_or_private_show_as_a_hash() -> None:
    keys = {
        system_of(log(model_generate_config={"system_message": text})).key
        for text in ("Sk-1 is my secret", "Sk-2 is my secret", "x" * 500)
    }
    assert len(keys) == 3 and all(len(key) < 50 and "ecret" not in key for key in keys)


def test_options_of_logs_older_than_the_models_own_are_the_plans() -> None:
    old = log(options={"temperature": 0.5})
    del old["eval"]["model_generate_config"]
    assert system_of(old).key == "openai/m[temperature=0.5]"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (log() | {"samples": []}, r"holds no samples (its status is success). Remove the log"),
        (log(status="started") | {"samples": []}, "(its status is started). Wait until it has finished"),
        (log(sample("1"), sample("1", 1, scores={"match": "I"})), "item '1' stands twice in epoch 1"),
        (log(sample(7), sample("7")), "item '7' stands twice in epoch 1 (as 7 and '7')"),
        (
            log(sample(7), dataset={"sample_ids": [7, "7"]}),
            "item '7' is asked twice (as 7 and '7')",
        ),
        (log(sample(" ")), "' ' can't name an item"),
        (log(sample("a\0b")), "can't name an item"),
        (log(task=""), "the log names no task"),
    ],
)
def test_what_is_refused_in_a_log(given: dict[str, Any], what: str) -> None:
    """A5: neither of two scores of one attempt is preferred."""
    assert what in told(given)


def test_logs_that_may_stand_together_and_logs_that_may_not() -> None:
    first = log(task_id="t1", plan=[step("prompt_template", template="a")])
    others = {
        "rerun.eval": log(task_id="t2", plan=[step("prompt_template", template="a")]),
        "other_task.eval": log(task_id="t3", task="b", plan=[step("multiple_choice")]),
        "other_system.eval": log(task_id="t4", model="openai/n"),
        "copy.json": log(task_id="t1"),
        "variant.eval": log(task_id="t5", plan=[step("prompt_template", template="b")]),
        "short.eval": log(
            task_id="t6",
            plan=[step("prompt_template", template="a")],
            config={"message_limit": 3},
        ),
    }
    faults = {fault.file: str(fault) for fault in conflicts({"first.eval": first} | others)}
    assert set(faults) == {"copy.json", "variant.eval", "short.eval"}
    assert "a copy or a retry of first.eval" in faults["copy.json"]
    assert "'openai/m' ran the same task under other prompts" in faults["variant.eval"]


def put(sources: Path, name: str, given: object) -> Path:
    path = sources / "battery/results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        path.write_text(json.dumps(given))
        return path
    assert isinstance(given, dict)
    header = {name: part for name, part in given.items() if name != "samples"}
    with zipfile.ZipFile(path, "w") as archive:
        if given["status"] == "started":
            start = {"version": 2, "eval": header["eval"], "plan": header["plan"]}
            archive.writestr("_journal/start.json", json.dumps(start))
        else:
            archive.writestr("header.json", json.dumps(header))
        for one in given["samples"]:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
    return path


def test_a_log_without_the_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_results(tmp_path)
    put(tmp_path, "run.eval", log())
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(SourceError) as caught:
        read_results(tmp_path)
    assert "battery/results/run.eval: a log of Inspect AI" in str(caught.value)
    assert "pip install 'suitability[inspect]'" in str(caught.value)


def test_logs_are_listed_and_watched_like_csv(tmp_path: Path) -> None:
    write_results(tmp_path, "run")
    put(tmp_path, "run.eval", log())
    put(tmp_path, "run.json", log())
    watched, _ = listed_files(BY_NAME["results"], Settings(sources=tmp_path))
    listed = set(list_source_files(tmp_path)["source_file"].str.split("/").str[-1])
    assert {path.name for path in watched} == listed == {"run.csv", "run.eval", "run.json"}


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_the_library_reads_both_formats_beside_csv(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    write_results(tmp_path, "system-a")
    given = log(
        sample("007", 1),
        sample(7, 1, error={"message": "b", "traceback": "", "traceback_ansi": ""}, scores={}),
        sample("007", 2, scores={"match": float("nan")}),
        config={"epochs": 2},
        model_generate_config={"temperature": 0.5, "max_retries": 2},
        plan=[step("generate"), step("react", attempts=2)],
        options={"temperature": 0.5, "max_tokens": 5},
        task_id="t1",
    )
    put(tmp_path, f"run{suffix}", given)
    reading = read_results(tmp_path)
    frame = reading.frames["raw.result"]
    assert list(frame["system"].unique()) == ["system-a", "openai/m[temperature=0.5]+react(attempts=2)"]
    assert frame.loc[frame["system"] == "system-a", "epoch"].isna().all()
    read = frame[frame["source_file"] == f"battery/results/run{suffix}"]
    # hand-written values and what the library makes of the file give the same rows
    twin = rows_of(given, f"battery/results/run{suffix}", reading.files[f"battery/results/run{suffix}"])[0]
    pd.testing.assert_frame_equal(read.reset_index(drop=True), twin)
    assert list(twin[CELLS].itertuples(index=False, name=None)) == [
        ("007", "1", "C", "success"),
        ("7", "1", None, "error"),
        ("007", "2", "NaN", "success"),
    ]
    assert reading.ignored_files == []


def test_a_running_log_gives_what_it_has_and_says_so(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    put(tmp_path, "run.eval", log(sample("1"), status="started"))
    frame = read_results(tmp_path).frames["raw.result"]
    assert list(frame["log_status"]) == ["started"] and list(frame["score"]) == ["C"]


def test_files_that_are_no_log_are_named_with_what_is_wrong(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    whole = put(tmp_path, "cut.eval", log(*(sample(str(i)) for i in range(50))))
    whole.write_bytes(whole.read_bytes()[:2000])
    put(tmp_path, "settings.json", {"temperature": 1})
    put(tmp_path, "list.json", [1, 2])
    (tmp_path / "battery/results/half.json").write_text(json.dumps(log())[:200])
    (tmp_path / "battery/results/empty.eval").touch()
    with pytest.raises(SourceError) as caught:
        read_results(tmp_path)
    names = ["cut.eval", "empty.eval", "half.json", "list.json", "settings.json"]
    assert [fault.file.split("/")[-1] for fault in caught.value.faults] == names
    assert all("cannot be read as a log of Inspect (" in fault.what for fault in caught.value.faults)
