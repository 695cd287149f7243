"""Names that count as the same: one spelling for what looks alike.

Belongs here: the normal form of names that are used as keys, and whether one is damaged. Does not belong here: which
cells are names (the readers), and texts, which nobody changes.
"""

from __future__ import annotations

import re
import unicodedata

DAMAGED = "\ufffd"
DAMAGED_WHAT = "a character was lost in conversion (U+FFFD), so the name could be another's"
DAMAGED_DO = "Correct the name, or export the file again as UTF-8"

# characters that a reader sees nothing of, besides those of category Cf (Unicode's Default_Ignorable_Code_Point)
_IGNORABLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSEEN = re.compile(f"[{_IGNORABLE}]")
_LOOK_ALIKES = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019", "'"),
        **dict.fromkeys("\u201c\u201d", '"'),
        # hyphens, dashes and the minus sign
        **dict.fromkeys("\u02d7\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d", "-"),
    }
)


def clean_name(text: str) -> str:
    """A name as everyone spells it: NFKC, nothing invisible, plain blanks, quotes and hyphens, no blanks around it."""
    if text.isascii():
        return text.strip()
    for _ in range(2):
        # what is taken out may have parted letters from their accents, so once more
        text = unicodedata.normalize("NFKC", _visible(text)).translate(_LOOK_ALIKES)
    return text.strip()


def is_damaged(name: str | None) -> bool:
    """Whether a character of the name was lost, and with it what told it from others."""
    return name is not None and DAMAGED in name


def _visible(text: str) -> str:
    kinds = ((letter, unicodedata.category(letter)) for letter in _UNSEEN.sub("", text))
    return "".join(" " if kind == "Zs" else letter for letter, kind in kinds if kind != "Cf")
