"""A part is refreshed only beside a whole of the same sources, and says of no file that it read it when it didn't."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from assets.sources.partial import PartialRefreshError, begin, finish, source_files_after


def test_a_part_follows_a_publication_of_the_same_sources_or_itself(tmp_path: Path) -> None:
    begin(tmp_path, "refresh", "a", None)
    with pytest.raises(PartialRefreshError, match=r"refresh did not get through.*Run `suitability refresh`"):
        begin(tmp_path, "refresh_chats", "a", "a")
    begin(tmp_path, "refresh", "a", None)
    finish(tmp_path)
    begin(tmp_path, "refresh_chats", "a", "a")
    begin(tmp_path, "refresh_chats", "a", "a")
    with pytest.raises(PartialRefreshError, match="refresh_chats did not get through"):
        begin(tmp_path, "refresh_results", "a", "a")
    finish(tmp_path)
    begin(tmp_path, "refresh_results", "a", "a")
    finish(tmp_path)
    with pytest.raises(PartialRefreshError, match="is from a, not from b"):
        begin(tmp_path, "refresh_chats", "b", "a")
    # assets chosen by hand leave it open what is whole
    begin(tmp_path, "by hand", "a", "a")
    with pytest.raises(PartialRefreshError, match="by hand did not get through"):
        begin(tmp_path, "refresh_chats", "a", "a")
    begin(tmp_path, "refresh", "b", "a")
    finish(tmp_path)
    begin(tmp_path, "refresh_chats", "b", "b")


def test_a_home_of_an_earlier_version_goes_by_its_last_refresh(tmp_path: Path) -> None:
    finish(tmp_path)
    with pytest.raises(PartialRefreshError, match="is from nowhere"):
        begin(tmp_path, "refresh_chats", "a", None)
    begin(tmp_path, "refresh_chats", "a", "a")


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
