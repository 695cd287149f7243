"""The command `suitability settings`: every setting with its value, its default and its meaning.

Belongs here: the listing. Does not belong here: the settings (assets/settings.py), which table read which
(runs/version_table.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from assets.settings import Settings
    from assets.versions import Version


@click.command()
@click.argument("words", nargs=-1)
@click.option("--changed", is_flag=True, help="Only settings that differ from their default.")
@click.pass_obj
def settings(read_settings: Callable[[], Settings], words: tuple[str, ...], changed: bool) -> None:
    """List settings: value, default, meaning and use.

    With WORDS, only settings whose name or meaning contains all of them. Change a setting by its
    environment variable: SUITABILITY_MIN_CELL=3 suitability refresh
    """
    from assets.sources.setting_record import described
    from dagster_project.resources import DuckDBWarehouse

    values = read_settings()
    read_by = _read_by(DuckDBWarehouse(values.warehouse_path, values.lock_wait_seconds).versions())
    found = 0
    for one in described(values):
        text = f"{one.variable} {one.meaning}".lower()
        if (changed and one.is_default) or not all(word.lower() in text for word in words):
            continue
        found += 1
        kept = "" if one.is_default else f"  (default: {one.default})"
        click.echo(f"{one.variable} = {one.value}{kept}\n    {one.meaning}")
        if tables := read_by.get(one.field):
            click.echo(f"    used by {_first(tables)}")
    if not found:
        click.echo(
            "No setting differs from its default."
            if changed and not words
            else "No setting matches. `suitability settings` lists all."
        )


def _read_by(versions: Mapping[str, Version]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table, version in sorted(versions.items()):
        for name in version.settings:
            found.setdefault(name, []).append(table)
    return found


def _first(tables: list[str], most: int = 3) -> str:
    more = len(tables) - most
    return ", ".join(tables[:most]) + (f" and {more} more" if more > 0 else "")
