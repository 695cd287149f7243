"""What the slice finds follows from what its inputs say, not from the order of their rows or their files' names."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assets.adoption.funnel.adoption_inputs import read_inputs
from assets.settings import PROJECT
from dagster_project.resources import DuckDBWarehouse
from tests.support.adoption.slice_build import build
from tests.support.adoption.small_world import THINGS, VERBS, world
from tests.support.factories import write_csv

MARTS = sorted(path.stem for path in (PROJECT / "dbt/models/marts/adoption").glob("*.sql"))
Row = dict[str, Any]


def chat(number: int, country: str | None, *said: str) -> Row:
    turns = [{"role": "user", "content": text} for text in said]
    return {"conversation_hash": str(number), "conversation": turns, "language": "en_US", "country": country}


def logs() -> dict[str, list[Row]]:
    """Two public months and a firm's own log; copies differ in country, form, case, and how their turns are divided."""
    rng = random.Random(11)
    files: dict[str, list[Row]] = {"first": [], "second": [], "own": []}
    for number in range(300):
        thing = rng.choice(THINGS)
        said = f"Please {rng.choice(VERBS).lower()} the {thing}, example {number}", "Explain how people do it"
        files["first"].append(chat(number, ("United States", "India", None)[number % 3], *said))
        match number % 6:
            case 0:
                files["second"].append(chat(number, "Germany", *said))
            case 1:
                files["second"].append(chat(number, None, "\n".join(said)))
            case 2:
                files["second"].append(chat(number, "US", *(text.upper() for text in said)))
            case 3:
                files["own"].append({"chat_id": str(number), "text": "\n\n".join(said), "at": "2024-05-01"})
    return files


def tables() -> dict[str, pd.DataFrame]:
    """Raw tables; every other occupation shares its code of OEWS with the next one."""
    given = world()
    occupations = given["raw.onet_occupation"]["occupation"].tolist()
    codes = [occupations[n - n % 2][:7] for n in range(len(occupations))]
    employed = [
        (code, "x", "detailed", 1_000 / (n + 3), 40_000 + n) for n, code in enumerate(sorted(set(codes)))
    ]
    header = ("oews_code", "title", "soc_level", "employment", "median_wage")
    return given | {
        "raw.onet_release": pd.DataFrame({"soc_taxonomy": ["O*NET-SOC 2019"]}),
        "raw.oews": pd.DataFrame(employed, columns=header).astype(str),
        "raw.oews_crosswalk": pd.DataFrame(
            {"occupation": occupations, "oews_code": codes, "soc_taxonomy": "O*NET-SOC 2019"}
        ),
    }


def write(sources: Path, names: dict[str, str], shuffled: random.Random | None) -> None:
    def rows(of: list[Any]) -> list[Any]:
        return shuffled.sample(of, len(of)) if shuffled else of

    (sources / "chats").mkdir(parents=True)
    for file, given in logs().items():
        text = "".join(json.dumps(row) + "\n" for row in rows(given))
        (sources / "chats" / f"{names[file]}.jsonl").write_text(text)
    statements = sorted(set(world()["raw.onet_task"]["task"]))
    shares = [(text.lower(), 0.1 + n / 7) for n, text in enumerate([*statements, "hum in the shower."])]
    write_csv(
        sources / "comparison/aei/release_2025_03_27/task_pct_v2.csv", ("task_name", "pct"), rows(shares)
    )


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> list[DuckDBWarehouse]:
    """The slice as it is, and of shuffled rows and renamed files."""
    found = []
    for names, shuffled in (
        ({"first": "a", "second": "b", "own": "c"}, None),
        ({"first": "z", "second": "b", "own": "a"}, random.Random(3)),
    ):
        folder = tmp_path_factory.mktemp("order")
        write(folder / "sources", names, shuffled)
        given = tables()
        if shuffled:
            given = {name: frame.sample(frac=1, random_state=4) for name, frame in given.items()}
        options = ("--exclude-resource-type", "unit_test")
        found.append(build(folder, folder / "sources", given, dbt_target, *options, match_floor=0.4))
    return found


def content(warehouse: DuckDBWarehouse, mart: str) -> pd.DataFrame:
    frame = warehouse.read(f"marts.{mart}").drop(columns="source_file", errors="ignore")
    return frame.sort_values(list(frame.columns), ignore_index=True)


@pytest.mark.parametrize("mart", MARTS)
def test_a_mart_says_the_same_of_shuffled_rows_and_renamed_files(
    both: list[DuckDBWarehouse], mart: str
) -> None:
    one, other = (content(warehouse, mart) for warehouse in both)
    assert len(one)
    pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_a_text_under_several_countries_has_none(both: list[DuckDBWarehouse]) -> None:
    for warehouse in both:
        country = warehouse.read("intermediate.int_chat")["country"]
        # of the 100 of the US 50 are Germany's too; of the 100 without a country 50 have a copy that is of the US
        assert (country == "US").sum() == 100
        assert country.isna().sum() == 100


def test_of_the_spellings_of_a_request_the_same_is_asked_about(both: list[DuckDBWarehouse]) -> None:
    one, other = (read_inputs(warehouse) for warehouse in both)
    keys = one.chats["request_key"].unique()
    told = one.requests(keys)
    assert told == other.requests(keys)
    assert 40 < sum(text.isupper() for text in told) < len(told)
