"""The slice's marts against a brute-force twin in plain Python: 40 chats, 60 tasks, ten occupations."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, rankdata, spearmanr

from assets.embedding.embedders import WordLlama
from dagster_project.resources import DuckDBWarehouse
from tests.support.adoption.slice_build import build
from tests.support.adoption.small_world import THINGS, VERBS, tasks, world
from tests.support.factories import write_csv

FLOOR, MARGIN = 0.4, 0.08


def chats() -> list[tuple[str, str | None]]:
    """Request and country; all different, for copies count once."""
    rng = random.Random(8)
    found = []
    for number in range(40):
        verb, thing = rng.choice(VERBS), rng.choice(THINGS)
        text = f"Please explain how people {verb.lower()} the {thing}, example {number}"
        found.append((text, ("United States", "India", None)[number % 3]))
    return found


def shares() -> dict[str, float]:
    """What another index says of our texts; two have the same share, a third of the texts it doesn't list."""
    rng = random.Random(9)
    texts = sorted({text for _, _, text in tasks()})
    return {text: float(rng.randrange(1, 9)) for number, text in enumerate(texts) if number % 3}


def employed(occupation: str) -> int:
    return 0 if occupation.startswith("15") else 1 + int(occupation[3:7]) % 7


def write_comparison(sources: Path, occupations: list[str]) -> None:
    """One index by task, its texts in lower case; one by activity; one by code, that knows all but one and one more."""
    rows: list[tuple[str, object]] = [(text.lower(), share) for text, share in shares().items()]
    rows += [("hum in the shower.", 2.5), ("weigh parcels again.", "many"), ("weigh no parcels.", "1e30")]
    folder = sources / "comparison"
    write_csv(folder / "aei/release_2025_03_27/task_pct_v2.csv", ("task_name", "pct"), rows)
    activities = [("i0", "a", 0.2, 0.3), ("i1", "b", 0.1, 0.3)]
    titles = ("IWA", "title", "share_user", "share_ai")
    write_csv(folder / "working_with_ai/iwa_metrics.csv", titles, activities)
    codes = [(o[:7], o, n % 4 / 10) for n, o in enumerate(occupations[1:])] + [("99-9999", "Nobody", 1)]
    header = ("SOC Code", "title", "ai_applicability_score")
    write_csv(folder / "working_with_ai/soc_ai_applicability_scores.csv", header, codes)
    write_csv(folder / "aei/notes.csv", ("a",), [("b",)])


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
    given = world()
    occupations = given["raw.onet_occupation"]["occupation"].tolist()
    write_comparison(folder / "sources", occupations)
    codes = [occupation[:7] for occupation in occupations]
    given |= {
        "raw.onet_release": pd.DataFrame({"release": ["30.1"], "soc_taxonomy": ["O*NET-SOC 2019"]}),
        "raw.oews": pd.DataFrame(
            {
                "oews_code": codes,
                "soc_level": "detailed",
                "employment": [str(employed(o)) for o in occupations],
                "median_wage": "*",
            }
        ),
        "raw.oews_crosswalk": pd.DataFrame(
            {"occupation": occupations, "oews_code": codes, "soc_taxonomy": "O*NET-SOC 2019"}
        ),
    }
    return build(folder, folder / "sources", given, dbt_target, match_floor=FLOOR, match_margin=MARGIN)


@pytest.fixture(scope="module")
def kept() -> dict[int, set[str]]:
    """Chat -> text ids it is kept for: every pair's cosine, the three nearest, the floor, the margin."""
    text_id: dict[str, str] = {}
    for _, task_id, text in tasks():
        text_id[text] = min(text_id.get(text, task_id), task_id, key=int)
    texts = list(text_id)
    engine = WordLlama()
    of_task, of_chat = (
        engine.embed(texts).tolist(),
        engine.embed([text.lower() for text, _ in chats()]).tolist(),
    )
    found = {}
    for chat, vector in enumerate(of_chat):
        ranked = sorted(
            (-round(sum(a * b for a, b in zip(vector, other, strict=True)), 6), int(text_id[text]))
            for text, other in zip(texts, of_task, strict=True)
        )
        best = -ranked[0][0]
        near = {
            str(task) for minus, task in ranked[:3] if -minus >= FLOOR and round(best + minus, 6) <= MARGIN
        }
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
    own = mart[mart["country"] == country].set_index("major_group")
    share = own["chat_share"]
    assert (own["chat_share_q025"] <= share).all() and (share <= own["chat_share_q975"]).all()
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
    usage = built.read("marts.skill_usage").set_index("skill")
    assert usage["n_chats"]["Patience"] == sum(bool(skilled & set(part)) for part in parts.values())
    # k of n chats drawn with replacement
    n, activity = len(kept), built.read("marts.work_activity_usage").set_index("activity_id")
    for row in (usage.loc["Patience"], *(activity.loc[key] for key in mart.index)):
        ends = [binom.ppf(q, n, row["n_chats"] / n) / n for q in (0.025, 0.975)]
        if ends[0] == ends[1] == 1:
            # all of them: Wilson's lower limit, n / (n + z^2)
            ends[0] = n / (n + 1.959963984540054**2)
        assert [row["share_q025"], row["share_q975"]] == pytest.approx(ends)


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


def test_other_indices(built, parts, kept, statements) -> None:  # type: ignore[no-untyped-def]
    rows = Counter(text for _, _, text in tasks())
    theirs, seen = defaultdict[str, float](float), set().union(*kept.values())
    for occupation, _, text in tasks():
        theirs[occupation] += shares().get(text, 0) / rows[text]
    occupations = sorted(statements)
    ours = [sum(part.get(o, 0) for part in parts.values()) for o in occupations]
    known = occupations[1:]
    sides: dict[tuple[str, str], tuple[list[str], list[float], list[float]]] = {
        ("aei_2025_03_27", "occupation"): (occupations, [theirs[o] for o in occupations], ours),
        ("microsoft_applicability", "SOC"): (
            known,
            [n % 4 / 10 for n in range(len(known))],
            [sum(task in seen for task in statements[o]) / len(statements[o]) for o in known],
        ),
    }
    mart = built.read("marts.index_comparison").set_index(["index", "level"])
    for key, (units, x, y) in sides.items():
        assert mart.loc[key, "n"] == len(units)
        assert mart.loc[key, "spearman"] == pytest.approx(spearmanr(x, y).statistic)
        weights = [employed(o) for o in units]
        assert min(weights) == 0
        of_each = np.array([np.repeat(rankdata(side), weights) for side in (x, y)])
        assert mart.loc[key, "spearman_weighted"] == pytest.approx(np.corrcoef(of_each)[0, 1])
    # two activities have an order and no correlation
    assert mart.loc[("microsoft_user", "IWA"), "n"] == 2 and pd.isna(
        mart.loc[("microsoft_user", "IWA"), "spearman"]
    )
    assert set(mart.index) == {
        *sides,
        ("aei_2025_03_27", "IWA"),
        ("microsoft_user", "IWA"),
        ("microsoft_ai", "IWA"),
    }


def test_what_other_indices_have_and_we_do_not(built) -> None:  # type: ignore[no-untyped-def]
    lost = built.read("marts.index_unmatched").set_index("unit")
    assert set(lost.index) == {"hum in the shower.", "99-9999"}
    assert lost.loc["hum in the shower.", "value_share"] == pytest.approx(
        2.5 / (2.5 + sum(shares().values()))
    )
    assert lost.loc["hum in the shower.", "score"] < 0.85
    reject = built.read("staging.stg_index_reject")
    assert reject[["value", "reason"]].values.tolist() == [["many", "not a number"], ["1e30", "above 100"]]


def test_the_embedder_is_validated(built) -> None:  # type: ignore[no-untyped-def]
    mart = built.read("marts.embedder_validation").set_index("has_root")
    n = 60 + 3 + 2 + 1
    assert set(mart["n_pairs"]) == {n * (n - 1) // 2} and set(mart["sampling"]) == {"all pairs"}
    assert mart["embedder"].tolist() == ["wordllama-l2_supercat-256"] * 2
