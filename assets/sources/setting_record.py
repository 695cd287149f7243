"""The rules of a refresh -> raw.setting: every setting, and the version of every text that decides figures.

Belongs here: which rules those are, and their values as text. Does not belong here: what a setting does (settings.py),
who refreshed when (refresh_record.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from assets.common.folder_hash import folder_hash
from assets.common.warehouse import conform
from assets.settings import PROJECT, Settings
from assets.versions import PLACES

SETTING, VERSION = "setting", "version"
# texts of the project that decide figures: name -> folder or file, meaning
TEXTS = {
    "rubrics": ("rubrics", "words of rubrics, tasks and prompts"),
    "policies": ("dbt/seeds/policies.csv", "how suitability is computed"),
    "sql": ("dbt", "models and seeds"),
}


class Described(NamedTuple):
    """A setting with its value and default as the environment would give them."""

    field: str
    variable: str
    value: str
    default: str
    is_default: bool
    meaning: str


def described(settings: Settings) -> Iterator[Described]:
    """Every setting, in the order in which they are declared."""
    for name, field in Settings.model_fields.items():
        value, default = getattr(settings, name), field.default
        yield Described(
            name,
            f"SUITABILITY_{name.upper()}",
            _plain(value),
            _plain(default),
            value == default,
            field.description or "",
        )


def new_settings(settings: Settings) -> pd.DataFrame:
    """raw.setting: kind, name, value, default_value (NULL for versions), is_default, meaning.

    Paths and waiting times decide no figure and are left out.
    """
    rows: list[dict[str, Any]] = [
        {
            "kind": SETTING,
            "name": one.variable,
            "value": one.value,
            "default_value": one.default,
            "is_default": one.is_default,
            "meaning": one.meaning,
        }
        for one in described(settings)
        if one.field not in PLACES
    ]
    rows += [
        {"kind": VERSION, "name": name, "value": _version(place), "is_default": True, "meaning": meaning}
        for name, (place, meaning) in TEXTS.items()
    ]
    return conform("raw.setting", pd.DataFrame(rows))


def _plain(value: Any) -> str:
    if value is None:
        return "unset"
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _version(place: str) -> str:
    path = PROJECT / place
    return folder_hash(path)[:12] if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()[:12]
