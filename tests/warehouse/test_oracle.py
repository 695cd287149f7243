"""Whatever has been changed, undone or killed, a refresh publishes what one from scratch would: walks over states.

Belongs here: which walks are taken, what must hold after each step, and that files that are gone leave nothing.
Does not belong here: how a state is made and compared (oracle.py).
"""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.warehouse.oracle import (
    WORK,
    Change,
    Laboratory,
    appended,
    cell,
    copied,
    differing,
    files_of,
    moved,
    removed,
    replaced,
    setting,
    shortened,
)

BATTERY, SEEDS, MODELS = "sources/battery", "project/dbt/seeds", "project/dbt/models/intermediate/work"
RESULT = cell(f"{BATTERY}/results/o4-mini.csv", 0, "score", "0.5")
# hours of an activity that this person, who is kept, selected
ANSWER = cell("sources/survey/companies.csv", 6, "Q3.3_16", "7")
CHAT = shortened("sources/chats/2000-02.jsonl")

CHANGES = (
    RESULT,
    ANSWER,
    CHAT,
    # rows and files that come and go, of each input
    *(
        shortened(f"sources/{path}")
        for path in (
            "battery/ratings/rater-a.csv",
            "battery/systems.csv",
            "survey/online.csv",
            "onet/Task Statements.txt",
            "onet/Skills.txt",
            "oews/national.csv",
            "comparison/working_with_ai/iwa_metrics.csv",
            "tournament/judgements/judge-a.jsonl",
            "tournament/outputs/automation.jsonl",
            "tournament/traits/judge-b.jsonl",
            "propensity/responses/o4-mini.csv",
        )
    ),
    *(
        removed(f"sources/{path}")
        for path in (
            "battery/results/o4-mini.csv",
            "battery/systems.csv",
            "survey/companies.csv",
            "chats/2000-01.parquet",
            "comparison/aei/labor_market_impacts/job_exposure.csv",
            "tournament/judgements/judge-gpt.jsonl",
            "propensity/items/risk.csv",
            "oews/national.csv",
        )
    ),
    copied(f"{BATTERY}/results/o4-mini.csv", f"{BATTERY}/results/another.csv"),
    copied(f"{BATTERY}/ratings/rater-b.csv", f"{BATTERY}/ratings/rater-c.csv"),
    copied("sources/survey/companies.csv", "sources/survey/again.csv"),
    copied("sources/chats/2000-01.parquet", "sources/chats/2000-03.parquet"),
    moved(f"{BATTERY}/results/gpt-4o-mini.csv", f"{BATTERY}/results/zz.csv"),
    moved("sources/survey/online.csv", "sources/survey/aa.csv"),
    moved("sources/chats/2000-02.jsonl", "sources/chats/1999.jsonl"),
    # what is no data
    setting("min_cell", "3"),
    setting("temperature", "1.1"),
    setting("seed", "7"),
    setting("sweep_draws", "120"),
    setting("match_floor", "0.6"),
    appended(f"{SEEDS}/policies.csv", "sharper,0,2,raw,frequency_adjusted,dirichlet,false\n"),
    appended(f"{SEEDS}/seed_system_alias.csv", "o4-mini,another\n"),
    appended("project/rubrics/capabilities/CF.md", "\nMore.\n"),
    replaced(
        f"{MODELS}/int_disclosed_importance.sql",
        "n_selected < 5",
        "n_selected < 6",
    ),
    replaced(
        "project/dbt/models/sources/work.yml", "pearson_sd, data_type: double", "pearson_sd, data_type: float"
    ),
    replaced(f"{WORK}/reliability.py", "N_SPLITS = 500", "N_SPLITS = 1000"),
    replaced("project/assets/propensity/estimate.py", "PRIOR_SD = 2.0", "PRIOR_SD = 1.9"),
    replaced("project/assets/suitability/power_mean.py", "SMALL = 0.5", "SMALL = 0.4"),
    replaced("project/expectations/rating.json", '"warning"', '"critical"'),
)
# of a walk: a change comes, or goes where it is there
EVENTS = ("touch", "kill", "kill dbt", "all undone")
N_STEPS, N_WALKS = 6, 3


@pytest.fixture(scope="module")
def unmade(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> Laboratory:
    """Nothing was refreshed in it yet."""
    return Laboratory.of_demo(tmp_path_factory.mktemp("oracle"), dbt_target)


@pytest.fixture(scope="module")
def laboratory(unmade: Laboratory) -> Laboratory:
    """Refreshed once: what that publishes is what a refresh from scratch does."""
    code, output = unmade.refresh()
    assert code == 0, output
    unmade.known[unmade.state] = unmade.published()
    return unmade


def test_each_change_makes_a_state_of_its_own_and_goes_without_a_trace(unmade: Laboratory) -> None:
    unmade.become([])
    states = {unmade.state}
    for change in CHANGES:
        unmade.become([change])
        states.add(unmade.state)
    assert len(states) == len(CHANGES) + 1
    unmade.become([])
    files = [path for base in ("sources", "project") for path in files_of(unmade.folder / base)]
    assert {
        path.relative_to(unmade.folder).as_posix(): path.read_bytes() for path in files
    } == unmade.original


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_walk_there_and_back_publishes_what_refreshes_from_scratch_do(laboratory: Laboratory) -> None:
    initial = laboratory.published()
    whole = (laboratory.home / "published" / "suitability.duckdb").read_bytes()
    laboratory.touch()
    laboratory.check()
    # every publication notes its time
    assert (laboratory.home / "published" / "suitability.duckdb").read_bytes() == whole

    started = time.monotonic()
    laboratory.become([RESULT, ANSWER, CHAT])
    laboratory.check()
    made = laboratory.made()
    assert {"raw/result", "raw/survey_response", "raw/chat", "marts/suitability"} <= made.keys()
    assert not {"raw/rating", "raw/onet_task", "raw/propensity_item", "marts/tournament_rank"} & made.keys()
    moved_marts = differing(laboratory.published(), initial)
    assert {"system_profile", "activity_importance", "chat_funnel"} <= set(moved_marts)
    seconds = time.monotonic() - started

    laboratory.become([RESULT, ANSWER, CHAT, setting("min_cell", "3")])
    code, output = laboratory.refresh()
    assert code == 0, output
    assert "raw/result" not in laboratory.made()
    laboratory.become([RESULT, ANSWER, CHAT])
    laboratory.check()

    laboratory.become([ANSWER])
    laboratory.kill_after(random.Random(15).uniform(0.1, 0.5) * seconds)
    laboratory.become([])
    laboratory.check()
    assert not differing(laboratory.published(), initial)
    assert laboratory.n_scratch == 1


@pytest.mark.slow
@pytest.mark.timeout(6 * 3600)
def test_any_walk_publishes_what_refreshes_from_scratch_do(laboratory: Laboratory) -> None:
    steps = st.lists(st.sampled_from([*CHANGES, *EVENTS]), min_size=N_STEPS, max_size=N_STEPS)

    # a walk takes minutes: what fails is told as it is
    @settings(
        deadline=None,
        max_examples=N_WALKS,
        phases=[Phase.generate],
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(steps, st.randoms(use_true_random=False))
    def walk(steps: list[Change | str], chance: random.Random) -> None:
        there: list[Change] = []
        for step in steps:
            if isinstance(step, Change):
                there = [one for one in there if one is not step] if step in there else [*there, step]
            elif step == "all undone":
                there = []
            laboratory.become(there)
            if step == "touch":
                laboratory.touch()
            elif step in ("kill", "kill dbt"):
                # there is something to be killed at
                laboratory.become([*there, RESULT] if RESULT not in there else there[:-1])
                laboratory.kill_after(chance.uniform(5, 60), worker=step == "kill dbt")
            laboratory.check()

    walk()
    laboratory.become([])
    laboratory.check()


EMAIL = "zanzibar.quillfeather@nowhere-in-particular.example"
PERSON = "R_zq7Xv91kWmJp4"
DURATION = "9021073145827"
TEXT = "Please draft the xylographic memorandum about wombat husbandry at Fenwick Hollow"


def _planted(files: dict[str, bytes], settings: dict[str, str]) -> None:
    """A system, a survey and chats of their own, in which somebody can be recognised."""
    header, *rows = files[f"{BATTERY}/results/o4-mini.csv"].decode().splitlines()
    at = header.split(",").index("metadata")
    first = rows[0].split(",")
    first[at] = EMAIL
    lines = [header, ",".join(first), *rows[1:]]
    files[f"{BATTERY}/results/planted.csv"] = ("\n".join(lines) + "\n").encode()
    header, person = files["sources/survey/companies.csv"].decode().splitlines()[:2]
    cells = dict(zip(header.split(","), person.split(","), strict=False))
    for column, value in (("ResponseId", PERSON), ("Duration (in seconds)", DURATION)):
        person = person.replace(f",{cells[column]},", f",{value},", 1)
    files["sources/survey/planted.csv"] = f"{header}\n{person}\n".encode()
    chat = json.loads(files["sources/chats/2000-02.jsonl"].decode().split("\n")[0])
    chat["conversation_hash"], chat["conversation"][0]["content"] = "planted", TEXT
    files["sources/chats/planted.jsonl"] = (json.dumps(chat) + "\n").encode()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_files_that_are_gone_leave_nothing_in_the_home(laboratory: Laboratory) -> None:
    laboratory.become([Change("planted", _planted)])
    laboratory.check()
    before = set(_holding(laboratory.home, [EMAIL, DURATION, TEXT]))
    assert {text for _, text in before} == {EMAIL, DURATION, TEXT}
    laboratory.become([])
    laboratory.check()
    assert set(_holding(laboratory.home, [EMAIL, PERSON, DURATION, TEXT])) == set()


def _holding(home: Path, texts: list[str]) -> Iterator[tuple[str, str]]:
    """File of the home and text that it holds: in its bytes, or in the values of its tables."""
    for path in sorted(home.rglob("*")):
        if path.is_file() and path.stat().st_size:
            found = path.read_bytes()
            looked = [found, *_values(path, found)]
            for text in texts:
                forms = [text.encode(code) for code in ("utf-8", "utf-16-le", "utf-32-le")]
                forms.append(text.encode().hex().encode())
                if any(form in part for form in forms for part in looked):
                    yield path.relative_to(home).as_posix(), text


def _values(path: Path, content: bytes) -> Iterator[bytes]:
    if content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)
    elif content[:4] == b"PAR1":
        yield repr(duckdb.read_parquet(str(path), hive_partitioning=False).fetchall()).encode()
    elif content[:15] == b"SQLite format 3":
        records = sqlite3.connect(path)
        for (table,) in records.execute("select name from sqlite_master where type = 'table'").fetchall():
            yield repr(records.execute(f'select * from "{table}"').fetchall()).encode()
        records.close()
    elif content[8:12] == b"DUCK":
        with duckdb.connect(str(path), read_only=True) as connection:
            for schema, table in connection.execute(
                "select schema_name, table_name from duckdb_tables()"
            ).fetchall():
                yield repr(connection.execute(f'select * from "{schema}"."{table}"').fetchall()).encode()
