"""A messy log, from files to marts: each chat ends where the funnel or the rejects say, private things nowhere."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dagster_project.resources import DuckDBWarehouse
from tests.support.adoption.slice_build import build
from tests.support.adoption.small_world import THINGS, VERBS, world

GERMAN = "Bitte schreiben Sie einen freundlichen Brief an die Kunden über die neuen Öffnungszeiten des Ladens"
ARABIC = "اكتب رسالة ودية إلى العملاء حول ساعات العمل الجديدة للمتجر"
PLAIN = "Please write a friendly letter to the customers about the new opening hours of the shop"
PRIVATE = (
    "anna.bell@example.org",
    "+372 5555 0199",
    "4111 1111 1111 1111",
    "sk-proj-abcdefghijklmnop1234",
    "hunter2x9",
)
# (fate, fields of the WildChat schema); a fate is a stage where the chat stays behind, or 'unique'
Chat = tuple[str, dict[str, Any]]


def user(*texts: str | None) -> list[dict[str, Any]]:
    return [
        {"role": role, "content": text}
        for said in texts
        for role, text in (("user", said), ("assistant", f"Not kept: {PRIVATE[0]}"))
    ]


def wild(fate: str, conversation: Any, language: str | None = "English", **fields: Any) -> Chat:
    return fate, {"conversation": conversation, "language": language, **fields}


def monthly() -> list[Chat]:
    """What Parquet can hold."""
    return [
        wild("unique", user(f"{PLAIN} of {PRIVATE[0]}"), country="United States", timestamp="2024-03-01T00:15+05:30"),
        wild("copy", user(f"  {PLAIN.upper()} of {PRIVATE[0]}  "), country="India", timestamp="2024-03-01T00:15:00Z"),
        wild("unique", user(f"{PLAIN} 👩‍👩‍👧🇪🇪, or call {PRIVATE[1]}"), country=None),
        wild("unique", user(*(f"{PLAIN}, letter {n}" for n in range(25))), timestamp="2024-03-31T23:45:00-03:30"),
        wild("unique", user("", None, f"{PLAIN}, and pay with {PRIVATE[2]}"), country=""),
        wild("unique", user(f"{PLAIN} " * 80 + PRIVATE[4])),
        # the label alone, where the library can't tell
        wild("unique", user("3.14 = pi ?")),
        # the library alone, where there is no label
        wild("unique", user(f"{PLAIN} without a label"), None),
        wild("disputed", user(GERMAN)),
        wild("disputed", user(f"{PLAIN} in our shop in Berlin"), "German"),
        wild("other language", user(ARABIC), "Arabic"),
        wild("other language", user(GERMAN + "!"), "German"),
        # neither of them: English is assumed, and the chat counted as unknown
        wild("untold", user("12345 = ?"), None),
        wild("untold", user("ROI formula"), ""),
        wild("reject", user("", " \n", None)),
        wild("reject", []),
    ]  # fmt: skip


def lines() -> list[Chat]:
    """What only lines of JSON can hold."""
    return [
        wild("unique", user(f"{PLAIN}\0 with nothing in it")),
        wild("unique", user(f"{PLAIN} \ud83d half a face")),
        wild("reject", f"no list of turns, {PRIVATE[3]}"),
        wild("reject", None),
        # the same hash and another text: another chat; the same text: a copy, whatever its hash
        wild("unique", user(f"{PLAIN} again"), conversation_hash="0"),
        wild("copy", user(f"{PLAIN}  again"), conversation_hash="1"),
        wild("unique", user(f"{PLAIN} or {PRIVATE[3]}"), timestamp=f"after {PRIVATE[1]}", country=PRIVATE[0]),
    ]


def requests() -> list[str]:
    """A firm's own: most of them on three verbs, few on three others, none on the rest."""
    rng = random.Random(5)
    verbs = [verb for verb, n in zip(VERBS, (50, 40, 20, 2, 0, 6, 2), strict=False) for _ in range(n)]
    return [
        f"Please explain how people {verb.lower()} the {rng.choice(THINGS)}, example {n}"
        for n, verb in enumerate(verbs)
    ]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("messy")


@pytest.fixture(scope="module")
def built(home: Path, dbt_target: Path) -> DuckDBWarehouse:
    folder = home / "sources" / "chats"
    folder.mkdir(parents=True)
    rows = [{"conversation_hash": str(n), **row} for n, (_, row) in enumerate(monthly())]
    turn = pa.struct([("role", pa.string()), ("content", pa.string()), ("toxic", pa.bool_())])
    schema = pa.schema(
        [(name, pa.string()) for name in ("conversation_hash", "language", "country", "timestamp", "model")]
        + [("conversation", pa.list_(turn))]
    )
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / "2024-03.parquet", row_group_size=4)
    text = "".join(
        json.dumps({"conversation_hash": str(n), **row}) + "\n" for n, (_, row) in enumerate(lines())
    )
    (folder / "2024-04.jsonl.gz").write_bytes(gzip.compress((text + f'{{"cut": "{PRIVATE[3]}').encode()))
    own: list[dict[str, str | None]] = [
        {"chat_id": f"00{n}", "text": text, "at": "2024-05-01T12:00:00+05:45"}
        for n, text in enumerate(requests())
    ]
    own += [
        {"chat_id": PRIVATE[0], "text": "", "at": None},
        {"chat_id": "0", "text": None},
        {"text": PRIVATE[0]},
    ]
    (folder / "firm.jsonl").write_bytes(
        b"\xef\xbb\xbf" + "".join(json.dumps(row) + "\n" for row in own).encode()
    )
    (folder / "notes.gz").write_bytes(b"no lines of JSON")
    found = build(
        home,
        home / "sources",
        world(),
        dbt_target,
        "--exclude-resource-type",
        "unit_test",
        match_floor=0.6,
        match_margin=2,
    )
    return found


@pytest.fixture(scope="module")
def fates() -> Counter[str]:
    """Of all rows: the two WildChat files', the cut line, the firm's and its three that can't be used."""
    return Counter(fate for fate, _ in monthly() + lines()) + Counter(reject=4, unique=len(requests()))


def test_each_stage_counts_what_was_planted(built: DuckDBWarehouse, fates: Counter[str]) -> None:
    funnel = built.read("marts.chat_funnel").sort_values("stage_order").set_index("stage")
    n = funnel["n_chats"].to_dict()
    assert n["all"] == fates.total()
    n_unique = fates["unique"] + fates["untold"]
    assert n["english"] == n_unique + fates["copy"]
    assert n["unique"] == n["relevant"] == n["summarised"] == n["matched"] == n_unique
    assert 0 < n["confirmed"] <= n["matched"]
    unknown = funnel["n_unknown"].to_dict()
    assert (unknown["all"], unknown["english"]) == (
        fates["reject"],
        fates["disputed"] + fates["untold"],
    )
    # what is in no language that counts is the rest
    assert n["all"] - unknown["all"] - fates["disputed"] - n["english"] == fates["other language"]


def test_the_rest_is_in_the_rejects(built: DuckDBWarehouse, fates: Counter[str]) -> None:
    rejects = built.read("staging.stg_chat_reject")
    assert rejects["reason"].value_counts().to_dict() == {
        "no user turn holds any text": 2,
        "no turn is a user's": 2,
        "conversation is no list of turns": 2,
        "the line is no JSON, or cut off": 1,
        "no chat_id": 1,
        "no time in ISO 8601": 1,
    }
    assert (rejects["column_name"] != "at").sum() == fates["reject"]
    assert rejects["value"].isna().all()
    assert rejects["row_number"].notna().all() and rejects["source_file"].str.startswith("chats/").all()


def test_each_file_says_what_it_held(built: DuckDBWarehouse) -> None:
    log = built.read("marts.chat_log").set_index("source_file")
    assert sorted(log.index) == ["chats/2024-03.parquet", "chats/2024-04.jsonl.gz", "chats/firm.jsonl"]
    assert log["form"].tolist() == ["wildchat", "wildchat", "log"] or set(log["form"]) == {"wildchat", "log"}
    month = log.loc["chats/2024-03.parquet"]
    assert (month["n_rows"], month["n_unusable"], month["n_cut"]) == (16, 2, 1)
    assert month["n_masked"] == 4 and month["n_language_disputed"] == 2
    assert month["n_no_country"] == 14
    assert (str(month["first_at"]), str(month["last_at"])) == ("2024-02-29 18:45:00", "2024-04-01 03:15:00")
    assert str(log.loc["chats/firm.jsonl", "first_at"]) == "2024-05-01 06:15:00"


def test_texts_are_kept_as_they_were_but_for_what_is_private(built: DuckDBWarehouse) -> None:
    chat = built.read("raw.chat")
    text = chat[chat["source_file"] == "chats/2024-03.parquet"].set_index("row_number")["text"]
    assert text[3] == f"{PLAIN} 👩‍👩‍👧🇪🇪, or call [phone]"
    assert text[11] == ARABIC
    assert text[5] == f"{PLAIN}, and pay with [card number]"
    assert text[4].count("letter") == 50
    lined = chat[chat["source_file"] == "chats/2024-04.jsonl.gz"].set_index("row_number")
    assert lined.loc[1, "text"] == f"{PLAIN} with nothing in it"
    assert lined.loc[2, "text"] == f"{PLAIN} \ufffd half a face"
    assert (lined.loc[7, "country"], lined.loc[7, "at"]) == ("[e-mail]", "after [phone]")


def cells(warehouse: DuckDBWarehouse) -> Iterator[tuple[str, str]]:
    """Every text of every table and view."""
    with warehouse.connect() as connection:
        for schema, table in connection.execute(
            "select table_schema, table_name from information_schema.tables"
        ).fetchall():
            frame = connection.table(f'"{schema}"."{table}"').df()
            for column in frame.columns:
                yield f"{schema}.{table}.{column}", "\n".join(frame[column].dropna().astype(str))


def test_private_things_are_nowhere_in_what_is_kept(built: DuckDBWarehouse, home: Path) -> None:
    n_places = 0
    for place, text in cells(built):
        n_places += 1
        assert not [private for private in PRIVATE if private in text], place
    assert n_places > 200
    for path in home.rglob("*"):
        if path.is_file() and home / "sources" not in path.parents:
            content = path.read_bytes()
            assert not [private for private in PRIVATE if private.encode() in content], path
            if path.suffix == ".parquet":
                text = pq.read_table(path).to_pandas().to_csv()
                assert not [private for private in PRIVATE if private in text], path


def test_no_mart_holds_what_anybody_wrote(built: DuckDBWarehouse) -> None:
    for place, text in cells(built):
        if place.startswith("marts."):
            assert "opening hours" not in text and "explain how people" not in text, place


def test_too_few_chats_are_not_shown_and_do_not_follow_from_the_rest(built: DuckDBWarehouse) -> None:
    minimum = built.read("intermediate.int_chat_minimum").iloc[0]
    assert minimum["min_chats"] == 5
    true = built.read("intermediate.int_occupation_adoption").set_index("occupation")
    mart = built.read("marts.occupation_adoption").set_index("occupation")
    groups = built.read("marts.major_group_adoption")
    assert mart["is_suppressed"].any() and not mart["is_suppressed"].all()
    shown = mart["n_chats"].dropna()
    assert ((shown == 0) | (shown >= 5)).all()
    hidden = mart["is_suppressed"]
    assert (
        mart.loc[hidden, ["n_chats", "chat_weight", "chat_share", "n_tasks_seen", "chat_share_q025"]]
        .isna()
        .all(axis=None)
    )
    of_hidden = true["chat_weight"][hidden[hidden].index].groupby(mart["major_group"]).sum()
    everywhere = groups[groups["country"] == "all"]
    withheld = set(everywhere.loc[everywhere["is_suppressed"], "major_group"])
    for group, weight in of_hidden.items():
        # their sum follows from the group's total: it is of five chats, or that total itself, or that is withheld
        is_all = mart.loc[~hidden & (mart["major_group"] == group), "chat_weight"].sum() == 0
        assert weight >= 5 or is_all or group in withheld, group
    assert of_hidden.sum() >= 5
    of_group = true["chat_weight"].groupby(mart["major_group"]).sum()
    assert withheld and of_group[of_group.index.isin(withheld)].sum() >= 5
    for _, share in groups[groups["country"].isin(["all", "US"])].groupby("country"):
        assert ((share["n_chats"].dropna() == 0) | (share["n_chats"].dropna() >= 5)).all()
    depth = built.read("marts.adoption_depth")
    assert depth.loc[depth["min_chats"] < 5, "occupation_share"].isna().all()
    assert depth.loc[depth["min_chats"] >= 5, "occupation_share"].notna().all()


def test_matches_name_their_embedder(built: DuckDBWarehouse) -> None:
    match = built.read("intermediate.int_chat_match")
    assert match.groupby(["embedder", "weights_sha256"]).ngroups == 1
    assert match["embedder"].iloc[0].startswith("wordllama") and len(match["weights_sha256"].iloc[0]) == 64
    assert match.groupby("chat_key")["match_rank"].apply(lambda rank: sorted(rank) == [1, 2, 3]).all()
    assert isinstance(match, pd.DataFrame)
