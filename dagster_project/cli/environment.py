"""The settings of the environment, for every command.

Belongs here: reading them, and reporting a wrong one as a usage error. Does not belong here: what they mean
(assets/settings.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from assets.settings import Settings


def read_settings() -> Settings:
    """The settings of the environment; a wrong one is a usage error that names its variable."""
    from pydantic import ValidationError

    from assets.settings import Settings

    try:
        settings = Settings()
    except ValidationError as error:
        # a fault of several settings together has no place of its own, and names them itself
        faults = [(e["loc"], e["msg"].removeprefix("Value error, "), e["input"]) for e in error.errors()]
        lines = [
            f"SUITABILITY_{'_'.join(map(str, place)).upper()}: {what}, not {value!r}" if place else what
            for place, what, value in faults
        ]
        raise click.UsageError("\n".join(lines)) from None
    if settings.sources is not None and not settings.sources.is_dir():
        raise click.UsageError(
            f"SUITABILITY_SOURCES={settings.sources}: there is no such folder. Correct it, or unset it for the demo."
        )
    return settings
