"""What the steps' results depend on beside their tables: prompts, settings, and who plays which role.

Belongs here: one hash of them. Does not belong here: settings (assets/settings.py), roles (assets/llm).
"""

from __future__ import annotations

import hashlib

from assets.adoption import asking
from assets.adoption.steps import CONFIRMATION, RELEVANCE, SUMMARY
from assets.llm import RolesError, read_roles
from assets.settings import Settings

_SETTINGS = (
    *("match_floor", "match_margin", "embedder", "embedder_instruction"),
    *("adoption_replicates", "depth_chats", "seed"),
)
# what makes a model another, or answer otherwise; no key, no price, no patience
_IDENTITY = {"role", "name", "model", "base_url", "temperature", "seed", "max_tokens", "json_schema"}


def code_version(settings: Settings) -> str:
    """Changes with the prompts, the settings that the steps read, and the models that play their roles."""
    parts = [asking.code_version(), settings.model_dump_json(include=set(_SETTINGS))]
    try:
        roles = read_roles(settings)
    except RolesError:
        parts.append("roles that can't be read")
    else:
        parts += [
            model.model_dump_json(include=_IDENTITY)
            for role in (RELEVANCE, SUMMARY, CONFIRMATION, "embedder")
            for model in roles.of(role)
        ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
