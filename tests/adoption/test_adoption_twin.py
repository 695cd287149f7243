"""The slice's marts against a brute-force twin in plain Python: 40 chats, 60 tasks, ten occupations."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from assets.adoption.embedders import WordLlama
from dagster_project.resources import DuckDBWarehouse
from tests.adoption.slice_build import build
from tests.adoption.small_world import THINGS, VERBS, tasks, world

FLOOR = 0.4


def chats() -> list[tuple[str, str | None]]:
    """Request and country; all different, for copies count once."""
    rng = random.Random(8)
    found = []
    for number in range(40):
        verb, thing = rng.choice(VERBS), rng.choice(THINGS)
        text = f"Please explain how people {verb.lower()} the {thing}, example {number}"
        found.append((text, ("United States", "India", None)[number % 3]))
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> DuckDBWarehouse:
    folder = tmp_path_factory.mktemp("twin")
    (folder / "sources" / "chats").mkdir(parents=True)
    lines = [
        json.dumps(
            {
                "conversation_hash": str(n),
                "conversation": [{"role": "user", "content": text}, {"role": "assistant", "content": "No."}],
                "language": "English",
                "country": country,
                "timestamp": "2024-01-01T00:00:00+05:30",
            }
        )
        for n, (text, country) in enumerate(chats())
    ]
    (folder / "sources/chats/log.jsonl").write_text("\n".join(lines) + "\n")
    return build(folder, folder / "sources", world(), dbt_target, match_floor=FLOOR)


@pytest.fixture(scope="module")
def kept() -> dict[int, set[str]]:
    """Chat -> text ids it is kept for: every pair's cosine, the three nearest, the floor."""
    text_id: dict[str, str] = {}
    for _, task_id, text in tasks():
        text_id[text] = min(text_id.get(text, task_id), task_id, key=int)
    texts = list(text_id)
    engine = WordLlama()
    of_task, of_chat = engine.embed(texts).tolist(), engine.embed([text for text, _ in chats()]).tolist()
    found = {}
    for chat, vector in enumerate(of_chat):
        ranked = sorted(
            (-round(sum(a * b for a, b in zip(vector, other, strict=True)), 6), int(text_id[text]))
            for text, other in zip(texts, of_task, strict=True)
        )
        near = {str(task) for minus, task in ranked[:3] if -minus >= FLOOR}
        if near:
            found[chat] = near
    return found


@pytest.fixture(scope="module")
def statements() -> dict[str, list[str]]:
    """Occupation -> the text id of each of its statements."""
    first: dict[str, str] = {}
    for _, task_id, text in tasks():
        first.setdefault(text, task_id)
    found = defaultdict(list)
    for occupation, _, text in tasks():
        found[occupation].append(first[text])
    return dict(found)


@pytest.fixture(scope="module")
def parts(kept: dict[int, set[str]], statements: dict[str, list[str]]) -> dict[int, dict[str, float]]:
    """Chat -> occupation -> its part of the chat."""
    found = {}
    for chat, near in kept.items():
        rows = {o: sum(task in near for task in own) for o, own in statements.items()}
        total = sum(rows.values())
        found[chat] = {o: n / total for o, n in rows.items() if n}
    return found


def test_the_floor_parts_the_planted_chats(kept: dict[int, set[str]]) -> None:
    assert 20 <= len(kept) < 40


def test_occupations(built, kept, parts, statements) -> None:  # type: ignore[no-untyped-def]
    mart = built.read("marts.occupation_adoption").set_index("occupation")
    seen = set().union(*kept.values())
    assert set(mart.index) == set(statements)
    for occupation, own in statements.items():
        row = mart.loc[occupation]
        weight = sum(part.get(occupation, 0) for part in parts.values())
        assert row["n_chats"] == sum(occupation in part for part in parts.values())
        assert row["chat_weight"] == pytest.approx(weight)
        assert row["chat_share"] == pytest.approx(weight / len(kept))
        assert (row["n_tasks"], row["n_tasks_seen"]) == (len(own), sum(task in seen for task in own))
        assert row["chat_share_q025"] <= row["chat_share"] <= row["chat_share_q975"]
    # weights total the matched chats
    assert mart["chat_weight"].sum() == pytest.approx(len(kept))
    assert not mart["is_suppressed"].any()


@pytest.mark.parametrize("country", ["all", "US"])
def test_major_groups(built, parts, country) -> None:  # type: ignore[no-untyped-def]
    mart = built.read("marts.major_group_adoption")
    share = mart[mart["country"] == country].set_index("major_group")["chat_share"]
    counted = {c: part for c, part in parts.items() if country == "all" or chats()[c][1] == "United States"}
    expected = Counter[str]()
    for part in counted.values():
        for occupation, weight in part.items():
            expected[occupation[:2]] += weight / len(counted)
    assert share.to_dict() == pytest.approx({group: expected[group] for group in share.index})


def test_depth(built, kept, statements) -> None:  # type: ignore[no-untyped-def]
    mart = built.read("marts.adoption_depth").set_index(["min_chats", "task_share"])["n_occupations"]
    n_chats = Counter(task for near in kept.values() for task in near)
    for t in (1, 2, 5, 10, 25, 50):
        for step in range(21):
            deep = [
                sum(n_chats[task] >= t for task in own) * 20 >= step * len(own) for own in statements.values()
            ]
            assert mart[(t, step / 20)] == sum(deep)


def test_activities_and_skills(built, kept, parts, statements) -> None:  # type: ignore[no-untyped-def]
    dwa = defaultdict(set)
    first: dict[str, str] = {}
    for _, task_id, text in tasks():
        dwa[first.setdefault(text, task_id)].add(f"d{int(task_id) % 3}")
    iwa_of = {"d0": "i0", "d1": "i0", "d2": "i1"}
    expected = Counter[str]()
    for near in kept.values():
        detailed = set().union(*(dwa[task] for task in near))
        expected.update({*detailed, *(iwa_of[d] for d in detailed), "g"})
    mart = built.read("marts.work_activity_usage").set_index("activity_id")["n_chats"]
    assert mart.to_dict() == {key: expected[key] for key in ("d0", "d1", "d2", "i0", "i1", "g")}
    skilled = {o for n, o in enumerate(sorted(statements)) if n % 3 == 0}
    usage = built.read("marts.skill_usage").set_index("skill")["n_chats"]
    assert usage["Patience"] == sum(bool(skilled & set(part)) for part in parts.values())


def test_funnel_and_floor(built, kept) -> None:  # type: ignore[no-untyped-def]
    funnel = built.read("marts.chat_funnel").sort_values("stage_order").set_index("stage")
    assert funnel["n_chats"].tolist()[:1] == [40] and funnel["n_chats"].tolist()[-2:] == [
        funnel["n_chats"]["unique"],
        len(kept),
    ]
    assert funnel["status"][["relevant", "summarised", "confirmed"]].tolist() == [
        "skipped",
        "fallback",
        "fallback",
    ]
    floor = built.read("marts.match_floor").set_index("match_floor")["n_chats"]
    assert floor[FLOOR] == len(kept) and floor[0.0] == 40
