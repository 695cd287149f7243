"""Dagster assets of what adoption is checked against: the embedder's validation, and the bridge to other indices.

Belongs here: read, call, write, metadata. Does not belong here: any computation (validation.py, bridge.py, dbt).
"""

from collections.abc import Callable
from typing import Any

import dagster as dg

from assets.llm.outcome import faults_as_failure
from assets.ports import Warehouse
from assets.settings import Settings


@dg.asset(
    key=["model", "embedder_validation"],
    deps=[["raw", "chat_file"], ["intermediate", "int_hierarchy"], ["file", "roles"]],
    group_name="adoption",
    kinds={"python", "numpy"},
    code_version="2",
    pool="warehouse",
)
def embedder_validation(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult[Any]:
    """How well the embedder that matches chats follows O*NET's hierarchy; no rows where there are no chats."""
    import pandas as pd

    from assets.adoption.validation_store import validated

    nodes = warehouse.read("intermediate.int_hierarchy")
    columns = ["embedder", "weights_sha256", "has_root", "pearson_r", "n_pairs"]
    rows = []
    if len(nodes) and len(warehouse.read("raw.chat_file")):
        engine, embed = _engine(settings)
        found = validated(nodes, engine, embed, settings.home / "adoption" / "validation")
        rows = [(engine.name, engine.weights_sha256, *vars(one).values()) for one in found]
    frame = pd.DataFrame(rows, columns=columns)
    warehouse.replace({"model.embedder_validation": frame})
    return dg.MaterializeResult(metadata={"dagster/row_count": len(frame)})


@dg.asset(
    key=["model", "index_bridge"],
    deps=[
        *(["intermediate", f"int_{name}"] for name in ("index_text", "task_text", "work_activity")),
        ["file", "roles"],
    ],
    group_name="adoption",
    kinds={"python", "numpy"},
    code_version="2",
    pool="warehouse",
)
def index_bridge(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult[Any]:
    """Which of our tasks and work activities the texts of other indices stand for."""
    import pandas as pd

    from assets.adoption.bridge import bridge

    tasks = warehouse.read("intermediate.int_task_text").assign(level="task")
    activities = warehouse.read("intermediate.int_work_activity")
    ours = pd.concat(
        [
            tasks.rename(columns={"task_text_id": "unit"})[["level", "unit", "text"]],
            activities.rename(columns={"activity_id": "unit", "name": "text"})[["level", "unit", "text"]],
        ]
    )
    frame = bridge(
        warehouse.read("intermediate.int_index_text"),
        ours,
        lambda texts: _engine(settings)[1](texts),
        settings.bridge_floor,
    )
    warehouse.replace({"model.index_bridge": frame})
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(frame),
            **{str(name): int(n) for name, n in frame["method"].value_counts().items()},
        }
    )


def _engine(settings: Settings) -> tuple[Any, Callable[[list[str]], Any]]:
    from assets.adoption.embedders import EmbedderError, load_embedder
    from assets.adoption.vectors import embed_cached

    with faults_as_failure(EmbedderError):
        engine = load_embedder(settings)

    def embed(texts: list[str]) -> Any:
        with faults_as_failure(EmbedderError):
            return embed_cached(texts, engine, settings.home / "adoption" / "vectors")

    return engine, embed
