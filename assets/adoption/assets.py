"""Dagster assets of the adoption slice: thin shells around pure functions.

Belongs here: read, call, write, metadata. Does not belong here: any computation (steps.py, matches.py, bootstrap.py,
dbt).
"""

from collections.abc import Iterator

import dagster as dg

from assets.adoption import asking
from assets.adoption.inputs import read_inputs, read_links
from assets.adoption.steps import AdoptionError, adopt
from assets.llm import collect, read_roles
from assets.llm.outcome import faults_as_failure
from assets.ports import Warehouse
from assets.settings import Settings

READ = (
    *("chat", "chat_text", "request", "task_text", "occupation_task"),
    *("occupation", "occupation_skill", "task_work_activity"),
)
ADOPTION = {
    "chat_request": "What became of each unique English chat on the way to its tasks.",
    "request_match": "The nearest tasks of each request.",
    "task_set": "The sets of tasks that chats are kept for.",
    "adoption_step": "How each step of the funnel was done.",
    "adoption_bootstrap": "How far shares and depth would move had other chats been logged.",
}


@dg.multi_asset(
    name="adoption",
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[
                *(["intermediate", f"int_{name}"] for name in READ),
                *(["file", name] for name in ("roles", "ledger", "prompts")),
            ],
            group_name="adoption",
            kinds={"python", "numpy"},
            # a changed prompt asks anew; settings and roles are added where they are known (version.py)
            code_version=asking.code_version(),
            description=description,
        )
        for name, description in ADOPTION.items()
    ],
    pool="warehouse",
)  # fmt: skip
def adoption(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """From unique English chats to kept tasks; language models' answers come from the ledger, nothing is sent."""
    from assets.adoption.bootstrap import bootstrap
    from assets.adoption.embedders import EmbedderError
    from assets.adoption.matching import matcher_of
    from assets.adoption.tables import kept_sets, set_frame, step_frame, write_requests

    inputs = read_inputs(warehouse)
    ids = inputs.tasks["task_text_id"].tolist()
    with faults_as_failure(AdoptionError, EmbedderError):
        adopted = adopt(
            inputs, matcher_of(inputs.tasks, settings), settings.match_floor, settings.match_margin,
            read_roles(settings), lambda calls: collect(calls, settings.ledger_path),
        )  # fmt: skip
    intervals = bootstrap(
        kept_sets(adopted, ids), read_links(warehouse),
        settings.depth_chats, settings.adoption_replicates, settings.seed_for("adoption bootstrap"),
    )  # fmt: skip
    warehouse.load(
        "model.chat_request", [write_requests(adopted, settings.home / "adoption" / "chat_request.parquet")]
    )
    warehouse.sync("model.request_match", adopted.matches.parts)
    frames = {
        "task_set": set_frame(adopted, ids),
        "adoption_step": step_frame(adopted), "adoption_bootstrap": intervals,
    }  # fmt: skip
    warehouse.replace({f"model.{name}": frame for name, frame in frames.items()})
    notes: dict[str, str | int] = {
        step.step: f"{step.status}: {step.method} ({step.note})" for step in adopted.steps
    }
    notes["requests_matched_anew"] = adopted.matches.n_new
    n_rows = {name: len(frame) for name, frame in frames.items()} | {"chat_request": len(adopted.chats)}
    for name in ADOPTION:
        counted: dict[str, str | int] = {"dagster/row_count": n_rows[name]} if name in n_rows else {}
        yield dg.MaterializeResult(asset_key=["model", name], metadata=counted | notes)
