"""One way to make a Dagster asset of a function: what it reads is declared once, and it runs only when that changed.

Belongs here: reading and writing of steps in Python, the record of what they were made from, keeping what still
holds. Does not belong here: any computation (the slices), when a table is stale (versions.py), how it is stored
(common/warehouse.py).
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import dagster as dg
import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.common.warehouse import DamagedPartError, Rows, Warehouse, declared_tables
from assets.settings import Settings
from assets.sources.errors import SourceError
from assets.sources.inputs import (
    BY_NAME,
    FileHashes,
    bytes_version,
    input_files,
    input_versions,
    why_altered,
)
from assets.versions import (
    FILE,
    FILE_OF,
    FILES,
    KEPT,
    ReadSettings,
    Version,
    code_version,
    values_of,
    why_stale,
)


@dataclass(frozen=True)
class Made:
    """What a step made.

    Args:
        tables: rows by `schema.name`.
        files: by `schema.name`, where in the home lies what is handed on in files: a file, a folder, or those of a
            folder by a pattern. Their bytes are its version.
        versions: data version of tables with columns that decide nothing.
        metadata: of each table by name, or of all under ''.
        checks: results of the step's own checks.
    """

    tables: Mapping[str, Rows] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    checks: Sequence[dg.AssetCheckResult] = ()


@dataclass(frozen=True)
class Step:
    """What a step's function may ask of the outside; tables that it doesn't declare are refused."""

    context: dg.AssetExecutionContext
    settings: Settings
    warehouse: Warehouse
    reads: frozenset[str]

    def log(self, text: str) -> None:
        """For whoever watches the run."""
        self.context.log.info(text)

    @property
    def home(self) -> Path:
        """Where kept files go."""
        return self.settings.home

    def read(self, table: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        """As `Warehouse.read`.

        Raises:
            LookupError: the step doesn't declare that it reads `table`.
        """
        self._refuse_undeclared(table)
        return self.warehouse.read(table, columns)

    def read_keys(
        self, table: str, columns: Sequence[str], key: str, values: npt.NDArray[np.int64]
    ) -> pd.DataFrame:
        """As `Warehouse.read_keys`; raises as `read`."""
        self._refuse_undeclared(table)
        return self.warehouse.read_keys(table, columns, key, values)

    def _refuse_undeclared(self, table: str) -> None:
        if table not in self.reads:
            step = self.context.op_execution_context.op.name
            raise LookupError(f"{step} reads {table} without declaring it in `reads`")


@dataclass(frozen=True)
class Plan:
    """What one step reads and writes. `pending` are tables whose blocking checks run as steps of their own."""

    writes: tuple[str, ...]
    reads: tuple[str, ...]
    inputs: tuple[str, ...]
    code: str
    pending: frozenset[str] = frozenset()


def table_assets(
    *,
    group: str,
    writes: Mapping[str, str],
    reads: Sequence[str] = (),
    inputs: Sequence[str] = (),
    kinds: Sequence[str] = ("python",),
    name: str | None = None,
    checks: Sequence[dg.AssetCheckSpec] = (),
    pending: Sequence[str] = (),
    skippable: Sequence[str] = (),
    code: str | None = None,
    salt: str = "",
    is_always_made: bool = False,
    **options: Any,
) -> Callable[[Callable[[Step], Made]], dg.AssetsDefinition]:
    """A function of a `Step` becomes the Dagster assets that it writes; lineage follows from what it declares.

    The function runs when its code, a setting that it read, or the data version of something that it reads has changed
    since its tables were made; else they are kept as they stand.

    Args:
        group: slice.
        writes: `schema.name` -> description, of tables or of what lies in files.
        reads: `schema.name` of all tables that it reads.
        inputs: names of `assets.sources.inputs.INPUTS` that it reads.
        kinds: labels in Dagster's UI.
        name: of the step; by default the table's (`raw__rating`), or the function's where there are several.
        checks: that the function itself reports.
        pending: of `writes`, those with blocking checks elsewhere.
        skippable: of `writes`, those that the function may leave as they are.
        code: the module whose code, with all it imports, decides the tables; by default the function's own.
        salt: what else decides them, such as a hash of files that the code reads.
        is_always_made: nothing is ever kept.
        options: of `dagster.multi_asset`.
    """

    def decorate(function: Callable[[Step], Made]) -> dg.AssetsDefinition:
        version = code_version(code or function.__module__) + salt + _declared(writes)
        plan = Plan(tuple(writes), tuple(reads), tuple(inputs), version, frozenset(pending))
        specs = [
            dg.AssetSpec(
                table.split("."),
                deps=[key.split(".") for key in (*reads, *(FILE + one for one in inputs))],
                group_name=group,
                kinds=set(kinds),
                code_version=plan.code,
                description=description,
                skippable=table in skippable,
                metadata={"suitability/is_always_made": is_always_made},
            )
            for table, description in writes.items()
        ]

        own = function.__name__ if len(writes) > 1 else specs[0].key.to_python_identifier()

        @dg.multi_asset(name=name or own, specs=specs, check_specs=list(checks), pool="warehouse", **options)
        def step(
            context: dg.AssetExecutionContext,
            warehouse: dg.ResourceParam[Warehouse],
            settings: dg.ResourceParam[Settings],
        ) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
            yield from _run(function, plan, context, warehouse, settings, is_always_made)

        return step

    return decorate


def _declared(writes: Iterable[str]) -> str:
    """Hash of the columns and types that tables are written with: they stand beside the code that fills them."""
    columns = [declared_tables().get(table) for table in writes]
    return hashlib.sha256(json.dumps(columns).encode()).hexdigest()[:8]


def _run(
    function: Callable[[Step], Made],
    plan: Plan,
    context: dg.AssetExecutionContext,
    warehouse: Warehouse,
    settings: Settings,
    is_always_made: bool,
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    known = warehouse.versions()
    values, hashes = values_of(settings), FileHashes(settings.home)
    with faults_as_failure():
        files = _input_files(plan, settings, hashes)
    inputs = input_versions(plan.reads, files, known)
    of_partitions = context.has_partition_key or context.has_partition_key_range
    why = "it is made in every refresh" if is_always_made else "asked for" if of_partitions else ""
    for table in plan.writes:
        why = why or why_stale(known.get(table), plan.code, values, inputs, files)
        why = why or why_altered(known[table], settings.home, hashes)
    if not why:
        yield from _keep(plan, known, context)
        return
    context.log.info(f"making {', '.join(plan.writes)}: {why}")
    noting, noted = ReadSettings.of(settings)
    started = time.monotonic()
    with faults_as_failure():
        made = function(Step(context, noting, warehouse, frozenset(plan.reads)))
        now = _input_files(plan, settings, hashes)
    # what is added to the ledger meanwhile is no half a file: it is read by the next refresh
    if any(now[file] != files[file] for file in now if BY_NAME[file.removeprefix(FILE)].base != "home"):
        what = ", ".join(plan.inputs)
        raise dg.Failure(
            f"files of {what} changed while they were read. Refresh again when they are whole",
            allow_retries=False,
        )
    written = [table for table in plan.writes if table in made.tables or table in made.files]
    is_sound = all(check.passed for check in made.checks if check.severity == dg.AssetCheckSeverity.ERROR)
    origin = Version(
        plan.code, noted, inputs,
        seconds=time.monotonic() - started, reason=why, refresh_id=context.run.run_id,
    )  # fmt: skip
    fresh = {
        table: replace(
            origin,
            data_version=bytes_version(made.files[table])
            if table in made.files
            else made.versions.get(table, ""),
            is_checked=is_sound and table not in plan.pending,
            metadata=_metadata(made, table, settings.home) | ({FILES: files} if files else {}),
        )
        for table in written
    }
    with faults_as_failure():
        # some partitions made are no table made: what was noted of the whole still tells when it is stale
        noted_versions = fresh | warehouse.write(made.tables, {} if of_partitions else fresh)
    for table in written:
        version = noted_versions[table]
        yield dg.MaterializeResult(
            asset_key=table.split("."),
            metadata={**row_count(version), **_shown(version.metadata), "reason": why},
            data_version=dg.DataVersion(version.data_version),
        )
    yield from made.checks


def _metadata(made: Made, table: str, home: Path) -> dict[str, Any]:
    told = {**made.metadata.get("", {}), **made.metadata.get(table, {})}
    if table in made.files:
        told[FILE_OF] = made.files[table].relative_to(home).as_posix()
    return told


def _keep(
    plan: Plan, known: Mapping[str, Version], context: dg.AssetExecutionContext
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    for table in plan.writes:
        yield dg.MaterializeResult(
            asset_key=table.split("."),
            metadata={KEPT: True, **row_count(known[table])},
            data_version=dg.DataVersion(known[table].data_version),
        )
    for key in context.selected_asset_check_keys:
        yield dg.AssetCheckResult(
            asset_key=key.asset_key,
            check_name=key.name,
            passed=True,
            description="kept",
            metadata={KEPT: True},
        )


def row_count(version: Version) -> dict[str, int]:
    """Rows of a table under the one key that Dagster draws over time, whether it was made or kept."""
    return {} if version.n_rows is None else {"dagster/row_count": version.n_rows}


def _input_files(plan: Plan, settings: Settings, hashes: FileHashes) -> dict[str, dict[str, str]]:
    return {FILE + one: input_files(BY_NAME[one], settings, hashes.of) for one in plan.inputs}


def _shown(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What of a version's metadata the UI shows: hashes of files it has in its own way."""
    return {name: value for name, value in metadata.items() if name != FILES}


@contextmanager
def faults_as_failure() -> Iterator[None]:
    """Shows faults of files as the step's failure: no stack trace, no retries."""
    try:
        yield
    except SourceError as error:
        files = sorted({fault.file for fault in error.faults})
        raise dg.Failure(str(error), metadata={"files": files}, allow_retries=False) from None
    except DamagedPartError as error:
        raise dg.Failure(str(error), allow_retries=False) from None
