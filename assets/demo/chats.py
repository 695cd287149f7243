"""Synthetic conversations with an AI system in the WildChat schema, most of them about tasks of onet.py.

Belongs here: who asks what, where and when. Does not belong here: files (generate.py), tasks (onet.py).

How often a task is asked about is planted there; around these stand what a log has besides: other languages, labels
that are wrong, copies, small talk, private things, emojis, blank turns, long conversations, unknown countries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

N_CHATS = 600
MONTHS = ("2000-01", "2000-02")
# share of chats of each kind; what is left is about work
SHARES = {"foreign": 0.13, "mislabelled": 0.02, "small talk": 0.12, "copy": 0.05, "blank": 0.01}
# what stands for what in the public log: names of countries, None = unknown
COUNTRIES: Mapping[str | None, float] = {
    "United States": 0.36, "India": 0.11, "Germany": 0.1, "Brazil": 0.08, "France": 0.08, "Egypt": 0.06,
    "China": 0.06, None: 0.15,
}  # fmt: skip
PRIVATE_SHARE, FURTHER_SHARE = 0.05, 0.25
LONG_TURNS = 25
HALF_HOUR_ZONE = "+05:30"

REQUESTS = (
    "Please help me: {}.",
    "I have to {}. How do I go about it?",
    "Can you {}, step by step?",
    "At work I was told to {}. Make a start for me.",
)
FURTHER = ("Shorter, please.", "Thanks a lot! 🙏🏽", "And now as a table.", "Why is that? 🤔", "")
PRIVATE = (
    "Write back to jo.doe@example.invalid.",
    "Or call me on +1 202 555 0143.",
    "The card to charge is 4111 1111 1111 1111.",
    "Use api_key = sk-0000-example-not-a-key-0000.",
)
TALK = (
    "Tell me a bedtime story about {}",
    "Write a funny birthday rhyme about {}",
    "What would you say if you met {}?",
    "Invent a riddle whose answer is {}",
)
TALK_ABOUT = (
    *("a dragon afraid of heights 🐉", "two sleepy owls", "the man in the moon 🌙", "a singing snail"),
    *("a ghost who likes tea 👻", "an invisible cat", "my brother's pink socks", "a very polite pirate"),
)
LANGUAGES = {
    "German": (
        "Kannst du mir bitte einen freundlichen Brief an meine Nachbarn schreiben?",
        "Wie berechne ich die Fläche eines Dreiecks, wenn ich nur die Seiten kenne?",
        "Erkläre mir bitte mit einfachen Worten, warum der Himmel blau ist.",
    ),
    "French": (
        "Peux-tu corriger les fautes de ma lettre de motivation, s'il te plaît ?",
        "Explique-moi pourquoi les feuilles tombent des arbres en automne.",
        "Propose-moi trois recettes faciles avec des pommes de terre et du fromage.",
    ),
    "Spanish": (
        "¿Puedes escribir una carta para pedir vacaciones a mi jefa?",
        "Explícame por favor cómo funciona un motor eléctrico con palabras sencillas.",
        "Necesito una lista de preguntas para una entrevista de trabajo.",
    ),
    "Chinese": (
        "请帮我写一封感谢客户的邮件，语气要礼貌一些。",
        "请用简单的语言解释一下什么是通货膨胀。",
        "我想学做菜，你能推荐三道容易的家常菜吗？",
    ),
    "Arabic": (
        "هل يمكنك أن تكتب لي رسالة شكر قصيرة إلى المعلمة؟",
        "اشرح لي من فضلك كيف تعمل الطاقة الشمسية بكلمات بسيطة.",
        "أحتاج إلى خطة أسبوعية لتعلم اللغة الإنجليزية في المنزل.",
    ),
}

_TURN = pa.struct(
    [
        *((name, pa.string()) for name in ("content", "role", "language", "country")),
        *((name, pa.bool_()) for name in ("toxic", "redacted")),
        ("turn_identifier", pa.int64()),
    ]
)
SCHEMA = pa.schema(
    [
        ("conversation_hash", pa.string()),
        ("model", pa.string()),
        ("timestamp", pa.timestamp("us")),
        ("conversation", pa.list_(_TURN)),
        ("turn", pa.int64()),
        ("language", pa.string()),
        ("toxic", pa.bool_()),
        ("redacted", pa.bool_()),
        ("country", pa.string()),
    ]
)


class Said(NamedTuple):
    """What a user wrote, turn by turn, and the language the log says it is in."""

    turns: tuple[str, ...]
    language: str


def months(
    rng: np.random.Generator, tasks: pd.DataFrame
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The chats of two months; `tasks` as onet.task_table gives them.

    Times of the first are datetimes (UTC); of the second ISO text, by a clock that is half an hour off the full hour.
    """
    said = _said(rng, tasks)
    seconds = rng.integers(0, 28 * 24 * 3600, len(said)).tolist()
    places = rng.choice(len(COUNTRIES), len(said), p=list(COUNTRIES.values()))
    chats = []
    for number, (one, second, place) in enumerate(zip(said, seconds, places, strict=True)):
        is_first = number % 2 == 0
        at = datetime.fromisoformat(f"{MONTHS[0 if is_first else 1]}-01") + timedelta(seconds=second)
        chats.append(
            _chat(
                one, list(COUNTRIES)[place], at if is_first else f"{at.isoformat()}{HALF_HOUR_ZONE}", number
            )
        )
    return chats[::2], chats[1::2]


def _said(rng: np.random.Generator, tasks: pd.DataFrame) -> list[Said]:
    kinds = rng.choice([*SHARES, "work"], N_CHATS, p=[*SHARES.values(), 1 - sum(SHARES.values())])
    asked = rng.choice(len(tasks), N_CHATS, p=tasks["chats"].to_numpy())
    said: list[Said] = []
    for kind, task in zip(kinds.tolist(), asked.tolist(), strict=True):
        if kind == "copy" and said:
            said.append(said[int(rng.integers(len(said)))])
        elif kind in ("foreign", "mislabelled"):
            language = list(LANGUAGES)[int(rng.integers(len(LANGUAGES)))]
            label = "English" if kind == "mislabelled" else language
            said.append(Said((_one_of(rng, LANGUAGES[language]),), label))
        elif kind == "small talk":
            said.append(Said((_one_of(rng, TALK).format(_one_of(rng, TALK_ABOUT)),), "English"))
        elif kind == "blank":
            said.append(Said(("", "  "), "English"))
        else:
            said.append(Said(_about(rng, tasks["text"].iloc[task]), "English"))
    said[-1] = Said(
        (*said[-1].turns, *("Go on." for _ in range(LONG_TURNS - len(said[-1].turns)))), "English"
    )
    return said


def _about(rng: np.random.Generator, task: str) -> tuple[str, ...]:
    text = _one_of(rng, REQUESTS).format(task[0].lower() + task[1:].rstrip("."))
    if rng.random() < PRIVATE_SHARE:
        text = f"{text} {_one_of(rng, PRIVATE)}"
    return (text, _one_of(rng, FURTHER)) if rng.random() < FURTHER_SHARE else (text,)


def _one_of(rng: np.random.Generator, texts: tuple[str, ...]) -> str:
    return texts[int(rng.integers(len(texts)))]


def _chat(said: Said, country: str | None, at: datetime | str, number: int) -> dict[str, Any]:
    same = {"language": said.language, "country": country, "toxic": False, "redacted": False}
    conversation = [
        {"content": text, "role": role, **same, "turn_identifier": 1000 * number + turn}
        for turn, asked in enumerate(said.turns)
        for role, text in (("user", asked), ("assistant", "(synthetic answer)"))
    ]
    return {
        # as in the public log: the same content has the same hash
        "conversation_hash": hashlib.sha256("\0".join(said.turns).encode()).hexdigest()[:32],
        "model": "synthetic-1",
        "timestamp": at,
        "conversation": conversation,
        "turn": len(said.turns),
        **same,
    }
