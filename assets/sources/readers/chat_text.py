"""What becomes of the text of a chat at the door: cleaned, and private things masked.

Belongs here: rules on one text. Does not belong here: files and columns (chats.py), languages (chat_language.py).

Masking knows forms, not meanings: names and addresses written as plain words pass. That is why texts never reach marts.
"""

from __future__ import annotations

import re
import unicodedata

_SURROGATE = re.compile("[\ud800-\udfff]")
# runs are bounded, and what holds for a whole run is asked once: a long text without blanks would take hours
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_NAMED_SECRET = re.compile(
    r"\b((?:api[_ -]?key|access[_ -]?key|passw(?:or)?d|secret|token|bearer)\s*(?:[:=]|\bis\b)?\s*[\"']?)"
    r"((?=[^\s\"']{0,200}\d)[^\s\"']{6,})",
    re.IGNORECASE,
)
_LONG = re.compile(r"[A-Za-z0-9_\-]{20,}")
_KEY_PREFIX = re.compile(
    r"(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|hf|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9_\-]{15,}"
)
_RUN = re.compile(r"[A-Za-z0-9]{32,}")
_NUMBER = re.compile(
    r"(?<![\w.,])(?!\d{4}-\d\d-\d\d)\+?\(?\d(?:[ ()./\-\u00a0\u2010-\u2013]{0,2}\d){6,18}(?![\w]|[.,]\d)"
)
_FEWEST_PHONE_DIGITS, _FEWEST_AFTER_PLUS, _MOST_PHONE_DIGITS = 9, 7, 15


def clean(text: str) -> str:
    """`text` in NFC without NUL; half of a character pair becomes U+FFFD."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", text))
    return text.replace("\0", "")


def mask(text: str) -> tuple[str, int]:
    """`text` with e-mails, keys and tokens, card numbers (Luhn) and phone numbers replaced, and how many were.

    A number is a phone number from nine digits on, from seven behind a plus; longer than fifteen it is none.
    """
    n_masked = 0

    def put(name: str) -> str:
        nonlocal n_masked
        n_masked += 1
        return f"[{name}]"

    def long(match: re.Match[str]) -> str:
        found = match.group()
        is_key = _KEY_PREFIX.match(found) or any(_is_mixed(run) for run in _RUN.findall(found))
        return put("key") if is_key else found

    def number(match: re.Match[str]) -> str:
        found = match.group()
        digits = [unicodedata.digit(c) for c in found if c.isdigit()]
        if 13 <= len(digits) <= 19 and is_luhn(digits):
            return put("card number")
        fewest = _FEWEST_AFTER_PLUS if found.startswith("+") else _FEWEST_PHONE_DIGITS
        return put("phone") if fewest <= len(digits) <= _MOST_PHONE_DIGITS else found

    if "@" in text:
        text = _EMAIL.sub(lambda _: put("e-mail"), text)
    if "PRIVATE KEY" in text:
        text = _PRIVATE_KEY.sub(lambda _: put("key"), text)
    text = _NAMED_SECRET.sub(lambda match: match.group(1) + put("key"), text)
    text = _LONG.sub(long, text)
    return _NUMBER.sub(number, text), n_masked


def mask_emails(text: str) -> str:
    """`text` with e-mails replaced and everything else as it stands: ids look like keys and numbers."""
    return _EMAIL.sub("[e-mail]", text)


def _is_mixed(run: str) -> bool:
    return not run.isalpha() and not run.isdecimal()


def is_luhn(digits: list[int]) -> bool:
    """Whether the check digit of a card number holds (ISO/IEC 7812-1)."""
    doubled = [d if i % 2 == 0 else d * 2 - 9 * (d > 4) for i, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0 and any(digits)
