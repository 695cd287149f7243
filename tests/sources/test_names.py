"""Names that look alike are one name, damaged ones are refused where they stand, likely twins are told."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from pathlib import Path

import duckdb
import jinja2
import pytest

from assets.common.names import clean_name, is_damaged
from assets.llm.roles import Model
from assets.settings import PROJECT
from assets.sources.errors import SourceError
from assets.sources.readers import (
    read_candidates,
    read_items,
    read_ratings,
    read_results,
    read_systems,
    read_verdicts,
)
from assets.sources.readers.ratings import headings

UNSEEN = (
    "\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u00ad\ufeff\ufe0f\u034f\u115f\u3164\U000e0041"
)
HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
BLANKS = "\u00a0\u2002\u2009\u202f\u205f\u3000\u1680"


@pytest.mark.parametrize("letter", UNSEEN)
def test_what_nobody_sees_is_no_part_of_a_name(letter: str) -> None:
    assert clean_name(f"{letter}al{letter}pha{letter}") == "alpha"


def test_look_alikes_are_folded() -> None:
    assert {clean_name(f"gpt{letter}4") for letter in HYPHENS} == {"gpt-4"}
    assert {clean_name(f"{letter}model{letter}4{letter}") for letter in BLANKS} == {"model 4"}
    assert clean_name("\uff27\uff30\uff34 \u201c4\u201d") == 'GPT "4"'
    # an accent of its own, parted from its letter by what nobody sees
    assert clean_name("caf\u0065\u200d\u0301") == "caf\u00e9"
    # what differs to the eye stays different, and so does case
    assert len({clean_name(name) for name in ("007", "7", "7.0", "A", "a", "\u0391", "a_b", "a-b")}) == 8


def test_cleaning_again_changes_nothing() -> None:
    """Every character, alone and between letters."""
    for code in range(sys.maxunicode + 1):
        name = clean_name(f"a{chr(code)}\u0301b")
        assert clean_name(name) == name, hex(code)
        assert not any(unicodedata.category(letter) == "Cf" for letter in name), hex(code)


def write(path: Path, *rows: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def test_files_that_look_alike_are_not_two_systems(tmp_path: Path) -> None:
    for stem in ("alpha", "alpha\u200e", "al\u00adpha"):
        write(tmp_path / f"battery/results/{stem}.csv", "dataset_name,sample_id,score", "B,1,1")
    with pytest.raises(SourceError, match="gives the same name") as raised:
        read_results(tmp_path)
    # they look the same, so how they differ is spelt out
    assert r"al\xadpha" in str(raised.value) and r"alpha\u200e" in str(raised.value)


def test_one_item_under_look_alike_names_joins(tmp_path: Path) -> None:
    levels = ",".join("1" for _ in headings())
    header = ",".join(["dataset name", "sample id", *headings().values()])
    write(tmp_path / "battery/ratings/no\u200brth.csv", header, f"B\u2011x,q\u00a01,{levels}")
    write(tmp_path / "battery/results/a.csv", "dataset_name,sample_id,score", "B-x\u2060,q 1,1")
    ratings, results = read_ratings(tmp_path), read_results(tmp_path)
    frames = ratings.frames["raw.rating"], results.frames["raw.result"]
    assert [set(frame["benchmark"]) for frame in frames] == [{"B-x"}] * 2
    assert [set(frame["item"]) for frame in frames] == [{"q 1"}] * 2
    assert set(frames[0]["rater"]) == {"north"}
    # how they were spelt is kept
    assert results.respelled == {"battery/results/a.csv": {"B-x\u2060": "B-x"}}
    assert ratings.respelled["battery/ratings/no\u200brth.csv"]["no\u200brth"] == "north"


def test_a_lost_character_in_a_name_is_told_with_file_and_row(tmp_path: Path) -> None:
    write(tmp_path / "battery/systems.csv", "system,name", "good,caf\ufffd", "m\ufffdnd,x")
    with pytest.raises(
        SourceError, match=r"battery/systems\.csv, row 3, column 'system': a character was lost"
    ):
        read_systems(tmp_path)
    write(tmp_path / "battery/results/m\ufffd.csv", "dataset_name,sample_id,score", "B,1,1")
    with pytest.raises(SourceError, match=r"m\ufffd\.csv: a character was lost"):
        read_results(tmp_path)
    write(tmp_path / "battery/items/B.jsonl", '{"item": "1", "text": "a"}', '{"item": "\ufffd", "text": "b"}')
    with pytest.raises(SourceError, match=r"B\.jsonl, row 2, column 'item': a character was lost"):
        read_items(tmp_path)
    write(tmp_path / "tournament/candidates.csv", "candidate,family,role", "\ufffd,f,judge")
    with pytest.raises(SourceError, match="row 2, column 'candidate'"):
        read_candidates(tmp_path)
    verdict = {"task": "t", "mode": "automation", "run": 1, "judge": "j\ufffd", "first": "a", "second": "b"}
    write(tmp_path / "tournament/judgements/v.jsonl", json.dumps(verdict | {"choice": "first"}))
    (row,) = read_verdicts(tmp_path).frames["raw.tournament_verdict"].to_dict("records")
    assert row["fault_column"] == "judge" and "lost" in row["fault"]
    assert is_damaged("\ufffd") and not is_damaged(None)


def test_models_of_llm_toml_are_called_as_files_call_them() -> None:
    given = {"role": "judge", "model": "m", "base_url": "https://x.example/v1"}
    assert Model(name=" gpt\u20114\u200b ", **given).name == "gpt-4"
    for name in ("\ufffd", "\u200b"):
        with pytest.raises(ValueError, match="can be read"):
            Model(name=name, **given)


def undated(keys: list[str]) -> dict[str, str]:
    """Key -> the spelling by which twins are found, by the macro's own SQL."""
    text = (PROJECT / "dbt/macros/battery.sql").read_text(encoding="utf-8")
    macro = re.search(r"\{% macro undated_key.*?\{%- endmacro %\}", text, re.DOTALL)
    assert macro
    sql = jinja2.Template(macro[0] + "{{ undated_key('key') }}").render()
    found = duckdb.execute(f"select key, {sql} from unnest($1) as given (key)", [keys]).fetchall()
    return dict(found)


def test_likely_twins_have_one_spelling() -> None:
    twins = [
        *("claude-sonnet-4", "Claude_Sonnet 4", "claude-sonnet-4@20250514", "claude-sonnet-4-20250514"),
        *("claude-sonnet-4-latest", "claude-sonnet-4:free", "anthropic/claude-sonnet-4", "anthropic.claude-sonnet-4"),
        *("openrouter/anthropic/claude-sonnet-4:free", "us.anthropic.claude-sonnet-4-20250514-v1:0"),
        *("claude-sonnet-4-2025-05-14", "eu.anthropic.claude-sonnet-4-v1:0"),
    ]  # fmt: skip
    assert set(undated(twins).values()) == {"claude-sonnet-4"}
    apart = [
        "gpt-4",
        "gpt-4o",
        "gpt-4.1",
        "gpt-4-mini",
        "o1",
        "o1-preview",
        "m[effort=high]",
        "m[effort=low]",
        "m",
    ]
    apart += ["deepseek-v3", "deepseek-v3.1", "user.name", "us"]
    assert len(set(undated(apart).values())) == len(apart)
