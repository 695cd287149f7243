"""What a step refuses, and what it notes where only a part was asked for or a file changed meanwhile."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from assets.settings import Settings
from assets.step import Made, Step, table_assets
from dagster_project.resources import DuckDBWarehouse
from tests.support.factories import write_sources

TABLE = "estimate.posterior_check"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "home").mkdir()
    return Settings(sources=write_sources(tmp_path / "inputs"), home=tmp_path / "home")


def run(settings: Settings, step: dg.AssetsDefinition, partition: str | None = None) -> DuckDBWarehouse:
    warehouse = DuckDBWarehouse(settings.warehouse_path)
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("letter", ["a", "b"])
        resources = {"warehouse": warehouse, "settings": settings}
        dg.materialize([step], resources=resources, instance=instance, partition_key=partition)
    return warehouse


def test_one_partition_made_does_not_make_the_whole_current(settings: Settings) -> None:
    made: list[str | None] = []

    @table_assets(
        group="g", writes={TABLE: "d"}, partitions_def=dg.DynamicPartitionsDefinition(name="letter")
    )
    def letters(step: Step) -> Made:
        made.append(step.context.partition_key if step.context.has_partition_key else None)
        path = step.home / "letters"
        path.mkdir(exist_ok=True)
        (path / "a").write_text(f"{step.settings.seed} {len(made)}")
        return Made(files={TABLE: path})

    before = run(settings, letters).versions()[TABLE]
    run(settings, letters)
    assert made == [None]
    other = settings.model_copy(update={"seed": 5})
    assert run(other, letters, "a").versions()[TABLE] == before
    assert made == [None, "a"]
    # the rest of it still is of another seed
    run(other, letters)
    assert made == [None, "a", None]


def test_another_type_of_a_column_is_another_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(columns: dict[str, str]) -> str | None:
        monkeypatch.setattr("assets.step.declared_tables", lambda: {TABLE: columns})

        @table_assets(group="g", writes={TABLE: "d"})
        def one(step: Step) -> Made:
            return Made()

        return next(iter(one.specs)).code_version

    assert version({"a": "double"}) == version({"a": "double"})
    assert version({"a": "double"}) != version({"a": "float"})


def test_what_is_added_to_the_ledger_meanwhile_is_for_the_next_refresh(settings: Settings) -> None:
    @table_assets(group="g", writes={TABLE: "d"}, inputs=["ledger"])
    def reading(step: Step) -> Made:
        with step.settings.ledger_path.open("a") as file:
            file.write("x")
        return Made(files={TABLE: step.settings.ledger_path})

    first = run(settings, reading).versions()[TABLE].inputs
    again = run(settings, reading).versions()[TABLE].inputs
    assert again != first and settings.ledger_path.read_text() == "xx"


def test_a_file_that_changes_while_it_is_read_fails_the_step(settings: Settings) -> None:
    assert settings.sources is not None
    path = settings.sources / "battery/systems.csv"

    @table_assets(group="g", writes={TABLE: "d"}, inputs=["systems"])
    def reading(step: Step) -> Made:
        path.write_text(path.read_text() + "\n")
        return Made(files={TABLE: path})

    with pytest.raises(dg.Failure, match="files of systems changed while they were read"):
        run(settings, reading)


def test_a_table_that_is_not_declared_is_refused(settings: Settings) -> None:
    @table_assets(group="g", writes={TABLE: "d"}, reads=["raw.item"])
    def reading(step: Step) -> Made:
        step.read("raw.rating")
        return Made()

    with pytest.raises(
        LookupError, match=r"estimate__posterior_check reads raw\.rating without declaring it"
    ):
        run(settings, reading)
