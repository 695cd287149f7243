"""The rules of a refresh -> raw.setting: every setting, and the version of every text that decides figures.

Belongs here: which rules those are, and their values as text. Does not belong here: what a setting does (settings.py),
who refreshed when (refresh_record.py).
"""

from __future__ import annotations

import hashlib
from typing import Any

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


def new_settings(settings: Settings) -> pd.DataFrame:
    """raw.setting: kind, name, value, default_value (NULL for versions), is_default, meaning.

    Paths and waiting times decide no figure and are left out.
    """
    rows: list[dict[str, Any]] = []
    for name, field in Settings.model_fields.items():
        if name in PLACES:
            continue
        value = getattr(settings, name)
        rows.append(
            {
                "kind": SETTING,
                "name": f"SUITABILITY_{name.upper()}",
                "value": plain(value),
                "default_value": plain(field.default),
                "is_default": value == field.default,
                "meaning": field.description,
            }
        )
    rows += [
        {"kind": VERSION, "name": name, "value": _version(place), "is_default": True, "meaning": meaning}
        for name, (place, meaning) in TEXTS.items()
    ]
    return conform("raw.setting", pd.DataFrame(rows))


def plain(value: Any) -> str:
    """A setting's value as the environment would give it; 'unset' for none."""
    if value is None:
        return "unset"
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _version(place: str) -> str:
    path = PROJECT / place
    return folder_hash(path)[:12] if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()[:12]
