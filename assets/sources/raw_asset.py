"""Raw assets of one shape: the files of an input through its reader, tables as they came, what was left out shown.

Belongs here: that shape. Does not belong here: which inputs there are (inputs.py), reading (readers/).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path

import dagster as dg

from assets.settings import PROJECT
from assets.sources.input_root import sources_folder
from assets.sources.inputs import Input
from assets.sources.readers import Reading
from assets.step import Made, Step, table_assets

FOLDER = PROJECT / "expectations"
READERS = "assets.sources.readers"


def raw_assets(one: Input) -> dg.AssetsDefinition:
    """The tables of an input, made by its reader, whose module's code decides them: another's leaves them alone."""
    module, _, function = one.reader.partition(".")
    reader: Callable[[Path], Reading] = getattr(import_module(f"{READERS}.{module}"), function)

    def read(step: Step) -> Made:
        return as_read(reader(sources_folder(step.settings)))

    make = table_assets(
        group=one.group,
        writes=one.tables,
        inputs=[one.name, *one.looks_up],
        kinds=["python", "duckdb"],
        name=one.name if len(one.tables) > 1 else None,
        pending=with_suite(one.tables),
        salt=suites(one.tables),
        code=reader.__module__,
    )
    return make(read)


def as_read(reading: Reading) -> Made:
    """The tables, with what was read and what was left out."""
    told = {
        "files": list(reading.files),
        "ignored_files": reading.ignored_files,
        "ignored_columns": reading.ignored_columns,
        "blank_rows_skipped": reading.n_blank_rows,
        "respelled_names": reading.respelled,
    }
    return Made(reading.frames, metadata={"": told})


def with_suite(tables: Iterable[str]) -> Sequence[str]:
    """Of `tables`, those with a suite in expectations/: it runs as steps of its own, and blocks."""
    return [table for table in tables if (FOLDER / f"{table.removeprefix('raw.')}.json").is_file()]


def suites(tables: Iterable[str]) -> str:
    """Hash of the suites of `tables`: a table is made and checked again when what is expected of it changes."""
    text = "".join((FOLDER / f"{t.removeprefix('raw.')}.json").read_text("utf-8") for t in with_suite(tables))
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""
