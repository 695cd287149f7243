"""What is kept of an item's text that stands in a file of results: enough to see that it is another one.

Belongs here: the key and beginning of a text, and the text of Inspect's inputs. Does not belong here: the texts that
are annotated (items.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assets.common.text_key import item_text_key

TEXT_START = 80


def item_text(text: str | None) -> tuple[int | None, str | None]:
    """Key of a text, and its first 80 characters; None for no text."""
    if text is None or not text.strip():
        return None, None
    plain = text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return item_text_key(plain), " ".join(plain.split())[:TEXT_START]


def input_text(given: str | Sequence[Mapping[str, Any]] | None) -> str | None:
    """The text of a sample's input: as it is, or what a conversation's user says."""
    if given is None or isinstance(given, str):
        return given
    said = [_content(message.get("content")) for message in given if message.get("role") == "user"]
    return "\n".join(said) or None


def _content(content: str | Sequence[Mapping[str, Any]] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(part["text"]) for part in content if isinstance(part.get("text"), str))
