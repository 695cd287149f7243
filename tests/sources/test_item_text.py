"""Texts of items that stand in results: the same text has one key in every source, another text has another."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from assets.common.text_key import item_text_key
from assets.sources.readers import read_results
from assets.sources.readers.inspect_logs import rows_of
from assets.sources.readers.item_text import input_text, item_text
from tests.sources.test_sources_inspect import log, sample
from tests.support.factories import RESULTS_HEADER, write_csv


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("Name  the\u00a0tallest\ntower ", True),
        ("\uff2eame the tallest tower", True),
        ("name the tallest tower", False),
        ("Name the tallest tower.", False),
        ("Q1", False),
    ],
)
def test_form_and_blanks_make_no_other_text(text: str, is_same: bool) -> None:
    assert (item_text_key(text) == item_text_key("Name the tallest tower")) is is_same


def test_a_log_keeps_key_and_beginning_of_each_input_and_who_answered() -> None:
    spoken = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "How far?"}]},
    ]
    given = log(
        sample("1", input="Q" * 100, output={"model": "m-2026-01-01"}),
        sample("2", input=spoken),
        sample("3", input=""),
    )
    frame = rows_of(given, "l.json", "0")[0].set_index("item")
    assert frame["text_start"].tolist() == ["Q" * 80, "How far?", None]
    assert frame.loc["1", "text_key"] == item_text_key("Q" * 100)
    assert frame.loc["2", "text_key"] == item_text("How far?")[0]
    assert frame["answered_model"].tolist() == ["m-2026-01-01", None, None]
    assert pd.isna(frame.loc["3", "text_key"]) and input_text([{"role": "assistant", "content": "x"}]) is None


def test_metadata_of_results_may_hold_the_text(tmp_path: Path) -> None:
    held = [json.dumps({"prompt": "How far?", "n": 1}), json.dumps({"n": 1}), "How far?", None, "{broken"]
    rows = [("t", f"{i}", 1, cell, "b") for i, cell in enumerate(held)]
    write_csv(tmp_path / "battery/results/s.csv", RESULTS_HEADER, rows)
    frame = read_results(tmp_path).frames["raw.result"]
    assert frame["text_start"].tolist() == ["How far?", None, None, None, None]
    assert frame["text_key"].tolist() == [item_text_key("How far?"), None, None, None, None]
