"""O*NET without any chat: nothing was seen, which is not the same as seen to be nought."""

from __future__ import annotations

from pathlib import Path

from tests.support.adoption.slice_build import build
from tests.support.adoption.small_world import world


def test_without_chats_no_share_is_published(tmp_path: Path, dbt_target: Path) -> None:
    sources = tmp_path / "sources"
    (sources / "chats").mkdir(parents=True)
    warehouse = build(tmp_path, sources, world(), dbt_target, "--exclude-resource-type", "unit_test")
    for mart in (
        *("occupation_adoption", "major_group_adoption", "adoption_depth"),
        *("skill_usage", "work_activity_usage"),
    ):
        assert warehouse.read(f"marts.{mart}").empty, mart
    funnel = warehouse.read("marts.chat_funnel").set_index("stage")["n_chats"]
    assert funnel["all"] == 0
    assert len(warehouse.read("intermediate.int_occupation")) == 10
