"""The exposures of dbt, against what the pages of the report read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest
import yaml

from assets.settings import PROJECT
from dagster_project.report.data import OPTIONAL, TABLES, Published, read_published
from dagster_project.report.pages.common import common
from dagster_project.report.site import PAGES
from dagster_project.report.sweep import swept
from tests.support.report.published_standin import build


@dataclass(frozen=True)
class _Told(Published):
    """The published marts, and which of them were asked for."""

    asked: set[str] = field(default_factory=set)

    def __getitem__(self, mart: str) -> pd.DataFrame:
        self.asked.add(mart)
        return super().__getitem__(mart)


@pytest.fixture(scope="module")
def declared() -> dict[str, set[str]]:
    """Exposure -> marts."""
    document = yaml.safe_load((PROJECT / "dbt/models/exposures/report.yml").read_text(encoding="utf-8"))
    return {
        one["name"].removeprefix("report_"): {ref[len("ref('") : -len("')")] for ref in one["depends_on"]}
        for one in document["exposures"]
    }


def test_each_page_is_an_exposure_of_all_marts_that_it_reads(
    tmp_path: Path, declared: dict[str, set[str]]
) -> None:
    build(tmp_path / "suitability.duckdb")
    published = read_published(tmp_path / "suitability.duckdb")

    def told() -> _Told:
        return _Told(published.frames, published.catalogue)

    read = {"every_page": told()}
    base = common(read["every_page"])
    read["policies"] = told()
    base["sweep"] = swept(read["policies"], base["systems"], base["refresh"]["id"])
    for page, (_, context) in PAGES.items():
        context(read.setdefault(page, told()), base)
    assert declared.keys() == read.keys()
    missing = {page: one.asked - declared[page] for page, one in read.items()}
    assert {page: marts for page, marts in missing.items() if marts} == {}


def test_exposures_name_just_the_marts_of_the_report(declared: dict[str, set[str]]) -> None:
    assert set().union(*declared.values()) == (TABLES | OPTIONAL).keys()
