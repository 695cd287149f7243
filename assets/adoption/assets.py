"""Dagster assets of the adoption slice: thin shells around pure functions.

Belongs here: read, call, hand over, metadata. Does not belong here: any computation (steps.py, matches.py,
bootstrap.py, dbt).
"""

from assets.adoption.funnel.adoption_inputs import read_inputs, read_links
from assets.adoption.funnel.steps import AdoptionError, adopt
from assets.common.warehouse import Files, Parts
from assets.llm import collect, read_roles
from assets.llm.outcome import faults_as_failure
from assets.step import Made, Step, table_assets

READ = (
    *("chat", "chat_text", "request", "task_text", "occupation_task"),
    *("occupation", "occupation_skill", "task_work_activity"),
)
ADOPTION = {
    "estimate.chat_request": "What became of each unique English chat on the way to its tasks.",
    "estimate.request_match": "The nearest tasks of each request.",
    "estimate.task_set": "The sets of tasks that chats are kept for.",
    "estimate.adoption_step": "How each step of the funnel was done.",
    "estimate.adoption_bootstrap": "How far shares and depth would move had other chats been logged.",
}


@table_assets(
    group="adoption",
    name="adoption",
    writes=ADOPTION,
    reads=[f"intermediate.int_{name}" for name in READ],
    inputs=["roles", "ledger", "rubrics"],
    kinds=["python", "numpy"],
)
def adoption(step: Step) -> Made:
    """From unique English chats to kept tasks; language models' answers come from the ledger, nothing is sent."""
    from assets.adoption.funnel.bootstrap import bootstrap
    from assets.adoption.funnel.tables import kept_sets, set_frame, step_frame, write_requests
    from assets.adoption.match.matching import matcher_of
    from assets.embedding.embedders import EmbedderError

    settings, inputs = step.settings, read_inputs(step)
    ids = inputs.tasks["task_text_id"].tolist()
    with faults_as_failure(AdoptionError, EmbedderError):
        adopted = adopt(
            inputs, matcher_of(inputs.tasks, settings), settings.match_floor, settings.match_margin,
            read_roles(settings), lambda calls: collect(calls, settings.ledger_path),
        )  # fmt: skip
    intervals = bootstrap(
        kept_sets(adopted, ids), read_links(step),
        settings.depth_chats, settings.adoption_replicates, settings.seed_for("adoption bootstrap"),
    )  # fmt: skip
    told: dict[str, str | int] = {
        one.step: f"{one.status}: {one.method} ({one.note})" for one in adopted.steps
    }
    told["requests_matched_anew"] = adopted.matches.n_new
    requests = write_requests(adopted, step.home / "adoption" / "chat_request.parquet")
    return Made(
        {
            "estimate.chat_request": Files([requests]),
            "estimate.request_match": Parts(adopted.matches.parts),
            "estimate.task_set": set_frame(adopted, ids),
            "estimate.adoption_step": step_frame(adopted),
            "estimate.adoption_bootstrap": intervals,
        },
        metadata={"": told},
    )
