"""Private things as people type them, and a search for them in what was sent: by form, not by the product's rules.

Belongs here: the forms, sentences that hold them, what is left of them in a request. Does not belong here: assertions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

# what stands for each once it is masked -> forms; all are reserved for examples, or made up
PRIVATE = {
    "[e-mail]": ("ann.lee@example.org", "Bo_Ek+x@mail.example.co.uk"),
    "[phone]": ("+1 202 555 0143", "(202) 555-0143", "+372 5555 0199", "0170/5550143", "+12025550143"),
    "[card number]": ("4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005", "4111111111111111"),
    "[key]": (
        *("sk-proj-abcdefghijklmnop1234", "AKIAIOSFODNN7EXAMPLE", "ghp_0123456789abcdefghijABCDEFGHIJ012345"),
        *("api_key = zq81-wx92", "password: hunter2x9", "Bearer 9f8e7d6c5b4a"),
        "-----BEGIN PRIVATE KEY-----\nMIIB0example\n-----END PRIVATE KEY-----",
    ),
}
N_REMARKS = max(map(len, PRIVATE.values()))
# the secret itself, where a form names it first
_SECRETS = {"api_key = zq81-wx92": "zq81-wx92", "password: hunter2x9": "hunter2x9"} | {
    "Bearer 9f8e7d6c5b4a": "9f8e7d6c5b4a",
    PRIVATE["[key]"][-1]: "MIIB0example",
}
FORMS = tuple(_SECRETS.get(form, form) for forms in PRIVATE.values() for form in forms)
_ADDRESS = re.compile(r"[^\s@\"<>]+@[^\s@\"<>]+\.\w+")
_LONG_NUMBER = re.compile(r"\d(?:[^\w\n]{0,3}\d){6,}")
_LONG_CODE = re.compile(r"(?=\w*\d)[\w-]{16,}")


def remark(number: int) -> str:
    """A sentence with something of each kind; the first `N_REMARKS` hold all forms."""
    mail, phone, card, key = (forms[number % len(forms)] for forms in PRIVATE.values())
    return f"Please answer to {mail}, or call {phone}; the card is {card}. We log in with {key} as ever."


def left_in(bodies: Iterable[bytes]) -> list[str]:
    """What is private in bodies of requests: the forms above, however spaced or spelt, and whatever looks like one.

    Args:
        bodies: of JSON, or files of it line by line as batches are sent.
    """
    found: list[str] = []
    for body in bodies:
        raw, texts = body.decode().casefold(), "\n".join(texts_in(body)).casefold()
        digits = re.sub(r"\D", "", texts)
        for form in map(str.casefold, FORMS):
            number = re.sub(r"\D", "", form)
            if form in raw or form in texts or (len(number) >= 7 and number in digits):
                found.append(form)
        found += [*_ADDRESS.findall(texts), *_LONG_NUMBER.findall(texts), *_LONG_CODE.findall(texts)]
    return found


def texts_in(body: bytes) -> Iterator[str]:
    """What a model is told by a request: messages of a chat or of each line of a batch, texts to embed."""
    for line in body.decode().splitlines():
        if not line.startswith("{"):
            continue  # the frame of an upload
        request: dict[str, Any] = json.loads(line)
        request = request.get("body", request)
        yield from (message["content"] for message in request.get("messages", []))
        yield from request.get("input", [])
