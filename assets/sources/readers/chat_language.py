"""The language a chat is written in, as a library hears it.

Belongs here: detection. Does not belong here: what follows from it (dbt: stg_chat).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lingua import LanguageDetector

# The most frequent languages of public chat logs. All 75 that the library knows take four times as long, and which
# of the others it is makes no difference here.
LANGUAGES = (
    *(
        "ENGLISH",
        "CHINESE",
        "RUSSIAN",
        "FRENCH",
        "SPANISH",
        "PORTUGUESE",
        "GERMAN",
        "ITALIAN",
        "JAPANESE",
        "KOREAN",
    ),
    *(
        "ARABIC",
        "TURKISH",
        "VIETNAMESE",
        "INDONESIAN",
        "DUTCH",
        "POLISH",
        "UKRAINIAN",
        "PERSIAN",
        "HINDI",
        "SWEDISH",
    ),
)
SHOWN_CHARACTERS = 300
# below this lead of the first language over the second the library says nothing
LEAD = 0.1
# Of shorter texts the library is sure and wrong: "SQL join" is Turkish to it with 0.96, English with 0.02. Where
# English has less than a thousandth the text is in another language, whichever.
SHORT_CHARACTERS = 60
FOREIGN = 0.001


def detect(texts: Sequence[str]) -> list[str | None]:
    """English name of each text's language by its first 300 characters; None = can't tell."""
    from lingua import Language

    shown = [text[:SHOWN_CHARACTERS].strip() for text in texts]
    found = _detector().detect_languages_in_parallel_of(shown)
    doubtful = [
        row
        for row, language in enumerate(found)
        if language is None or (language != Language.ENGLISH and len(shown[row]) < SHORT_CHARACTERS)
    ]
    told = _detector().compute_language_confidence_values_in_parallel([shown[row] for row in doubtful])
    for row, values in zip(doubtful, told, strict=True):
        english = next(value.value for value in values if value.language == Language.ENGLISH)
        # a text without words has no values at all
        is_foreign = english < FOREIGN <= values[0].value
        found[row] = values[0].language if is_foreign else None
    return [None if language is None else language.name.capitalize() for language in found]


def detector_version() -> str:
    """Changes with the library and with how it is asked."""
    asked = (SHOWN_CHARACTERS, LEAD, SHORT_CHARACTERS, FOREIGN)
    return f"{version('lingua-language-detector')}/{','.join(LANGUAGES)}/{'/'.join(map(str, asked))}"


@cache
def _detector() -> LanguageDetector:
    from lingua import Language, LanguageDetectorBuilder

    languages = [getattr(Language, name) for name in LANGUAGES]
    builder = LanguageDetectorBuilder.from_languages(*languages).with_low_accuracy_mode()
    return builder.with_minimum_relative_distance(LEAD).build()
