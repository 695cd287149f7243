"""The command `suitability sql`: one query on the published marts.

Belongs here: where the query comes from, and the formats of its answer. Does not belong here: running it
(publication/read_published.py).
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
from rich.console import Console

from dagster_project.cli.exit_codes import FAILED, NOTHING_PUBLISHED, fail

if TYPE_CHECKING:
    from assets.settings import Settings

FORMATS = ("table", "csv", "json", "parquet")
PATH = click.Path(dir_okay=False, path_type=Path)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("query", type=click.UNPROCESSED, required=False)
@click.option("-f", "--file", "source", type=PATH, help="Read the query from this file.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    help="Default: by the file extension of --output, otherwise table.",
)
@click.option("-o", "--output", type=PATH, help="Write the result to this file.")
@click.pass_obj
def sql(
    read_settings: Callable[[], Settings],
    query: str | None,
    source: Path | None,
    kind: str | None,
    output: Path | None,
) -> None:
    """Run one SQL QUERY on the published marts, read-only.

    Without QUERY, or with -, the query is read from standard input.

    \b
    suitability sql "select * from marts.system_profile"
    suitability sql -f question.sql -o answer.parquet
    """
    import duckdb

    from dagster_project.publication import read_published

    settings, errors = read_settings(), Console(stderr=True)
    text = _text(query, source)
    kind = kind or _format_of(output)
    if kind == "parquet" and output is None:
        raise click.UsageError("Parquet is written to a file only: name it with --output.")
    try:
        if kind == "parquet":
            assert output is not None
            _write_parquet(output, read_published.query_arrow(settings.published_path, text))
            return
        names, rows = read_published.query(settings.published_path, text)
        if output is None:
            _write(sys.stdout, kind, names, rows)
        else:
            with output.open("w", encoding="utf-8", newline="") as file:
                _write(file, kind, names, rows)
    except read_published.NothingPublishedError as error:
        fail(errors, str(error), NOTHING_PUBLISHED)
    except BrokenPipeError:
        # whoever reads has seen enough, as `head` does; nothing is left for Python to flush at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (duckdb.Error, OSError, ValueError) as error:
        fail(errors, str(error), FAILED)


def _text(query: str | None, source: Path | None) -> str:
    if query is not None and source is not None:
        raise click.UsageError("Give the query as an argument or with --file, not both.")
    if source is not None:
        try:
            return source.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"{source} can't be read: {error}") from None
    if query is None or query == "-":
        if sys.stdin.isatty():
            raise click.UsageError(
                "Give a query as an argument, in a file with --file, or on standard input."
            )
        return sys.stdin.read()
    return query


def _format_of(output: Path | None) -> str:
    ending = output.suffix.removeprefix(".") if output else ""
    return ending if ending in FORMATS else "table"


def _write(out: TextIO, kind: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    from dagster_project.cli import show

    if kind == "csv":
        csv.writer(out, lineterminator="\n").writerows([names, *rows])
    elif kind == "json":
        if len(set(names)) < len(names):
            raise ValueError(
                f"JSON needs different column names: rename those that occur twice in {', '.join(names)}"
            )
        # JSON knows neither NaN nor infinity
        finite = [[None if isinstance(v, float) and not math.isfinite(v) else v for v in row] for row in rows]
        records: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in finite]
        out.write(json.dumps(records, default=str, indent=2, ensure_ascii=False) + "\n")
    else:
        show.rows(Console(file=out), names, rows)


def _write_parquet(path: Path, table: Any) -> None:
    import pyarrow.parquet as pq

    from assets.common.atomic_write import atomic_write

    with atomic_write(path) as fresh:
        pq.write_table(table, fresh)
