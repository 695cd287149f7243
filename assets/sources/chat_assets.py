"""The raw assets of chats.

Belongs here: the thin Dagster asset. Does not belong here: reading (readers/chats.py), judging (expectations/, dbt).
"""

from collections.abc import Iterator

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings
from assets.sources.folder import sources_folder
from assets.sources.outcome import faults_as_failure
from assets.sources.readers import read_chats

CHAT = {
    "chat": "Chats by their user's turns: cleaned, masked and capped; the texts go no further than the working file.",
    "chat_file": "What was read of each file of chats.",
}


@dg.multi_asset(
    name="chats",
    specs=[
        dg.AssetSpec(
            ["raw", name],
            deps=[["file", "chats"]],
            group_name="adoption",
            kinds={"python", "parquet"},
            code_version="1",
            description=description,
        )
        for name, description in CHAT.items()
    ],
    pool="warehouse",
)
def chats(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Read and load what is new or changed."""
    with faults_as_failure():
        found = read_chats(
            sources_folder(settings),
            settings.home / "chats",
            max_characters=settings.chat_characters,
            request_characters=settings.request_characters,
        )
        warehouse.sync("raw.chat", found.parts)
    warehouse.replace({"raw.chat_file": found.files})
    version = dg.DataVersion("-".join(part.stem[:8] for part in found.parts) or "none")
    yield dg.MaterializeResult(
        asset_key=["raw", "chat"],
        metadata={"dagster/row_count": int(found.files["n_rows"].sum()), "files_read_anew": found.n_read},
        data_version=version,
    )
    yield dg.MaterializeResult(
        asset_key=["raw", "chat_file"],
        metadata={"dagster/row_count": len(found.files), "ignored_files": found.ignored_files},
        data_version=version,
    )
