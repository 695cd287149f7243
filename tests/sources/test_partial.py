"""A part is refreshed only beside a whole of the same sources, and says of no file that it read it when it didn't."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assets.project import folder_hash
from assets.settings import Settings
from assets.sources import partial
from assets.sources.partial import PartialRefreshError, begin, finish, source_files_after


@pytest.fixture
def own(tmp_path: Path) -> Settings:
    """Settings of a home whose working file is there."""
    (tmp_path / "warehouse.duckdb").touch()
    return Settings(home=tmp_path, sources=tmp_path / "a")


def other(own: Settings, **values: Any) -> Settings:
    return own.model_copy(update=values)


def test_a_part_follows_a_publication_of_the_same_sources_or_itself(own: Settings, tmp_path: Path) -> None:
    begin(own, "refresh")
    with pytest.raises(PartialRefreshError, match=r"refresh did not get through.*Run `suitability refresh`"):
        begin(own, "refresh_chats")
    begin(own, "refresh")
    finish(own.home)
    begin(own, "refresh_chats")
    begin(own, "refresh_chats")
    with pytest.raises(PartialRefreshError, match="refresh_chats did not get through"):
        begin(own, "refresh_results")
    finish(own.home)
    begin(own, "refresh_results")
    finish(own.home)
    elsewhere = other(own, sources=tmp_path / "b")
    with pytest.raises(PartialRefreshError, match=r"is from .*/a, not from .*/b"):
        begin(elsewhere, "refresh_chats")
    # assets chosen by hand leave it open what is whole
    begin(own, "by hand")
    with pytest.raises(PartialRefreshError, match="by hand did not get through"):
        begin(own, "refresh_chats")
    begin(elsewhere, "refresh")
    finish(own.home)
    begin(elsewhere, "refresh_chats")


def test_a_part_under_other_settings_is_refused_by_name(own: Settings) -> None:
    begin(own, "refresh")
    finish(own.home)
    with pytest.raises(
        PartialRefreshError,
        match="^SUITABILITY_MIN_CELL is 50 and was 1, SUITABILITY_SEED is 7 and was 20260101 in the last whole "
        r"refresh\. Run `suitability refresh`$",
    ):
        begin(other(own, seed=7, min_cell=50), "refresh_chats")
    with pytest.raises(PartialRefreshError, match="SUITABILITY_MIN_CHATS is 3 and was unset"):
        begin(other(own, min_chats=3), "refresh_results")
    # how long a lock is waited for decides no figure
    begin(other(own, lock_wait_seconds=1, llm=own.home / "llm.toml"), "refresh_chats")
    finish(own.home)
    begin(other(own, seed=7, min_cell=50), "refresh")
    finish(own.home)
    begin(other(own, seed=7, min_cell=50), "refresh_chats")


def test_a_part_under_another_version_of_the_project_is_refused(
    own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(own, "refresh")
    finish(own.home)
    monkeypatch.setattr(
        partial, "folder_hash", lambda folder: "new" if folder.name == "dbt" else folder_hash(folder)
    )
    with pytest.raises(PartialRefreshError, match=r"files of the project changed .* in dbt/\. Run"):
        begin(own, "refresh_chats")


def test_a_part_needs_a_working_file(own: Settings) -> None:
    with pytest.raises(PartialRefreshError, match="nothing in this home was refreshed as a whole yet"):
        begin(own, "refresh_chats")
    begin(own, "refresh")
    finish(own.home)
    own.warehouse_path.unlink()
    with pytest.raises(PartialRefreshError, match="nothing in this home was refreshed as a whole yet"):
        begin(own, "refresh_chats")


def test_a_home_of_an_earlier_version_asks_for_one_whole_refresh(own: Settings) -> None:
    (own.home / "begun.json").write_text(f'{{"sources": "{own.sources}", "jobs": []}}')
    with pytest.raises(PartialRefreshError, match=r"earlier version .*Run `suitability refresh`"):
        begin(own, "refresh_chats")
    begin(own, "refresh")
    finish(own.home)
    begin(own, "refresh_chats")


@pytest.mark.parametrize("content", [b"junk", b"", b"[]", b"{}", b'{"sources": 3}', b"\xff\x00"])
def test_a_damaged_note_is_named_and_made_anew(own: Settings, content: bytes) -> None:
    note = own.home / "begun.json"
    note.write_bytes(content)
    with pytest.raises(
        PartialRefreshError, match=r"begun\.json.*can't be read.*Run `suitability refresh`, which"
    ):
        begin(own, "refresh_chats")
    begin(own, "refresh")
    finish(own.home)
    begin(own, "refresh_chats")


def test_files_that_a_part_does_not_read_stay_as_they_were_read() -> None:
    columns = ["input", "source_file", "source_sha256"]
    before = pd.DataFrame([("chats", "c1", "1"), ("results", "r", "1"), ("onet", "o", "1")], columns=columns)
    found = pd.DataFrame(
        [("chats", "c2", "2"), ("results", "r", "2"), ("results", "s", "2")], columns=columns
    )
    after = source_files_after(found, before, {"chats"})
    assert sorted(after.itertuples(index=False, name=None)) == [
        ("chats", "c2", "2"),
        ("onet", "o", "1"),
        ("results", "r", "1"),
    ]
