"""Numbers that stand for texts.

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
    folded = " ".join(unicodedata.normalize("NFKC", text).split())
    return int.from_bytes(hashlib.sha256(folded.encode()).digest()[:8]) >> 1


def text_key(text: str) -> int:
    """The first 63 bits of the SHA-256 of `text` in its normal form.

    Two of a million different texts meet with probability 5e-8.
    """
    return int.from_bytes(hashlib.sha256(normal_text(text).encode()).digest()[:8]) >> 1
