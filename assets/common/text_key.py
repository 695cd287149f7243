"""Stable integer keys for text.

Belongs here: the key by which texts count as the same, and what it stands for. Does not belong here: which texts.
"""

from __future__ import annotations

import hashlib
import unicodedata


def normal_text(text: str) -> str:
    """`text` with blanks run together and case folded: the same for all texts of one key."""
    return " ".join(text.split()).casefold()


def item_text_key(text: str) -> int:
    """As `text_key` of an item's text as sources should share it: Unicode NFKC, blanks run together, case kept."""
    return _key(" ".join(unicodedata.normalize("NFKC", text).split()))


def text_key(text: str) -> int:
    """The first 63 bits of the SHA-256 of `text` in its normal form.

    Two of a million different texts meet with probability 5e-8.
    """
    return _key(normal_text(text))


def _key(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1
