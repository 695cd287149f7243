"""Tables and tests of dbt as Dagster assets and checks: one step a phase, which makes what is stale.

Belongs here: specs, and the step around dbt's process. Does not belong here: SQL (dbt/), the manifest (dbt_nodes.py),
the process (dbt_process.py), when a table is stale (assets/versions.py).
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

import dagster as dg

from assets.settings import Settings
from assets.step import row_count
from assets.versions import DBT_STEP, KEPT, FailedCheck, Version, values_of, why_stale
from dagster_project.dbt_build.dbt_nodes import DbtNodes, DbtTable, DbtTest, phases
from dagster_project.dbt_build.dbt_process import DbtProcess, DbtProcessError, Outcome
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs.instance import POOL
from dagster_project.runs.version_table import CONTENT

BAD = {"error", "fail", "skipped", "runtime error"}


@dg.resource(required_resource_keys={"settings"}, description="dbt, in one process for the whole run.")
def dbt_resource(context: dg.InitResourceContext) -> Iterator[DbtProcess]:
    """Started at once, so that it is ready when the first tables of Python are."""
    process = DbtProcess(context.resources.settings)
    process.start()
    try:
        yield process
    finally:
        process.close()


def build_dbt_assets(
    nodes: DbtNodes, reads_of: Callable[[str], tuple[str, ...]]
) -> list[dg.AssetsDefinition]:
    """All seeds and models, a step for each phase that the graph needs.

    Args:
        reads_of: what each table of Python is made from.
    """
    of_phase: dict[int, list[DbtTable]] = {}
    for name, phase in phases(nodes, reads_of).items():
        of_phase.setdefault(phase, []).append(nodes.tables[name])
    return [_step(number, of_phase[number], of_phase, nodes) for number in sorted(of_phase)]


def _step(
    number: int, tables: Sequence[DbtTable], of_phase: Mapping[int, Sequence[DbtTable]], nodes: DbtNodes
) -> dg.AssetsDefinition:
    own = {table.name for table in tables}
    earlier = {table.name for phase, others in of_phase.items() if phase < number for table in others}
    later = nodes.tables.keys() - own - earlier
    # a test of several tables runs once the last of them is made
    tests = [t for t in nodes.tests.values() if own & set(t.reads) and not later & set(t.reads)]

    @dg.multi_asset(
        name=f"{DBT_STEP}{number}",
        specs=[_spec(table, nodes) for table in tables],
        check_specs=[_check(test) for test in nodes.tests.values() if test.on in own],
        can_subset=True,
        pool=POOL,
        # the warehouse resource holds the refresh lock
        required_resource_keys={"dbt", "settings", "warehouse"},
    )
    def dbt_phase(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        selected = {".".join(key.path) for key in context.selected_asset_keys}
        asked = [table for table in tables if table.name in selected]
        yield from _Phase(context, nodes, asked, tests).run()

    return dbt_phase


def _spec(table: DbtTable, nodes: DbtNodes) -> dg.AssetSpec:
    return dg.AssetSpec(
        table.name.split("."),
        deps=[read.split(".") for read in table.reads],
        group_name=table.group,
        kinds={"dbt", "duckdb"},
        code_version=table.code_version,
        description=table.description,
        metadata={
            "dagster/table_name": table.name,
            "suitability/compared_with": nodes.compared_with(table.name),
        },
    )


def _check(test: DbtTest) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(
        test.name, asset=test.on.split("."), blocking=test.is_blocking, description=test.description or None
    )


class _Phase:
    """One run of a phase: what is stale is made, what is made is tested, and both are noted."""

    def __init__(
        self,
        context: dg.AssetExecutionContext,
        nodes: DbtNodes,
        asked: Sequence[DbtTable],
        tests: Sequence[DbtTest],
    ) -> None:
        self._context, self._nodes, self._asked, self._tests = context, nodes, asked, tests
        self._warehouse: DuckDBWarehouse = context.resources.warehouse
        self._settings: Settings = context.resources.settings
        self._variables = self._settings.dbt_vars()
        self._failed: list[FailedCheck] = []
        self._seconds: dict[str, float] = {}
        self._faults: list[str] = []
        self._done: set[str] = set()
        self._unsound: set[str] = set()
        self._untested: set[str] = set()
        self._broke_off = False

    def run(self) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        """Results as Dagster takes them.

        Raises:
            dagster.Failure: a table can't be made or a blocking test failed; what follows from it was left as it was.
        """
        known = self._warehouse.versions()
        reasons = stale_tables(self._asked, known, values_of(self._settings))
        tables = {
            self._nodes.tables[name].unique_id: self._origin(self._nodes.tables[name]) for name in reasons
        }
        run_id = self._context.run.run_id
        made = set(reasons) | {name for name, version in known.items() if version.refresh_id == run_id}
        tests = {test.unique_id: test for test in self._tests if made & set(test.reads)}
        by_id = {self._nodes.tables[name].unique_id: name for name in reasons}
        if tables or tests:
            try:
                dbt: DbtProcess = self._context.resources.dbt
                for outcome in dbt.build(tables, list(tests), self._variables):
                    if outcome.unique_id in by_id:
                        self._take_table(by_id[outcome.unique_id], outcome)
                    elif outcome.status == "skipped" and outcome.unique_id in tests:
                        # its table could not be made, which is told already
                        self._untested.update(tests.pop(outcome.unique_id).reads)
                    elif outcome.unique_id in tests:
                        yield from self._told(self._take_test(tests[outcome.unique_id], outcome))
            except DbtProcessError as error:
                self._broke_off = True
                self._faults.append(str(error))
            self._settle(reasons, tests)
        now = self._warehouse.versions() if reasons else known
        for table in self._asked:
            if table.name in self._done or table.name not in reasons:
                yield _result(table.name, now[table.name], reasons.get(table.name))
        if self._faults:
            raise dg.Failure("\n".join(self._faults), allow_retries=False)

    def _origin(self, table: DbtTable) -> dict[str, object]:
        schema, name = table.name.split(".")
        noted = {variable: values_of(self._settings)[variable] for variable in table.variables}
        return {
            "code_version": table.code_version,
            "settings": json.dumps(noted, sort_keys=True),
            "reads": list(table.reads),
            "content": CONTENT.format(place=f'"{schema}"."{name}"', schema=schema, table=name),
        }

    def _take_table(self, name: str, outcome: Outcome) -> None:
        if outcome.status in BAD:
            # what was skipped follows from what failed, which tells why
            if outcome.status != "skipped":
                self._faults.append(f"{name.replace('.', '/')}: {outcome.message}")
            return
        self._done.add(name)
        self._seconds[name] = outcome.seconds

    def _take_test(self, test: DbtTest, outcome: Outcome) -> dg.AssetCheckResult:
        passed = outcome.status == "pass"
        if not passed:
            count = (
                f"{outcome.failures:,} offending rows"
                if outcome.failures
                else outcome.message or outcome.status
            )
            told = "; ".join(part for part in (test.description, count) if part)
            is_blocking = test.is_blocking or outcome.status != "warn"
            self._failed.append(FailedCheck(test.on, test.name, is_blocking, told))
            if is_blocking:
                self._unsound.update(test.reads)
                self._faults.append(f"{test.on.replace('.', '/')}: the test {test.name} failed ({count})")
        return dg.AssetCheckResult(
            asset_key=test.on.split("."),
            check_name=test.name,
            passed=passed,
            severity=dg.AssetCheckSeverity.WARN if outcome.status == "warn" else dg.AssetCheckSeverity.ERROR,
            metadata={} if passed else {"failed_rows": outcome.failures, "message": outcome.message or ""},
        )

    def _told(self, result: dg.AssetCheckResult) -> Iterator[dg.AssetCheckResult]:
        """A check of a table of this run's phase is its result; of an earlier or kept one, an event beside."""
        assert result.asset_key is not None and result.check_name is not None
        if dg.AssetCheckKey(result.asset_key, result.check_name) in self._context.selected_asset_check_keys:
            yield result
            return
        self._context.log_event(
            dg.AssetCheckEvaluation(
                asset_key=result.asset_key,
                check_name=result.check_name,
                passed=result.passed,
                severity=result.severity,
                metadata=result.metadata,
            )
        )

    def _settle(self, reasons: Mapping[str, str], tests: Mapping[str, DbtTest]) -> None:
        """What was made counts once all blocking tests over it passed; after a fault some have not run.

        Of two tables that don't fit together, one may be of an earlier phase or kept: neither counts any more.
        """
        is_sound = dict.fromkeys(sorted(self._unsound & self._nodes.tables.keys()), False)
        if not self._broke_off:
            is_sound |= dict.fromkeys(sorted(self._done - self._unsound - self._untested), True)
        self._warehouse.settle(
            is_sound, self._failed, [(test.on, test.name) for test in tests.values()], self._seconds,
            {name: reasons[name] for name in self._done}, self._context.run.run_id,
        )  # fmt: skip


def stale_tables(
    tables: Sequence[DbtTable], known: Mapping[str, Version], values: Mapping[str, object]
) -> dict[str, str]:
    """Table -> why it must be made, in the order given: a table follows from one that is made, too."""
    reasons: dict[str, str] = {}
    for table in tables:
        inputs = {read: known[read].data_version for read in table.reads if read in known}
        why = why_stale(known.get(table.name), table.code_version, values, inputs)
        if not why and (moved := [read for read in table.reads if read in reasons]):
            why = f"{moved[0]} is made again"
        if why:
            reasons[table.name] = why
    return reasons


def _result(name: str, version: Version, reason: str | None) -> dg.MaterializeResult:
    metadata: dict[str, str | int] = {"reason": reason} if reason else {KEPT: True}
    return dg.MaterializeResult(
        asset_key=name.split("."),
        metadata={**metadata, **row_count(version)},
        data_version=dg.DataVersion(version.data_version),
    )
