"""The pages under docs/reference, written from the code: settings, commands and data dictionary.

Belongs here: turning `Settings`, click's commands and dbt's YAML of the marts into Markdown. Does not belong here: any
statement of its own about them; a wrong sentence is corrected at its source.

    python -m docs.generate
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click
import yaml
from pydantic.fields import FieldInfo

from assets.settings import PROJECT, Settings
from dagster_project.cli.main import main

REFERENCE = PROJECT / "docs" / "reference"
MARTS = PROJECT / "dbt" / "models" / "marts"
# the first setting of each group, in the order of the code
GROUPS = {
    "sources": "Folders and run",
    "annotation_mode": "Rating items with language models, and choosing a battery",
    "tournament_runs": "Doing and helping",
    "min_spearman": "Battery",
    "online_source": "Work and disclosure",
    "temperature": "Capability",
    "sweep_draws": "Suitability",
    "chat_characters": "Adoption",
    "open_ends": "Propensities",
}
TITLES = {
    "suitability": "Suitability",
    "capability": "Capability",
    "work": "Work",
    "battery": "Battery",
    "assistance": "Doing and helping",
    "propensity": "Propensities",
    "adoption": "Adoption",
    "agentic": "Agentic work",
    "llm": "Language models",
    "warehouse": "The refresh itself",
}
SLICES = TITLES | {
    path.name: path.name.capitalize() for path in sorted(MARTS.iterdir()) if path.name not in TITLES
}
NOTE = "<!-- Written by docs/generate.py. Don't edit: run `make reference`. -->\n"


def pages() -> dict[Path, str]:
    """Path -> text of every generated page."""
    marts = {name: list(_marts(name)) for name in SLICES}
    found = {
        "settings.md": _settings_page(),
        "commands.md": _commands_page(),
        "data-dictionary.md": _marts_page(marts),
    }
    found |= {f"marts-{name}.md": _slice_page(SLICES[name], models) for name, models in marts.items()}
    return {REFERENCE / name: text for name, text in found.items()}


def _settings_page() -> str:
    lines = [
        "# Settings",
        NOTE,
        "Every setting is an environment variable. It is read once, when a command starts; a wrong value or a",
        "misspelt name stops the command and says which variable is meant. A refresh that finds a changed setting",
        "rebuilds the tables that read it.",
    ]
    for name, field in Settings.model_fields.items():
        if name in GROUPS:
            lines += [
                "",
                f"## {GROUPS[name]}",
                "",
                "| Setting | Default | Allowed | Meaning |",
                "|---|---|---|---|",
            ]
        meaning = _sentence(field.description or "")
        lines.append(
            f"| `SUITABILITY_{name.upper()}` | {_default(name, field)} | {_allowed(field)} | {meaning} |"
        )
    lines += [
        "",
        "`SUITABILITY_WAREHOUSE_PATH` (set for dbt by the commands) and `SUITABILITY_REAL_DATA` (a folder of public",
        "data for tests) are not settings; the commands let them pass.",
    ]
    return "\n".join(lines) + "\n"


def _default(name: str, field: FieldInfo) -> str:
    value = field.default
    if name == "home":
        return "`.suitability` in the project"
    if value is None:
        return "unset"
    if value == "":
        return "blank"
    if isinstance(value, tuple):
        return f"`{','.join(map(str, value))}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _allowed(field: FieldInfo) -> str:
    kind = next((part for part in get_args(field.annotation) if part is not type(None)), field.annotation)
    if get_origin(field.annotation) is Literal:
        return " or ".join(f"`{value}`" for value in get_args(field.annotation))
    if get_origin(field.annotation) is tuple:
        of_text = get_args(field.annotation)[0] is str
        return "names, joined as described" if of_text else "whole numbers from 1, rising, joined by commas"
    names = {Path: "path", str: "text", bool: "`true` or `false`", int: "whole number", float: "number"}
    named = next(name for known, name in names.items() if known is kind)
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    bounds = [
        f"{sign} {getattr(limit, key):g}"
        for limit in field.metadata
        for key, sign in signs.items()
        if getattr(limit, key, None) is not None
    ]
    return ", ".join([named, *bounds])


def _commands_page() -> str:
    lines = ["# Commands", NOTE, "Every command takes `--help`.", ""]
    lines += ["| Command | What it does |", "|---|---|"]
    commands = list(_commands(main, "suitability"))
    for path, command in commands:
        lines.append(
            f"| [`{path}`](#{path.replace(' ', '-')}) | {_escaped(command.get_short_help_str(200))} |"
        )
    lines += ["", "## Exit codes", "", *_exit_codes()]
    for path, command in commands:
        lines += ["", f"## {path}", "", "```text", _usage(path, command), "```", "", *_help(command)]
        options = [p for p in command.params if isinstance(p, click.Option)]
        if options:
            lines += ["", "| Option | Default | Meaning |", "|---|---|---|"]
            lines += [_option(option) for option in options]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def _exit_codes() -> list[str]:
    found = re.findall(r"^\s+(\d)\s+(\S.*)$", (main.help or "").partition("Exit codes:")[2], re.MULTILINE)
    return ["| Code | Meaning |", "|---|---|", *(f"| {code} | {_escaped(text)} |" for code, text in found)]


def _usage(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path)
    return " ".join([path, *command.collect_usage_pieces(context)])


def _help(command: click.Command) -> list[str]:
    lines: list[str] = []
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            lines += ["```bash", *paragraph.splitlines()[1:], "```", ""]
        else:
            lines += [_escaped(" ".join(paragraph.split())), ""]
    return lines[:-1]


def _option(option: click.Option) -> str:
    kind = option.type
    values = (
        f" {' or '.join(f'`{choice}`' for choice in kind.choices)}" if isinstance(kind, click.Choice) else ""
    )
    default = (
        ""
        if option.is_flag or option.default in (None, "") or not option.show_default
        else f"`{option.default}`"
    )
    names = ", ".join(f"`{name}`" for name in option.opts)
    return f"| {names}{values} | {default} | {_escaped(option.help or '')} |"


def _marts(name: str) -> Iterator[Mapping[str, Any]]:
    for path in sorted((MARTS / name).glob("*.yml")):
        yield from yaml.safe_load(path.read_text(encoding="utf-8")).get("models", [])


def _marts_page(marts: Mapping[str, list[Mapping[str, Any]]]) -> str:
    lines = [
        "# Data dictionary",
        NOTE,
        "All marts live in the schema `marts` of `published/suitability.duckdb`. Intervals are central 95 % posterior",
        "quantiles unless a column says otherwise; columns that end in `_log` are natural logarithms.",
    ]
    for name, models in marts.items():
        lines += ["", f"## {SLICES[name]}", "", "| Mart | One row per |", "|---|---|"]
        lines += [
            f"| [`{m['name']}`](marts-{name}.md#{m['name']}) | {_escaped(_grain(m)[1])} |" for m in models
        ]
    return "\n".join(lines) + "\n"


def _slice_page(title: str, models: list[Mapping[str, Any]]) -> str:
    lines = [f"# Marts: {title}", NOTE.rstrip()]
    for model in models:
        text, grain = _grain(model)
        lines += [
            "",
            f"## {model['name']}",
            "",
            _escaped(text),
            "",
            f"**One row per** {_escaped(grain)}.",
            "",
        ]
        lines += ["| Column | Type | Meaning |", "|---|---|---|"]
        for column in model["columns"]:
            null = "" if {"type": "not_null"} in column.get("constraints", []) else ", may be NULL"
            meaning = _escaped(column.get("description", ""))
            lines.append(f"| `{column['name']}` | {column_type(column)}{null} | {meaning} |")
    return "\n".join(lines) + "\n"


def column_type(column: Mapping[str, Any]) -> str:
    """The declared type of a column as DuckDB has it."""
    return "double" if "double" in column["data_type"] else str(column["data_type"])


def _grain(model: Mapping[str, Any]) -> tuple[str, str]:
    text, _, grain = " ".join(model["description"].split()).rpartition("Grain: ")
    return text.strip(), grain.rstrip(".")


def _sentence(text: str) -> str:
    return _escaped(text[:1].upper() + text[1:])


def _escaped(text: str) -> str:
    """Text of the code in a cell of a table: no column breaks, HTML or links by accident."""
    text = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("[[", "\\[\\[")
    return re.sub(r"(?<=\w)\*(?=\w)|(?<=[\s(])\*(?=\w)", r"\\*", text)


def write() -> None:
    """Write all pages; says which changed."""
    REFERENCE.mkdir(exist_ok=True)
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            click.echo(path.relative_to(PROJECT))


if __name__ == "__main__":
    write()
