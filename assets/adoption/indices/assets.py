"""Dagster assets of what adoption is checked against: the embedder's validation, and the bridge to other indices.

Belongs here: read, call, hand over, metadata. Does not belong here: any computation (embedder_validation.py,
bridge.py, dbt).
"""

from collections.abc import Callable
from typing import Any

from assets.llm.outcome import faults_as_failure
from assets.settings import Settings
from assets.step import Made, Step, table_assets

GROUP = "adoption"
KINDS = ("python", "numpy")


@table_assets(
    group=GROUP,
    writes={
        "estimate.embedder_validation": "How well the embedder that matches chats follows O*NET's hierarchy; no rows "
        "where there are no chats."
    },
    reads=["raw.chat_file", "intermediate.int_hierarchy"],
    inputs=["roles"],
    kinds=KINDS,
)
def embedder_validation(step: Step) -> Made:
    """Correlate distances of vectors with distances in the hierarchy."""
    import pandas as pd

    from assets.adoption.indices.validation_store import validated

    nodes = step.read("intermediate.int_hierarchy")
    columns = ["embedder", "weights_sha256", "has_root", "pearson_r", "n_pairs"]
    rows = []
    if len(nodes) and len(step.read("raw.chat_file")):
        engine, embed = _engine(step.settings)
        found = validated(nodes, engine, embed, step.home / "adoption" / "validation")
        rows = [(engine.name, engine.weights_sha256, *vars(one).values()) for one in found]
    return Made({"estimate.embedder_validation": pd.DataFrame(rows, columns=columns)})


@table_assets(
    group=GROUP,
    writes={
        "estimate.index_bridge": "Which of our tasks and work activities the texts of other indices stand for."
    },
    reads=[f"intermediate.int_{name}" for name in ("index_text", "task_text", "work_activity")],
    inputs=["roles"],
    kinds=KINDS,
)
def index_bridge(step: Step) -> Made:
    """Exact texts first, then the nearest by the embedder."""
    import pandas as pd

    from assets.adoption.indices.bridge import bridge

    tasks = step.read("intermediate.int_task_text").assign(level="task")
    activities = step.read("intermediate.int_work_activity")
    ours = pd.concat(
        [
            tasks.rename(columns={"task_text_id": "unit"})[["level", "unit", "text"]],
            activities.rename(columns={"activity_id": "unit", "name": "text"})[["level", "unit", "text"]],
        ]
    )
    frame = bridge(
        step.read("intermediate.int_index_text"),
        ours,
        lambda texts: _engine(step.settings)[1](texts),
        step.settings.bridge_floor,
    )
    counts = {str(name): int(n) for name, n in frame["method"].value_counts().items()}
    return Made({"estimate.index_bridge": frame}, metadata={"": counts})


def _engine(settings: Settings) -> tuple[Any, Callable[[list[str]], Any]]:
    from assets.embedding.embedders import EmbedderError, load_embedder
    from assets.embedding.vectors import embed_cached

    with faults_as_failure(EmbedderError):
        engine = load_embedder(settings)

    def embed(texts: list[str]) -> Any:
        with faults_as_failure(EmbedderError):
            return embed_cached(texts, engine, settings.home / "adoption" / "vectors")

    return engine, embed
