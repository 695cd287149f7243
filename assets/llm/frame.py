"""Texts of others in a prompt, each between tags of its own that no text can close.

Belongs here: the frame. Does not belong here: what models are told about it (rubrics/prompts), and what the texts are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

# what shows nothing, or nothing but room: blanks, controls, marks of width, direction and variation
_GAP = (
    r"[\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def framed(texts: Mapping[str, str], also: Collection[str] = ()) -> str:
    """The `texts` (tag -> text), each on lines of its own between its tags.

    Tags of the frame inside a text are written with ‹ and ›, so that it ends where it ends and none begins in it. Who
    writes them otherwise (in capitals, with blanks or invisible characters, without the last bracket) gains nothing.
    A text without such tags stands as it is.

    Args:
        also: tags beside those of `texts` that must not stand in them.
    """
    tags = _tags(frozenset({*texts, *also}))
    return "\n".join(f"<{tag}>\n{tags.sub(_harmless, text)}\n</{tag}>" for tag, text in texts.items())


def _harmless(tag: re.Match[str]) -> str:
    inside = tag.group()[1:]
    return f"‹{inside[:-1]}›" if inside.endswith(">") else f"‹{inside}"


@cache
def _tags(names: frozenset[str]) -> re.Pattern[str]:
    """A slash makes a tag of the name wherever it stands; without one `a <first` may be a comparison."""
    name = "|".join(f"{_GAP}*".join(map(re.escape, one)) for one in sorted(names))
    closing = rf"{_GAP}*/(?:{_GAP}|/)*(?:{name})(?![\w-])(?:(?:{_GAP}|/)*>)?"
    attribute = rf"{_GAP}+[\w:.-]+{_GAP}*=[^<>]*"
    opening = rf"{_GAP}*(?:{name})(?:{attribute}|(?:{_GAP}|/)*)>"
    return re.compile(f"<(?:{closing}|{opening})", re.IGNORECASE)
