"""The door of chats: forms, faults and rejects of files, and what becomes of each text."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.sources.errors import SourceError
from assets.sources.inventory import list_source_files
from assets.sources.readers import read_chats
from assets.sources.readers.chat_language import detect
from assets.sources.readers.chat_text import clean, mask

ENGLISH = "Please write a friendly letter to the customers about the new opening hours"


def read(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """raw.chat, raw.chat_file by file name, ignored files."""
    found = read_chats(folder, folder / "made", max_characters=400, request_characters=100)
    parts = [pq.read_table(part).to_pandas() for part in found.parts]
    files = found.files.assign(name=found.files["source_file"].str.removeprefix("chats/")).set_index("name")
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(), files, found.ignored_files


def line(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=True) + "\n"


def log(texts: Mapping[str, str]) -> str:
    return "".join(line(chat_id=key, text=text, at="2024-05-01T10:00:00") for key, text in texts.items())


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    (tmp_path / "chats").mkdir()
    return tmp_path


def test_the_three_columns_say_the_same_in_each_format(chats: Path) -> None:
    rows = {"007": ENGLISH, "1.0": ENGLISH + " again", "x": "日本語の手紙を書いてください"}
    text = log(rows)
    (chats / "chats/a.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (chats / "chats/b.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    frame = pd.DataFrame({"chat_id": list(rows), "text": list(rows.values()), "at": "2024-05-01T10:00:00"})
    frame.to_parquet(chats / "chats/c.parquet")
    found, files, _ = read(chats)
    assert files["form"].tolist() == ["log"] * 3
    for _, part in found.groupby("source_file"):
        assert part["chat_id"].tolist() == ["007", "1.0", "x"]
        assert part["row_number"].tolist() == [1, 2, 3]
        assert part["text"].tolist() == list(rows.values())
        assert part["language_detected"].tolist() == ["English", "English", "Japanese"]
        assert part["problem"].isna().all()
    assert found.groupby("chat_id")["chat_key"].nunique().eq(1).all()


def test_ids_are_text_as_the_file_has_them(chats: Path) -> None:
    frame = pd.DataFrame({"chat_id": [1.0, np.nan], "text": [ENGLISH, ENGLISH], "at": None})
    pq.write_table(pa.Table.from_pandas(frame), chats / "chats/floats.parquet")
    (chats / "chats/lines.jsonl").write_text(
        line(chat_id=7, text="a") + line(chat_id=float("nan"), text="b") + line(text="c")
    )
    found = read(chats)[0]
    ids = found["chat_id"].astype(object).mask(found["chat_id"].isna(), None)
    assert ids.tolist() == ["1.0", None, "7", None, None]
    assert found["problem"].astype(object).mask(found["problem"].isna(), None).tolist() == [
        None, "no chat_id", None, "no chat_id", "no chat_id",
    ]  # fmt: skip


def test_a_gz_file_of_something_else_is_told_and_left_alone(chats: Path) -> None:
    (chats / "chats/log.jsonl.gz").write_bytes(gzip.compress(log({"a": ENGLISH}).encode()))
    (chats / "chats/backup.tar.gz").write_bytes(gzip.compress(b"no lines of JSON"))
    (chats / "chats/note.gz").write_bytes(b"no gzip either")
    found, files, ignored = read(chats)
    assert files.index.tolist() == ["log.jsonl.gz"] and len(found) == 1
    assert ignored == ["chats/backup.tar.gz", "chats/note.gz"]
    assert list_source_files(chats)["source_file"].tolist() == ["chats/log.jsonl.gz"]


@pytest.mark.parametrize("name", ["log.jsonl.gz", "log.parquet"])
def test_a_file_cut_in_half_is_named_and_nothing_of_it_taken(chats: Path, name: str) -> None:
    path = chats / "chats" / name
    rows = {str(n): f"{ENGLISH}, number {n}" for n in range(500)}
    if name.endswith("gz"):
        path.write_bytes(gzip.compress(log(rows).encode()))
    else:
        pd.DataFrame({"chat_id": list(rows), "text": list(rows.values())}).to_parquet(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(SourceError, match=re.escape(f"chats/{name}") + ".*cut off or damaged"):
        read(chats)
    assert not list((chats / "made").iterdir())


def test_all_faults_of_all_files_are_told_at_once(chats: Path) -> None:
    (chats / "chats/a.jsonl.gz").write_bytes(b"no gzip")
    pd.DataFrame({"id": ["1"]}).to_parquet(chats / "chats/b.parquet")
    with pytest.raises(SourceError) as told:
        read(chats)
    assert [fault.file for fault in told.value.faults] == ["chats/a.jsonl.gz", "chats/b.parquet"]


TURNS = pa.array([[{"content": ENGLISH}]] * 2)
TOLD = pa.array([json.dumps([{"role": "user", "content": ENGLISH}])] * 2)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            pa.table({"conversation_hash": ["a", "b"], "conversation": TURNS}),
            "no turn is a user's; found the columns conversation_hash, conversation.content",
        ),
        (
            pa.table({"conversation_hash": ["a", "b"], "conversation": TOLD}),
            "conversation is no list of turns; found the columns conversation_hash, conversation",
        ),
        (pa.table({"id": ["1"], "text": ["b"]}), "no column chat_id; found the columns id, text"),
        (line(id=1, message=ENGLISH) * 2, "no chat_id; found the columns id, message"),
        (line(**{"jo@firm.example": ENGLISH}), r"no chat_id; found the columns \[e-mail\]"),
        (json.dumps([{"chat_id": "1", "text": ENGLISH}], indent=1), "row 1: starts a JSON array"),
        (json.dumps({"chat_id": "1", "text": ENGLISH}, indent=1), "the line is no JSON, or cut off"),
    ],
)
def test_a_file_of_another_form_is_named_with_its_columns(
    chats: Path, content: pa.Table | str, told: str
) -> None:
    if isinstance(content, str):
        (chats / "chats/log.jsonl").write_text(content)
    else:
        pq.write_table(content, chats / "chats/log.parquet")
    for _ in ("when it is read", "and when it is known"):
        with pytest.raises(SourceError, match=told + r".*Give one chat a row.*chat_id, text and at\."):
            read(chats)


SHORT_ENGLISH = (
    *("Fix this code", "SQL join", "Summarize", "Translate this email", "budget template", "regex for date"),
    *(
        "Write unit tests for this",
        "Excel formula sum if",
        "make a logo",
        "Refactor this function",
        "ROI formula",
    ),
    *("pandas groupby example", "Draft invoice reminder", "SWOT analysis Tesla", "cover letter nurse"),
    *("git rebase vs merge", "meeting agenda template", "Python list comprehension", "debug null pointer"),
    "marketing plan outline",
)
FOREIGN = {
    "Bitte schreiben Sie einen freundlichen Brief an die Kunden über die Öffnungszeiten": "German",
    "Kannst du mir bitte diese Funktion in Python umschreiben und erklären": "German",
    "Escribe una carta amable a los clientes sobre el nuevo horario de la tienda": "Spanish",
    "Explícame la diferencia entre una lista y un diccionario en Python": "Spanish",
    "Écris une lettre aimable aux clients au sujet des nouveaux horaires du magasin": "French",
    "Scrivi una lettera cordiale ai clienti sui nuovi orari di apertura": "Italian",
    "Escreva uma carta amigável aos clientes sobre o novo horário da loja": "Portuguese",
    "Schrijf een vriendelijke brief aan de klanten over de nieuwe openingstijden": "Dutch",
    "Napisz przyjazny list do klientów o nowych godzinach otwarcia sklepu": "Polish",
    "Müşterilere yeni çalışma saatleri hakkında samimi bir mektup yazın": "Turkish",
    "Schreibe einen Brief an Kunden": "German",
    "Bonjour, comment ça va ?": "French",
    "写一首诗": "Chinese",
    "اكتب رسالة": "Arabic",
}


def test_short_english_is_never_heard_as_another_language_and_those_still_are() -> None:
    assert set(detect(SHORT_ENGLISH)) == {"English", None}
    assert detect(list(FOREIGN)) == list(FOREIGN.values())
    assert detect(["", "12345 67890", "напиши стих"])[:2] == [None, None]
    assert detect(["напиши стих"])[0] in ("Ukrainian", "Russian")


def test_a_file_of_nothing_but_blank_chats_is_read(chats: Path) -> None:
    (chats / "chats/log.jsonl").write_text(line(chat_id="b", text=" ") + line(chat_id="c", text=""))
    assert read(chats)[0]["problem"].tolist() == ["no user turn holds any text"] * 2


def test_lines_that_are_no_chat_stay_with_their_reason_and_without_their_text(chats: Path) -> None:
    lines = [
        '{"chat_id": "cut", "text": "my secret is',
        '["a", "list"]',
        "",
        line(chat_id="n", text=5).strip(),
        line(conversation_hash="h", conversation="secret").strip(),
        line(conversation_hash="e", conversation=[]).strip(),
        line(conversation_hash="s", conversation=[{"role": "assistant", "content": "secret"}]).strip(),
        line(conversation_hash="b", conversation=[{"role": "user", "content": " \n"}]).strip(),
        line(conversation_hash="ok", conversation=[{"role": "user", "content": ENGLISH}]).strip(),
        "[" * 200_000,
    ]
    (chats / "chats/log.jsonl").write_text("\n".join(lines))
    found, files, _ = read(chats)
    assert dict(
        zip(
            found["row_number"],
            found["problem"].astype(object).mask(found["problem"].isna(), None),
            strict=True,
        )
    ) == {
        1: "the line is no JSON, or cut off",
        2: "the line is no JSON object",
        4: "text is no text",
        5: "conversation is no list of turns",
        6: "no turn is a user's",
        7: "no turn is a user's",
        8: "no user turn holds any text",
        9: None,
        10: "the line is no JSON, or cut off",
    }
    assert [files.at["log.jsonl", c] for c in ("form", "n_rows", "n_unusable")] == ["mixed", 9, 8]
    assert "secret" not in found.to_csv()
    assert found["text"].dropna().tolist() == [ENGLISH]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a\0b", "ab"),
        ("\ud83d and \ude00", "\ufffd and \ufffd"),
        ("cafe\u0301", "café"),
        ("👩‍👩‍👧 family 🇪🇪", "👩‍👩‍👧 family 🇪🇪"),
        ("اكتب رسالة إلى العملاء", "اكتب رسالة إلى العملاء"),
        ("\u202eabc\u202c", "\u202eabc\u202c"),
    ],
)
def test_texts_are_cleaned_or_carried_unharmed(chats: Path, given: str, expected: str) -> None:
    assert clean(given) == expected
    (chats / "chats/log.jsonl").write_text(line(chat_id="a", text=given))
    assert read(chats)[0]["text"].tolist() == [expected]


def test_turns_of_the_user_make_the_chat_and_the_first_with_words_the_request(chats: Path) -> None:
    turns = [{"role": "user", "content": ""}, {"role": "user", "content": None}]
    for number in range(25):
        turns += [
            {"role": "user", "content": f"question {number}"},
            {"role": "assistant", "content": f"answer {number}"},
        ]
    (chats / "chats/log.jsonl").write_text(line(conversation_hash="a", conversation=turns))
    row = read(chats)[0].iloc[0]
    whole = "\n\n".join(f"question {n}" for n in range(25))
    assert row["request"] == "question 0"
    assert row["text"] == whole[:400] and "answer" not in row["text"]
    # 15 questions of one figure and 10 of two, 24 blank lines between
    assert row["n_characters"] == 10 * 10 + 15 * 11 + 24 * 2 == len(whole)
    assert row["n_turns"] == 26


def test_the_cap_and_what_it_cut_are_recorded(chats: Path) -> None:
    (chats / "chats/log.jsonl").write_text(log({"long": "word " * 200, "exact": "x" * 400}))
    found, files, _ = read(chats)
    assert found["n_characters"].tolist() == [999, 400]
    assert found["n_cut"].tolist() == [599, 0]
    assert found["text"].str.len().tolist() == [400, 400]
    assert found["request"].str.len().tolist() == [99, 100]
    assert files["n_cut"].tolist() == [1]


def test_copies_have_one_key_whatever_their_blanks_and_case(chats: Path) -> None:
    (chats / "chats/a.jsonl").write_text(log({"1": ENGLISH, "2": f"  {ENGLISH.upper()}\n"}))
    (chats / "chats/b.jsonl").write_text(log({"1": ENGLISH.replace(" ", "\u00a0\n"), "2": ENGLISH + "!"}))
    keys = read(chats)[0]["chat_key"].tolist()
    assert keys[0] == keys[1] == keys[2] != keys[3]


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2024-02-29T23:45:00+05:30", "2024-02-29 18:15:00"),
        ("2024-02-29T23:45:00-03:30", "2024-03-01 03:15:00"),
        ("2024-02-29T23:45:00+05:45", "2024-02-29 18:00:00"),
        ("2024-02-29T23:45:00Z", "2024-02-29 23:45:00"),
        ("2024-02-29 23:45:00", "2024-02-29 23:45:00"),
        ("2024-02-29", "2024-02-29 00:00:00"),
        ("yesterday", "yesterday"),
        ("2024-02-29 11:45:00 PM", "2024-02-29 23:45:00"),
        ("2024-02-29 12:05:00 am", "2024-02-29 00:05:00"),
        ("2024-02-29 12:05 p.m.", "2024-02-29 12:05:00"),
        ("2024-02-29 13:05:00 PM", "2024-02-29 13:05:00 PM"),
        ("2024-02-29 23:45:00 UTC", "2024-02-29 23:45:00"),
        ("2024-02-29 23:45:00 GMT", "2024-02-29 23:45:00"),
        # of which there are several
        ("2024-02-29 23:45:00 EST", "2024-02-29 23:45:00 EST"),
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"),
        ("", None),
        (1709250300, "2024-02-29 23:45:00"),
        ("1709250300.25", "2024-02-29 23:45:00.250000"),
        (1709250300000, "2024-02-29 23:45:00"),
        # which would be a time of 1712 in ISO 8601 without hyphens
        (1712050510000, "2024-04-02 09:35:10"),
        (1709250300000123456, "2024-02-29 23:45:00.000123"),
        ("555 0199 0199", "[phone]"),
    ],
)
def test_times_are_told_in_utc(chats: Path, at: str | int, expected: str | None) -> None:
    (chats / "chats/log.jsonl").write_text(line(chat_id="a", text="b", at=at))
    assert read(chats)[0]["at"].tolist() == [expected]


def test_times_of_parquet_keep_their_instant(chats: Path) -> None:
    at = pd.to_datetime(["2024-02-29T23:45:00+05:30"])
    pd.DataFrame({"chat_id": ["a"], "text": ["b"], "at": at}).to_parquet(chats / "chats/log.parquet")
    assert read(chats)[0]["at"].tolist() == ["2024-02-29 18:15:00"]


PRIVATE = {
    "write to anna.b+work@mail.example.co.uk now": "write to [e-mail] now",
    "call +372 5555 0199 or (030) 9018-20201": "call [phone] or [phone]",
    "pay with 4111 1111 1111 1111, not 4111 1111 1111 1112": "pay with [card number], not 4111 1111 1111 1112",
    "amex 3782-822463-10005": "amex [card number]",
    "use sk-proj-abcdefghijklmnop1234 please": "use [key] please",
    "AKIAIOSFODNN7EXAMPLE is old": "[key] is old",
    "password: hunter2x9": "password: [key]",
    "my api key is 8f7d6a5b4c": "my api key is [key]",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----": "[key]",
}
HARMLESS = (
    "from 2019-2023 we sold 1,250,000.50 worth of goods in 1999/2000",
    "ISBN chapter 12.3.4, pages 100-120, at 10:30 on 2024-05-01",
    "the token ring and the secret garden; a password manager",
    "supercalifragilisticexpialidocious and internationalisation",
)


@pytest.mark.parametrize(("given", "expected"), PRIVATE.items())
def test_private_things_are_masked_at_the_door(chats: Path, given: str, expected: str) -> None:
    assert mask(given)[0] == expected
    (chats / "chats/log.jsonl").write_text(line(chat_id="a", text=given))
    row = read(chats)[0].iloc[0]
    assert (row["text"], row["request"]) == (expected, expected)
    assert row["n_masked"] == expected.count("[")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_not_private_passes(text: str) -> None:
    assert mask(text) == (text, 0)


@pytest.mark.parametrize("unit", ["a", "a.", "token=", "_", "password-"])
def test_a_long_text_without_blanks_is_masked_in_linear_time(unit: str) -> None:
    """Spam and pasted blobs: letters alone took time with the square of their number, a megabyte hours."""
    started = time.perf_counter()
    masked, n_masked = mask(unit * (300_000 // len(unit)) + " jo@firm.example")
    assert (masked[-8:], n_masked) == ("[e-mail]", 1)
    assert time.perf_counter() - started < 20


def test_only_new_and_changed_files_are_read_again(chats: Path) -> None:
    def n_read() -> int:
        return read_chats(chats, chats / "made", max_characters=400, request_characters=100).n_read

    (chats / "chats/a.jsonl").write_text(log({"1": ENGLISH}))
    (chats / "chats/b.jsonl").write_text(log({"1": "two"}))
    assert (n_read(), n_read()) == (2, 0)
    (chats / "chats/b.jsonl").write_text(log({"1": "three"}))
    assert n_read() == 1
    (part,) = (p for p in (chats / "made").iterdir() if pq.read_table(p)["text"].to_pylist() == ["three"])
    part.write_bytes(part.read_bytes()[:-20])
    assert n_read() == 1
    (chats / "chats/a.jsonl").unlink()
    assert n_read() == 0
    assert read(chats)[0]["text"].tolist() == ["three"]


def test_a_number_of_more_digits_than_python_reads_is_one_bad_line(chats: Path) -> None:
    long = '{"chat_id": ' + "9" * 5000 + ', "text": "x"}\n'
    (chats / "chats/a.jsonl").write_text(log({"1": ENGLISH}) + long)
    found = read(chats)[0]
    assert found["problem"].tolist() == [None, "the line is no JSON, or cut off"]


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (pa.timestamp("ms"), 17_000_000_000_000_000, "date value out of range"),
        (pa.timestamp("ms", "Foo/Bar"), 1_700_000_000_000, "Foo/Bar"),
    ],
)
def test_a_time_that_is_none_is_named_by_row_and_column(
    kind: pa.DataType, value: int, said: str, chats: Path
) -> None:
    n = 1500
    at = pa.array([None] * (n - 1) + [value], kind)
    table = pa.table({"chat_id": [str(i) for i in range(n)], "text": [ENGLISH] * n, "at": at})
    pq.write_table(table, chats / "chats/a.parquet")
    with pytest.raises(SourceError) as told:
        read(chats)
    (fault,) = told.value.faults
    assert (fault.file, fault.row, fault.column) == ("chats/a.parquet", n, "at")
    assert said in fault.what


@pytest.mark.parametrize("name", ["day.jsonl", "day.jsonl.gz", "day.parquet"])
def test_a_file_of_no_bytes_is_refused(name: str, tmp_path: Path) -> None:
    """A cloud folder's placeholder, or an export that broke off, is no day without chats."""
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / name).touch()
    with pytest.raises(
        SourceError, match=rf"chats/{name}, row 1: the file is empty \(0 bytes\). Export or copy"
    ):
        read_chats(tmp_path, tmp_path / "parts", max_characters=100, request_characters=100)
